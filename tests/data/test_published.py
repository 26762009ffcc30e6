"""Published corpora are read whole: rows, labels and traps as their documentation states them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from goldproof.data.corpora.catalog import load
from goldproof.data.dataset import count_labels
from goldproof.data.formats.treebank import iter_sentences

ROWS = [
    ("rte", "en", {"train": 2490, "validation": 277, "test": 3000}),
    ("terra", "fr", {"train": 2616, "validation": 307, "test": 3198}),
    ("terra", "de", {"train": 2616, "validation": 306, "test": 3197}),
    ("terra", "sv", {"train": 2613, "validation": 307, "test": 3194}),
    ("terra", "ru", {"train": 2616, "validation": 307, "test": 3198}),
    ("glue/mnli", "en", {"validation": 9815}),
    ("diagnostics", "en", {"all": 1104}),
    ("diagnostics", "sv", {"all": 1104}),
    ("clcd/comparative", "en", {"train": 9996}),
    ("clcd/mixed", "pt", {"train": 10000}),
    ("xprobe/bigram_shift", "ru", {"validation": 10000, "test": 10000}),
    ("rusenteval/gapping", "ru", {"train": 6233, "validation": 1649, "test": 741}),
    ("agrr2019", "ru", {"validation": 4142, "test": 2045}),
    ("sib200", "ja", {"train": 701, "validation": 99, "test": 204}),
    ("xnli", "en", {"validation": 2490, "test": 5010}),
    ("xnli", "ur", {"validation": 2490, "test": 5010}),
    ("xnli", "de", {"train": 2245, "validation": 250, "test": 5010}),
    ("glue/cola", "en", {"train": 8551, "validation": 527 + 516}),
    ("glue/mrpc", "en", {"train": 4076, "test": 1725}),
    ("glue/stsb", "en", {"train": 5749, "validation": 1500, "test": 1379}),
    ("glue/sst2", "en", {"train": 6920, "validation": 872, "test": 1821}),
    ("ud/pud", "pt", {"test": 1000}),
    ("wikiann", "de", {"validation": 10000, "test": 10000}),
]


@pytest.mark.parametrize(("name", "language", "rows"), ROWS, ids=[f"{name}-{language}" for name, language, _ in ROWS])
def test_rows(name: str, language: str, rows: dict[str, int], published: Path) -> None:
    data = load(name, language=language, root=published)
    assert Counter(data.table.column("split").to_pylist()) == rows
    assert data.languages == (language,)
    assert data.provenance.files
    assert data.provenance.citation


def test_xnli_languages_are_put_in_the_same_order(published: Path) -> None:
    """English and Spanish stand in three files; ordered by pair, their labels are those of Swahili and German."""
    labels = {
        language: load("xnli", language=language, split="test", root=published).table.column("label")
        for language in ("en", "es", "sw", "de")
    }
    assert labels["en"].equals(labels["sw"])
    assert labels["es"].equals(labels["de"])


def test_label_counts(published: Path) -> None:
    assert count_labels(load("xnli", language="sw", split="test", root=published)) == {
        "entailment": 1670,
        "neutral": 1670,
        "contradiction": 1670,
    }
    assert load("glue/stsb", split="dev", root=published).table.column("score")[1].as_py() == 4.75
    assert load("rte", split="test", root=published).labels == ()


def test_treebank_agrees_with_a_plain_count(published: Path) -> None:
    path = published / "treebanks" / "fr_gsd-ud-dev.conllu"
    firsts = [line.split("\t")[0] for line in path.read_text("utf-8").split("\n") if "\t" in line]
    sentences = list(iter_sentences(path))
    assert sum(len(sentence.tokens) for sentence in sentences) == sum(first.isdecimal() for first in firsts)
    assert sum(len(sentence.multiwords) for sentence in sentences) == sum("-" in first for first in firsts)
    assert all(sum(token.head == 0 for token in sentence.tokens) == 1 for sentence in sentences)


def test_text_is_rebuilt_from_the_words(published: Path, tmp_path: Path) -> None:
    """Without the text comment the surface comes from words, multiword ranges and SpaceAfter, and is the same."""
    whole = (published / "treebanks" / "fr_gsd-ud-test.conllu").read_text("utf-8")
    path = tmp_path / "bare.conllu"
    path.write_text("\n".join(line for line in whole.split("\n") if not line.startswith("# text =")), "utf-8")
    given = [sentence.text for sentence in iter_sentences(published / "treebanks" / "fr_gsd-ud-test.conllu")]
    assert [sentence.text for sentence in iter_sentences(path)] == given
