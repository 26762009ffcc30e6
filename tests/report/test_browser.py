"""The page in a real browser: what a reader sees and can do, at the desk, on a phone and in the dark."""

from __future__ import annotations

import base64
from urllib.parse import quote

import pytest
import vl_convert
from tests.report.sample import examples, language_table, sample_report

from goldproof.report.csv_tables import examples_csv, table_csv
from goldproof.report.figures import figure_svg, full_spec
from goldproof.report.html import html_page
from goldproof.report.summary import Column, Figure, Report, Section, Table

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(html_page(sample_report()), encoding="utf-8")
    return path


@pytest.fixture
def open_page(new_page, page_file):
    """Open the page; at the end, whatever it asked of the network or complained about fails the test."""
    troubles = []

    def open_with(**options):
        page = new_page(**{"viewport": {"width": 1280, "height": 900}, **options})
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))

        def check(route):
            if not route.request.url.startswith(("file:", "data:", "blob:")):
                troubles.append(route.request.url)
            route.continue_()

        page.route("**/*", check)
        page.goto(page_file.as_uri())
        page.troubles = troubles
        return page

    yield open_with
    assert troubles == []


def column(page, index):
    return page.eval_on_selector_all("#languages tbody tr", f"rows => rows.map(row => row.cells[{index}].innerText)")


def test_charts_are_drawn_and_nothing_in_the_data_ran(open_page):
    page = open_page()
    assert page.title() == "Does the score hold with another seed?"
    sizes = page.eval_on_selector_all(
        ".chart.wide svg",
        "all => all.map(svg => [svg.getBoundingClientRect().width, svg.querySelectorAll('path, circle').length])",
    )
    assert len(sizes) == 6
    assert all(width > 300 and paths > 5 for width, paths in sizes)
    assert page.locator("script").count() == 2
    assert page.locator("#items img").count() == 0


def test_the_policy_stops_a_script_that_is_put_in(open_page):
    page = open_page()
    page.evaluate(
        """() => { window.stopped = [];
        const note = (event) => { window.stopped.push(event.effectiveDirective); };
        document.addEventListener('securitypolicyviolation', note);
        const script = document.createElement('script');
        script.textContent = 'window.ran = true'; document.body.append(script);
        new Image().src = 'https://example.org/x.png'; }"""
    )
    page.wait_for_function("window.stopped.length === 2")
    assert page.evaluate("window.stopped.sort()") == ["img-src", "script-src-elem"]
    assert page.evaluate("window.ran") is None
    assert len(page.troubles) == 2
    page.troubles.clear()


def test_a_cell_says_its_value_when_pointed_at(open_page):
    page = open_page()
    mark = page.locator("#seeds .wide [aria-label^='Conditionals · Seed 0']")
    mark.scroll_into_view_if_needed()
    mark.hover()
    tip = page.locator(".tip")
    tip.wait_for(state="visible")
    assert tip.inner_text().startswith("Conditionals · Seed 0 · MCC 0.60 [0.")
    page.mouse.move(2, 2)
    tip.wait_for(state="hidden")


def test_tables_sort_by_click_and_by_key(open_page):
    page = open_page()
    heading = page.locator("#languages thead th").nth(3)
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    assert column(page, 0) == ["English", "French", "Swedish", "Russian", "German"]
    heading.locator("button").focus()
    page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "ascending"
    assert column(page, 0) == ["Russian", "Swedish", "French", "English", "German"]
    page.locator("#languages thead th").nth(0).locator("button").focus()
    page.keyboard.press("Space")
    assert column(page, 0) == ["English", "French", "German", "Russian", "Swedish"]
    assert heading.get_attribute("aria-sort") == "none"


