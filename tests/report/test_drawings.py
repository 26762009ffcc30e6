"""Drawings made small: short numbers, few bytes for a cell, one drawing where two would be the same."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from tests.report.sample import sample_report, seed_heat_map

from goldproof.report.charts import Caption, curves, heat_map
from goldproof.report.drawings import make_small, short_number
from goldproof.report.figures import figure_svg, narrow_svg
from goldproof.report.html import html_page
from goldproof.report.summary import Column, Example, ExampleList, Report, Section
from goldproof.statistics.estimate import Estimate

SVG = "{http://www.w3.org/2000/svg}"


def grid(n_columns, n_rows):
    rows = [
        {"layer": f"layer {column}", "task": f"task {row}", "cka": ((7 * column + 3 * row) % 100) / 100}
        for row in range(n_rows)
        for column in range(n_columns)
    ]
    return heat_map(rows, "layer", "task", Column("cka", "CKA", 2), caption=Caption("grid", "A grid"), centre=None)


def parsed(figure):
    return ET.fromstring(figure_svg(figure))


@pytest.mark.parametrize(("n_columns", "most"), [(26, 115), (12, 175)])
def test_a_cell_of_a_heat_map_takes_few_bytes_and_says_its_value(n_columns, most):
    fewer, more = grid(n_columns, 10), grid(n_columns, 30)
    per_cell = (len(figure_svg(more)) - len(figure_svg(fewer))) / (20 * n_columns)
    assert per_cell < most
    assert len([e for e in parsed(more).iter() if e.get("role") == "img"]) == 30 * n_columns


def test_a_point_of_a_curve_takes_few_bytes():
    def drawn(n):
        rows = [{"layer": layer, "acc": Estimate(0.5 + layer / 900, 0.4, 0.9, "m", 5000)} for layer in range(n)]
        return len(figure_svg(curves(rows, "layer", Column("acc", "Accuracy", unit="%"), caption=Caption("c", "C"))))

    assert (drawn(160) - drawn(60)) / 100 < 155


def test_a_drawing_that_would_be_the_same_twice_stands_once():
    wide, narrow = grid(26, 4), seed_heat_map()
    assert narrow_svg(wide, figure_svg(wide)) == ""
    assert narrow_svg(narrow, figure_svg(narrow)) == figure_svg(narrow, narrow=True)
    page = html_page(Report("r", "R", (), [Section("S", [wide])]))
    assert page.count("<svg") == 1
    assert '<div class="scroll chart"><svg' in page


def test_the_whole_sample_page_is_small():
    assert len(html_page(sample_report()).encode()) < 560_000


def test_the_look_that_marks_share_stands_on_their_group_and_what_differs_on_the_mark():
    root = ET.fromstring(
        '<svg xmlns="http://www.w3.org/2000/svg"><g fill="none"><g>'
        '<path d="M0.123456,1" fill="red" stroke="blue"/><path d="M1,1" fill="red"/><path d="M2,1" fill="green"/>'
        '<text font-size="9px" fill="red">a</text></g><path d="M3,3"/></g></svg>'
    )
    make_small(root)
    outer = root[0]
    assert outer.attrib == {"fill": "none", "font-size": "9px"}
    inner = outer[0]
    assert inner.attrib == {"fill": "red"}
    assert [child.attrib for child in inner] == [
        {"d": "M.12,1", "stroke": "blue"},
        {"d": "M1,1"},
        {"d": "M2,1", "fill": "green"},
        {"x": "0", "y": "0"},
    ]
    assert outer[1].attrib == {"d": "M3,3"}


def test_points_are_circles_in_their_place_and_frames_without_colour_go():
    root = ET.fromstring(
        '<svg xmlns="http://www.w3.org/2000/svg"><g><path class="background" d="M0,0h9v9h-9Z"/>'
        '<path aria-label="a  tip 0.12345" transform="translate(35.8333,45.64)" stroke="red" stroke-width="0" '
        'd="M2.55,0A2.55,2.55,0,1,1,-2.55,0A2.55,2.55,0,1,1,2.55,0" fill="rgba(26, 90, 158, 0.956)"/></g></svg>'
    )
    make_small(root)
    assert len(root) == 1
    assert root[0].attrib == {"fill": "#1a5a9e", "fill-opacity": ".96"}
    (point,) = root[0]
    assert point.tag == f"{SVG}circle"
    assert point.attrib == {"aria-label": "a tip 0.12345", "role": "img", "cx": "35.83", "cy": "45.64", "r": "2.55"}


def test_numbers_are_short():
    numbers = ["0.956", "12.300", "-0.004", "28.0", "-0.5", "1.5e-7", "100.0"]
    assert [short_number(text) for text in numbers] == [".96", "12.3", "0", "28", "-.5", "0", "100"]


def test_more_labels_than_letters_are_written_as_numbers():
    items = [Example(str(i), ["a"], f"label {i}", [f"label {i}", None]) for i in range(70)]
    page = html_page(Report("r", "R", (), [Section("S", [ExampleList("e", "E", ["text"], ["x", "y"], items)])]))
    assert '["69",[0],69,[69,-1],[]]' in page
    few = html_page(Report("r", "R", (), [Section("S", [ExampleList("e", "E", ["text"], ["x", "y"], items[:3])])]))
    assert '["2",[0],2,"2-",[]]' in few
