"""The colours of charts and page, told apart by the colour-blind, each with its counterpart for a dark page.

A chart is drawn once, in the light colours; on a dark page the style sheet replaces each by its counterpart. Heat-map
cells are a hue over whatever lies behind them, so they need none.
"""

from __future__ import annotations

from collections.abc import Set

INK = "#1f2430"
MUTED = "#5b6270"
RULE = "#d4d8df"
ON_COLOUR = "#ffffff"

# Okabe and Ito's palette (2008) without its yellow and black, which do not show on white or on a dark page.
SERIES = ("#0072b2", "#d55e00", "#009e73", "#b3589a", "#c98500", "#4a9fd4", "#6b7280")
# Fewer than the colours, so that a colour that comes again has another dash and another shape.
DASHES = ((1, 0), (6, 3), (2, 2), (8, 3, 2, 3), (12, 4))
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")

# One colour means better in every chart, one means worse; blue says neither.
BETTER = "#00704f"
WORSE = "#a83c00"
NEUTRAL_CELL = (26, 90, 158)
BETTER_CELL = (0, 112, 79)
WORSE_CELL = (176, 80, 15)

DARK = {
    INK: "#e7e9ee",
    MUTED: "#a3aab8",
    RULE: "#3b424f",
    BETTER: "#54d0a8",
    WORSE: "#ff9c66",
    "#0072b2": "#58b0ea",
    "#d55e00": "#ff9350",
    "#009e73": "#3fcda3",
    "#b3589a": "#e394cd",
    "#c98500": "#f0b93c",
    "#4a9fd4": "#a3d8f7",
    "#6b7280": "#b4bac6",
}


def cycle(values: tuple[object, ...], n: int) -> list[object]:
    """The first n values, starting again where they run out.

    >>> cycle(("a", "b"), 3)
    ['a', 'b', 'a']
    """
    return [values[index % len(values)] for index in range(n)]


def dark_style(colours: Set[str]) -> str:
    """The rules that give each of these colours its counterpart on a dark page."""
    rules = []
    for light, dark in DARK.items():
        if light not in colours:
            continue
        rules.append(f'.drawing [fill="{light}"]{{fill:{dark}}}')
        rules.append(f'.drawing [stroke="{light}"]{{stroke:{dark}}}')
    return "\n".join(rules)
