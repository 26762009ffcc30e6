"""The transfer study of a language model: texts in each language, prompts in each language, nothing trained."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.report.sentences import unfinished

import goldproof
from goldproof.errors import DataError, UsageError
from goldproof.jobs import Results, Store
from goldproof.models.tiny import write_tiny_model
from goldproof.report.html import html_page
from goldproof.studies.asked import asked_answers
from goldproof.studies.asked.kept import asked_from
from goldproof.studies.campaign import Campaign, report_from
from goldproof.studies.kept import read_kept, write_kept
from goldproof.studies.settings import Choice
from goldproof.studies.transfer.asked import asked_sets, prompt_languages
from goldproof.studies.transfer.parts import settle
from goldproof.studies.transfer.prompted import crossed_languages

pytestmark = pytest.mark.needs("models")

WORDS = "a the text topic health sports travel thema filler0 health1 sports2 : answer question".split()  # noqa: SIM905


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("transfer-asked")
    write_tiny_model(folder / "llama", WORDS, "llama", n_positions=1024, speaks=True)
    return folder


def settings(place: Path, **more: object) -> dict[str, object]:
    return {
        "model": str(place / "llama"),
        "source": "en",
        "data.corpus": "generated",
        "data.languages": ["de", "xx"],
        "data.most_train": 30,
        "rows.most_evaluated": 16,
        "prompts.task": "topic",
        "prompts.most": 3,
        "prompts.examples": 2,
        "prompts.draws": [0, 1],
        **more,
    }


def campaign_of(place: Path, store: Store, **more: object) -> Campaign:
    return Campaign.choose("transfer", Choice(settings=settings(place, **more)), store)


@pytest.fixture(scope="module")
def finished(place: Path, tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("run")
    store = Store(folder / "store")
    report = goldproof.run("transfer", settings=settings(place), store=store, out=folder / "out")
    return report, campaign_of(place, store), folder


def test_every_text_language_meets_every_prompt_language(finished):
    report, campaign, _ = finished
    config = settle(campaign.config)
    assert prompt_languages(config) == ("en", "de")  # there are no built-in prompts in xx
    sets = asked_sets(config)
    assert [each.title for each in sets] == [
        f"prompts in {prompt}, texts in {text}" for text in ("en", "de", "xx") for prompt in ("en", "de")
    ]
    results = Results(campaign.store)
    for asked in sets:
        found = asked_answers(config, asked, results)
        assert found.answers.runs.shape == (6, 16)
        spoken = {run.prompt.language for row in found.runs for run in row}
        assert spoken == {asked.part.split()[2]}
        shown = found.replies[0].shown
        assert ("Thema:" in shown) == (spoken == {"de"})
    by_text = [asked_answers(config, sets[place], results) for place in (0, 1)]
    assert by_text[0].replies[0].examples == by_text[1].replies[0].examples  # the same examples in other words
    assert report.title == "Does the language of the prompt matter?"
    assert unfinished(report) == []


def test_differences_are_those_of_the_means_on_the_same_texts(finished):
    report, campaign, _ = finished
    found = crossed_languages(asked_from(campaign.keep().part("llama/")))
    tables = {item.name: item for item in report.items if hasattr(item, "rows")}
    assert [(row["texts"], row["prompts"]) for row in tables["by-prompt"].rows] == [
        ("en", "de"), ("de", "de"), ("xx", "de"),
    ]  # fmt: skip
    for pair, row in zip(found.by_prompt, tables["by-prompt"].rows, strict=True):
        mine, other = (found.scores[pair.texts, prompt].table.mean() for prompt in ("de", "en"))
        assert row["mean"].value == pytest.approx(mine)
        assert row["beside"].value == pytest.approx(other)
        if pair.apart is not None:
            assert pair.apart.value == pytest.approx(mine - other)
            assert pair.apart.level == pytest.approx(1 - 0.05 / 3)
        else:
            assert not np.any(pair.first.values - pair.second.values)
    assert [(pair.texts, pair.prompts) for pair in found.own] == [("de", "de")]
    assert {(pair.texts, pair.prompts) for pair in found.by_text} == {
        (t, p) for t in ("de", "xx") for p in ("en", "de")
    }


def test_nothing_is_asked_twice_and_a_language_alone_gets_the_same(finished, place, tmp_path):
    _, campaign, _ = finished
    store = Store(tmp_path / "store")
    told: list[str] = []
    for languages in (["en"], ["en", "de"]):
        goldproof.run(
            "transfer",
            settings=settings(place, **{"prompts.languages": languages}),
            store=store,
            progress=lambda outcome: told.append(f"{outcome.step} {outcome.status}"),
        )
    assert told.count("goldproof.ask done") == 3 * 3 * 2 + 3 * 3 * 2
    alone = settle(campaign_of(place, store).config)
    whole = settle(campaign.config)
    for ours, theirs in zip(asked_sets(alone), asked_sets(whole), strict=True):
        a, b = asked_answers(alone, ours, Results(store)), asked_answers(whole, theirs, Results(campaign.store))
        for x, y in zip(a.replies, b.replies, strict=True):
            assert np.abs(x.likelihoods - y.likelihoods).max() < 1e-5


def test_the_report_is_rendered_again_from_kept_answers(finished, tmp_path):
    _, campaign, _ = finished
    kept = read_kept(write_kept(campaign.keep(), tmp_path / "kept.parquet"))
    assert html_page(report_from(kept)) == html_page(campaign.report())


def test_what_comes_out_is_read_as_predictions(finished):
    _, _, folder = finished
    scores = goldproof.score(folder / "out" / "answers.parquet")
    assert len(scores.sets) == 6


def test_own_files_of_which_only_the_source_has_training_rows(place, tmp_path):
    for language, split, n, start in (("en", "train", 20, 0), ("en", "test", 12, 100), ("de", "test", 12, 100)):
        rows = "".join(
            f"{i},{language} text {i} {'good' if i % 2 else 'bad'},{i % 2}\n" for i in range(start, start + n)
        )
        (tmp_path / f"{split}-{language}.csv").write_text("id,text,label\n" + rows, "utf-8")
    more = {
        "model": str(place / "llama"),
        "source": "en",
        "data.train": str(tmp_path / "train-en.csv"),
        "data.test": str(tmp_path / "test-{language}.csv"),
        "data.languages": ["en", "de"],
        "prompts.task": "sentiment",
        "prompts.labels": ["0=negative", "1=positive"],
        "prompts.most": 2,
        "prompts.examples": 2,
        "prompts.draws": [0],
    }
    report = goldproof.run("transfer", settings=more, store=tmp_path / "store")
    (limits,) = [section for section in report.sections if section.title == "Limits"]
    said = [item.text for item in limits.items]
    assert "Examples are in the language of the texts where it has training rows, else in en." in said
    assert report.provenance["languages"] == "en, de"


def test_prompts_of_ones_own_in_several_languages(place, tmp_path):
    for language, word in (("en", "Topic"), ("de", "Thema")):
        entries = "".join(f'[[prompt]]\nname = "{n}"\ntemplate = "{{text}} {n}\\n{word}:"\n' for n in ("one", "two"))
        (tmp_path / f"mine-{language}.toml").write_text(f'language = "{language}"\n{entries}', "utf-8")
    more = {
        "prompts.file": str(tmp_path / "mine-{language}.toml"),
        "prompts.languages": ["de", "en"],
        "prompts.task": "",
    }
    campaign = campaign_of(place, Store(tmp_path / "store"), **more)
    sets = asked_sets(settle(campaign.config))
    from goldproof.studies.asked.plan import prompts_of

    found = [prompts_of(campaign.config, each)[0].template for each in sets[:2]]
    assert found == ["{text} one\nTopic:", "{text} one\nThema:"]


def test_a_plan_says_what_is_asked(place, tmp_path):
    campaign = campaign_of(place, Store(tmp_path / "store"))
    assert campaign.notes() == (
        "Texts in en, de, xx, each with prompts in en, de.",
        "The model is asked and not trained, about 6 sets with 3 prompts with 2 examples: 36 questions about each "
        "item; what was asked before is not asked again.",
    )
    steps = {job.step.name for job in campaign.jobs()}
    assert "goldproof.ask" in steps
    assert "goldproof.train" not in steps


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            {"task": "tokens"},
            "a language model is asked about texts or pairs with a class each; the setting 'task' must be text or "
            "pair, or the model is fine-tuned with prompts.use=never; got 'tokens'",
        ),
        (
            {"prompts.language": "de"},
            "the setting 'prompts.language' must be left out: this study does not take it; got 'de'",
        ),
        (
            {"prompts.languages": ["xx"]},
            "there are no built-in prompts in the language 'xx'; there are in: en, de, fr, es, pt, ru, sv; or give a "
            "file of your own in 'prompts.file'",
        ),
        (
            {"data.corpus": "sib200", "data.hub": True},
            "a language model is asked about a corpus at hand, whose classes are known when jobs are planned; leave "
            "out 'data.hub', or give files in 'data.train' and 'data.test'",
        ),
    ],
)
def test_settings_that_make_no_sense_are_refused(more, said, place, tmp_path):
    with pytest.raises((UsageError, DataError)) as error:
        campaign_of(place, Store(tmp_path / "store"), **more).jobs()
    assert str(error.value) == said
