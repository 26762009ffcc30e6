"""The sections of the report on shortcuts: what each reaches, the words behind them, hard items; and on leaks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from goldproof.data.checking.alignment import aligned_groups
from goldproof.judging.audit.parts import TestPart, find_bias, find_parts
from goldproof.judging.audit.sentences import tried_sentence
from goldproof.judging.subsets import bias_sentence
from goldproof.measures.copies import SharedRows
from goldproof.measures.shortcuts.items import shortened, side_name
from goldproof.measures.shortcuts.judged import JudgedShortcuts, ShortcutScore
from goldproof.measures.shortcuts.names import GiveAway
from goldproof.measures.shortcuts.rules import SHORTCUTS
from goldproof.report.charts import Caption, dots
from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.numbers import count, percent
from goldproof.report.summary import Cell, Column, Item, Missing, Text

if TYPE_CHECKING:
    from goldproof.data.checking.alignment import Alignment
    from goldproof.judging.audit.audit import Audit

SEEN = {shortcut.name: shortcut.sees for shortcut in SHORTCUTS}
WIDTH = 160


def shortcut_items(audit: Audit) -> list[Item]:
    """A chart and a table of what each shortcut reaches."""
    if isinstance(audit.shortcuts, str):
        return [Text(f"Shortcuts were not judged: {audit.shortcuts}.")]
    judged = audit.shortcuts.judged
    score = score_column(judged)
    ranked = sorted(judged.scores, key=lambda each: -each.score.value)
    rows: list[dict[str, Cell]] = [{"shortcut": each.name, score.key: each.score} for each in ranked]
    best = judged.best
    floor = (
        f"always answering the most frequent label gets {percent(judged.floor)}"
        if judged.n_classes
        else "guessing gets 0"
    )
    title = f"The best of {len(ranked)} shortcuts is “{best.name}”; {floor} (dashed)"
    note = (
        f"Without the {count(_n_left_out(audit))} test rows that have a copy in an earlier split."
        if _n_left_out(audit)
        else ""
    )
    chart = dots(
        rows, Column("shortcut", "Shortcut"), score, caption=Caption("shortcuts-figure", title, note), rule=judged.floor
    )
    found = len(judged.above)
    heading = Heading(
        "shortcuts",
        f"{found} of {len(ranked)} shortcuts {'is' if found == 1 else 'are'} credibly above the floor",
        "Above the floor: p below 0.05 over all shortcuts together, and the interval above the floor.",
    )
    return [chart, make_table(heading, _score_fields(judged), ranked)]


def _n_left_out(audit: Audit) -> int:
    return int(audit.copies.leaked[audit.material.judged].sum())


def score_column(judged: JudgedShortcuts) -> Column:
    """Accuracy in percent, or the correlation with scores."""
    return Column("score", "Accuracy", 1, "%") if judged.n_classes else Column("score", "Correlation", 3)


def _score_fields(judged: JudgedShortcuts) -> list[Field[ShortcutScore]]:
    way = "share of the way from the most frequent label to perfect" if judged.n_classes else "variance explained"
    p_note = "over all shortcuts together (Westfall and Young)"
    return [
        Field(Column("name", "Shortcut"), lambda each: each.name),
        Field(Column("sees", "What it sees"), lambda each: SEEN.get(each.name, each.rule)),
        Field(score_column(judged), lambda each: each.score),
        Field(Column("share", "Of the way", 1, "%", way), lambda each: each.share),
        Field(Column("p", "p", 3, "p-value", p_note), lambda each: each.p_value),
        Field(Column("above", "Above the floor"), lambda each: "yes" if each.above else "not shown"),
        Field(Column("rule", "What it learned"), lambda each: each.rule),
    ]


def word_items(audit: Audit) -> list[Item]:
    """The words that go with a label in train, and what they do in test."""
    if isinstance(audit.shortcuts, str) or not audit.shortcuts.judged.words:
        return []
    words = audit.shortcuts.judged.words
    held = sum(word.rate.n > 0 and word.rate.low > word.base for word in words)
    heading = Heading(
        "words",
        f"Of the {len(words)} words most surely tied to a label in train, {held} are tied to it in test too",
        "Chosen on train alone. Rate: share of the items with the word that have the label (Wilson interval).",
    )
    return [make_table(heading, _word_fields(audit), words)]


def _word_fields(audit: Audit) -> list[Field[GiveAway]]:
    data = audit.material.splits[audit.material.judged]
    has_pairs = any(pair is not None for pair in data.pairs)
    return [
        Field(Column("word", "Word"), lambda word: word.gram),
        Field(Column("side", "Stands in"), lambda word: side_name(word.side, has_pairs)),
        Field(Column("label", "Label"), lambda word: audit.material.labels[word.label]),
        Field(Column("n_train", "Items in train"), lambda word: word.n_train),
        Field(Column("rate_train", "Rate in train", 1, "%"), lambda word: word.rate_train),
        Field(Column("n_test", "Items in test"), lambda word: word.rate.n),
        Field(
            Column("rate", "Rate in test", 1, "%"),
            lambda word: word.rate if word.rate.n else Missing("the word does not occur in test"),
        ),
        Field(Column("base", "Label in test", 1, "%", "share of the label among all items"), lambda word: word.base),
        Field(Column("example", "Example in test"), partial(_example, audit)),
    ]


def _example(audit: Audit, word: GiveAway) -> Cell:
    assert not isinstance(audit.shortcuts, str)
    if word.example < 0:
        return Missing("no test item has both word and label")
    row = int(audit.shortcuts.rows[word.example])
    data = audit.material.splits[audit.material.judged]
    text = (data.pairs if word.side else data.texts)[row] or ""
    return _around(text, word.gram)


def _around(text: str, gram: str) -> str:
    """A piece of a text around a word.

    >>> _around("a b " * 40 + "never c", "never")[-9:]
    'b never c'
    """
    line = " ".join(text.split())
    at = line.lower().find(gram.split()[0])
    start = max(0, at - WIDTH // 2)
    return ("…" if start else "") + shortened(line[start:], WIDTH)


def hard_items(audit: Audit) -> list[Item]:
    """The two parts of the test set, or why there are none."""
    if isinstance(audit.shortcuts, str):
        return []
    hard = audit.shortcuts.hard
    if isinstance(hard, str):
        return [
            Text(
                f"The items are not divided into hard and other ones: {hard}. {tried_sentence(audit.shortcuts.judged)}"
            )
        ]
    parts = find_parts(audit)
    text = (
        f"The shortcuts above the floor ({', '.join(hard.shortcuts)}) were put into one model, cross-fitted over the "
        "items of test. An item is hard if that model finds its gold label less likely than the label is overall; "
        "the others are solvable by a cue. Selecting by gold gathers wrong labels among the hard items; their "
        "estimated share is given for each part. `--hard FILE` writes the ids, `goldproof score --subset hard=FILE` "
        "scores a model on both parts."
    )
    heading = Heading(
        "hard", f"{percent(parts[0].n / max(parts[0].n + parts[1].n, 1))} of the items are hard for the shortcuts"
    )
    return [
        make_table(heading, part_fields(audit.material.labels), parts),
        Text(text),
        Text(bias_sentence(find_bias(audit))),
    ]


def part_fields(labels: tuple[str, ...]) -> list[Field[TestPart]]:
    """Size, labels, floor and wrong labels of a part; of many labels only the floor is shown."""
    shown = labels if len(labels) <= 6 else ()
    return [
        Field(Column("part", "Part"), lambda part: part.name),
        Field(Column("n", "Items"), lambda part: part.n),
        *(Field(Column(f"label_{at}", label, 1, "%"), partial(_label_share, label)) for at, label in enumerate(shown)),
        Field(Column("floor", "Floor", 1, "%", "its most frequent label"), lambda part: part.floor),
        Field(
            Column("wrong", "Wrong labels", 1, "%", "estimated"),
            lambda part: (
                part.wrong if part.wrong is not None else Missing("the share of wrong labels could not be estimated")
            ),
        ),
    ]


def _label_share(label: str, part: TestPart) -> Cell:
    return part.labels.get(label, 0) / part.n if part.n else math.nan


def language_items(audit: Audit) -> list[Item]:
    """Which languages of a split are translations of each other, row by row; nothing where there is one language."""
    if not audit.alignments:
        return []
    joined = _aligned_pairs(audit.alignments)
    n = sum(_key(each) in joined for each in audit.alignments)
    fields: list[Field[Alignment]] = [
        Field(Column("split", "Split"), lambda each: each.split),
        Field(Column("languages", "Languages"), lambda each: " and ".join(each.languages)),
        Field(Column("n", "Rows compared"), lambda each: each.n_compared),
        Field(Column("lengths", "Correlation of lengths", 2), lambda each: each.length_correlation),
        Field(
            Column("labels", "Labels agree", 1, "%"),
            lambda each: each.label_agreement if each.label_agreement is not None else Missing("there are no labels"),
        ),
        Field(Column("aligned", "Row by row"), lambda each: "yes" if _key(each) in joined else "not shown"),
    ]
    title = f"{n} of {len(audit.alignments)} pairs of languages are aligned row by row"
    note = (
        "Aligned like translations: lengths correlate by at least 0.75 and at least 98 % of the labels agree, "
        "between the two or along a chain of languages."
    )
    return [make_table(Heading("languages", title, note), fields, audit.alignments)]


def _aligned_pairs(found: Sequence[Alignment]) -> set[tuple[str, tuple[str, str]]]:
    """The split and languages of the pairs that a chain of aligned ones joins."""
    joined = set()
    for split in {each.split for each in found}:
        here = [each for each in found if each.split == split]
        groups = [set(group) for group in aligned_groups(here)]
        joined |= {_key(each) for each in here if any(set(each.languages) <= group for group in groups)}
    return joined


def _key(each: Alignment) -> tuple[str, tuple[str, str]]:
    return each.split, each.languages


def leak_items(audit: Audit) -> list[Item]:
    """What the splits share, by what is alike."""
    shared = [each for each in audit.copies.shared if each.n]
    if not shared:
        return [Text("No row has a copy in another split or in its own, and no text occurs in two splits.")]
    what = {
        "row": "whole row",
        "swapped": "row with its sides swapped",
        "text": "first text alone",
        "pair": "second text alone",
    }
    fields: list[Field[SharedRows]] = [
        Field(Column("later", "Rows of"), lambda each: each.later),
        Field(
            Column("earlier", "Copy in"), lambda each: each.earlier if each.earlier != each.later else "the same split"
        ),
        Field(Column("field", "What is alike"), lambda each: what[each.field]),
        Field(Column("n", "Rows"), lambda each: each.n),
        Field(Column("share", "Share", 1, "%"), lambda each: each.n / max(each.total, 1)),
        Field(Column("exact", "Same characters"), lambda each: each.n_exact),
        Field(Column("form", "Same except for case and punctuation"), lambda each: each.n_form),
        Field(Column("digits", "Same except for digits too"), lambda each: each.n_digits),
        Field(Column("near", "Near"), lambda each: each.n_near),
        Field(Column("conflicts", "Conflicts", note="equal rows with another label"), lambda each: each.n_conflicts),
        Field(Column("contrasts", "Contrasts", note="near copy with another label"), lambda each: each.n_contrasts),
    ]
    n = int(audit.copies.leaked[audit.material.judged].sum())
    total = count(len(audit.material.splits[audit.material.judged]))
    title = f"{count(n)} of {total} test rows have a copy in an earlier split"
    common = percent(audit.copies.threshold, 0)
    note = (
        f"Near: at least {common} of the shingles in common, or one word added. A copy of one side alone is not a leak."
    )
    return [make_table(Heading("leaks", title, note), fields, shared)]
