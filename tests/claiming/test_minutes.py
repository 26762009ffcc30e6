"""The minutes are kept: a stage that would not end in time is cut short, and what of it is finished is used.

No clock of the machine is read: time goes by with what is told of the work, as fast as a test says.
"""

from __future__ import annotations

import pytest
from tests.claiming.made import make_rows, write_rows

import goldproof
from goldproof.claiming.planner import PAGE
from goldproof.claiming.running import Timing, request_settings, run_claims
from goldproof.claiming.stages import Stage, StagePart, StageWatch, cut_short
from goldproof.claiming.timing import Rates
from goldproof.errors import UsageError
from goldproof.jobs.store import find_store
from goldproof.jobs.watch import ITEMS, SKIPPED, STEPS, CutShortError
from goldproof.studies.settings import Choice

QUICK = {"recipe.epochs": 3, "recipe.evaluations": 3, "recipe.batch": 16, "levels": 0, "labels": False}
SLOW = 2.2  # seconds at each look
RATES = Rates(load=0.0, step=1.0, item=0.01)


def watch_of(parts, room, pace=1.0, replan=None):
    """A watch over a stage of so many planned seconds, on a machine that takes `pace` times as long."""
    stage = Stage("3 trainings", tuple(StagePart(None, end) for end in parts), "trainings")
    watch = StageWatch(stage, tuple(parts), {STEPS: 1.0, ITEMS: 0.1}, lambda: room - clock(), lambda: clock(), replan)

    def clock():
        return pace * watch.done

    return watch


def work(watch, n):
    for _ in range(n):
        watch.tell(STEPS, 1)


def test_a_stage_in_time_is_left_alone():
    watch = watch_of([10, 20, 30], room=31)
    work(watch, 30)
    assert (watch.pace, watch.left()) == (1.0, 0.0)


def test_a_stage_is_cut_short_as_soon_as_nothing_more_of_it_can_end_in_time():
    watch = watch_of([10, 20, 30], room=25)
    with pytest.raises(CutShortError, match="nothing more can be finished in time"):
        work(watch, 30)
    assert watch.done == 20  # the second training was finished, and the third not begun
    late = watch_of([100], room=150, pace=2.0)
    with pytest.raises(CutShortError):
        work(late, 100)
    assert late.done == 30  # as soon as its pace was known


def test_a_stage_that_does_not_say_how_far_it_is_ends_with_its_time():
    watch = watch_of([100], room=50)
    watch.stage = Stage("what the layers know", watch.stage.parts, paced=False)
    with pytest.raises(CutShortError, match="the time is up"):
        work(watch, 100)
    assert watch.done == 50


def test_what_a_snapshot_spared_is_not_waited_for():
    watch = watch_of([10, 20, 30], room=22)
    watch.tell(SKIPPED, 9)
    work(watch, 21)
    assert watch.left() == 0


def test_before_anything_is_finished_another_plan_may_be_made():
    asked = []

    def replan(pace, n_fit):
        asked.append((pace, n_fit))
        return n_fit == 0

    watch = watch_of([10, 20, 30], room=50, pace=2.0, replan=replan)
    work(watch, 19)
    assert asked == [(2.0, 2)]  # two of three fit, and nothing better was found: asked once
    with pytest.raises(CutShortError, match="the plan is made again"):
        work(watch_of([30], room=50, pace=2.0, replan=replan), 30)


def test_what_was_cut_is_said_with_its_price():
    stage = Stage("3 trainings", tuple(StagePart(None, end) for end in (10, 20, 30)), "trainings")
    assert cut_short(stage, 2, 100.0).sentence() == (
        "3 trainings: 2 of 3 trainings were finished when the time was up; the others take about 2 minutes more."
    )
    whole = Stage("what the layers know", (StagePart(None, 50),))
    assert cut_short(whole, 0, 60.0).sentence() == (
        "What the layers know: begun, and stopped because it would not have ended in time; what is left is about 60 "
        "seconds more."
    )


class Clock:
    """Time that goes by whenever it is looked at, by as much as a test says for so many finished trainings."""

    def __init__(self, store, seconds):
        self.store, self.seconds, self.time = store, seconds, 0.0

    def __call__(self):
        self.time += self.seconds(trained(self.store))
        return self.time


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    write_rows(folder / "train.csv", make_rows(120, 0, cue=0.6))
    write_rows(folder / "test.csv", make_rows(80, 1, cue=0.6))
    write_rows(folder / "other.csv", make_rows(60, 2, cue=0.6))
    return folder


