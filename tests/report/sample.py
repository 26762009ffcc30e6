"""A report like the ones that studies make, from the MCC scores printed in Figure 2 of the diagnostics paper.

The MCC values are the paper's; intervals, curves, and example texts are made up to fill a page of realistic size.
"""

from __future__ import annotations

import math
import random
from pathlib import Path

from goldproof.report.cells import mark_best
from goldproof.report.charts import Caption, bars, curves, dots, heat_map, histogram, scatter
from goldproof.report.summary import (
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

HOSTILE = [
    "<script>document.title='owned'</script>",
    "</script><script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "{{7*7}} {% raw %} ]]> <!-- --> & < > \" '",
]
KEYS = [f"{i:02x}" * 32 for i in range(6)]
LONG = "The committee, which had been sitting since the early morning and whose members were by now rather tired, "


def scores() -> dict[str, list[float]]:
    """The printed cells of Figure 2: 33 categories, 6 seeds."""
    lines = (Path(__file__).parent / "figure2.tsv").read_text(encoding="utf-8").splitlines()
    return {name: [float(cell) for cell in cells] for name, *cells in (line.split("\t") for line in lines)}


def around(value: float, n: int, method: str = "bootstrap over items") -> Estimate:
    half = 1.96 * (1 - value * value) / math.sqrt(n)
    return Estimate(value, max(-1.0, value - half), min(1.0, value + half), method, n)


def seed_heat_map() -> object:
    rows: list[dict[str, Cell]] = []
    for index, (name, values) in enumerate(scores().items()):
        for seed, value in enumerate(values):
            estimate = around(value, 16 + (37 * index) % 90)
            rows.append(
                {"category": name, "seed": seed, "mcc": estimate, "chance": estimate.low <= 0.0 <= estimate.high}
            )
    caption = Caption("seeds", "Which phenomena hold with every seed", "Matthews correlation by category.", KEYS)
    return heat_map(rows, Column("seed", "Seed"), "category", Column("mcc", "MCC", 2), caption=caption, chance="chance")


def language_curves() -> object:
    rows: list[dict[str, Cell]] = []
    for index, language in enumerate(["English", "French", "Russian", "Swedish"]):
        for model, lift in (("RTE", 0.0), ("RTE and MNLI", 0.12)):
            for layer in range(1, 13):
                value = 0.1 + lift + 0.02 * layer - 0.0009 * layer**2 * (1 + index / 4)
                rows.append({"language": language, "data": model, "layer": layer, "mcc": around(value, 1104)})
    caption = Caption("layers", "The middle layers carry most of it", "Dashed: the majority label.", KEYS[:2])
    return curves(rows, "layer", Column("mcc", "MCC", 3), caption=caption, series="data", facet="language", rule=0.2)


def language_table() -> Table:
    printed = {
        "English": ("0.200 ± 0.016", 0.634),
        "French": ("0.178 ± 0.027", 0.529),
        "German": ("0.158 ± 0.024", 0.411),
        "Russian": ("0.182 ± 0.033", 0.455),
        "Swedish": ("0.169 ± 0.028", 0.517),
    }
    rows: list[dict[str, Cell]] = []
    for name, (mcc, correlation) in printed.items():
        value = float(mcc[:5])
        ours: Cell = around(correlation, 33, "bootstrap over categories")
        if name == "German":
            ours = Missing("the printed cells of the figure cannot be read")
        rows.append(
            {
                "language": name,
                "mcc": around(value, 1104),
                "corr": ours,
                "printed_mcc": mcc,
                "printed": correlation,
                "n": Marked(1104, note="Translated items.") if name == "Russian" else 1104,
            }
        )
    columns = [
        Column("language", "Language"),
        Column("mcc", "Overall MCC", 3),
        Column("printed_mcc", "Overall MCC", published=True),
        Column("corr", "Seed correlation", 3, note="mean over pairs of seeds"),
        Column("printed", "Seed correlation", 3, published=True),
        Column("n", "Items"),
    ]
    marked = mark_best(mark_best(rows, "mcc", tied=[1, 3]), "corr", tied=[1])
    return Table(
        "languages", "English is the most stable language", columns, marked, "Six seeds for each language.", KEYS
    )


