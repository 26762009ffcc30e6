"""A typed summary first; HTML, Markdown, LaTeX, CSV, JSON and figures are renderings of it.

Here are the parts that a report of one's own is made of, its charts, and its export; each is imported when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from goldproof import lazy

if TYPE_CHECKING:
    from goldproof.report.charts import Caption, Panels, bars, curves, dots, heat_map, histogram, scatter, square_map
    from goldproof.report.figures import figure_pdf, figure_svg, full_spec
    from goldproof.report.model_card import Card, card_text, model_index, write_card
    from goldproof.report.scores import Score, table_scores
    from goldproof.report.summary import (
        Answer,
        Claim,
        Column,
        Example,
        ExampleList,
        Figure,
        Marked,
        Missing,
        Section,
        Table,
        Text,
    )

__all__ = [
    "Answer",
    "Caption",
    "Card",
    "Claim",
    "Column",
    "Example",
    "ExampleList",
    "Figure",
    "Marked",
    "Missing",
    "Panels",
    "Score",
    "Section",
    "Table",
    "Text",
    "bars",
    "card_text",
    "curves",
    "dots",
    "figure_pdf",
    "figure_svg",
    "full_spec",
    "heat_map",
    "histogram",
    "model_index",
    "scatter",
    "square_map",
    "table_scores",
    "write_card",
]

_HOMES = {
    "goldproof.report.charts": (
        "Caption",
        "Panels",
        "bars",
        "curves",
        "dots",
        "heat_map",
        "histogram",
        "scatter",
        "square_map",
    ),
    "goldproof.report.figures": ("figure_pdf", "figure_svg", "full_spec"),
    "goldproof.report.model_card": ("Card", "card_text", "model_index", "write_card"),
    "goldproof.report.scores": ("Score", "table_scores"),
    "goldproof.report.summary": (
        "Answer",
        "Claim",
        "Column",
        "Example",
        "ExampleList",
        "Figure",
        "Marked",
        "Missing",
        "Section",
        "Table",
        "Text",
    ),
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    return lazy.find(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__
