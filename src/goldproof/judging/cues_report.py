"""The report of cues in predictions: the shares among right and wrong answers, and what may be said of them."""

from __future__ import annotations

from goldproof.judging.cues import CueKind, CuesFound, SetCues
from goldproof.report.chart_parts import Caption
from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.numbers import estimate_text
from goldproof.report.overview import OverviewRow, overview
from goldproof.report.summary import Answer, Claim, Column, Figure, Missing, Plain, Report, Section, Text

WHAT: dict[CueKind, str] = {"polarity": "a word of the gold polarity", "paraphrase": "a lexical paraphrase"}
NONE_SUCH = Missing("there are no such predictions")


def cue_sentence(each: SetCues, kind: CueKind) -> str:
    """One set in one sentence."""
    where = " ".join(each.where.values())
    lead = f"{where}: {WHAT[kind]}" if where else WHAT[kind].capitalize()
    parts = [
        f"in {round(share.value * share.n):,} of {share.n:,} items that are {name} ({estimate_text(share, 1, '%')})"
        for name, share in (("right", each.shares.right), ("wrong", each.shares.wrong))
        if share is not None
    ]
    said = f"{lead} is there {' and '.join(parts)}"
    gap = each.shares.difference
    return said if gap is None else f"{said}; the difference is {estimate_text(gap, 1, 'points')}"


def cues_report(found: CuesFound) -> Report:
    """The report."""
    fields: list[Field[SetCues]] = [
        Field(Column("set", "Set"), _name),
        Field(Column("n", "Items"), lambda each: each.n_items),
        Field(Column("right_n", "Right"), lambda each: each.n_right),
        Field(Column("right", "Cue among right", 1, "%"), lambda each: each.shares.right or NONE_SUCH),
        Field(Column("wrong", "Cue among wrong", 1, "%"), lambda each: each.shares.wrong or NONE_SUCH),
        Field(Column("difference", "Right − wrong", 1, "points"), lambda each: each.shares.difference or NONE_SUCH),
        Field(
            Column("p", "p", 3, "p-value", "Fisher's exact test, adjusted over sets (Holm)"),
            lambda each: NONE_SUCH if each.adjusted is None else each.adjusted,
        ),
    ]
    note = (
        f"A cue counts as soon as it occurs at all. Words: {found.words}. With several runs, an item counts as "
        "right if most runs are right."
    )
    title = f"How often {WHAT[found.settings.kind]} occurs"
    limits = [
        Text(
            "A cue in the text does not mean that the model used it. To see what it is worth to a model, train "
            "without it."
        ),
        *map(Text, found.notes),
    ]
    sections = [
        Section("The cues", [make_table(Heading("cues", title, note), fields, found.sets)]),
        Section("Limits", limits),
    ]
    provenance: dict[str, Plain] = {"predictions": found.files, "cue": found.settings.kind, "words": found.words}
    question = f"Is {WHAT[found.settings.kind]} left where the predictions are right?"
    return Report("cues", question, [_claim(each, found) for each in found.sets], sections, provenance, _answer(found))


def _claim(each: SetCues, found: CuesFound) -> Claim:
    text = f"{cue_sentence(each, found.settings.kind)}."
    return Claim(
        text, "shown" if is_shown(each, found) else "not shown", each.shares.difference, 1, "points", place="cues"
    )


def is_shown(each: SetCues, found: CuesFound) -> bool:
    """Whether right and wrong predictions are shown to differ, adjusted over all sets."""
    return each.adjusted is not None and each.adjusted < 1 - found.settings.level


def _answer(found: CuesFound) -> Answer:
    known = [each for each in found.sets if each.shares.right is not None]
    if not known:
        return Answer("open", "Undecided", "no prediction is right.")
    (first, *others) = known
    assert first.shares.right is not None
    where = f" in {_name(first)}" if others else ""
    head = f"In {estimate_text(first.shares.right, 1, '%')} of them{where}"
    gap = first.shares.difference
    text = "there is no wrong prediction to compare with."
    if gap is not None:
        wrong = estimate_text(first.shares.wrong, 1, "%") if first.shares.wrong else ""
        said = "shown to be more" if gap.value > 0 else "shown to be fewer"
        text = f"of the wrong ones in {wrong}; they are {said if is_shown(first, found) else 'not shown to differ'}."
    return Answer("measured", head, text, "", (), _figure(found))


def _name(each: SetCues) -> str:
    return " ".join(each.where.values()) or "all"


def _figure(found: CuesFound) -> Figure:
    several = len(found.sets) > 1
    readings = [
        OverviewRow(f"{_name(each)}, {name}" if several else name, share)
        for each in found.sets
        for name, share in (("right", each.shares.right), ("wrong", each.shares.wrong))
        if share is not None
    ]
    title = f"How often {WHAT[found.settings.kind]} occurs, where predictions are right and where they are wrong"
    return overview(readings, Column("share", "Texts with a cue", 0, "%"), caption=Caption("answer", title))
