"""A small report that has one of everything and no drawing, whose renderings are kept as golden files."""

from __future__ import annotations

import math

from goldproof.report.cells import mark_best
from goldproof.report.summary import (
    Answer,
    Cell,
    Claim,
    Column,
    Example,
    ExampleList,
    Marked,
    Missing,
    Report,
    Section,
    Table,
    Text,
)
from goldproof.statistics.estimate import Estimate

SCRIPT = "<script>alert(1)</script>"
NAN = math.nan


def small_table() -> Table:
    columns = (
        Column("model", "Model"),
        Column("mcc", "MCC", 3),
        Column("printed", "MCC", 3, published=True),
        Column("gain", "Gain", unit="points", note="against the base model"),
        Column("stable", "Stable"),
        Column("n", "Items"),
    )
    rows: list[dict[str, Cell]] = [
        {
            "model": "base & co_1",
            "mcc": Estimate(0.6339, 0.5142, 0.7311, "bootstrap over items", 1104),
            "printed": 0.634,
            "gain": None,
            "stable": True,
            "n": 12345,
        },
        {
            "model": SCRIPT,
            "mcc": Estimate(0.6201, 0.5, 0.72, "bootstrap over items", 1000),
            "printed": Missing("not in the paper"),
            "gain": Estimate(-0.0138, -0.031, 0.004, "paired bootstrap", 1000),
            "stable": False,
            "n": Marked(3, note="Three items only."),
        },
        {
            "model": "=1+1 | 50 % of $x$ {y} ~ ^ \\ *z*",
            "mcc": Estimate(0.1, NAN, NAN, "one run only", 10),
            "printed": NAN,
            "gain": Estimate(NAN, NAN, NAN, "one class only", 10),
            "stable": None,
            "n": 10,
        },
    ]
    title = "Base is best, though not by much"
    keys = ("a" * 64, "b" * 64)
    return Table("models", title, columns, tuple(mark_best(rows, "mcc", tied=[1])), "Six seeds.", keys)


def small_examples() -> ExampleList:
    items = (
        Example("1", (f"A dog {SCRIPT} barks.", "An animal barks."), "yes", ("yes", "no"), ("Negation", "Quantifiers")),
        Example("2", ("</script> {{7*7}} ]]>", "=HYPERLINK(1)"), "no", ("yes", None), ("Negation",)),
        Example("3", ("Чай, «пьют»\nвсе.", 'a,b\n"c"'), None, ("no", "no")),
    )
    return ExampleList("items", "Items", ("premise", "hypothesis"), ("seed 0", "seed 1"), items, "", ("c" * 64,))


def small_report() -> Report:
    effect = Estimate(0.019, 0.006, 0.032, "paired bootstrap", 1104)
    verdict = (
        Claim("B is better than A.", "shown", effect, unit="points", published="1.8 points", place="models"),
        Claim("C is different.", "undecided", place="nowhere"),
        Claim("D is no better than chance.", "not shown"),
        f"A plain sentence with {SCRIPT}.",
    )
    sections = (
        Section("Scores", (Text("First line.\nSecond line with *stars*."), small_table())),
        Section("Items <b>", (small_examples(),)),
        Section("End", (Text("No more."),)),
    )
    answer = Answer(
        "yes",
        f"Yes, for {SCRIPT}",
        "B is better by 1.9 points [0.6, 3.2] & more.",
        "It would take *more* runs to say it of {{7*7}}.",
        ("1 of 6 runs collapsed (run <b>).",),
    )
    provenance = {"goldproof": "0.1.0", "seeds": 6, "level": 0.95}
    return Report("small", "A & B: {{7*7}}", verdict, sections, provenance, answer)