def test_examples_are_filtered_and_drawn_in_chunks(open_page):
    page = open_page()
    items, count = page.locator("#items .items > li"), page.locator("#items .count")
    flipping = sum(item.flips for item in examples().items)
    assert items.count() == 5
    assert count.inner_text() == f"{flipping} of 1104 items, the first 5 shown"
    page.locator("#items .more").click()
    assert items.count() == 45
    page.select_option("#items select[name=which]", "all")
    page.fill("#items input[type=search]", "LETTER 17 ")
    assert count.inner_text() == "1 of 1104 items"
    assert items.locator(".id").all_inner_texts() == ["17"]
    page.fill("#items input[type=search]", "")
    page.select_option("#items select[name=tag]", "Negation")
    tagged = [item.id for item in examples().items if "Negation" in item.tags]
    assert count.inner_text().startswith(f"{len(tagged)} of 1104 items")
    assert items.locator(".id").all_inner_texts() == tagged[:5]
    page.select_option("#items select[name=which]", "wrong")
    wrong = [item.id for item in examples().items if "Negation" in item.tags and item.always_wrong]
    assert count.inner_text() == f"{len(wrong)} of 1104 items"
    page.fill("#items input[type=search]", "no such text")
    assert items.count() == 0


def test_hostile_text_is_shown_as_text(open_page):
    page = open_page()
    page.select_option("#items select[name=which]", "all")
    shown = page.locator("#items .items > li").nth(1).inner_text()
    assert "</script><script>document.title='owned'</script>" in shown
    assert page.title() == "Does the score hold with another seed?"


def test_data_can_be_taken_from_the_page(open_page, tmp_path):
    page = open_page()
    for selector, name, text in [
        ("#languages .source a", "languages.csv", table_csv(language_table())),
        ("#items .source .download", "items.csv", examples_csv(examples())),
    ]:
        with page.expect_download() as started:
            page.locator(selector).click()
        assert started.value.suggested_filename == name
        started.value.save_as(tmp_path / name)
        assert (tmp_path / name).read_bytes().decode() == text


