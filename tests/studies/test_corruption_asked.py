"""The corruption study of a language model: asked about test texts without a class of words, beside the control."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import goldproof
from goldproof.errors import UsageError
from goldproof.jobs import Results, Store
from goldproof.models.tiny import write_tiny_model
from goldproof.studies.asked import asked_answers
from goldproof.studies.campaign import Campaign
from goldproof.studies.corruption.plan import asked_sets, outline
from goldproof.studies.corruption.scores import load_runs
from goldproof.studies.corruption.tasks import Version, find_tasks, settle
from goldproof.studies.settings import Choice

pytestmark = pytest.mark.needs("models")

WORDS = ["the", "film", "was", "good", "bad", "very", "review", "sentiment", ":", "negative", "positive", "sentence"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("asked")
    for name, start in (("train", 0), ("test", 100)):
        rows = [
            f"the film was {'very ' * (i % 5)}{'good' if i % 2 else 'bad'} {i},{i % 2}"
            for i in range(start, start + 30)
        ]
        (folder / f"{name}.csv").write_text("sentence,label\n" + "\n".join(rows) + "\n", "utf-8")
    (folder / "words.tsv").write_text("good\tADJ\nbad\tADJ\nfilm\tNOUN\n", "utf-8")
    write_tiny_model(folder / "llama", WORDS, "llama", n_positions=256, speaks=True)
    return folder


def settings(place: Path) -> dict[str, object]:
    return {
        "model": str(place / "llama"),
        "data.train": str(place / "train.csv"),
        "data.test": str(place / "test.csv"),
        "removal.words": str(place / "words.tsv"),
        "prompts.task": "sentiment",
        "prompts.labels": ["0=negative", "1=positive"],
        "prompts.most": 3,
        "prompts.examples": 2,
        "prompts.most_items": 20,
    }


def test_where_there_is_no_score_to_lose_no_training_is_asked_for(place: Path, tmp_path: Path) -> None:
    report = goldproof.run("corruption", settings=settings(place), store=Store(tmp_path / "store"))
    assert report.answer is not None
    assert (report.answer.head, report.answer.takes) == (
        "Undecided",
        "It would take prompts, or a model, by which the task is solved at least in part.",
    )


def test_every_version_of_the_test_texts_is_asked_about(place: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    report = goldproof.run("corruption", settings=settings(place), store=store, out=tmp_path / "out")
    config = settle(Campaign.choose("corruption", Choice(settings=settings(place)), store).config)
    assert config.settings == ("test",)
    assert outline(config) == "2 cells with their random controls, each asked with 3 prompts"
    (task,) = find_tasks(config)
    results = Results(store)
    runs = load_runs(config, results, task)
    sets = asked_sets(config, task)
    assert [str(version) for version in sets] == ["original", "ADJ", "ADJ/random", "NOUN", "NOUN/random"]
    for version, asked in sets.items():
        found = asked_answers(config, asked, results)
        assert found.answers.runs.shape == (3, 20)
        assert (runs.answers[Version(), version].runs == found.answers.runs).all()
    without = results[sets[Version("ADJ")].items]
    assert not any({"good", "bad"} & set(text.split()) for text in without.texts)
    shown = [asked_answers(config, sets[Version(*each)], results).replies[0].shown for each in ((), ("ADJ",))]
    assert shown[0].rpartition("\n\n")[0] == shown[1].rpartition("\n\n")[0]  # the examples stay as they are
    assert np.array_equal(runs.original.gold, runs.answers[Version(), Version("ADJ")].gold)
    assert report.provenance["prompts"] == "built in"
    assert report.answer is not None
    page = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert "training of" not in report.answer.sentence
    assert "seeds" not in page.replace("Holm", "")


def test_without_data_of_ones_own_it_is_refused(place: Path, tmp_path: Path) -> None:
    campaign = Campaign.choose(
        "corruption", Choice(settings={"model": str(place / "llama")}), Store(tmp_path / "store")
    )
    with pytest.raises(UsageError, match=r"can only be asked about data of your own: name them in 'data.train'"):
        campaign.jobs()
