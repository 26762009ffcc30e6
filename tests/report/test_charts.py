"""The figures: what they draw, what their marks say, that they are the same each time, and what they refuse."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest

from goldproof.errors import UsageError
from goldproof.report.charts import Caption, Panels, bars, curves, dots, heat_map, histogram, scatter, square_map
from goldproof.report.figures import drawn_width, figure_pdf, figure_svg, full_spec
from goldproof.report.palette import BETTER, DARK, DASHES, INK, MUTED, RULE, SERIES, SHAPES, WORSE, cycle
from goldproof.report.summary import Column, Figure
from goldproof.statistics.estimate import Estimate

CAPTION = Caption("chart", "A chart")


def tips(figure, *, narrow=False):
    """What the marks say, in the order in which they are drawn."""
    root = ET.fromstring(figure_svg(figure, narrow=narrow))
    return [e.attrib["aria-label"] for e in root.iter() if e.get("role") == "img"]


def texts(figure):
    return [e.text for e in ET.fromstring(figure_svg(figure)).iter() if e.tag.endswith("text")]


def cells():
    return [
        {"tag": "Negation", "seed": 0, "mcc": Estimate(0.5, 0.25, 0.75, "m", 30), "chance": False},
        {"tag": "Negation", "seed": 1, "mcc": Estimate(-0.125, -0.4, 0.2, "m", 30), "chance": True},
        {"tag": "<script>alert(1)</script> & 'x' \"y\"", "seed": 0, "mcc": None, "chance": False},
    ]


def test_heat_map_prints_values_and_brackets_what_is_chance():
    figure = heat_map(cells(), Column("seed", "Seed"), "tag", Column("mcc", "MCC", 2), caption=CAPTION, chance="chance")
    assert tips(figure) == [
        "Negation · Seed 0 · MCC 0.50 [0.25, 0.75], n = 30",
        "Negation · Seed 1 · MCC −0.13 [−0.40, 0.20], n = 30 · not distinguishable from chance",
        "<script>alert(1)</script> & 'x' \"y\" · Seed 0 · MCC –",
    ]
    shown = texts(figure)
    assert [text for text in ("0.50", "(−0.13)", "–") if text in shown] == ["0.50", "(−0.13)", "–"]
    assert "<script>" not in figure_svg(figure)
    assert figure.rows[0] == {
        "tag": "Negation",
        "seed": 0,
        "mcc": 0.5,
        "mcc_low": 0.25,
        "mcc_high": 0.75,
        "mcc_n": 30,
        "chance": False,
    }


def test_a_heat_map_of_nothing_but_chance_has_a_legend_of_possible_values():
    rows = [{"tag": tag, "model": "forest", "accuracy": 0.5} for tag in "ab"]
    figure = heat_map(rows, "model", "tag", Column("accuracy", "Accuracy", 1, "%"), caption=CAPTION, centre=0.5)
    assert [text for text in texts(figure) if text.endswith(".0")] == ["50.0", "50.0", "45.0", "50.0", "55.0"]


@pytest.mark.parametrize("n_models", [1, 3, 5])
def test_a_map_of_all_layers_against_each_other_fits_the_page_and_the_phone(n_models):
    places = [(model, layer) for model in range(n_models) for layer in range(12)]
    rows = [
        {"down": f"M{a} {i}", "across": f"M{b} {j}", "cka": (i + j) / 24, "chance": a != b and i == j}
        for a, i in places
        for b, j in places
    ]
    headings = {f"M{model} 6": f"Model {model}" for model in range(n_models)}
    figure = square_map(rows, "across", "down", "cka", caption=CAPTION, headings=headings, chance="chance")
    assert drawn_width(figure_svg(figure)) <= 1030
    assert drawn_width(figure_svg(figure, narrow=True)) <= 440
    shown = [text for text in texts(figure) if text and text.startswith("M")]
    assert shown == [f"Model {model}" for model in range(n_models)] * 2
    assert len(tips(figure)) == len(places) ** 2
    assert figure.note == "Paler: not distinguishable from chance."
    step = figure.spec["width"]["step"]
    assert figure.spec["height"]["step"] == step
    assert full_spec(figure, narrow=True)["height"] == full_spec(figure, narrow=True)["width"] != {"step": step}


def test_panels_share_an_axis_or_have_their_own():
    rows = [
        {"task": task, "layer": i, "x": level + i / 100} for task, level in (("a", 0.1), ("b", 0.9)) for i in range(9)
    ]
    shared = texts(curves(rows, "layer", Column("x", "X", 2), caption=CAPTION, facet="task"))
    own = texts(curves(rows, "layer", Column("x", "X", 2), caption=CAPTION, facet=Panels("task", own_axes=True)))
    assert "0.4" in shared
    assert "0.4" not in own
    assert {"0.92", "0.12"} <= set(own)


def test_whole_numbers_on_an_axis_have_no_decimals():
    rows = [{"layer": layer, "accuracy": 0.5 + layer / 10} for layer in range(3)]
    shown = texts(curves(rows, Column("layer", "Layer"), Column("accuracy", "Accuracy", 1, "%"), caption=CAPTION))
    assert {"0", "1", "2"} <= set(shown)
    assert not {"0.0", "1.0", "2.0"} & set(shown)


def test_a_wide_heat_map_marks_chance_without_values():
    rows = [{"tag": "a", "layer": layer, "mcc": layer / 100, "chance": layer == 3} for layer in range(25)]
    figure = heat_map(rows, "layer", "tag", "mcc", caption=CAPTION, centre=None, chance="chance")
    shown = texts(figure)
    assert shown.count("○") == 1
    assert figure.note == "Paler and marked ○: not distinguishable from chance."
    assert "0.10" not in shown
    assert "0.24" in shown, "the legend says where the colours end"


def test_percentages_read_times_hundred_everywhere():
    rows = [{"model": "a", "acc": Estimate(0.5, 0.4, 0.6, "m", 9)}]
    figure = dots(rows, "model", Column("acc", "Accuracy", 1, "%"), caption=CAPTION, rule=0.45)
    assert tips(figure) == ["a · Accuracy 50.0 % [40.0, 60.0], n = 9"]
    assert "50" in texts(figure)
    assert "Accuracy (%)" in texts(figure)


def test_curves_have_bands_facets_and_a_legend_in_order():
    rows = [
        {"language": language, "data": data, "layer": layer, "mcc": Estimate(0.1 * layer, 0, 1, "m", 5)}
        for language in ("sv", "en")
        for data in ("RTE", "MNLI")
        for layer in (1, 2)
    ]
    figure = curves(rows, "layer", Column("mcc", "MCC", 1), caption=CAPTION, series="data", facet="language", rule=0.0)
    assert len(tips(figure)) == len(rows)
    assert tips(figure)[0] == "language sv · data RTE · layer 1 · MCC 0.1 [0.0, 1.0], n = 5"
    assert tips(figure, narrow=True) == tips(figure)
    shown = texts(figure)
    assert [text for text in shown if text in ("RTE", "MNLI")] == ["RTE", "MNLI"]
    assert [text for text in shown if text in ("sv", "en")] == ["sv", "en"]
    pale = [e for e in ET.fromstring(figure_svg(figure)).iter() if e.get("fill-opacity") == ".18"]
    assert sum(len([part for part in e.iter() if part.tag.endswith("path")]) for e in pale) == 4


def test_single_runs_are_thin_lines_behind_their_mean():
    rows = [{"step": step, "score": Estimate(0.5, 0.4, 0.6, "t", 2)} for step in (1, 2, 3)]
    rows += [{"step": step, "score": 0.4 + run / 5, "run": str(run)} for run in (0, 1) for step in (1, 2, 3)]
    figure = curves(rows, "step", Column("score", "Score", 2), caption=CAPTION, single="run")
    assert len(tips(figure)) == 3  # only the means are pointed at
    thin = [each for each in ET.fromstring(figure_svg(figure)).iter() if each.get("stroke-width") == ".75"]
    assert sum(part.tag.endswith("path") for each in thin for part in each.iter()) == 2


def test_curves_over_names_and_without_intervals():
    rows = [{"size": size, "mcc": value} for size, value in (("1k", 0.1), ("10k", 0.3), ("5k", 0.2))]
    figure = curves(rows, "size", "mcc", caption=CAPTION)
    assert [text for text in texts(figure) if text.endswith("k")] == ["1k", "10k", "5k"]


def test_bars_histogram_and_scatter():
    rows = [{"tag": tag, "run": run, "x": i / 4, "y": 0.5} for i, (tag, run) in enumerate([("a", "1"), ("b", "2")] * 2)]
    assert len(tips(bars(rows, "tag", Column("x", "X", 2), caption=CAPTION, series="run"))) == 4
    counted = histogram(rows, Column("x", "X", 2), caption=CAPTION, n_bins=3, rule=0.1)
    assert [row["count"] for row in counted.rows] == [1, 1, 2]
    assert tips(counted)[0] == "0.00 to 0.25 · 1"
    points = scatter(rows, "x", "y", caption=CAPTION, series="run", label="tag", identity=True)
    assert tips(points)[0] == "tag a · run 1 · x 0.000 · y 0.500"


def test_a_drawing_does_not_depend_on_what_was_drawn_before():
    def draw():
        return heat_map(cells(), "seed", "tag", "mcc", caption=CAPTION)

    first = figure_svg(draw())
    figure_svg(curves([{"x": 1, "y": 2.0}], "x", "y", caption=Caption("other", "Other")))
    assert figure_svg(draw()) == first
    assert json.dumps(draw().spec) == json.dumps(draw().spec)
    assert 'id="chart-wide-1"' in first
    assert "url(#chart-wide-1)" in first


def test_pdf_is_the_same_each_time():
    figure = heat_map(cells(), "seed", "tag", "mcc", caption=CAPTION, chance="chance")
    drawn = {figure_pdf(figure) for _ in range(4)}
    assert len(drawn) == 1
    assert drawn.pop().startswith(b"%PDF-")


def test_no_drawing_points_outside_itself():
    figure = heat_map(cells(), "seed", "tag", "mcc", caption=CAPTION)
    svg = figure_svg(figure)
    assert svg.count("http") == svg.count('"http://www.w3.org/')
    assert "href" not in svg


def test_no_two_of_many_series_look_the_same():
    for second in (DASHES, SHAPES):
        looks = list(zip(cycle(SERIES, 30), cycle(second, 30), strict=True))
        assert len(set(looks)) == 30


def test_long_names_leave_room_on_a_narrow_page():
    rows = [{"tag": "A category with a name that is far too long for a phone" + end, "x": 1.0} for end in "ab"]
    figure = dots(rows, "tag", "x", caption=CAPTION)
    assert float(ET.fromstring(figure_svg(figure, narrow=True)).attrib["width"]) < 360
    assert tips(figure, narrow=True)[1] == f"{rows[1]['tag']} · x 1.000"


def test_every_colour_of_a_chart_has_a_dark_counterpart():
    assert {INK, MUTED, RULE, BETTER, WORSE, *SERIES} == set(DARK)


def test_text_that_xml_cannot_hold_is_replaced():
    figure = dots([{"tag": "a\x00b\x0b", "x": 1.0}], "tag", "x", caption=CAPTION)
    assert tips(figure) == ["a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER} · x 1.000"]


def test_numbers_that_are_not_finite_are_not_drawn():
    figure = dots([{"tag": "a", "x": float("nan")}, {"tag": "b", "x": 1.0}], "tag", "x", caption=CAPTION)
    assert [row["x"] for row in full_spec(figure)["datasets"]["rows"]] == [None, 1.0]


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (
            lambda: dots([], "tag", "x", caption=CAPTION),
            "chart 'chart': there is nothing to draw, as there are no rows",
        ),
        (
            lambda: dots([{"tag": "a", "x": 1.0}], "tag", "y", caption=CAPTION),
            "chart 'chart': no row has the key 'y'; keys are tag, x",
        ),
        (
            lambda: dots([{"a.b": "a", "x": 1.0}], "a.b", "x", caption=CAPTION),
            (
                "chart 'chart': a key to draw is made of letters, digits and underscores and starts with no digit; "
                "got 'a.b'"
            ),
        ),
        (
            lambda: heat_map([{"t": "a", "s": 1, "x": 1.0}], "s", "t", "x", caption=CAPTION, chance="chance"),
            "chart 'chart': no row has the key 'chance'; keys are t, s, x",
        ),
        (
            lambda: histogram([{"x": "a"}], "x", caption=CAPTION),
            "chart 'chart': no row has a number under 'x'",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw, message):
    with pytest.raises(UsageError) as error:
        draw()
    assert str(error.value) == message


def test_a_note_says_how_the_intervals_were_made():
    rows = [{"tag": "a", "x": Estimate(0.5, 0.4, 0.6, "Wilson", 30)}, {"tag": "b", "x": 0.1}]
    caption = Caption("chart", "A chart", "A note.")
    assert dots(rows, "tag", Column("x", "MCC"), caption=caption).note == "A note. MCC: 95 % interval, Wilson, n = 30."
    assert dots(rows[1:], "tag", "x", caption=caption).note == "A note."


def test_a_figure_of_ones_own_may_hold_estimates():
    spec = {
        "data": {"name": "rows"},
        "mark": "bar",
        "encoding": {
            "x": {"field": "x_high", "type": "quantitative"},
            "description": {"field": "x_n", "type": "nominal"},
        },
    }
    rows = [{"x": Estimate(0.5, 0.4, 0.6, "Wilson", 30)}]
    assert tips(Figure("own", "Own", spec, rows)) == ["30"]


def test_what_cannot_be_drawn_is_said_in_its_place():
    wrong = Figure("own", "Own", {"data": {"name": "rows"}, "mark": 3}, [{"x": 1.0}])
    drawn = figure_svg(wrong)
    assert "This chart cannot be drawn; its rows are in summary.json." in drawn
    assert "Vega-Lite to SVG conversion failed" in drawn
    assert figure_pdf(wrong).startswith(b"%PDF")


def test_of_very_many_categories_the_ends_are_drawn():
    rows = [{"tag": f"t{i}", "x": Estimate(i / 3000, 0.0, 1.0, "t", 9)} for i in range(3000)]
    figure = dots(rows, "tag", "x", caption=Caption("many", "Many", "A note."))
    assert len(figure.rows) == 80
    assert {row["tag"] for row in figure.rows} == {f"t{i}" for i in (*range(40), *range(2960, 3000))}
    assert figure.note.startswith("A note. The 40 lowest and the 40 highest of 3,000; the table has all.")
    wide = [{"tag": f"t{i}", "set": s, "x": float(i)} for i in range(200) for s in "ab"]
    assert len(heat_map(wide, "set", "tag", "x", caption=Caption("map", "Map")).rows) == 160


def test_a_scale_of_shares_ends_at_0_and_100_percent():
    rows = [{"tag": "a", "model": "m", "accuracy": 1.0}, {"tag": "b", "model": "m", "accuracy": 0.9}]
    figure = heat_map(rows, "model", "tag", Column("accuracy", "Accuracy", 1, "%"), caption=CAPTION, centre=5 / 6)
    found = [spec["domain"] for spec in _scales(figure.spec) if "range" in spec and "domain" in spec]
    assert found and all(min(domain) >= 0 and max(domain) <= 1 for domain in found)


def _scales(node):
    if isinstance(node, dict):
        yield from ([node["scale"]] if isinstance(node.get("scale"), dict) else [])
        for value in node.values():
            yield from _scales(value)
    elif isinstance(node, list):
        for value in node:
            yield from _scales(value)
