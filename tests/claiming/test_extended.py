"""Minutes that are left over are used: what was left out is added to the plan, in the order of its worth.

No clock of the machine is read: time goes by whenever it is looked at, by as much as a test says.
"""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.claiming.made import make_config, make_rows, write_rows
from tests.claiming.test_minutes import QUICK, Clock, ask, trained

import goldproof
from goldproof.claiming.book import Book
from goldproof.claiming.data import find_data
from goldproof.claiming.plan import settled
from goldproof.claiming.planner import Budget, make_plan, worth
from goldproof.claiming.prices import Prices
from goldproof.claiming.running import Timing, request_settings, run_claims
from goldproof.claiming.timing import Rates
from goldproof.jobs.key import digest
from goldproof.jobs.store import find_store
from goldproof.studies import find_study, settings
from goldproof.studies.settings import Choice

RATES = Rates(load=2.0, step=1.0, item=0.05)
FASTER = "There is time for more than was planned; the plan is extended."
ONE = 1.5  # minutes in which one training of these files is planned, and three are not


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    write_rows(folder / "train.csv", make_rows(120, 0, cue=0.6))
    write_rows(folder / "test.csv", make_rows(80, 1, cue=0.6))
    write_rows(folder / "other.csv", make_rows(60, 2, cue=0.6))
    return folder


def extended(config, minutes, pace, spent):
    """The plan of so many minutes, and that after its first stage at another pace."""
    data = find_data(config)
    plan = make_plan(config, data, RATES, Budget(minutes))
    done = [plan.stages[0].paced_by(pace)]
    rates = Rates(pace * RATES.load, pace * RATES.step, pace * RATES.item)
    return plan, make_plan(config, data, rates, Budget(minutes, spent, 1.0), done), data


def test_after_one_training_two_more_are_worth_most(tmp_path):
    config = make_config(tmp_path, make_rows(400, 0), make_rows(100, 1), levels=3)
    plan, more, data = extended(config, 4, 0.4, 80)
    assert [stage.name for stage in plan.stages] == ["1 training"]
    assert [stage.name for stage in more.stages] == ["1 training", "2 more trainings, 3 in all"]
    assert [part.config.seeds for part in more.stages[1].parts] == [(0, 1), (0, 1, 2)]
    one = Prices(config, data, more.rates).training(plan.stages[0].config)
    assert more.stages[1].seconds == pytest.approx(2 * one)  # and not three
    assert [each.name for each in more.left_out] == [
        "2 more trainings",
        "Initialisation, data order and dropout varied separately (9 trainings)",
    ]
    assert 80 + more.seconds - more.stages[0].seconds <= 4 * 60
    same = make_plan(config, data, RATES, Budget(4, 120, 1.0), plan.stages)
    assert same.stages == plan.stages  # at the pace that was planned with nothing more fits


def test_what_gave_way_and_came_back_was_not_added(tmp_path):
    config = make_config(tmp_path, make_rows(400, 0), make_rows(100, 1), levels=3)
    data = find_data(config)
    plans = [make_plan(config, data, RATES, Budget(minutes)) for minutes in (60, 10, 20)]
    assert [len(plan.stages) for plan in plans] == [3, 2, 2]
    back = plans[2].extends(plans[1].extends(plans[0]))
    assert plans[2].stages[1].name in {stage.name for stage in plans[0].stages}
    assert back.added() == []
    assert back.first == tuple(stage.name for stage in plans[0].stages)
    assert [stage.added for stage in plans[0].extends(plans[1]).stages] == [False, True, True]


