"""The report of cues in predictions: the shares among right and wrong answers, and what may be said of them."""

from __future__ import annotations

from goldproof.judging.cues import CueKind, CuesFound, SetCues
from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.numbers import estimate_text
from goldproof.report.summary import Answer, Claim, Column, Missing, Plain, ReplyKind, Report, Section, Text

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
        Field(Column("set", "Set"), lambda each: " ".join(each.where.values()) or "all"),
        Field(Column("n", "Items"), lambda each: each.n_items),
        Field(Column("right_n", "Right"), lambda each: each.n_right),
        Field(Column("right", "Cue among right", 1, "%"), lambda each: each.shares.right or NONE_SUCH),
        Field(Column("wrong", "Cue among wrong", 1, "%"), lambda each: each.shares.wrong or NONE_SUCH),
        Field(Column("difference", "Right − wrong", 1, "points"), lambda each: each.shares.difference or NONE_SUCH),
        Field(
            Column("p", "p", 3, "p-value", "Fisher's exact test, not adjusted"),
            lambda each: NONE_SUCH if each.shares.p_value is None else each.shares.p_value,
        ),
    ]
    note = f"A cue counts when it is present at all. Words: {found.words}. Of several runs, right is what most are."
    title = f"How often {WHAT[found.settings.kind]} is there"
    limits = [
        Text("That a cue is there does not say that the model used it: what it is worth to a model, training tells."),
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
    gap, p = each.shares.difference, each.shares.p_value
    shown = gap is not None and p is not None and p < 1 - found.settings.level
    text = f"{cue_sentence(each, found.settings.kind)}."
    return Claim(text, "shown" if shown else "not shown", gap, 1, "points", place="cues")


def _answer(found: CuesFound) -> Answer:
    (first, *others) = found.sets
    kind: ReplyKind = "measured" if first.shares.right is not None else "open"
    head = (
        "It cannot be told" if first.shares.right is None else f"In {estimate_text(first.shares.right, 1, '%')} of them"
    )
    more = f" {len(others)} more sets stand below." if others else ""
    return Answer(kind, head, f"{cue_sentence(first, found.settings.kind)}.{more}")
