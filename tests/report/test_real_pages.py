"""The pages that users get, in a real browser: score, compare and the five studies, at the desk and on a phone.

Each is looked at with the fonts that charts are measured with and with a wider one: no label may be cut off by its
drawing, nothing may stick out of the page, and the chart that answers stands on the first screen.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.studies.own_files import topics, write_csv
from tests.summaries import predictions

import goldproof
from goldproof.report.charts import Caption, curves, dots, heat_map
from goldproof.report.html import html_page
from goldproof.report.overview import Against, OverviewRow, overview
from goldproof.report.summary import Answer, Claim, Column, Report, Section, Table
from goldproof.statistics.estimate import Estimate

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

STUDIES = ("stability", "probing", "logic", "transfer", "corruption")
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
WIDE_FONT = "* { font-family: 'DejaVu Sans', Verdana, sans-serif !important; }"
CUT_OFF = """() => [...document.querySelectorAll('svg')].filter((svg) => svg.checkVisibility()).flatMap((svg) => {
  const box = svg.getBoundingClientRect();
  const over = (text) => {
    const at = text.getBoundingClientRect();
    return Math.max(box.left - at.left, at.right - box.right, box.top - at.top, at.bottom - box.bottom);
  };
  const cut = [...svg.querySelectorAll('text')].filter((text) => text.textContent.trim() && over(text) > 1);
  return cut.map((text) => `${svg.closest('figure').id}: ${text.textContent} by ${over(text).toFixed(1)} pixels`);
})"""
STICKING_OUT = """() => {
  const width = document.documentElement.clientWidth;
  const free = [...document.querySelectorAll('main *')].filter((e) => e.checkVisibility() && !e.closest('.scroll'));
  const out = free.filter((e) => e.getBoundingClientRect().right > width + 1).map((e) => e.textContent.slice(0, 60));
  return document.documentElement.scrollWidth > width ? ['the page scrolls sideways', ...out] : out;
}"""
FIRST_CHART = """() => {
  const box = document.querySelector('header figure').getBoundingClientRect();
  const drawing = [...document.querySelectorAll('header svg')].find((svg) => svg.checkVisibility());
  return [drawing.getBoundingClientRect().top, drawing.getBoundingClientRect().bottom];
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module", params=["score", "compare", *STUDIES, "large", "own"])
def page_file(request, folder):
    path = folder / f"{request.param}.html"
    path.write_text(html_page(make_report(request.param, folder)), encoding="utf-8")
    return path


def make_report(name: str, folder: Path) -> Report:
    if name in ("score", "compare"):
        a, b = predictions(folder)
        return (goldproof.score(a) if name == "score" else goldproof.compare(a, b)).report()
    if name == "large":
        return large_report()
    if name == "own":
        pytest.importorskip("torch", reason="the extra `models` is not installed")
        return own_report(folder)
    if name != "transfer":
        pytest.importorskip("torch", reason="the extra `models` is not installed")
    return goldproof.run(name, "tiny", store=folder / "store")


LONG = "A category with a long name, as users have them"
NAMES = ["Größe der Wörter", "определения и дополнения", "条件文と否定文の組み合わせ", "MMMWWW", LONG]


def own_report(folder: Path) -> Report:
    """Files of a user whose data, model, labels and categories all have long names, some from right to left."""
    labels = {"Reis": f"{LONG}: 👍🎉", "Wätter": "سؤال عن حالة الطقس في المدينة اليوم", "Ässe": NAMES[2] * 2}
    tags = [*NAMES, "هذا وصف طويل للفئة"]
    rows = [
        {**row, "Klass": labels[row["Klass"]], "tags": f"{tags[i % 6]};{LONG} {i % 15}"}
        for i, row in enumerate(topics(240))
    ]
    files = {"train": write_csv(folder / "a.csv", rows[:90]), "test": write_csv(folder / "b.csv", rows[90:])}
    return goldproof.run(
        "stability",
        model="Das neue Modell #2 mit einem langen Namen=fake",
        data={**files, "languages": "gsw", "name": "Gespräche über Wetter, Essen und Reisen der Leute im Dorf"},
        settings={"recipe.epochs": 3, "recipe.learning_rate": 0.05, "seeds": [0, 1, 2]},
        store=folder / "store",
    )


def large_report() -> Report:
    """Sixty layers, forty languages and names in many scripts."""
    layers = [
        {"layer": layer, "model": model, "task": task, "mcc": Estimate(0.5 + layer / 200, 0.4, 0.9, "m", 900)}
        for model in ("a model of some size", "its random twin")
        for task in (NAMES[1], "Tense (en)", "BShift (en)")
        for layer in range(60)
    ]
    languages = [
        {"language": f"l{i:02}", "task": task, "acc": Estimate(i / 50, i / 50 - 0.1, i / 50 + 0.1, "m", 50 + i)}
        for i in range(40)
        for task in NAMES
    ]
    accuracy, mcc = Column("acc", "Accuracy", 1, "%"), Column("mcc", "MCC", 2)
    figures = [
        curves(layers, "layer", mcc, series=Column("model", "Model"), facet="task", caption=Caption("c", "Layers")),
        heat_map(layers[:60], "layer", "task", mcc, caption=Caption("h", "Sixty layers")),
        heat_map(languages, "language", "task", accuracy, caption=Caption("l", "Forty languages"), centre=0.5),
        heat_map(languages[:20], "task", "language", accuracy, caption=Caption("s", "Slanted names"), centre=0.5),
        dots(languages[::5], "language", accuracy, caption=Caption("d", "Forty dots"), rule=0.5),
        dots(languages[:5], "task", accuracy, series="language", caption=Caption("n", "Names")),
    ]
    values = [OverviewRow(f"{name} {i}", languages[i]["acc"], [0.3, 0.4]) for i in range(4) for name in NAMES]
    lead = overview(values, accuracy, caption=Caption("answer", LONG), against=Against([0.5], (0.4, 0.6), "Dashed."))
    verdict = [{"a": LONG, **{f"x{i}": i / 7 for i in range(9)}, "verdict": "not distinguishable from chance"}] * 3
    columns = [Column("a", "A"), *(Column(f"x{i}", f"Number {i}", 2) for i in range(9)), Column("verdict", "Verdict")]
    table = Table("judged", "A wide table", columns, verdict)
    answer = Answer("open", "Undecided", f"{LONG} and more.", "It would take more.", ["Mind this."], lead)
    claims = [Claim(f"{LONG}.", "undecided", place="judged")]
    return Report("large", f"What of {LONG}?", claims, [Section("All", [table, *figures])], answer=answer)


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_no_label_is_cut_off_and_nothing_sticks_out(page_file, new_page, size):
    page = new_page(viewport=size)
    page.goto(page_file.as_uri())
    for font in ("", WIDE_FONT):
        if font:
            page.add_style_tag(content=font)
        assert page.evaluate(CUT_OFF) == []
        assert page.evaluate(STICKING_OUT) == []


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_the_chart_that_answers_is_on_the_first_screen(page_file, new_page, size):
    page = new_page(viewport=size)
    page.goto(page_file.as_uri())
    top, bottom = page.evaluate(FIRST_CHART)
    assert top < 0.75 * size["height"]
    assert bottom < size["height"] or size is PHONE


def test_every_finding_leads_to_its_place(page_file, new_page):
    page = new_page(viewport=DESK)
    page.goto(page_file.as_uri())
    places = page.eval_on_selector_all(".verdict a", "all => all.map(a => a.getAttribute('href'))")
    assert places
    assert [place for place in places if page.locator(place).count() != 1] == []


def test_sixty_layers_and_forty_languages_fit_at_the_desk(new_page, folder):
    path = folder / "wide.html"
    path.write_text(html_page(large_report()), encoding="utf-8")
    page = new_page(viewport=DESK)
    page.goto(path.as_uri())
    scrolling = "all => all.filter(box => box.checkVisibility() && box.scrollWidth > box.clientWidth + 1)"
    assert page.eval_on_selector_all(".chart", f"{scrolling}.map(box => box.parentNode.id)") == []


def test_on_a_phone_the_verdict_of_a_wide_table_is_in_sight(new_page, folder):
    path = folder / "verdicts.html"
    path.write_text(html_page(large_report()), encoding="utf-8")
    page = new_page(viewport=PHONE)
    page.goto(path.as_uri())
    cell = page.locator("#judged tbody td").last
    cell.scroll_into_view_if_needed()
    page.locator("#judged .scroll").evaluate("box => { box.scrollLeft = 0; }")
    box = cell.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]


def test_a_mark_of_the_first_chart_says_value_interval_and_n(new_page, folder):
    path = folder / "tips.html"
    path.write_text(html_page(make_report("compare", folder)), encoding="utf-8")
    page = new_page(viewport=DESK)
    page.goto(path.as_uri())
    page.locator("header .wide [role=img]").first.hover()
    assert page.locator(".tip").inner_text() == "difference · Difference 20.0 points [8.9, 31.1], n = 300"
