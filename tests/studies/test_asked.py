"""A study that asks a language model: which prompts and draws are asked, what is read, and what the report says."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import goldproof
from goldproof.data.answers import Answers
from goldproof.errors import DataError, UsageError
from goldproof.jobs import Store
from goldproof.models.tiny import write_tiny_model
from goldproof.studies.asked import asked_answers
from goldproof.studies.asked.answers import AskedFacts, PromptFacts
from goldproof.studies.asked.findings import set_claims
from goldproof.studies.asked.scores import PromptScores, score_facts, score_prompts
from goldproof.studies.asked.several import answer_of_several, claims_of_many
from goldproof.studies.campaign import Campaign
from goldproof.studies.settings import Choice
from goldproof.studies.shared import Prompts
from goldproof.studies.stability.plan import asked_sets, jobs
from goldproof.studies.stability.settings import Config

pytestmark = pytest.mark.needs("models")

WORDS = "a the film was is good bad very review sentiment text label : negative positive it in one word tone of".split()  # noqa: SIM905


def rows(n: int, start: int = 0) -> str:
    lines = [
        f"the film was {'very ' * (i % 7)}{'good' if i % 2 else 'bad'} {i},{i % 2}" for i in range(start, start + n)
    ]
    return "sentence,label\n" + "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("asked")
    (folder / "train.csv").write_text(rows(40), "utf-8")
    (folder / "test.csv").write_text(rows(24, 100), "utf-8")
    write_tiny_model(folder / "llama", WORDS, "llama", n_positions=512, speaks=True)
    return folder


def settings(place: Path, **more: object) -> dict[str, object]:
    return {
        "model": str(place / "llama"),
        "data.train": str(place / "train.csv"),
        "data.test": str(place / "test.csv"),
        "prompts.task": "sentiment",
        "prompts.labels": ["0=negative", "1=positive"],
        **more,
    }


def campaign_of(place: Path, store: Store, **more: object) -> Campaign:
    return Campaign.choose("stability", Choice(settings=settings(place, **more)), store)


def test_prompts_and_draws_are_crossed_and_answers_are_those_of_the_model(place: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    more = {"prompts.examples": 2, "prompts.draws": [0, 5], "prompts.most": 3, "prompts.formats": [4]}
    report = goldproof.run("stability", settings=settings(place, **more), store=store)
    campaign = campaign_of(place, store, **more)
    (asked,) = asked_sets(campaign.config)
    from goldproof.jobs import Results

    found = asked_answers(campaign.config, asked, Results(store))
    assert (found.n_prompts, found.n_draws, found.answers.runs.shape) == (6, 2, (12, 24))
    assert found.answers.run_names[:3] == ("review / 0", "review / 5", "sentence / 0")
    assert found.answers.run_names[6] == "review (4) / 0"
    by_draw = [{each.examples for each in found.replies[draw::2]} for draw in (0, 1)]
    assert [len(same) for same in by_draw] == [1, 1]  # every prompt meets the same examples
    assert by_draw[0] != by_draw[1]
    first = found.replies[0]
    assert first.shown.count("Review:") == 3
    codes = first.likelihoods.argmax(axis=1)
    assert [first.labels[code] for code in codes] == [found.answers.labels[code] for code in found.answers.runs[0]]
    scored = score_prompts(campaign.config, found, "accuracy")
    assert np.allclose(scored.table.ravel(), (found.answers.runs == found.answers.gold).mean(axis=1))
    assert report.title == "Would the score hold with another prompt?"
    assert report.answer is not None
    assert (
        "6 prompts that ask the same thing in different words, each with the same 2 draws of examples,"
        in report.answer.text
    )


def test_nothing_is_asked_twice(place: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    told: list[str] = []
    for most in (3, 5):
        goldproof.run(
            "stability",
            settings=settings(place, **{"prompts.most": most}),
            store=store,
            progress=lambda outcome: told.append(f"{outcome.step} {outcome.status}"),
        )
    assert told.count("goldproof.ask done") == 5
    told.clear()
    rule = settings(place, **{"prompts.most": 5, "prompts.rule": "calibrated"})
    goldproof.run("stability", settings=rule, store=store, progress=lambda outcome: told.append(outcome.status))
    assert set(told) == {"kept"}  # another rule reads the same likelihoods


def test_text_is_read_by_the_rule_and_what_is_not_read_is_counted(place: Path, tmp_path: Path) -> None:
    more = {"prompts.answer": "text", "prompts.temperature": 1.0, "prompts.samples": [0, 1], "prompts.most": 2}
    out = tmp_path / "out"
    report = goldproof.run("stability", settings=settings(place, **more), store=tmp_path / "store", out=out)
    assert report.answer is not None
    (note,) = [note for note in report.answer.notes if "could not be read" in note]
    table = json.loads((out / "summary.json").read_text("utf-8"))
    assert "96 answers could not be read as one label" in note
    assert "they count as wrong" in note
    assert table["name"] == "stability"
    store = Store(tmp_path / "store")
    campaign = campaign_of(place, store, **more)
    from goldproof.jobs import Results

    found = asked_answers(campaign.config, asked_sets(campaign.config)[0], Results(store))
    assert sum(found.unread().values()) == int(found.answers.missing().sum()) > 0
    assert found.answers.run_names == (
        "review / sample 0",
        "review / sample 1",
        "sentence / sample 0",
        "sentence / sample 1",
    )


def test_generated_diagnostics_in_two_languages(place: Path, tmp_path: Path) -> None:
    more = {"data.corpus": "generated", "data.languages": ["en", "fr"], "prompts.most": 2, "toy.n_pairs": 2}
    report = goldproof.run("stability", settings={"model": str(place / "llama"), **more}, store=tmp_path / "store")
    assert report.answer is not None
    assert "the mean MCC over 2 prompts ranges from" in report.answer.text.replace("The mean", "the mean")
    assert report.provenance["languages of the prompts"] == "en, fr"


def test_a_language_model_is_told_from_its_folder_or_by_a_setting(place: Path) -> None:
    config = Config(model=str(place / "llama"), data=replace(Config().data, corpus="generated"))
    assert {job.step.name for job in jobs(config)} >= {"goldproof.ask"}
    trained = replace(config, prompts=Prompts(use="never"))
    assert {job.step.name for job in jobs(trained)} >= {"goldproof.train"}


def test_models_that_are_asked_and_trained_do_not_mix(place: Path) -> None:
    from goldproof.studies.asked import is_asked

    with pytest.raises(
        UsageError, match="some of the models in 'model' generate text and some do not; judge them separately"
    ):
        is_asked(Config(model=(str(place / "llama"), "fake")))


def test_labels_that_are_numbers_are_said_to_tell_little(place: Path, tmp_path: Path) -> None:
    given = settings(place)
    del given["prompts.labels"]
    notes = Campaign.choose("stability", Choice(settings=given), Store(tmp_path / "store")).notes()
    assert "The labels 0, 1 are used as they are in every prompt" in notes[-1]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            {"prompts.most": 1},
            "the setting 'prompts.most' must be a whole number of at least 2, or null for all; got 1",
        ),
        ({"prompts.draws": []}, "the setting 'prompts.draws' must be at least one whole number, none twice; got ()"),
        (
            {"prompts.temperature": 1.0},
            "the setting 'prompts.temperature' must be 0 where 'prompts.answer' is likelihood; got 1.0",
        ),
        ({"prompts.labels": ["x"]}, "the setting 'prompts.labels' must be a list of LABEL=NAME; got ('x',)"),
    ],
)
def test_settings_that_make_no_sense_are_refused(
    more: dict[str, object], said: str, place: Path, tmp_path: Path
) -> None:
    with pytest.raises(UsageError) as error:
        campaign_of(place, Store(tmp_path / "store"), **more)
    assert str(error.value) == said


def test_words_that_differ_in_case_alone_are_refused_where_text_is_read(place: Path, tmp_path: Path) -> None:
    given = settings(place, **{"prompts.answer": "text", "prompts.labels": ["0=Good", "1=good"], "prompts.task": ""})
    with pytest.raises(UsageError) as error:
        Campaign.choose("stability", Choice(settings=given), Store(tmp_path / "store")).notes()
    assert str(error.value) == (
        "the built-in prompts for the task 'text': the prompt 'label' must have words that differ in more than case "
        "where 'prompts.answer' is text; got 'Good', 'good'"
    )
    given["prompts.answer"] = "likelihood"
    Campaign.choose("stability", Choice(settings=given), Store(tmp_path / "store")).notes()


def test_more_examples_than_rows_are_refused_before_work(place: Path, tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text(rows(39) + rows(1, 101).split("\n", 1)[1], "utf-8")  # the last is tested
    given = settings(place, **{"prompts.examples": 40, "data.train": str(tmp_path / "train.csv"), "data.name": "films"})
    with pytest.raises(UsageError) as error:
        Campaign.choose("stability", Choice(settings=given), Store(tmp_path / "store")).notes()
    assert str(error.value) == (
        "the setting 'prompts.examples' must be at most 39, the training rows of films whose texts are not tested "
        "(20 0, 19 1); got 40"
    )
    given["prompts.examples"] = 39
    Campaign.choose("stability", Choice(settings=given), Store(tmp_path / "store")).notes()


def test_what_an_endpoint_may_cost_is_estimated_with_its_examples(place: Path, tmp_path: Path) -> None:
    more = {"model": "endpoint:http://127.0.0.1:9/v1#x", "prompts.answer": "text", "prompts.most": 2}
    more |= {"prompts.examples": 2, "prompts.draws": [0, 1], "endpoint.price": [1000.0, 2000.0]}
    campaign = Campaign.choose("stability", Choice(settings=settings(place, **more)), Store(tmp_path / "store"))
    frames = ["Review: \nSentiment:", "Sentence: \nSentiment (negative, positive):"]
    asked, shown = (
        [line.rpartition(",")[0] for line in (place / f"{name}.csv").read_text("utf-8").splitlines()[1:]]
        for name in ("test", "train")
    )
    half = [-(-len(f"{frame}{text}") // 2) for frame in frames for text in asked]
    example = sum(-(-len(text) // 2) for text in shown) / len(shown)
    around = [-(-len(f"{frame}positive\n\n") // 2) for frame in frames]
    into = round(2 * (sum(half) + 24 * 2 * (2 * example + sum(around))))
    assert campaign.notes()[-1].endswith(
        f": at most 96 requests, about {into:,} tokens in (estimated from their characters) and up to 1,536 out, about "
        f"{(into * 1000 + 1536 * 2000) / 1e6:.4g} at endpoint.price; questions answered before are not asked again."
    )


def test_numbers_and_tags_cannot_be_asked_about(place: Path, tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text(
        "sentence,score\n" + "\n".join(f"text {i},{i / 7:.2f}" for i in range(1, 30)), "utf-8"
    )
    (tmp_path / "test.csv").write_text(
        "sentence,score\n" + "\n".join(f"word {i},{i / 7:.2f}" for i in range(1, 30)), "utf-8"
    )
    given = settings(tmp_path, model=str(place / "llama"))
    del given["prompts.labels"]
    with pytest.raises(DataError, match="the study 'stability' takes texts with a class each or pairs of texts"):
        Campaign.choose("stability", Choice(settings=given), Store(tmp_path / "store")).notes()


def test_what_comes_out_is_read_as_predictions(place: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    more = {"prompts.most": 2, "prompts.answer": "text", "prompts.most_tokens": 4}
    goldproof.run("stability", settings=settings(place, **more), store=tmp_path / "store", out=out)
    scores = goldproof.score(out / "answers.parquet")
    assert scores.sets[0].n_items == 24
    assert set(scores.sets[0].run_names) <= {"review", "sentence"}  # one that collapsed is left out, and said
    assert any("of 48 predictions are missing" in note for note in scores.notes)


def test_prompts_in_one_language_about_texts_in_another(place: Path, tmp_path: Path) -> None:
    report = goldproof.run(
        "stability", settings=settings(place, **{"prompts.language": "de", "prompts.most": 2}), store=tmp_path / "store"
    )
    (wording,) = [item for item in report.items if getattr(item, "name", "") == "wording"]
    assert [row["prompt"] for row in wording.rows] == ["Rezension", "Satz"]
    assert "Stimmung" in str(wording.rows[0]["shown"])
    assert "the film was" in str(wording.rows[0]["shown"])
    assert report.provenance["languages of the prompts"] == "de"


def test_proved_contradictions_in_another_language(place: Path, tmp_path: Path) -> None:
    build = "build logic --task 1 --language sv --train 40 --test 12 --out"
    subprocess.run([sys.executable, "-m", "goldproof", *build.split(), str(tmp_path)], check=True, capture_output=True)
    given = {
        "model": str(place / "llama"),
        "data.train": str(tmp_path / "train.jsonl"),
        "data.test": str(tmp_path / "test.jsonl"),
        "data.languages": ["sv"],
        "prompts.task": "contradiction",
        "prompts.most": 3,
        "prompts.examples": 2,
        "prompts.draws": [0],
    }
    report = goldproof.run("stability", settings=given, store=tmp_path / "store")
    (wording,) = [item for item in report.items if getattr(item, "name", "") == "wording"]
    assert [row["words"] for row in wording.rows] == [
        "contradiction: ja, non-contradiction: nej",
        "contradiction: ja, non-contradiction: nej",
        "contradiction: nej, non-contradiction: ja",
    ]


def test_where_nothing_varies_nothing_is_said_to_be_known(place: Path, tmp_path: Path) -> None:
    """A model whose answers all cannot be read: every score is 0, and no interval is without width."""
    more = {"prompts.answer": "text", "prompts.most_tokens": 1, "prompts.most": 3}
    given = settings(place, **more)
    given["prompts.labels"] = ["0=qqqq", "1=wwww"]
    report = goldproof.run("stability", settings=given, store=tmp_path / "store")
    assert report.answer is not None
    assert report.answer.head == "Undecided with 3 prompts"
    assert "all of 3 prompts reach accuracy 0.0 % on the same 24 items" in report.answer.text
    estimates = [line.estimate for line in report.verdict if getattr(line, "estimate", None) is not None]
    assert all(each.low < each.high for each in estimates)
    assert not any("variance" in getattr(line, "text", line) for line in report.verdict)


def answers_of(right: np.ndarray, gold: np.ndarray) -> tuple[AskedFacts, Answers]:
    """Answers of prompts × draws × items to two labels, from which of them are right."""
    prompts, draws, n = right.shape
    runs = np.where(right, gold, 1 - gold).reshape(prompts * draws, n)
    names = tuple(f"{p} / {d}" for p in range(prompts) for d in range(draws))
    ids = np.array([str(i) for i in range(n)], object)
    answers = Answers({}, None, "classification", ("no", "yes"), ids, gold, runs, names, run_kind="prompt")
    shown = tuple(PromptFacts(str(p), "en", (("no", "no"), ("yes", "yes")), "") for p in range(prompts))
    how = Prompts(examples=2, draws=tuple(range(draws)))
    return AskedFacts("made", "en", "en", "text", how, shown, {}, 0, ()), answers


def test_always_the_rarer_label_is_not_shown_to_be_worse_than_always_the_commoner() -> None:
    """Of 20 items 12 are of one label by chance: that tells little of the items there are."""
    gold = np.array([0] * 12 + [1] * 8)
    facts, answers = answers_of(np.repeat((gold == 1)[None, None], 12, axis=0), gold)
    scored = score_facts(facts, answers, "accuracy", 0.95)
    assert scored.mean.value == pytest.approx(0.4)
    assert scored.over_floor is not None
    assert scored.over_floor.value == pytest.approx(-0.2)
    assert scored.over_floor.low < 0 < scored.over_floor.high
    (claim,) = [each for each in set_claims(scored, False) if "commonest label" in each.text]
    assert claim.standing == "not shown"
    assert scored.n_over_floor == 0


def test_what_is_above_the_commonest_label_is_shown_on_the_same_items() -> None:
    gold = np.array([0] * 150 + [1] * 150)
    right = np.random.default_rng(0).random((12, 3, 300)) < 0.9
    facts, answers = answers_of(right, gold)
    scored = score_facts(facts, answers, "accuracy", 0.95)
    assert scored.over_floor is not None
    assert scored.over_floor.value == pytest.approx(right.mean() - 0.5)
    assert scored.over_floor.low > 0
    assert scored.n_over_floor == 12
    facts, answers = answers_of(np.repeat((gold == 0)[None, None], 12, axis=0), gold)
    assert score_facts(facts, answers, "accuracy", 0.95).over_floor is None  # the same answers as always the commoner


def sets_of(*chances: float) -> list[PromptScores]:
    """Sets of 200 items, each right with a chance of its own; the third prompt of the last is right less often."""
    rng, found = np.random.default_rng(3), []
    for place, chance in enumerate(chances):
        gold = np.array([0] * 100 + [1] * 100)
        right = rng.random((12, 3, 200)) < chance
        if place == len(chances) - 1:
            right[2] = rng.random((3, 200)) < chance - 0.3
        facts, answers = answers_of(right, gold)
        found.append(score_facts(replace(facts, language=str(place), title=str(place)), answers, "accuracy", 0.95))
    return found


def test_many_sets_are_told_together() -> None:
    sets = sets_of(0.9, 0.5, 0.85, 0.1, 0.8)
    above, shares, moved, best, draws = (claim.text for claim in claims_of_many(sets))
    assert above == (
        "The mean over prompts is shown to be above the score of always answering the commonest label in 3 of 5 "
        "(0, 2 and 4), and below it in 1 (3); all comparisons hold together."
    )
    spans = sorted(float(np.ptp(each.by_prompt)) for each in sets)
    assert moved == (
        f"Which prompt asks moves accuracy by up to {100 * spans[-1]:.1f} points on the same items (4); the median of "
        f"the 5 is {100 * spans[2]:.1f} points."
    )
    assert best.startswith(f"The best prompt of all ({sets[0].best_name}; 0) looks like ")
    assert best.endswith(", which still flatters, as the highest of 5.")
    assert "(4)" in shares.split(" to ")[-1]
    widest = max(float(np.ptp(each.table, axis=1).max()) for each in sets)
    assert f"by at most {100 * widest:.1f} points (" in draws
    said = answer_of_several(sets).text
    assert said.endswith(
        f"On the same items, two prompts of a language are up to {100 * spans[-1]:.1f} points apart (4)."
    )


def test_many_languages_share_a_table_of_what_moves_the_score(place: Path, tmp_path: Path) -> None:
    for language in ("de", "en", "es", "fr", "ru"):
        for split in ("train", "test"):
            text = (place / f"{split}.csv").read_text("utf-8").replace("film", f"film {language}")
            (tmp_path / f"{split}-{language}.csv").write_text(text, "utf-8")
    given = settings(place, **{"data.languages": ["de", "en", "es", "fr", "ru"], "prompts.most": 2})
    given |= {f"data.{split}": str(tmp_path / f"{split}-{{language}}.csv") for split in ("train", "test")}
    report = goldproof.run("stability", settings=given, store=tmp_path / "store")
    titles = [section.title for section in report.sections]
    assert titles.count("What moves the score?") == 1
    assert [title for title in titles if title.startswith("Which prompt?")] == [
        f"Which prompt? ({language})" for language in ("de", "en", "es", "fr", "ru")
    ]
    tables = {item.name for section in report.sections for item in section.items if hasattr(item, "name")}
    assert "shares" in tables
    places = {line.place for line in report.verdict if getattr(line, "place", None)}
    assert places <= tables, places - tables  # each finding leads to a table that is there


def test_a_place_for_a_second_text_needs_one(place: Path, tmp_path: Path) -> None:
    """Else the place would stay empty in every question, and all scores would be about something else."""
    with pytest.raises(UsageError) as error:
        goldproof.run("stability", settings=settings(place, **{"prompts.task": "pair"}), store=tmp_path / "store")
    assert "has a place for a second text ({pair}), and the data have one text in a row; name the column of" in str(
        error.value
    )
    assert "'columns.pair'" in str(error.value)
    for name in ("train", "test"):
        lines = ["premise,hypothesis,label", *(f"the {name} {i},was good {i},{i % 2}" for i in range(40))]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines), "utf-8")
    both = {"data.train": str(tmp_path / "train.csv"), "data.test": str(tmp_path / "test.csv")}
    with pytest.raises(UsageError, match=r"the task 'sentiment': the prompt '\w+' has no \{pair\}, so it would leave"):
        goldproof.run("stability", settings=settings(place, **both), store=tmp_path / "store")
