"""Where boxes stand in a picture: in layers, in an order with few crossings."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

BOX_HEIGHT, MARGIN = 34.0, 12.0
_GAP_X, _GAP_Y = 16.0, 44.0
_SWEEPS = 6


class Place(NamedTuple):
    """A box: its left upper corner and its size, in pixels."""

    x: float
    y: float
    width: float
    height: float


def layered(
    widths: Sequence[float],
    edges: Sequence[tuple[int, int]],
    inputs: Collection[int] = (),
    heights: Sequence[float] | None = None,
) -> list[Place]:
    """Places for boxes, each below those that lead to it.

    Args:
        widths: the width of each box; they are in an order in which sources come first.
        edges: pairs of numbers of boxes, source and target.
        inputs: the boxes that stand at the top; one that none of them leads to stands as near as
            may be to where it leads.
        heights: the height of each box; by default that of one with two lines of text.

    Returns:
        The place of each box.

    Example:
        >>> from tensordraft.cli.layout import layered
        >>> [place.y for place in layered([40, 40, 40], [(0, 1), (1, 2)])]
        [12.0, 90.0, 168.0]
    """
    sources: list[list[int]] = [[] for _ in widths]
    targets: list[list[int]] = [[] for _ in widths]
    for source, target in dict.fromkeys(edges):
        sources[target].append(source)
        targets[source].append(target)
    layers = _layers(sources, targets, inputs)
    centres = [0.0] * len(widths)
    for layer in layers:
        _spread(layer, widths, centres, [0.0] * len(layer))
    for sweep in range(_SWEEPS):
        neighbours, order = (targets, layers[::-1]) if sweep % 2 else (sources, layers)
        for layer in order:
            wished = [_mean(neighbours[i], centres, centres[i]) for i in layer]
            ranked = sorted(zip(wished, layer, strict=True))
            layer[:] = [i for _, i in ranked]
            _spread(layer, widths, centres, [wish for wish, _ in ranked])
    left = min((centres[i] - widths[i] / 2 for i in range(len(widths))), default=0.0)
    places = [Place(0.0, 0.0, 0.0, 0.0)] * len(widths)
    heights = heights or [BOX_HEIGHT] * len(widths)
    y = MARGIN
    for layer in filter(None, layers):
        for i in layer:
            x = centres[i] - widths[i] / 2 - left + MARGIN
            places[i] = Place(x, y, widths[i], heights[i])
        y += max(heights[i] for i in layer) + _GAP_Y
    return places


def _layers(
    sources: list[list[int]], targets: list[list[int]], inputs: Collection[int]
) -> list[list[int]]:
    depths = [0] * len(sources)
    follows = [i in inputs for i in range(len(sources))]
    for i, before in enumerate(sources):
        depths[i] = 1 + max((depths[source] for source in before), default=-1)
        follows[i] = follows[i] or any(follows[source] for source in before)
    for i in reversed(range(len(sources))):
        if targets[i] and not follows[i]:
            depths[i] = min(depths[target] for target in targets[i]) - 1
    layers: list[list[int]] = [[] for _ in range(max(depths, default=-1) + 1)]
    for i, depth in enumerate(depths):
        layers[depth].append(i)
    return layers


def _mean(neighbours: list[int], centres: list[float], otherwise: float) -> float:
    if not neighbours:
        return otherwise
    return sum(centres[i] for i in neighbours) / len(neighbours)


def _spread(
    layer: list[int], widths: Sequence[float], centres: list[float], wished: Sequence[float]
) -> None:
    """Puts the boxes of a layer side by side, as near as may be to where they wish to be."""
    at: list[float] = []
    end = None
    for i, wish in zip(layer, wished, strict=True):
        low = wish - widths[i] / 2
        start = low if end is None else max(low, end + _GAP_X)
        at.append(start + widths[i] / 2)
        end = start + widths[i]
    shift = sum(wished) / len(wished) - sum(at) / len(at) if layer else 0.0
    for i, centre in zip(layer, at, strict=True):
        centres[i] = centre + shift
