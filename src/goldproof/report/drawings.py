"""A drawing made small: the same picture with less text, so that a page of many charts can be sent by mail.

The converter writes every attribute on every mark. Here what many marks share moves to their group, what is not seen
goes, numbers keep two decimals, and a mark keeps its place, its look and its tip. It draws nothing.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator, Sequence

SVG = "{http://www.w3.org/2000/svg}"
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
RGBA = re.compile(r"rgba\((\d+), (\d+), (\d+), ([\d.e-]+)\)")
SHIFT = re.compile(r"translate\((-?[\d.]+),(-?[\d.]+)\)")
CIRCLE = re.compile(r"M([\d.]+),0A\1,\1,0,1,1,-\1,0A\1,\1,0,1,1,\1,0(?:Z)?")
TEXT_LOOK = ("font-family", "font-size", "font-weight", "font-style", "text-anchor")
PAINT = ("fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray")
DEFAULTS = {"opacity": "1", "font-weight": "normal", "transform": "translate(0,0)", "stroke-dasharray": "1,0"}
FOR_SCRIPTS = ("class", "pointer-events", "aria-roledescription", "version")
CELL_TEXT = "mark-text role-mark"


def make_small(root: ET.Element) -> None:
    """Shorten a drawing in place; every mark with a tip has the role "img" and the tip as its name afterwards."""
    _drop_unseen(root)
    for element in root.iter():
        _name(element)
        _shorten(element)
        _place(element)
    for child in root:
        _share(child)
    _flatten(root)


def _drop_unseen(root: ET.Element) -> None:
    """Take out empty texts, and the frames that the converter draws without a colour."""
    for parent in list(root.iter()):
        for child in list(parent):
            frame = child.get("class") in ("background", "foreground") and not {"fill", "stroke"} & set(child.attrib)
            if frame or (child.tag == f"{SVG}text" and not child.text and not len(child)):
                parent.remove(child)


def _name(element: ET.Element) -> None:
    """Keep names that say something: of marks and of axes, not of groups and of what is a text already."""
    role, group = element.attrib.pop("role", None), element.tag == f"{SVG}g"
    if element.get("aria-roledescription") == "title":
        element.attrib.pop("aria-label", None)
    if "aria-label" in element.attrib:
        element.set("role", "graphics-symbol" if group else "img")
        said = " ".join(element.attrib["aria-label"].split())
        # Of an axis or a legend what it is; its ends and values stand there as texts.
        element.set("aria-label", said.partition(" for ")[0] if group else said)
    elif role == "graphics-document":
        element.set("role", role)
    cell_text = element.get("class", "").startswith(CELL_TEXT)
    for name in FOR_SCRIPTS:
        element.attrib.pop(name, None)
    if cell_text:
        element.set("class", "on-marks")


def _shorten(element: ET.Element) -> None:
    for name in ("fill", "stroke"):
        if (found := RGBA.fullmatch(element.get(name, ""))) and f"{name}-opacity" not in element.attrib:
            element.set(name, "#" + "".join(f"{int(part):02x}" for part in found.groups()[:3]))
            element.set(f"{name}-opacity", found[4])
    if element.get("stroke-width") == "0":
        element.attrib.pop("stroke", None)
        element.attrib.pop("stroke-width")
    _settle_opacity(element)
    for name, value in list(element.attrib.items()):
        if name != "aria-label":
            element.set(name, NUMBER.sub(lambda found: short_number(found[0]), value))
    for name, default in DEFAULTS.items():
        if element.get(name) == default:
            element.attrib.pop(name)


def _settle_opacity(element: ET.Element) -> None:
    """Write the opacity of a mark that has one paint as that of its paint, which a group can share.

    The converter to PDF takes an inherited colour for black where the mark has an opacity of its own.
    """
    paints = [name for name in ("fill", "stroke") if name in element.attrib]
    if "opacity" in element.attrib and len(paints) == 1 and element.tag != f"{SVG}g":
        before = float(element.get(f"{paints[0]}-opacity", "1"))
        element.set(f"{paints[0]}-opacity", f"{before * float(element.attrib.pop('opacity')):.4f}")
        if element.attrib[f"{paints[0]}-opacity"] == "1.0000":
            element.attrib.pop(f"{paints[0]}-opacity")


def short_number(text: str) -> str:
    """A number with two decimals at most and no zero that can be left out.

    >>> [short_number(text) for text in ("0.956", "12.300", "-0.004", "28.0", "-0.5")]
    ['.96', '12.3', '0', '28', '-.5']
    """
    short = f"{float(text):.2f}".rstrip("0").rstrip(".")
    return "0" if short in ("0", "-0") else re.sub(r"^(-?)0\.", r"\1.", short)


def _place(element: ET.Element) -> None:
    """Write a shift as the place of a text, circle or line, and a path that is a circle as one."""
    shift = SHIFT.fullmatch(element.get("transform", "translate(0,0)"))
    if shift is None:
        return
    x, y = shift.groups()
    if element.tag == f"{SVG}path" and (circle := CIRCLE.fullmatch(element.get("d", ""))):
        element.tag = f"{SVG}circle"
        element.attrib.pop("d")
        element.attrib |= {"cx": x, "cy": y, "r": circle[1]}
    elif element.tag == f"{SVG}text" and not len(element):
        element.attrib |= {"x": x, "y": y}
    elif element.tag == f"{SVG}line" and not {"x1", "y1"} & set(element.attrib):
        element.tag = f"{SVG}path"
        across, down = element.attrib.pop("x2", "0"), element.attrib.pop("y2", "0")
        element.set("d", f"M{x},{y}l{across},{down}")
    else:
        return
    element.attrib.pop("transform", None)


def _flatten(element: ET.Element) -> None:
    """Put the children of a group that says nothing in its place."""
    children: list[ET.Element] = []
    for child in element:
        _flatten(child)
        children += list(child) if child.tag == f"{SVG}g" and not child.attrib else [child]
    element[:] = children


def _share(group: ET.Element) -> None:
    """Give a group the look that its children have in common; a child keeps what differs.

    Only where each child says it, so that nothing else changes by being inside; what a text looks like concerns the
    children with texts only.
    """
    if group.tag != f"{SVG}g":
        return
    for child in group:
        _share(child)
    with_text = [child for child in group if next(child.iter(f"{SVG}text"), None) is not None]
    for names, children in ((TEXT_LOOK, with_text), (PAINT, list(group))):
        for name, value in _shared(names, children):
            group.set(name, value)
            for child in children:
                if child.get(name) == value:
                    child.attrib.pop(name)


def _shared(names: Sequence[str], children: Sequence[ET.Element]) -> Iterator[tuple[str, str]]:
    for name in names:
        values = [child.get(name) for child in children]
        said = [value for value in values if value is not None]
        if said and len(said) == len(values) and not any("opacity" in child.attrib for child in children):
            yield name, Counter(said).most_common(1)[0][0]