def examples(n: int = 1104) -> ExampleList:
    rng = random.Random(0)
    names = list(scores())
    items = []
    for index in range(n):
        premise = f"{LONG * (1 + 4 * (index % 97 == 0))}sent letter {index} to the board."
        hypothesis = HOSTILE[index] if index < len(HOSTILE) else f"Letter {index} was {rng.choice(['', 'not '])}sent."
        gold = rng.choice(["entailment", "not_entailment"])
        wrong = "not_entailment" if gold == "entailment" else "entailment"
        predictions = [gold if rng.random() < 0.8 else wrong for _ in range(6)]
        items.append(Example(str(index), [premise, hypothesis], gold, predictions, rng.sample(names, 1 + index % 3)))
    runs = [f"seed {seed}" for seed in range(6)]
    return ExampleList(
        "items", "Items that flip between seeds", ["premise", "hypothesis"], runs, items, "Made-up texts.", KEYS[:1]
    )


def other_charts() -> list[object]:
    means: list[dict[str, Cell]] = []
    for name, values in scores().items():
        mean = sum(values) / 6
        sd = (sum((value - mean) ** 2 for value in values) / 5) ** 0.5
        value = Estimate(mean, mean - 1.05 * sd, mean + 1.05 * sd, "t over 6 seeds", 6)
        means.append({"category": name, "mean": value, "first": values[0], "last": values[5]})
    pooled: list[dict[str, Cell]] = [{"mcc": value} for values in scores().values() for value in values]
    mean_column = Column("mean", "mean MCC", 3)
    ranked = sorted(means, key=lambda row: -row["mean"].value)  # type: ignore[union-attr]
    return [
        dots(ranked, "category", mean_column, caption=Caption("means", "Mean over seeds, by category"), rule=0.0),
        bars(ranked[:6], "category", mean_column, caption=Caption("top", "The six best categories")),
        histogram(pooled, Column("mcc", "MCC", 2), caption=Caption("spread", "All cells"), n_bins=24, rule=0.0),
        scatter(
            means,
            Column("first", "MCC, seed 0", 2),
            Column("last", "MCC, seed 5", 2),
            caption=Caption("pairs", "Seed 0 against seed 5"),
            label="category",
            identity=True,
        ),
    ]


def sample_report(n_items: int = 1104) -> Report:
    verdict = [
        Claim(
            "The ranking of the phenomena survives a change of seed.",
            "refuted",
            Estimate(0.634, 0.512, 0.731, "mean Pearson r over 15 pairs of seeds, bootstrap over categories", 33),
            digits=3,
            published="0.634",
        ),
        Claim(
            "Training on MNLI as well makes English better.",
            "shown",
            Estimate(0.094, 0.041, 0.147, "paired bootstrap over items and seeds", 1104),
            unit="points",
            published="9.4 points",
        ),
        Claim("Whether French and Swedish differ is open: about 380 more items are needed.", "undecided"),
        "Six fine-tuned models, 1104 diagnostic items, 33 categories.",
    ]
    sections = [
        Section("By language", [Text("Scores with intervals, beside what the paper printed."), language_table()]),
        Section("By phenomenon and seed", [seed_heat_map()]),  # type: ignore[list-item]
        Section("By layer", [language_curves()]),  # type: ignore[list-item]
        Section("Means, spread and pairs", other_charts()),  # type: ignore[arg-type]
        Section("Items", [examples(n_items)]),
    ]
    provenance = {"goldproof": "0.1.0", "study": "stability", "data": "diagnostics, 1104 items", "seeds": 6}
    return Report("stability", "Does the score hold with another seed?", verdict, sections, provenance)
