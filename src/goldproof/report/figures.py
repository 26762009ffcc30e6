"""Charts drawn: SVG for the page and the paper, PDF for the paper, without a network and with the same bytes each time.

The text of a chart is measured with the fonts of the machine, so another machine may place it a little differently. A
PDF whose texts need more than one font may list those in another order in another process.
"""

from __future__ import annotations

import html
import json
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from goldproof.report.chart_parts import DATA_NAME, MOST_TO_FIT, NARROW_LABEL_LIMIT, flat_row, narrow_room
from goldproof.report.drawings import make_small
from goldproof.report.summary import Figure

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
WIDTH = re.compile(r'<svg[^>]* width="([\d.]+)"')
UNDRAWABLE = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
REFERENCE = re.compile(r"url\(#([^)]+)\)")
PDF_RESOURCES = re.compile(rb"(?:^ *\/[A-Za-z]+\d+ \d+ 0 R\n)+", re.MULTILINE)


def full_spec(figure: Figure, *, narrow: bool = False) -> dict[str, Any]:
    """The Vega-Lite specification of a figure with its rows inside, for any tool that reads Vega-Lite."""
    spec = _drawable(figure.spec)
    if narrow:
        meta = spec.get("usermeta", {})
        spec = _narrowed(spec, meta.get("narrow", {}))
        spec.setdefault("config", {}).setdefault("axis", {})["labelLimit"] = NARROW_LABEL_LIMIT
        spec["config"].update(meta.get("narrow_config", {}))
        if meta.get("room"):
            spec["config"]["axisLeft"] = {"minExtent": narrow_room(meta["room"])}
    return {**spec, "datasets": {DATA_NAME: _drawable([flat_row(row) for row in figure.rows])}}


def _drawable(value: Any) -> Any:
    """The same value with what cannot be drawn taken out: numbers that are not finite, control characters in texts."""
    if isinstance(value, Mapping):
        return {key: _drawable(part) for key, part in value.items()}
    if isinstance(value, str):
        return UNDRAWABLE.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, Sequence):
        return [_drawable(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _narrowed(spec: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    changed = {key: changes.get(key, value) for key, value in spec.items()}
    if isinstance(spec.get("spec"), dict):
        changed["spec"] = _narrowed(spec["spec"], changes)
    return changed


def figure_svg(figure: Figure, *, narrow: bool = False) -> str:
    """The figure as SVG text; its ids begin with the figure's name, so that many can stand on one page.

    What cannot be drawn is said in its place: no chart may cost the report.
    """
    prefix = f"{figure.name}-{'narrow' if narrow else 'wide'}"
    try:
        return _drawn(json.dumps(full_spec(figure, narrow=narrow), ensure_ascii=False), prefix)
    except (ValueError, RecursionError) as error:
        return _settled(_instead(" ".join(str(error).split())), prefix)


def _instead(reason: str) -> str:
    """A drawing that says why there is none."""
    size, line = 'width="560" height="44"', 'font-family="sans-serif" font-size="12" fill="#555"'
    shown = html.escape(UNDRAWABLE.sub(" ", reason[:80]))
    return (
        f'<svg xmlns="{SVG}" {size} viewBox="0 0 560 44"><text x="4" y="18" {line}>This chart cannot be drawn; its '
        f'rows are in summary.json.</text><text x="4" y="36" {line}>{shown}</text></svg>'
    )


@lru_cache(maxsize=128)
def _drawn(spec: str, prefix: str) -> str:
    """The drawing of a specification, kept for the page, the SVG file and the PDF file of one report."""
    import vl_convert

    return _settled(vl_convert.vegalite_to_svg(spec), prefix)


def narrow_svg(figure: Figure, wide: str) -> str:
    """The figure drawn for a narrow page; empty where the wide drawing fits one too, or would be drawn again."""
    if drawn_width(wide) <= MOST_TO_FIT:
        return ""
    narrow = figure_svg(figure, narrow=True)
    return "" if narrow.replace(f"{figure.name}-narrow-", f"{figure.name}-wide-") == wide else narrow


def drawn_width(svg: str) -> float:
    """The width of a drawing in pixels."""
    found = WIDTH.search(svg)
    return float(found[1]) if found else math.inf


def figure_pdf(figure: Figure) -> bytes:
    """The figure as a PDF with its fonts inside."""
    import vl_convert

    pdf: bytes = vl_convert.svg_to_pdf(figure_svg(figure))
    # The converter lists resources in the order of a hash table. Sorted lines keep every byte offset of the file.
    return PDF_RESOURCES.sub(lambda lines: b"".join(sorted(lines[0].splitlines(keepends=True))), pdf)


def _settled(svg: str, prefix: str) -> str:
    """The drawing parsed and written again: well-formed, small, and with ids that count from one within the figure."""
    ET.register_namespace("", SVG)
    ET.register_namespace("xlink", XLINK)
    root = ET.fromstring(svg)
    make_small(root)
    settled: dict[str, str] = {}
    for element in root.iter():
        if "id" in element.attrib:
            settled[element.attrib["id"]] = f"{prefix}-{len(settled) + 1}"
    for element in root.iter():
        _settle_ids(element, settled)
    root.attrib |= {"class": "drawing", "role": "graphics-document"}
    return ET.tostring(root, encoding="unicode").replace(" />", "/>")


def _settle_ids(element: ET.Element, settled: Mapping[str, str]) -> None:
    for name, value in element.attrib.items():
        if name == "id":
            element.attrib[name] = settled[value]
        elif "url(#" in value:
            element.attrib[name] = REFERENCE.sub(lambda found: f"url(#{settled[found[1]]})", value)