@pytest.mark.parametrize("width", [320, 390, 720, 1024])
def test_the_page_itself_never_scrolls_sideways(open_page, width):
    page = open_page(viewport={"width": width, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_a_phone_shows_narrow_charts_and_tables_that_scroll_by_themselves(open_page):
    page = open_page(viewport={"width": 390, "height": 844}, has_touch=True)
    assert page.locator("#seeds .chart.narrow").is_visible()
    assert page.locator("#seeds .chart.wide").is_hidden()
    cut = page.eval_on_selector_all(
        ".chart.narrow", "all => all.filter(box => box.scrollWidth > box.clientWidth + 1).map(box => box.parentNode.id)"
    )
    assert cut == []
    inside = page.eval_on_selector(
        "#languages .scroll", "box => [box.scrollWidth > box.clientWidth, box.clientWidth <= 390]"
    )
    assert inside == [True, True]


CONTRAST = """() => {
  const channel = (value) => { const v = value / 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
  const numbers = (colour) => (colour.match(/[0-9.]+/g) || []).map(Number);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const colour = numbers(getComputedStyle(at).backgroundColor);
      if (colour.length === 3) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !node.checkVisibility() || node.closest('script, option')) continue;
    if (node.closest('.on-marks')) continue;
    const style = getComputedStyle(node);
    const ink = numbers(node.closest('svg') ? style.fill : style.color);
    const [a, b] = [light(ink), light(behind(node))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) found.push([ratio.toFixed(2), walker.currentNode.textContent.trim().slice(0, 40)]);
  }
  return found;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(open_page, scheme):
    page = open_page(color_scheme=scheme)
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert dark == (scheme == "dark")
    assert page.evaluate(CONTRAST) == []


DIFFERENCE = """async (drawings) => {
  const pixels = async (source) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
    const context = canvas.getContext('2d');
    context.fillStyle = 'white';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, canvas.width, canvas.height).data;
  };
  const [a, b] = [await pixels(drawings[0]), await pixels(drawings[1])];
  const same_size = a.length === b.length && a.some((value) => value < 200);
  return same_size ? a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0) : 256;
}"""


def as_links(svg):
    """The drawing as the browser draws it, and as the converter to PDF does."""
    painted = base64.b64encode(vl_convert.svg_to_png(svg)).decode()
    return f"data:image/svg+xml;charset=utf-8,{quote(svg)}", f"data:image/png;base64,{painted}"


def test_a_small_drawing_is_the_picture_that_the_converter_drew(new_page):
    page = new_page()
    for figure in [item for section in sample_report(3).sections for item in section.items]:
        if isinstance(figure, Figure):
            as_drawn, small = vl_convert.vegalite_to_svg(full_spec(figure)), figure_svg(figure)
            assert len(small) < len(as_drawn) / 2
            # A dash of "1,0" is a line with seams, and an edge moves by a hundredth of a pixel: no mark is elsewhere.
            for pair in zip(as_links(as_drawn), as_links(small), strict=True):
                assert page.evaluate(DIFFERENCE, list(pair)) <= 64, figure.name


def test_without_script_the_page_still_reads(open_page):
    page = open_page(java_script_enabled=False)
    assert page.locator(".verdict li").count() == 4
    assert page.locator("#items .items > li").count() == 5
    assert page.locator("#items .filters").is_hidden()


def test_it_prints_wide_charts_and_no_controls(open_page):
    page = open_page(viewport={"width": 390, "height": 844})
    page.emulate_media(media="print")
    assert page.locator("#seeds .chart.wide").is_visible()
    assert page.locator("#items .filters").is_hidden()
    assert page.locator("nav").is_hidden()


def test_a_long_table_scrolls_under_its_headings_and_prints_whole(new_page, tmp_path):
    columns = [Column("task", "Task"), Column("why", "Why"), Column("score", "Score", 1)]
    why = "because the second half of training is the test that matters"
    rows = [{"task": f"{i} comparison (de)", "why": why, "score": float(i)} for i in range(60)]
    path = tmp_path / "long.html"
    table = Table("long", "Sixty rows", columns, rows)
    path.write_text(html_page(Report("r", "R", (), [Section("S", [table])])), encoding="utf-8")
    page = new_page(viewport={"width": 390, "height": 844})
    page.goto(path.as_uri())
    box = page.locator("#long .scroll")
    assert box.bounding_box()["height"] < 0.83 * 844
    box.evaluate("box => { box.scrollTop = 900; }")
    heading, top = page.locator("#long thead th").first.bounding_box(), box.bounding_box()["y"]
    assert abs(heading["y"] - top) < 2
    assert page.locator("#long tbody tr").nth(30).locator("td").first.bounding_box()["width"] > 200
    assert page.locator("#long .source").inner_text().startswith("60 rows")
    page.set_viewport_size({"width": 1280, "height": 900})
    heights = page.eval_on_selector_all("#long tbody th", "all => all.map(cell => cell.getBoundingClientRect().height)")
    assert max(heights) < 40
    page.emulate_media(media="print")
    assert box.bounding_box()["height"] > 60 * 20


def test_a_table_with_parts_shows_one_part_at_a_time(new_page, tmp_path):
    columns = [Column("part", "Part"), Column("model", "Model"), Column("score", "Score", 1)]
    rows = [{"part": part, "model": f"m{i}", "score": float(i)} for part in ("maths", "law") for i in range(3)]
    path = tmp_path / "parts.html"
    report = Report("r", "R", (), [Section("S", [Table("parts", "Two parts", columns, rows)])])
    path.write_text(html_page(report), encoding="utf-8")
    page = new_page(viewport={"width": 1280, "height": 900})
    page.goto(path.as_uri())
    shown = page.locator("#parts tbody tr:visible")
    choice = page.locator("#parts select")
    choice.select_option("law")
    assert [text.split()[0] for text in shown.all_inner_texts()] == ["law"] * 3
    choice.select_option("maths")
    assert [text.split()[0] for text in shown.all_inner_texts()] == ["maths"] * 3