def test_fewer_rows_give_way_to_all_of_them_only_where_all_is_learned_again(tmp_path):
    config = make_config(tmp_path, make_rows(400, 0), make_rows(100, 1), levels=0)
    plan, more, data = extended(config, 2.5, 0.1, 15)
    rows = plan.stages[0].config.data.most_train
    assert rows < 360
    assert [stage.name for stage in more.stages] == ["1 training", "3 trainings on 360 rows", "2 more trainings"]
    assert len(more.stages[1].parts) == 1  # cut short, the trainings on fewer rows are used
    assert more.stages[-1].config.data == config.data
    assert more.left_out == ()
    prices = Prices(config, data, more.rates)
    assert more.stages[1].seconds >= 3 * prices.training(config)
    assert worth(more.stages[1].config, config, data) > worth(plan.stages[0].config, config, data)
    assert more.page > 15 + 1.0  # the audit of more rows is drawn with it
    few = make_plan(config, data, RATES, Budget(2.5, 60, 1.0), plan.stages[:1])
    assert few.left_out[0].name == f"Trained on {rows} of 360 rows; all of them"


def test_what_stands_beside_the_trainings_is_brought_up_to_as_many(tmp_path):
    pairs = [{**row, "pair": row["text"][::-1]} for row in make_rows(200, 0)]
    config = make_config(tmp_path, pairs, pairs[:60], levels=0, reference="Other=fake")
    data = find_data(config)
    long = make_plan(config, data, RATES, Budget(600))
    done = replace(long.stages[2], parts=long.stages[2].parts[:1])
    assert done.config.reference
    less = replace(done.config, seeds=(0,), one_side=1, references=1)
    done = replace(done, parts=(replace(done.parts[0], config=less),))
    more = make_plan(config, data, RATES, Budget(600, 0.0, 1.0), [done])
    assert [stage.name for stage in more.stages[1:]] == [
        "2 more trainings, 3 in all",
        "each text alone (4 more trainings)",
        "the reference model (2 more trainings)",
        "2 more trainings",
    ]
    last = more.stages[-1].config
    assert (last.seeds, last.one_side, last.references) == ((0, 1, 2, 3, 4), 3, 3)


def test_minutes_left_over_widen_the_claim_and_reuse_what_is_done(files, tmp_path):
    store, told = tmp_path / "store", []
    page, clock = ask(files, store, ONE, lambda n: 0.2, told=told, out=tmp_path / "out")
    assert any(line.startswith("1 training: about ") for line in told)
    assert FASTER in told
    assert any(line.startswith("added: 2 more trainings, 3 in all: about ") for line in told)
    assert len(page.config.seeds) >= 3
    assert trained(store) == len(page.config.seeds)
    assert clock.time <= 60 * ONE
    assert "for another training on items like these" in page.report.answer.sentence
    (section,) = [each for each in page.report.sections if each.title == "Added to the plan, as there was time"]
    assert section.items[0].text.startswith("2 more trainings, 3 in all: about ")
    assert next(stage.name for stage in page.plan.stages if stage.added) == "2 more trainings, 3 in all"
    evidence = tmp_path / "out" / "evidence.json"
    assert json.loads(evidence.read_text("utf-8"))["settings"]["values"]["added"] == list(page.config.added)
    found = goldproof.verify(evidence, store)
    assert (found.holds, found.mismatches) == (True, ())
    again, _ = ask(files, store, ONE, lambda n: 0.2)
    assert again.config == page.config


def test_without_minutes_left_over_the_plan_stays(files, tmp_path):
    told = []
    page, clock = ask(files, tmp_path / "store", ONE, lambda n: 0.6, told=told)
    assert FASTER not in told
    assert page.config.seeds == (0,)
    assert page.config.added == ()
    assert clock.time <= 60 * ONE


def test_what_was_added_and_cannot_end_in_time_is_cut_short_and_named(files, tmp_path):
    store = tmp_path / "store"
    page, _ = ask(files, store, ONE, lambda n: 0.2 if n < 2 else 60.0)
    assert page.config.seeds == (0, 1)
    assert page.config.added == ()
    assert any(
        line.startswith("2 more trainings, 3 in all: 1 of 2 trainings was finished when the time was up; the others ")
        for line in page.config.left_out
    )


