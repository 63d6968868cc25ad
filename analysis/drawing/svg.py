"""Pictures in SVG, which every browser shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from .clusters import Known, clustered
from .drawing import Drawing
from .heat import Heat
from .label_room import Room
from .layout import MARGIN
from .simplified import with_gatherers_aside

if TYPE_CHECKING:
    from .layout import Place, Point

STYLE = """
text { font: 11px sans-serif; text-anchor: middle; }
.small { fill: #555; font-size: 9px; }
.label, .legend { fill: #777; font-size: 8px; text-anchor: start; }
.legend { font-size: 10px; }
rect { stroke: #667; fill: #d6e4f5; }
.input rect { fill: #cfe8cf; }
.output rect { fill: #f6d5c4; }
.constant rect { fill: #eee; stroke-dasharray: 2; }
.closed rect, .stack rect { fill: #fff3c9; stroke-width: 2; }
.scope rect { fill: #000; fill-opacity: .035; stroke: #bbb; }
.scope text { fill: #777; font-size: 9px; text-anchor: start; }
path { fill: none; stroke: #778; }
path.control { stroke-dasharray: 4 3; }
"""
# What XML cannot hold, not even as a reference; an op type from a file may hold anything.
_ILLEGAL = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CHARACTER, _LABEL_CHARACTER = 6.5, 4.8
_TITLE_HEIGHT, _LEGEND_HEIGHT = 18.0, 22.0
_MOST_CHARACTERS = 40
_PILE = (3.0, 6.0)  # how far aside


def svg(
    drawing: Drawing, style: str = STYLE, heat: Heat | None = None, known: Known | None = None
) -> str:
    """The picture in SVG, name scopes being boxes around others.

    Hovering over a box shows its full name, its types and its device.

    Args:
        drawing: the picture.
        style: how it looks; nothing where what is around it says so.
        heat: what boxes are coloured by, if not by what they are.
        known: layouts that are known, and get to be, for pictures with parts that are alike.
    """
    shown = with_gatherers_aside(drawing)
    tones = [""] * len(shown.boxes)
    if heat is not None:
        tones = [f' style="fill: {tone}"' for tone in heat.tones(shown.boxes)]
        boxes = [
            box._replace(op=", ".join(filter(None, (box.op, heat.label(box)))))
            for box in shown.boxes
        ]
        shown = shown._replace(boxes=boxes)
    return "\n".join(_lines(shown, style, tones, "" if heat is None else heat.legend, known)) + "\n"


def _lines(
    drawing: Drawing, style: str, tones: Sequence[str], legend: str, known: Known | None
) -> Iterator[str]:
    labels = [_shortened(box.name.rpartition("/")[2]) for box in drawing.boxes]
    widths = [
        _CHARACTER * max(len(label), len(_shortened(box.op))) + 14
        for label, box in zip(labels, drawing.boxes, strict=True)
    ]
    places, clusters, routes = clustered(drawing, widths, known)
    outermost = [*places, *(cluster.place for cluster in clusters)]
    width = max((place.x + place.width for place in outermost), default=0.0) + MARGIN
    height = max((place.y + place.height for place in outermost), default=0.0) + MARGIN
    titles = [cluster.place._replace(height=_TITLE_HEIGHT) for cluster in clusters]
    piled = [
        place._replace(width=place.width + _PILE[-1], height=place.height + _PILE[-1])
        for box, place in zip(drawing.boxes, places, strict=True)
        if box.scopes
    ]
    room = Room([*places, *piled, *titles], routes, width)
    curves = [*_curves(drawing, routes, room)]
    width = room.width
    if legend:
        width, height = max(width, _CHARACTER * len(legend)), height + _LEGEND_HEIGHT
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}">'
    )
    if style:
        yield f"<style>{style}</style>"
    yield '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" '
    yield 'markerHeight="6" orient="auto"><path d="M0 0L8 4L0 8Z" fill="#778"/></marker></defs>'
    for cluster in clusters:
        x, y = cluster.place.x + 6, cluster.place.y + 13
        yield f'<g class="scope" data-name="{_escaped(cluster.name)}">{_rectangle(cluster.place)}'
        yield f'<text x="{x:.1f}" y="{y:.1f}">{_escaped(cluster.label)}</text></g>'
    yield from curves
    for box, label, place, tone in zip(drawing.boxes, labels, places, tones, strict=True):
        middle = place.x + place.width / 2
        details = [box.name, *box.types, *box.constants, box.device]
        title = "\n".join(filter(None, details))
        yield f'<g class="box {box.kind}" data-name="{_escaped(box.name)}">'
        yield f"<title>{_escaped(title)}</title>{_rectangle(place, tone)}"
        yield f'<text x="{middle:.1f}" y="{place.y + 14:.1f}">{_escaped(label)}</text>'
        yield (
            f'<text class="small" x="{middle:.1f}" y="{place.y + 27:.1f}">'
            f"{_escaped(_shortened(box.op))}</text>{_pile(place) if box.scopes else ''}</g>"
        )
    if legend:
        yield f'<text class="legend" x="{MARGIN}" y="{height - MARGIN:.1f}">{legend}</text>'
    yield "</svg>"


def _curves(drawing: Drawing, routes: Sequence[Sequence[Point]], room: Room) -> Iterator[str]:
    labelled: set[tuple[int, str]] = set()
    for line, route in zip(drawing.lines, routes, strict=True):
        again = (line.source, line.label) in labelled
        labelled.add((line.source, line.label))
        curve = _curve(route, line.label, room, again=again, control=line.control)
        yield f'<g class="line" data-ends="{line.source} {line.target}">{curve}</g>'


def _escaped(text: str) -> str:
    return escape(_ILLEGAL.sub("\ufffd", text))


def _rectangle(place: Place, tone: str = "") -> str:
    x, y, width, height = place
    corner = f'x="{x:.1f}" y="{y:.1f}"'
    return f'<rect {corner} width="{width:.1f}" height="{height:.1f}" rx="5"{tone}/>'


def _pile(place: Place) -> str:
    """The sides of boxes that lie behind a stack's, to the right and below."""
    x, y, right, low = place.x, place.y, place.x + place.width, place.y + place.height
    sides = (
        f"M{right + step:.1f} {y + step + 3:.1f}V{low + step:.1f}H{x + step + 3:.1f}"
        for step in _PILE
    )
    return f'<path class="pile" d="{"".join(sides)}"/>'


def _curve(route: Sequence[Point], label: str, room: Room, *, again: bool, control: bool) -> str:
    """A line: straight down where it passes boxes, and bent between layers.

    The label stands as near as may be to its tip; at the tip or nowhere if another line that comes
    from there has shown it already.
    """
    (x, y), *others = route
    path, middles = [f"M{x:.1f} {y:.1f}"], [(x, y)]
    for x1, y1 in others:
        bend = (y1 - y) / 2
        if x1 != x:
            path.append(f"C{x:.1f} {y + bend:.1f} {x1:.1f} {y1 - bend:.1f} {x1:.1f} {y1:.1f}")
        elif y1 != y:
            path.append(f"V{y1:.1f}")
        if y1 != y:
            middles.append(((x + x1) / 2, y + bend))
        x, y = x1, y1
    kind = ' class="control"' if control else ""
    found = (
        room.beside(middles[-1:] if again else middles[::-1], _LABEL_CHARACTER * len(label))
        if label
        else None
    )
    title = f"<title>{_escaped(label)}</title>" if label else ""
    text = ""
    if found is not None:
        text = f'<text class="label" x="{found[0]:.1f}" y="{found[1]:.1f}">{_escaped(label)}</text>'
    return f'{title}<path{kind} marker-end="url(#tip)" d="{"".join(path)}"/>{text}'


def _shortened(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else f"{text[: _MOST_CHARACTERS - 1]}…"
