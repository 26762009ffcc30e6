"""Which column plays which part: one table of common names and one guess, for data files and for predictions alike.

A name that the user gives is taken as it is written; a guess looks past case, blanks, hyphens and a byte order mark. It
reads no cell.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from goldproof.data.formats.raw import RawBatch
from goldproof.data.nested import column_of
from goldproof.errors import DataError, UsageError

_PAIRS = (
    ("premise", "hypothesis"),
    ("sentence1", "sentence2"),
    ("question1", "question2"),
    ("question", "sentence"),
    ("text1", "text2"),
    ("text_a", "text_b"),
    ("text", "pair"),
    ("text", "text2"),
    ("#1_string", "#2_string"),
)
_TEXTS = ("text", "sentence", "content", "review", "document", "premise", "sentence1", "question1", "text1", "question")
# Beside one of these a question is half of a pair that has no common name, and half of it would be a wrong guess.
_OTHER_HALVES = frozenset({"answer", "context", "passage"})
# What is right stands first under names that mean nothing else, last under those of published corpora that often mean
# something else too.
_LABELS = ("gold", "true_label", "gold_label", "y_true", "label", "labels", "target", "class", "category", "quality")
VAGUE_LABELS = frozenset({"class", "category", "quality"})
_MOST_INNER = 20
_TOKEN_LABELS = ("token_labels", "ner_tags")
_IDS = ("id", "idx", "guid", "index_id", "pairid", "uid")

DATA_NAMES: Mapping[str, tuple[str, ...]] = {
    "text": _TEXTS,
    "label": _LABELS,
    # A number to predict; in predictions `score` is rather how sure the model is, so it is no gold there.
    "score": ("score", "similarity"),
    "id": _IDS,
    "tokens": ("tokens", "words"),
    "token_labels": _TOKEN_LABELS,
    "language": ("language", "lang"),
}
PREDICTION_NAMES: Mapping[str, tuple[str, ...]] = {
    "text": _TEXTS,
    # The gold of tagging is what data call token labels.
    "gold": (*_LABELS, *_TOKEN_LABELS),
    # Who answers says to which item. In data these say from which document or line a row is, and may come again.
    "id": (*_IDS, "doc_id", "index", "item"),
    "language": DATA_NAMES["language"],
    "prediction": ("prediction", "predicted_label", "predicted", "pred", "y_pred", "preds", "predictions"),
    "probabilities": ("probabilities", "probs"),
    "run": ("run", "seed"),
}


def normal(name: str) -> str:
    """A column's name as the table of common names has it.

    >>> normal("Gold Label "), normal("\\ufeffid"), normal("text-a"), normal("#1 String")
    ('gold_label', 'id', 'text_a', '#1_string')
    """
    return re.sub(r"[\s-]+", "_", name.strip().lstrip("\ufeff").strip().lower())


def by_normal(found: Sequence[str]) -> dict[str, str]:
    """The columns by their normal names; of two with the same one, the first."""
    return {normal(name): name for name in reversed(found)}


def guess_names(
    given: Mapping[str, str], found: Sequence[str], parts: Sequence[str], common: Mapping[str, tuple[str, ...]]
) -> dict[str, str]:
    """The column of each part that was given or goes by a common name; no column has two parts.

    >>> guess_names({}, ["ID", "Gold Label", "premise", "hypothesis"], ["id", "gold", "text", "pair"], PREDICTION_NAMES)
    {'id': 'ID', 'gold': 'Gold Label', 'text': 'premise', 'pair': 'hypothesis'}
    """
    names = dict(given)
    columns = by_normal(found)
    for part in parts:
        if part in names:
            continue
        free = {name: column for name, column in columns.items() if column not in names.values()}
        if part == "text":
            guessed = _guess_texts(free, given.get("pair"))
            names |= {ours: theirs for ours, theirs in guessed.items() if ours not in names}
        else:
            match = next((free[name] for name in common.get(part, (part,)) if name in free), None)
            names |= {} if match is None else {part: match}
    return names


def _guess_texts(free: Mapping[str, str], pair: str | None) -> dict[str, str]:
    """The text, and the second one where the two go by names that belong together; `pair` is what was given for it."""
    there = {*free, *([normal(pair)] if pair is not None else [])}
    for first, second in _PAIRS:
        if first in free and second in there:
            return {"text": free[first], "pair": free.get(second, pair or "")}
    of_language = {re.sub(r"_[a-z]{2,3}$", "", name): free[name] for name in reversed(list(free))}
    if {"sentence1", "sentence2"} <= set(of_language):
        return {"text": of_language["sentence1"], "pair": of_language["sentence2"]}
    halved = bool(_OTHER_HALVES & set(free))
    single = next((free[name] for name in _TEXTS if name in free and not (name == "question" and halved)), None)
    return {} if single is None else {"text": single}


def check_given(given: Mapping[str, str], found: Sequence[str], path: str | Path) -> None:
    """Refuse a name that is no column, nor a field inside one, and a column that is to play two parts."""
    taken: dict[str, str] = {}
    for ours, theirs in given.items():
        if column_of(theirs, found) is None:
            raise no_column(theirs, found, path)
        if theirs in taken:
            raise UsageError(
                f"the column {theirs!r} is given both as {taken[theirs]!r} and as {ours!r}; a column can have only "
                "one role"
            )
        taken[theirs] = ours


def check_part(what: str, ours: str, allowed: Collection[str]) -> None:
    """Refuse a part that there is none of in data or in predictions."""
    if ours not in allowed:
        raise UsageError(f"{what} have no column {ours!r}; allowed: {', '.join(allowed)}")


def check_fields(names: Mapping[str, str], found: Sequence[str], first: RawBatch) -> None:
    """Refuse a field inside a field (`doc.label`) that is not in the first rows of the file."""
    for ours, theirs in names.items():
        if theirs not in found and first.columns.column(theirs).null_count == first.columns.num_rows:
            raise DataError(f"the first rows have no field {theirs!r}, which was named as {ours!r}", path=first.path)


def no_column(name: str, found: Sequence[str], path: str | Path) -> DataError:
    """The error for a name that is no column, with the one that is written a little differently."""
    meant = next((column for column in found if normal(column) == normal(name)), None)
    hint = ";" if meant is None else f"; did you mean {meant!r}?"
    return DataError(f"there is no column {name!r}{hint} columns found: {list_columns(found)}", path=path)


def lacking_columns(
    what: str, lacking: Mapping[str, Sequence[str]], found: Sequence[str], how: str, inner: Sequence[str] = ()
) -> str:
    """What is lacking, all at once: which columns there are, which names were looked for, and `how` to name one."""
    parts = [repr(ours) for ours in lacking]
    listed = " and ".join([", ".join(parts[:-1])] * (len(parts) > 1) + [parts[-1]])
    if len(parts) == 1:
        looked_for = ", ".join(next(iter(lacking.values())))
    else:
        looked_for = "; ".join(f"{', '.join(names)} as {ours!r}" for ours, names in lacking.items())
    return (
        f"{what} need {'a column' if len(parts) == 1 else 'the columns'} {listed}; columns found: "
        f"{list_columns(found, inner)}; looked for: {looked_for}; say which "
        f"{'one it is' if len(parts) == 1 else 'they are'} with {how}"
    )


def list_columns(found: Sequence[str], inner: Sequence[str] = ()) -> str:
    """The columns found, for an error, with the fields inside them; where they are not separated as they should be,
    that is said.

    >>> list_columns(["id", "doc"], ["doc.body", "doc.label"])
    'id, doc (with fields inside, which can be named as well: doc.body, doc.label)'

    >>> list_columns(["text|label"])
    "text|label (only one column: is the file separated by '|'? csv takes commas, semicolons, bars or tabs, tsv tabs)"
    """
    wrong = next((sign for sign in (";", "\t", ",", "|") if len(found) == 1 and sign in found[0]), None)
    hint = (
        f" (only one column: is the file separated by {wrong!r}? csv takes commas, semicolons, bars or tabs, tsv tabs)"
        if wrong
        else ""
    )
    more = f", and {len(inner) - _MOST_INNER} more" if len(inner) > _MOST_INNER else ""
    if inner:
        hint += f" (with fields inside, which can be named as well: {', '.join(inner[:_MOST_INNER])}{more})"
    return (", ".join(found) or "none") + hint