def test_where_all_rows_would_not_end_in_time_the_page_says_that_it_is_of_fewer(files, tmp_path):
    write_rows(tmp_path / "train.csv", make_rows(500, 0, cue=0.6))
    write_rows(tmp_path / "test.csv", make_rows(80, 1, cue=0.6))
    store, told, rates = tmp_path / "store", [], Rates(load=0.0, step=2.0, item=0.01)
    page, _ = ask(tmp_path, store, 2.8, lambda n: 0.01 if n < 1 else 2.0, told=told, rates=rates, out=tmp_path / "out")
    assert any(line.startswith("added: 3 trainings on 450 rows: about ") for line in told)
    rows = page.config.data.most_train
    assert rows < 450
    assert page.config.seeds == (0,)
    assert page.config.added == ()
    (of_rows,) = [line for line in page.config.left_out if line.startswith(f"Trained on {rows} of 450 rows; all")]
    assert of_rows in page.report.answer.notes
    assert page.config.left_out[0].startswith("3 trainings on 450 rows: begun, and stopped because ")
    found = goldproof.verify(tmp_path / "out" / "evidence.json", store)
    assert (found.holds, found.mismatches) == (True, ())


def test_an_audit_that_took_less_than_planned_leaves_its_time_to_the_trainings(files, tmp_path):
    told = []
    page, _ = ask(files, tmp_path / "store", 1.7, lambda n: 0.01, told=told)
    assert any(line.startswith("1 training: about ") for line in told)
    assert page.plan.stages[0].name == "3 trainings"


def test_stopped_while_at_what_was_added_it_goes_on_with_it(files, tmp_path):
    given = request_settings("Mine=fake", files / "train.csv", files / "test.csv", {}, None, "xx", "made up", None)
    choice, rates = Choice(settings={**given, **QUICK}), Rates(load=0.0, step=1.0, item=0.01)
    said, store = [], find_store(tmp_path / "store")

    def stop(news):
        said.extend(news.lines)
        if news.at == "2 more trainings, 3 in all":
            raise KeyboardInterrupt

    def run(listener):
        clock = Clock(tmp_path / "store", lambda n: 0.2)
        return run_claims(choice, ONE, store, progress=listener, timing=Timing(clock, lambda *_: rates))

    with pytest.raises(KeyboardInterrupt):
        run(stop)
    assert FASTER in said
    assert trained(tmp_path / "store") == 1
    (note,) = (tmp_path / "store" / "claims").glob("*.json")
    kept = json.loads(note.read_text("utf-8"))
    assert [(each["name"], each["added"]) for each in kept["plan"]["stages"]][:2] == [
        ("1 training", False),
        ("2 more trainings, 3 in all", True),
    ]
    said.clear()
    page = run(lambda news: said.extend(news.lines))
    assert not any("calibration" in line for line in said)
    assert len(page.config.seeds) >= 3
    assert page.config.added[0].startswith("2 more trainings, 3 in all: about ")
    assert trained(tmp_path / "store") == len(page.config.seeds)


def test_notes_and_evidence_from_before_plans_were_extended_are_read(files, tmp_path):
    store = tmp_path / "store"
    page, _ = ask(files, store, ONE, lambda n: 0.6, out=tmp_path / "out")
    (note,) = (store / "claims").glob("*.json")
    kept = json.loads(note.read_text("utf-8"))
    del kept["plan"]["first"]
    for stage in kept["plan"]["stages"]:
        del stage["added"]
    note.write_text(json.dumps(kept), "utf-8")
    given = request_settings("Mine=fake", files / "train.csv", files / "test.csv", {}, None, "xx", "made up", None)
    asked = settings.make_config(find_study("claims"), Choice(settings={**given, **QUICK}))
    asked = settled(asked, find_data(asked))
    assert Book(find_store(store), asked, ONE, lambda: 0.0).plan == page.plan
    evidence = tmp_path / "out" / "evidence.json"
    form = json.loads(evidence.read_text("utf-8"))
    del form["settings"]["values"]["added"]
    form["settings"]["digest"] = digest(form["settings"]["values"])
    evidence.write_text(json.dumps(form), "utf-8")
    assert goldproof.verify(evidence, store).holds
    form["settings"]["values"]["smallest"] += 1
    evidence.write_text(json.dumps(form), "utf-8")
    assert "the settings do not match their digest" in goldproof.verify(evidence, store).mismatches