def ask(files, store, minutes, seconds, tests=None, told=None, rates=RATES, out=None):
    """A page by such a clock; and the clock."""
    given = request_settings(
        "Mine=fake", files / "train.csv", files / "test.csv", tests or {}, None, "xx", "made up", None
    )
    clock = Clock(store, seconds)
    page = run_claims(
        Choice(settings={**given, **QUICK}),
        minutes,
        find_store(store),
        out=out,
        progress=lambda news: (told if told is not None else []).extend(news.lines),
        timing=Timing(clock, lambda config, data, store: rates),
    )
    return page, clock


def trained(store):
    return len([path for path in store.glob("records/**/*.json") if "goldproof.train" in path.read_text("utf-8")])


def test_two_of_three_trainings_are_used_and_the_page_says_so(files, tmp_path):
    store = tmp_path / "store"
    page, clock = ask(files, store, 3, lambda n: 0.01 if n < 2 else 60.0)
    assert page.config.seeds == (0, 1)
    assert (
        "for this training (seed 0) on items like these; it says nothing about another one."
        in page.report.answer.sentence
    )
    (section,) = [each for each in page.report.sections if each.title == "Not asked"]
    first = section.items[0].text
    assert first.startswith("3 trainings: 2 of 3 trainings were finished when the time was up; the others take about ")
    assert trained(store) == 2
    assert clock.time <= 3 * 60 + 10 * 60.0  # the time was over at one look, and nothing was begun after it
    again, _ = ask(files, store, 3, lambda n: 60.0)
    assert again.report.answer.sentence == page.report.answer.sentence
    assert again.config == page.config
    more, _ = ask(files, store, 30, lambda n: 0.01)
    assert more.config.seeds == (0, 1, 2, 3, 4)


def test_where_not_one_training_ends_in_time_it_says_so_and_goes_on_with_more_minutes(files, tmp_path):
    store = tmp_path / "store"
    with pytest.raises(UsageError) as caught:
        ask(files, store, 3, lambda n: 5.0)
    assert str(caught.value) == (
        "--minutes 3 was too short: the time was up before the first of the 3 trainings was finished; what was begun "
        "is kept, and the same command with more minutes carries on from there"
    )
    assert trained(store) == 0
    page, _ = ask(files, store, 30, lambda n: 0.01)
    assert page.config.seeds == (0, 1, 2, 3, 4)


def test_a_slower_machine_is_planned_for_anew(files, tmp_path):
    told, tests = [], {"yy": files / "other.csv"}
    rates = Rates(load=0.0, step=1.0, item=0.5)
    page, clock = ask(files, tmp_path / "store", 15, lambda n: SLOW, tests, told, rates)
    assert "This machine has become slower than measured; the plan is made again." in told
    assert page.plan.page > PAGE
    assert clock.time <= 15 * 60 + page.plan.page
    assert page.config.seeds == (0, 1, 2)
    assert page.config.tests == ()
    assert any(line.startswith("Tests in other languages: about ") for line in page.config.left_out)


def test_while_nothing_can_be_used_yet_it_goes_on_until_the_time_is_over():
    bare = watch_of([100], room=150, pace=2.0)
    bare.is_bare = True
    with pytest.raises(CutShortError, match="the time is up"):
        work(bare, 100)
    assert bare.done == 75
    some = watch_of([10, 100], room=80, pace=2.0)
    some.is_bare = True
    with pytest.raises(CutShortError, match="nothing more can be finished in time"):
        work(some, 100)
    assert some.done == 10  # the first training can be used, and the second would not end in time


def test_with_fewer_rows_these_are_audited_and_once(files, tmp_path):
    write_rows(tmp_path / "train.csv", make_rows(500, 0, cue=0.6))
    write_rows(tmp_path / "test.csv", make_rows(80, 1, cue=0.6))
    store, rates = tmp_path / "store", Rates(load=0.0, step=2.0, item=0.01)
    tests = {"yy": files / "other.csv"}
    page, _ = ask(tmp_path, store, 2.8, lambda n: 0.6, tests, rates=rates, out=tmp_path / "out")
    rows = page.config.data.most_train
    assert 200 <= rows < 450
    assert any(line.startswith(f"Trained on {rows} of 450 rows") for line in page.config.left_out)
    assert page.report.provenance["training rows"] == rows
    audits = [path for path in store.glob("records/**/*.json") if "goldproof.claims.audit" in path.read_text("utf-8")]
    assert len(audits) == 1
    found = goldproof.verify(tmp_path / "out" / "evidence.json", store)  # of these rows, without the other language
    assert (found.holds, found.mismatches) == (True, ())
