"""The layouts of published corpora by name, and `read_published`, which reads a file by one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from goldproof.data.columns import Columns
from goldproof.data.dataset import UNKNOWN_LANGUAGE, Dataset
from goldproof.data.formats.squad import read_squad
from goldproof.data.formats.token_columns import read_tagged
from goldproof.data.formats.treebank import read_conllu
from goldproof.data.readers import Layout, read
from goldproof.errors import DataError, UsageError

_ENTAILMENT2 = {"entailment": "entailment", "not_entailment": "not_entailment"}
_ENTAILMENT3 = {label: label for label in ("entailment", "neutral", "contradiction")}
_UNDECIDED = "-"  # on which the annotators did not agree
_BINARY = {"0": "0", "1": "1"}
_TAG_COLUMNS = ("Lexical Semantics", "Predicate-Argument Structure", "Logic", "Knowledge")
_TAG_KEYS = ("lexical-semantics", "predicate-argument-structure", "logic", "knowledge")
_SPANS = ("cV", "cR1", "cR2", "V", "R1", "R2")
_TOPICS = ("entertainment", "geography", "health", "politics", "science/technology", "sports", "travel")
_SENTENCES = Columns(text="sentence1", pair="sentence2", label="label")

LAYOUTS: Mapping[str, Layout] = {
    "entailment-jsonl": Layout(
        "jsonl",
        Columns(text="premise", pair="hypothesis", label="label", id="idx"),
        labels=_ENTAILMENT2,
        exact=True,
        optional=("label",),
    ),
    "mnli-tsv": Layout(
        "tsv", Columns(text="premise", pair="hypothesis", label="label"), labels=_ENTAILMENT3, exact=True
    ),
    "diagnostics-tsv": Layout(
        "tsv",
        Columns(text="Premise", pair="Hypothesis", label="Label", tags=(*_TAG_COLUMNS, "Domain")),
        labels=_ENTAILMENT3,
        exact=True,
        optional=(),
    ),
    "diagnostics-jsonl": Layout(
        "jsonl", replace(_SENTENCES, id="idx", tags=_TAG_KEYS), labels=_ENTAILMENT2, exact=True
    ),
    "logic-csv": Layout(
        "csv",
        replace(_SENTENCES, tags=("label_form",)),
        labels={"0": "no_contradiction", "1": "contradiction"},
        exact=True,
    ),
    "text-label": Layout("tsv", Columns(text="text", label="label"), header=("text", "label"), exact=True),
    "label-text": Layout("tsv", Columns(text="text", label="label"), header=("label", "text"), exact=True),
    "split-label-text": Layout(
        "tsv",
        Columns(text="text", label="label", split_column="split"),
        header=("split", "label", "text"),
        splits={"tr": "train", "va": "validation", "te": "test"},
        exact=True,
    ),
    "agrr-tsv": Layout(
        "tsv", Columns(text="text", label="class", tags=_SPANS), labels=_BINARY, exact=True, optional=()
    ),
    "sib200-tsv": Layout(
        "tsv",
        Columns(text="text", label="category", id="index_id"),
        labels={topic: topic for topic in _TOPICS},
        exact=True,
    ),
    "snli-jsonl": Layout(
        "jsonl",
        Columns(text="sentence1", pair="sentence2", label="gold_label", id="pairID"),
        labels={**_ENTAILMENT3, _UNDECIDED: _UNDECIDED},
        exact=True,
    ),
    "xnli-original-tsv": Layout(
        "tsv",
        Columns(
            text="sentence1",
            pair="sentence2",
            label="gold_label",
            id="pairID",
            language_column="language",
            tags=("promptID", "genre"),
        ),
        labels=_ENTAILMENT3,
        exact=True,
        optional=(),
    ),
    "xnli-genre-tsv": Layout("tsv", Columns(label="label", tags=("genre",)), labels=_ENTAILMENT3, exact=True),
    "xnli-plain-tsv": Layout(
        "tsv", _SENTENCES, header=("sentence1", "sentence2", "label"), labels=_ENTAILMENT3, exact=True
    ),
    "cola-tsv": Layout(
        "tsv",
        Columns(text="text", label="label", tags=("source",)),
        header=("source", "label", "mark", "text"),
        labels={"0": "unacceptable", "1": "acceptable"},
        exact=True,
    ),
    "mrpc-tsv": Layout(
        "tsv",
        Columns(text="#1 String", pair="#2 String", label="Quality"),
        labels={"0": "not_equivalent", "1": "equivalent"},
        exact=True,
    ),
    "stsb-csv": Layout(
        "csv",
        Columns(text="sentence1", pair="sentence2", score="score"),
        header=("sentence1", "sentence2", "score"),
        exact=True,
    ),
    "sst2-tsv": Layout(
        "tsv",
        Columns(text="text", label="label"),
        header=("text", "label"),
        labels={"0": "negative", "1": "positive"},
        exact=True,
    ),
    "own": Layout(),
}


def read_published(
    path: str | Path, layout: str, *, language: str = UNKNOWN_LANGUAGE, split: str | None = None
) -> Dataset:
    """A file of a published corpus by its layout's name: one of `LAYOUTS` or of the four below."""
    if layout == "conllu":
        return read_conllu(path, language=language, split=split)
    if layout == "token-tag":
        return read_tagged(path, language=language, split=split, prefix=f"{language}:")
    if layout == "squad-json":
        return read_squad(path, language=language, split=split)
    if layout == "conll-ner":
        return read_tagged(path, language=language, split=split, delimiter=" ")
    if layout not in LAYOUTS:
        known = ", ".join(sorted([*LAYOUTS, *("conllu", "token-tag", "conll-ner", "squad-json")]))
        raise UsageError(f"there is no layout {layout!r}; known: {known}")
    shape = LAYOUTS[layout]
    if layout == "xnli-genre-tsv":
        columns = replace(shape.columns, text=f"sentence1_{language}", pair=f"sentence2_{language}")
        shape = replace(shape, columns=columns)
    data = read(path, language=language, split=split, layout=shape)
    return _AFTER.get(layout, _as_it_is)(data, Path(path))


def _as_it_is(data: Dataset, path: Path) -> Dataset:
    return data


def _check_spans(data: Dataset, path: Path) -> Dataset:
    """Character spans `start:end`, several in a cell separated by spaces, lie within the text."""
    for row, item in enumerate(data):
        for tag in item["tags"]:
            column, _, cell = tag.partition(":")
            for span in cell.split():
                if not _is_span(span, len(item["text"])):
                    message = (
                        f"{column}: a span start:end must lie within the {len(item['text'])} characters of the text; "
                        f"got {span!r}"
                    )
                    raise DataError(message, path=path, line=row + 2)
    return data


def _is_span(span: str, length: int) -> bool:
    start, colon, end = span.partition(":")
    # The published test set has spans that end one past a text whose last character was stripped.
    return bool(colon) and start.isdecimal() and end.isdecimal() and int(start) <= int(end) <= length + 1


def _decided(data: Dataset, path: Path) -> Dataset:
    """The rows on whose label the annotators agreed."""
    labels = data.table.column("label").to_pylist()
    return data.take([row for row, label in enumerate(labels) if label != _UNDECIDED])


_AFTER: Mapping[str, Callable[[Dataset, Path], Dataset]] = {"agrr-tsv": _check_spans, "snli-jsonl": _decided}
