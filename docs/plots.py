"""Plots of the tables of measurements, as SVG: bars of how many times another's time is taken."""

from __future__ import annotations

import math
import re
from html import escape
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_STYLE = """
text { font: 11px sans-serif; fill: #555; }
.one { stroke: #555; stroke-dasharray: 3 3; }
.tick { stroke: #ddd; }
"""
_TONES = ("#5b8fc7", "#e08a3c")
_LEFT, _RIGHT, _TOP, _BAR, _GAP = 320, 60, 44, 9, 5
_WIDTH = 760


class Row(NamedTuple):
    """A line of a plot: what was measured, and a ratio for each bar, None where there is none."""

    label: str
    ratios: tuple[float | None, ...]


def rows(page: Path, heading: str, columns: Sequence[str]) -> list[Row]:
    """The rows of the first table behind a heading of a page.

    Args:
        page: a page in Markdown.
        heading: what the heading begins with.
        columns: the titles of the columns that hold ratios, counted from the right where two are
            called alike.

    Raises:
        ValueError: there is no such heading or column.
    """
    text = page.read_text(encoding="utf-8")
    _, found, behind = text.partition(heading)
    table = re.search(r"(?m)(?:^\|.*\n)+", behind)
    if not found or table is None:
        raise ValueError(f"{page.name} has no table behind {heading!r}")
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table[0].splitlines()
    ]
    places = [len(cells[0]) - 1 - cells[0][::-1].index(column) for column in columns]
    return [Row(line[0], tuple(_number(line[i]) for i in places)) for line in cells[2:]]


def _number(cell: str) -> float | None:
    return float(cell) if re.fullmatch(r"\d+(\.\d+)?", cell) else None


def bars(title: str, names: Sequence[str], lines: Sequence[Row]) -> str:
    """A plot of bars on a scale of powers of two; the line is where both take the same time."""
    known = [ratio for line in lines for ratio in line.ratios if ratio]
    low = math.floor(math.log2(min([*known, 0.5])))
    high = math.ceil(math.log2(max([*known, 2.0])))
    scale = (_WIDTH - _LEFT - _RIGHT) / (high - low)

    def across(ratio: float) -> float:
        return _LEFT + (math.log2(ratio) - low) * scale

    each = _BAR * len(names) + _GAP
    height = _TOP + each * len(lines) + 24
    size = f'width="{_WIDTH}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {_WIDTH} {height}">',
        f"<style>{_STYLE}</style>",
        f'<rect width="{_WIDTH}" height="{height}" fill="white"/>',
        f'<text x="12" y="18">{escape(title)}</text>',
    ]
    for i, (name, tone) in enumerate(zip(names, _TONES, strict=False)):
        x = _LEFT + 150 * i
        parts.append(f'<rect x="{x}" y="26" width="9" height="9" fill="{tone}"/>')
        parts.append(f'<text x="{x + 14}" y="35">{escape(name)}</text>')
    for power in range(low, high + 1):
        mark, kind = across(2.0**power), "one" if power == 0 else "tick"
        parts.append(f'<path class="{kind}" d="M{mark:.0f} {_TOP - 4}V{height - 18}"/>')
        tick = f'<text x="{mark:.0f}" y="{height - 6}" text-anchor="middle">{2.0**power:g}</text>'
        parts.append(tick)
    for i, line in enumerate(lines):
        top = _TOP + each * i
        middle = top + each / 2 + 1
        at = f'x="{_LEFT - 8}" y="{middle:.0f}"'
        parts.append(f'<text {at} text-anchor="end">{escape(line.label)}</text>')
        for j, (ratio, tone) in enumerate(zip(line.ratios, _TONES, strict=False)):
            if ratio:
                start, end = sorted((across(1.0), across(ratio)))
                parts.append(
                    f'<rect x="{start:.1f}" y="{top + _BAR * j}" width="{max(end - start, 1):.1f}" '
                    f'height="{_BAR - 1}" fill="{tone}"><title>{ratio:g}</title></rect>'
                )
    return "\n".join([*parts, "</svg>", ""])


def plots(folder: Path) -> dict[str, str]:
    """The plots, by the names of their files."""
    performance, models = folder / "performance.md", folder / "models.md"
    building = rows(performance, "## What building and running cost", ["ratio"])
    training = rows(performance, "## One step of training", ["ratio"])
    training += rows(performance, "## Training on large tables", ["ratio"])
    networks = rows(models, "## Four images", ["ratio", "machine code"])
    return {
        "pictures/building.svg": bars("our time / theirs", ["the work beside it"], building),
        "pictures/training.svg": bars("our time / NumPy's by hand", ["a step"], training),
        "pictures/networks.svg": bars(
            "our time / TensorFlow's, one core", ["NumPy only", "with numba"], networks
        ),
    }
