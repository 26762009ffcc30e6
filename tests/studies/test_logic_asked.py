"""The logic study of a language model: asked without and with examples, under controls, in any language."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from tests.report.sentences import unfinished
from tests.studies.test_asked import answers_of

import goldproof
from goldproof.builders.prompts.library import LANGUAGES
from goldproof.errors import UsageError
from goldproof.jobs import Results, Store
from goldproof.models.replies import read_replies
from goldproof.models.tiny import write_tiny_model
from goldproof.report.html import html_page
from goldproof.studies.asked import asked_answers
from goldproof.studies.asked.scores import difference_of, score_facts, score_prompts
from goldproof.studies.campaign import Campaign, report_from
from goldproof.studies.kept import read_kept, write_kept
from goldproof.studies.logic.asked import AskedCell, asked_cells
from goldproof.studies.logic.findings.prompted import _is_above
from goldproof.studies.logic.own import settle
from goldproof.studies.logic.plan import asked_sets
from goldproof.studies.settings import Choice
from goldproof.studies.stability.settings import Config as StabilityConfig

pytestmark = pytest.mark.needs("models")

WORDS = "a the not visited has yes no did n't and : ? , . sentence contradict true question answer".split()  # noqa: SIM905


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logic-asked")
    write_tiny_model(folder / "llama", WORDS, "llama", n_positions=2048, speaks=True)
    return folder


def settings(place: Path, **more: object) -> dict[str, object]:
    return {
        "model": str(place / "llama"),
        "tasks": ["negation"],
        "data.languages": ["en"],
        "sizes.train": 40,
        "sizes.validation": 20,
        "sizes.test": 24,
        "prompts.most": 3,
        "prompts.examples": 2,
        "prompts.draws": [0, 5],
        "prompts.most_items": 20,
        **more,
    }


def campaign_of(place: Path, store: Store, **more: object) -> Campaign:
    return Campaign.choose("logic", Choice(settings=settings(place, **more)), store)


@pytest.fixture(scope="module")
def finished(place: Path, tmp_path_factory: pytest.TempPathFactory):
    """A run of two tasks, its store and its folder."""
    folder = tmp_path_factory.mktemp("run")
    store = Store(folder / "store")
    more = {"tasks": ["negation", "description"], "experiments.beside": "closed"}
    report = goldproof.run("logic", settings=settings(place, **more), store=store, out=folder / "out")
    return report, campaign_of(place, store, **more), folder


def test_every_corpus_is_asked_about_without_and_with_examples_and_under_controls(finished):
    report, campaign, _ = finished
    config = settle(campaign.config)
    assert config.learners == ()
    cells = asked_cells(config)
    assert cells[:2] == [AskedCell("negation", "en", 0), AskedCell("negation", "en", 2)]
    assert [cell.control for cell in cells if cell.task == "negation" and not cell.preset] == [
        "", "", "noise", "premise", "hypothesis",
    ]  # fmt: skip
    assert [(cell.examples, cell.control) for cell in cells if cell.preset == "closed"] == [(0, ""), (2, "")] * 2
    results = Results(campaign.store)
    for cell, asked in zip(cells, asked_sets(config), strict=True):
        found = asked_answers(config, asked, results)
        assert (found.n_prompts, found.n_draws, found.answers.n_items) == (3, 2 if cell.examples else 1, 20)
    assert report.title == "Does it infer, or match words?"
    assert report.answer is not None
    assert "4 combinations of task, language and number of examples" in report.answer.text
    assert unfinished(report) == []


def test_controls_take_one_thing_away_and_leave_the_rest(finished):
    _, campaign, _ = finished
    config = settle(campaign.config)
    results = Results(campaign.store)
    by_cell = dict(zip(asked_cells(config), asked_sets(config), strict=True))
    whole = AskedCell("negation", "en", 2)
    found = {
        control: asked_answers(config, by_cell[dataclasses.replace(whole, control=control)], results)
        for control in ("", "premise", "hypothesis", "noise")
    }
    ids = [list(each.answers.ids) for each in found.values()]
    assert all(each == ids[0] for each in ids)
    texts = {control: each.answers.texts for control, each in found.items()}
    assert texts["premise"] == {"text": texts[""]["text"]}  # nothing stands in the place of the other
    assert set(texts["hypothesis"]["text"]) == {""}
    assert texts["hypothesis"]["pair"] == texts[""]["pair"]
    first = {control: each.replies[0] for control, each in found.items()}
    assert first["noise"].examples == first[""].examples  # the same examples, with other labels
    questions = [said.shown.split("Answer:") for said in (first["noise"], first[""])]
    assert questions[0][-2:] == questions[1][-2:]
    assert 'Does this contradict ""?' in first["premise"].shown


def test_scores_are_those_of_the_answers_and_differences_are_paired(finished):
    report, campaign, _ = finished
    config = settle(campaign.config)
    results = Results(campaign.store)
    zero, few = (asked_answers(config, asked, results) for asked in asked_sets(config)[:2])
    scored = [score_prompts(StabilityConfig(), each, "accuracy") for each in (zero, few)]
    for each, one in zip((zero, few), scored, strict=True):
        codes = [read_replies(said, "raw").codes for said in each.replies]
        labels = [[said.labels[code] for code in row] for said, row in zip(each.replies, codes, strict=True)]
        gold = [each.answers.labels[code] for code in each.answers.gold]
        right = [np.mean([a == b for a, b in zip(row, gold, strict=True)]) for row in labels]
        assert np.allclose(one.table.ravel(), right)
    apart = difference_of(scored[1], scored[0], 0.95)
    plain = scored[1].table.mean() - scored[0].table.mean()
    assert apart is None if not np.any(scored[1].values - scored[0].values) else np.isclose(apart.value, plain)
    (table,) = [item for item in report.items if getattr(item, "name", "") == "examples"]
    assert np.isclose(table.rows[0]["first"].value, scored[1].table.mean())
    assert np.isclose(table.rows[0]["second"].value, scored[0].table.mean())


def test_pairs_that_were_drawn_unevenly_are_said_to_be(finished):
    report, campaign, _ = finished
    config = settle(campaign.config)
    sets = [each for cell, each in zip(asked_cells(config), asked_sets(config), strict=True) if cell.is_plain]
    golds = [asked_answers(config, asked, Results(campaign.store)).answers.gold for asked in sets]
    shares = sorted({float((gold == 0).mean()) for gold in golds})
    assert shares != [0.5]
    said = " to ".join(f"{100 * share:.1f} %" for share in dict.fromkeys((shares[0], shares[-1])))
    (table,) = [item for item in report.items if getattr(item, "name", "") == "accuracy"]
    assert table.note == (
        f"Intervals are for other prompts, draws of examples and pairs like these; {said} of the pairs drawn "
        "contradict. Above chance: above 50 % and above their commonest answer on the same pairs."
    )
    assert f"20 test pairs each; {said} of the pairs drawn contradict)" in report.answer.text
    assert "Dashed: the commonest answer alone" in report.answer.figure.note


def test_two_dashed_lines_are_told_apart():
    kept = read_kept(Path(__file__).parents[2] / "docs" / "validation" / "answers" / "prompts-logic.parquet")
    note = report_from(kept).answer.figure.note
    assert "Dashed: the commonest answer alone, where it gets least (52.5 %) and most (65.0 %)." in note


def test_the_commonest_answer_to_uneven_pairs_is_not_above_chance():
    gold = np.array([0] * 200 + [1] * 100)
    right = np.repeat((gold == 0)[None, None], 10, axis=0)
    right[:, :, :3] = np.random.default_rng(0).random((10, 1, 3)) < 0.9
    scored = score_facts(*answers_of(right, gold), "accuracy", 0.95)
    assert scored.mean.low > 0.5
    assert not _is_above(scored, 0.95)
    clearly = np.random.default_rng(0).random((10, 1, 300)) < 0.95
    assert _is_above(score_facts(*answers_of(clearly, gold), "accuracy", 0.95), 0.95)


def test_a_difference_of_nothing_has_no_interval(finished):
    _, campaign, _ = finished
    config = settle(campaign.config)
    found = asked_answers(config, asked_sets(config)[0], Results(campaign.store))
    scored = score_prompts(StabilityConfig(), found, "accuracy")
    assert difference_of(scored, scored, 0.95) is None


def test_alone_and_together_and_resumed_are_the_same(finished, place, tmp_path):
    """A task that is asked about alone gets the same answers; what is there is not asked again."""
    _, campaign, _ = finished
    config = settle(campaign.config)
    store = Store(tmp_path / "store")
    goldproof.run("logic", settings=settings(place, **{"prompts.most": 2}), store=store)
    told: list[str] = []
    goldproof.run(
        "logic",
        settings=settings(place),
        store=store,
        progress=lambda outcome: told.append(f"{outcome.step} {outcome.status}"),
    )
    assert told.count("goldproof.ask done") == 1 + 4 * 2  # the third prompt: without examples, with two draws, controls
    alone = settle(campaign_of(place, store).config)
    for cell, asked in zip(asked_cells(alone), asked_sets(alone), strict=True):
        (other,) = [each for c, each in zip(asked_cells(config), asked_sets(config), strict=True) if c == cell]
        ours = asked_answers(alone, asked, Results(store))
        theirs = asked_answers(config, other, Results(campaign.store))
        for a, b in zip(ours.replies, theirs.replies, strict=True):
            assert np.abs(a.likelihoods - b.likelihoods).max() < 1e-5


def test_the_report_is_rendered_again_from_kept_answers(finished, tmp_path):
    report, campaign, _ = finished
    kept = read_kept(write_kept(campaign.keep(), tmp_path / "kept.parquet"))
    again = report_from(kept)
    assert html_page(again) == html_page(campaign.report())
    assert again.answer == report.answer


def test_what_comes_out_is_read_as_predictions(finished):
    _, campaign, folder = finished
    scores = goldproof.score(folder / "out" / "answers.parquet")
    assert len(scores.sets) == len(asked_sets(settle(campaign.config)))
    assert {each.n_items for each in scores.sets} == {20}


@pytest.mark.parametrize("language", LANGUAGES)
def test_seven_languages_have_prompts_and_corpora(language, place, tmp_path):
    campaign = campaign_of(place, Store(tmp_path / "store"), **{"data.languages": [language]})
    config = settle(campaign.config)
    first = asked_sets(config)[0]
    assert first.title == f"1 negation, no examples ({language})"
    from goldproof.studies.asked.plan import prompts_of

    prompts = prompts_of(config, first)
    assert {prompt.language for prompt in prompts} == {language}
    assert all(set(prompt.labels) and len(set(prompt.words)) == 2 for prompt in prompts)


def test_a_plan_says_what_is_asked(place, tmp_path):
    campaign = campaign_of(place, Store(tmp_path / "store"))
    assert campaign.notes() == (
        "The model is asked and not trained, about 5 sets of 20 items with 3 prompts without examples and 3 prompts "
        "with 2 examples: 540 questions; what was asked before is not asked again.",
    )
    steps = {job.step.name for job in campaign.jobs()}
    assert "goldproof.train" not in steps
    assert "goldproof.ask" in steps


def test_an_endpoint_is_asked_for_text(place, tmp_path):
    more = {"model": "endpoint:http://127.0.0.1:9/v1#tiny", "prompts.answer": "text"}
    notes = campaign_of(place, Store(tmp_path / "store"), **more).notes()
    assert notes[-1] == "That is at most 540 requests; --budget holds what they may cost."


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            {"learners": ["gru"]},
            "the setting 'learners' must be left out where 'model' is a language model that is asked; train them in a "
            "run of their own, or fine-tune the model with prompts.use=never; got ('gru',)",
        ),
        (
            {"experiments.overlap": True},
            "the setting 'experiments.overlap' must be left out where 'model' is a language model that is asked: it "
            "says how to train",
        ),
        (
            {"prompts.examples": -1},
            "the setting 'prompts.examples' must be a whole number of at least 0; got -1",
        ),
        (
            {"model": "", "prompts.use": "always"},
            "the setting 'model' must be given where 'prompts.use' is always; got ''",
        ),
    ],
)
def test_settings_that_make_no_sense_are_refused(more, said, place, tmp_path):
    with pytest.raises(UsageError) as error:
        campaign_of(place, Store(tmp_path / "store"), **more).jobs()
    assert str(error.value) == said


def test_of_ones_own_pairs_nothing_is_held_out(place, tmp_path):
    for name, start in (("train", 0), ("test", 100)):
        lines = [
            f"ann visited the {i} town,ann {'did not visit' if i % 2 else 'visited'} it {i},"
            + ("contradiction" if i % 2 else "entailment")
            for i in range(start, start + 24)
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(["premise,hypothesis,label", *lines]) + "\n", "utf-8")
    more = {"data.train": str(tmp_path / "train.csv"), "data.test": str(tmp_path / "test.csv"), "data.name": "towns"}
    more |= {"prompts.examples": 24, "prompts.most": 2, "prompts.draws": [0], "experiments.controls": []}
    given = {key: value for key, value in settings(place, **more).items() if key not in ("tasks", "data.languages")}
    store = Store(tmp_path / "store")
    campaign = Campaign.choose("logic", Choice(settings=given), store)
    assert not any("held out" in note for note in campaign.notes())
    assert any("(24 training and 24 test pairs), so that guessing" in note for note in campaign.notes())
    report = goldproof.run("logic", settings=given, store=store)
    assert report.provenance["training pairs to draw from"] == 24
    with pytest.raises(UsageError) as error:
        Campaign.choose("logic", Choice(settings={**given, "prompts.examples": 26}), store).notes()
    assert str(error.value) == (
        "the setting 'prompts.examples' must be at most 24, the training pairs of towns, half of them contradictions; "
        "got 26"
    )


def test_a_decoder_is_fine_tuned_where_that_is_said(place, tmp_path):
    campaign = campaign_of(place, Store(tmp_path / "store"), **{"prompts.use": "never", "learners": []})
    assert "goldproof.ask" not in {job.step.name for job in campaign.jobs()}


def test_one_way_of_asking_is_told_as_one(place, tmp_path):
    more = {"prompts.examples": 0, "experiments.controls": [], "experiments.certificates": False}
    report = goldproof.run("logic", settings=settings(place, **more), store=tmp_path / "store")
    assert report.answer is not None
    assert "above chance in the one combination that was asked (3 prompts, 20 test pairs each)." in report.answer.text
    assert report.verdict[0].text == (
        "In the one combination that was asked, the mean over prompts is not shown to be above chance."
    )
