"""Coordinates of boxes and wires within their layers, given their order.

What is linked is put together to blocks that run straight down, as far as the order allows: to
the upper or the lower neighbours, with the left or the right of them first. Each of these four
ways gives places; the mean of the middle two of the four is taken. It keeps the distances, since
each of the four does, and takes linear time. (Brandes and Köpf, "Fast and simple horizontal
coordinate assignment", 2001.) Three things are other than there: a block is placed by the longest
path to it; links may leave a box beside its middle; and a block ends after some layers, since
long ones push each other aside.

Measured against boxes that move to and fro towards the means of their neighbours, in orders whose
crossings are not counted, on whole graphs with all scopes open (pixels across; bends of lines,
shared ones counted once; crossings; seconds):

                  boxes   before                      by this
    MobileNet       397    1,002    993    108  0.12    1,004    607    0  0.07
    LSTM            220    1,460    496     37  0.04      865    350   24  0.03
    attention        79    1,484    157      4  0.02    1,752     98    3  0.01
    ResNet50      1,190    1,981  2,330    212  0.20    1,876  1,371    0  0.18
    InceptionV3   1,447    2,687  2,881    188  0.40    2,946  1,872    0  0.15
    DenseNet121   2,249    1,439  4,778    484  0.65    1,234  3,005    0  0.47
    NASNetMobile  3,213    6,452  9,128  1,188  0.78    6,006  5,423  180  0.67

Without an end to blocks, NASNet is 15,940 pixels wide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

WIRE_GAP, BOX_GAP = 7.0, 16.0
_LONGEST = 6  # layers of a block


class Link(NamedTuple):
    """A line between neighbouring layers, as one of its ends sees it.

    Args:
        to: the number of the other end.
        there: where it is to end on that, from its middle.
        here: where on this one.
        far: where it does end there, as a share of the width: for the order of what it crosses.
        near: where it does end here.
    """

    to: int
    there: float = 0.0
    here: float = 0.0
    far: float = 0.0
    near: float = 0.0


class Layers(NamedTuple):
    """Boxes and wires in layers, each in an order.

    Args:
        order: the numbers in each layer, from the left.
        sizes: the width of each box, then that of each wire.
        boxes: how many of them are boxes.
        above: what each hangs on in the layer above.
        below: the same in the layer below.
    """

    order: list[list[int]]
    sizes: Sequence[float]
    boxes: int
    above: Sequence[Sequence[Link]]
    below: Sequence[Sequence[Link]]


def aligned(layers: Layers) -> list[float]:
    """The middle of each box and wire; the leftmost side is at 0.

    Example:
        >>> from tensordraft.analysis.drawing.alignment import Layers, Link, aligned
        >>> above, below = [[], [Link(0)], [Link(0)]], [[Link(1), Link(2)], [], []]
        >>> aligned(Layers([[0], [1, 2]], [40, 40, 40], 3, above, below))
        [48.0, 20.0, 76.0]
    """
    sizes = layers.sizes
    if not sizes:
        return []
    position = [0] * len(sizes)
    for layer in layers.order:
        for i, v in enumerate(layer):
            position[v] = i
    crossed = _crossed(layers, position)
    found = []
    for near, order in ((layers.above, layers.order), (layers.below, layers.order[::-1])):
        ranked = [sorted(links, key=lambda link: position[link[0]]) for links in near]
        found += [
            _one_way(layers, order, ranked, position, crossed, to_left=to_left)
            for to_left in (True, False)
        ]
    halves = [size / 2 for size in sizes]
    bounds = [
        (
            min(x - half for x, half in zip(xs, halves, strict=True)),
            max(x + half for x, half in zip(xs, halves, strict=True)),
        )
        for xs in found
    ]
    left, right = min(bounds, key=lambda bound: bound[1] - bound[0])
    for k, (xs, (first, last)) in enumerate(zip(found, bounds, strict=True)):
        step = right - last if k % 2 else left - first
        found[k] = [x + step for x in xs]
    middles = [sum(sorted(four)[1:3]) / 2 for four in zip(*found, strict=True)]
    start = min(x - half for x, half in zip(middles, halves, strict=True))
    return [x - start for x in middles]


def _crossed(layers: Layers, position: Sequence[int]) -> set[tuple[int, int]]:
    """The links that cross one between two wires: that one is to be straight."""
    boxes, above = layers.boxes, layers.above
    found: set[tuple[int, int]] = set()
    for upper, lower in pairwise(layers.order):
        low, scanned = 0, 0
        for i, v in enumerate(lower):
            over = above[v][0][0] if v >= boxes and above[v] else -1
            if over < boxes and i < len(lower) - 1:
                continue
            high = position[over] if over >= boxes else len(upper)
            for w in lower[scanned : i + 1]:
                for u, *_ in above[w]:
                    if not low <= position[u] <= high and (u < boxes or w < boxes):
                        found.add((u, w))
            low, scanned = high, i + 1
    return found


def _one_way(
    layers: Layers,
    order: Sequence[Sequence[int]],
    near: Sequence[Sequence[Link]],
    position: Sequence[int],
    crossed: set[tuple[int, int]],
    *,
    to_left: bool,
) -> list[float]:
    """The places that one of the four ways gives."""
    number = len(layers.sizes)
    root = list(range(number))
    shift = [0.0] * number  # of a middle from that of the first in its block
    length = [1] * number
    downwards = order is layers.order
    for layer in order:
        reached: float = -1.0 if to_left else number
        for v in layer if to_left else reversed(layer):
            links = near[v]
            if not links:
                continue
            middle = (len(links) - 1) // 2, len(links) // 2
            for k in middle if to_left else reversed(middle):
                u, there, here, *_ = links[k]
                is_free = position[u] > reached if to_left else position[u] < reached
                pair = (u, v) if downwards else (v, u)
                if is_free and length[u] < _LONGEST and pair not in crossed:
                    length[v] = length[u] + 1
                    root[v], shift[v] = root[u], shift[u] + there - here
                    reached = position[u]
                    break
    x = _compacted(layers, root, shift, max if to_left else min)
    return [x[root[v]] + shift[v] for v in range(number)]


def _compacted(
    layers: Layers, root: Sequence[int], shift: Sequence[float], most: Callable[..., float]
) -> list[float]:
    """Places for blocks, by the numbers of their first: each beside the next, as near as may be.

    With `max` they are pushed to the left, with `min` to the right. What then has room is pulled
    towards what is on its other side.
    """
    sizes, boxes = layers.sizes, layers.boxes
    sign = 1.0 if most is max else -1.0
    after: list[list[tuple[int, float]]] = [[] for _ in root]
    waiting = [0] * len(root)
    for layer in layers.order:
        for u, v in pairwise(layer if sign > 0 else layer[::-1]):
            gap = WIRE_GAP if u >= boxes and v >= boxes else BOX_GAP
            step = sign * ((sizes[u] + sizes[v]) / 2 + gap) + shift[u] - shift[v]
            after[root[u]].append((root[v], step))
            waiting[root[v]] += 1
    x = [0.0] * len(root)
    known = [False] * len(root)
    ready = [v for v, r in enumerate(root) if r == v and not waiting[v]]
    for u in ready:
        for v, step in after[u]:
            x[v] = most(x[v], x[u] + step) if known[v] else x[u] + step
            known[v] = True
            waiting[v] -= 1
            if not waiting[v]:
                ready.append(v)
    least = min if most is max else max
    for u in reversed(ready):
        if after[u]:
            x[u] = most(x[u], least(x[v] - step for v, step in after[u]))
    return x
