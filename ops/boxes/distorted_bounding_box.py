"""Random crops of images within limits of area and aspect ratio."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, OpContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import STATEFUL
from ..common.shared_docs import shared_docs
from ..random.distributions import uniform
from ..random.philox import Philox
from ..random.random_state import stream_of, stream_of_seeds
from ..random.weighted_classes import unbiased

public = {
    "td.image": "sample_distorted_bounding_box stateless_sample_distorted_bounding_box",
}

_F = np.float32


class Rectangle(NamedTuple):
    """Rows and columns of pixels."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def area(self) -> Any:
        """The number of pixels, as float32."""
        return _F((self.right - self.left) * (self.bottom - self.top))

    def shared_with(self, other: Rectangle) -> Rectangle:
        """Intersection of two rectangles."""
        top, left = max(self.top, other.top), max(self.left, other.left)
        bottom, right = min(self.bottom, other.bottom), min(self.right, other.right)
        return Rectangle(top, left, bottom, right) if top <= bottom and left <= right else _NOTHING


_NOTHING = Rectangle(0, 0, 0, 0)


class Limits(NamedTuple):
    """Constraints on a random rectangle.

    Args:
        aspects: the least and the greatest number of columns by rows.
        areas: the least and the greatest part of the whole.
        attempts: how often to try.
    """

    aspects: Sequence[float]
    areas: Sequence[float]
    attempts: int


class _Draws:
    """Numbers that take one word of a stream each."""

    def __init__(self, stream: Philox) -> None:
        self._words = (word for part in stream.stream() for word in part)

    def share(self) -> Any:
        """A number of [0, 1)."""
        word = np.full((1, 4), next(self._words), np.uint32)
        return uniform(word, np.dtype(np.float32))[0, 0]

    def below(self, bound: int) -> int:
        """An integer of [0, bound)."""
        return int(next(part[0] for part in unbiased(self._pairs(), bound, np.uint32) if len(part)))

    def _pairs(self) -> Iterator[Array]:
        for word in self._words:
            yield np.array([word], np.uint32)


def random_rectangle(
    whole: Rectangle, objects: Sequence[Rectangle], covered: Any, limits: Limits, stream: Philox
) -> Rectangle | None:
    """A rectangle that shows enough of an object; None where no attempt gave one.

    Args:
        whole: what it lies in.
        objects: of one of which it has to show some part.
        covered: which part of it at least.
        limits: what it may be.
        stream: where the draws come from.
    """
    draws = _Draws(stream)
    low, high = map(_F, limits.aspects)
    for _ in range(limits.attempts):
        aspect = draws.share() * (high - low) + low
        rectangle = _attempt(whole, limits.areas, aspect, draws)
        if rectangle is not None and _shows_enough(rectangle, covered, objects):
            return rectangle
    return None


def _shows_enough(found: Rectangle, covered: Any, objects: Sequence[Rectangle]) -> bool:
    return bool(found.area >= 1) and any(
        found.shared_with(item).area / item.area >= covered for item in objects if item.area >= 1
    )


def _nearest(number: Any) -> int:
    """The next integer, as float32 gives it; halves go to the even one."""
    return int(np.rint(_F(number)))


def _attempt(
    whole: Rectangle, areas: Sequence[float], aspect: Any, draws: _Draws
) -> Rectangle | None:
    rows, columns = whole.bottom, whole.right
    if rows < 1 or columns < 1 or areas[0] > areas[1]:
        return None
    least, most = (_F(area) * _F(columns) * _F(rows) for area in areas)
    height, highest = (_nearest(np.sqrt(area / aspect)) for area in (least, most))
    if _nearest(_F(highest) * aspect) > columns:
        highest = int((columns + 0.5 - float(_F(1e-7))) / float(aspect))
        if _nearest(_F(highest) * aspect) > columns:
            highest -= 1
    highest = min(highest, rows)
    height = min(height, highest)
    if height < highest:
        height += draws.below(highest - height + 1)
    width = _nearest(_F(height) * aspect)
    # Rounding may have led out of the limits, by one row.
    if _F(width * height) < least:
        height += 1
        width = _nearest(_F(height) * aspect)
    if _F(width * height) > most:
        height -= 1
        width = _nearest(_F(height) * aspect)
    area = _F(width * height)
    if area < least or area > most or width > columns or height > rows or min(width, height) < 1:
        return None
    top = draws.below(rows - height) if height < rows else 0
    left = draws.below(columns - width) if width < columns else 0
    return Rectangle(top, left, top + height, left + width)


_SEEDS = "seed: int = 0, seed2: int = 0"
_LIMITS = (
    "aspect_ratio_range: list(float) = [0.75, 1.33], area_range: list(float) = [0.05, 1.0], "
    "max_attempts: int = 100, use_image_if_no_bounding_boxes: bool = false"
)
_TYPES = "T: {uint8, int8, int16, int32, int64}"
_RESULTS = "begin: T, size: T, bboxes: float32"
_INPUTS = "image_size: T, bounding_boxes: float32"
SAMPLE_DISTORTED_BOUNDING_BOX = OpDef(
    "SampleDistortedBoundingBox",
    f"{_INPUTS} -> {_RESULTS}",
    f"{_TYPES}, {_SEEDS}, min_object_covered: float = 0.1, {_LIMITS}",
    traits=STATEFUL,
)
SAMPLE_DISTORTED_BOUNDING_BOX_V2 = OpDef(
    "SampleDistortedBoundingBoxV2",
    f"{_INPUTS}, min_object_covered: float32 -> {_RESULTS}",
    f"{_TYPES}, {_SEEDS}, {_LIMITS}",
    traits=STATEFUL,
)
STATELESS_SAMPLE_DISTORTED_BOUNDING_BOX = OpDef(
    "StatelessSampleDistortedBoundingBox",
    f"{_INPUTS}, min_object_covered: float32, seed: Tseed -> {_RESULTS}",
    f"{_TYPES}, Tseed: {{int32, int64}}, {_LIMITS}",
)


@SAMPLE_DISTORTED_BOUNDING_BOX.shape
@SAMPLE_DISTORTED_BOUNDING_BOX_V2.shape
@STATELESS_SAMPLE_DISTORTED_BOUNDING_BOX.shape
def _sample_shape(c: ShapeContext) -> list[TensorShape]:
    (length,) = c.sizes("image_size", rank=1) or ()
    c.same_size("the length of image_size and the rank of images", length, 3)
    corners = (c.sizes("bounding_boxes", rank=3) or ())[2]
    c.same_size("the last size of bounding_boxes and the number of corners", corners, 4)
    if len(c.node.inputs) > 2:
        c.shape("min_object_covered", rank=0)
    if len(c.node.inputs) > 3:
        (seeds,) = c.sizes("seed", rank=1) or ()
        c.same_size("the length of seed and the number of seeds", seeds, 2)
    _limits(c)
    return [TensorShape([3]), TensorShape([3]), TensorShape([1, 1, 4])]


def _limits(c: OpContext) -> Limits:
    limits = Limits(
        [float(np.float32(x)) for x in c.attr("aspect_ratio_range")],
        [float(np.float32(x)) for x in c.attr("area_range")],
        c.attr("max_attempts"),
    )
    for name, pair in (("aspect_ratio_range", limits.aspects), ("area_range", limits.areas)):
        if len(pair) != 2 or not min(pair) > 0:
            raise ValueError(f"{name} must be two positive numbers, got {pair}")
    if max(limits.areas) > 1:
        raise ValueError(f"area_range = {limits.areas} is not within (0, 1]")
    if limits.attempts < 1:
        raise ValueError(f"max_attempts = {limits.attempts} is not at least 1")
    return limits


@SAMPLE_DISTORTED_BOUNDING_BOX.fresh_kernel
@SAMPLE_DISTORTED_BOUNDING_BOX_V2.fresh_kernel
def _sample_kernel(c: KernelContext) -> Kernel:
    stream, limits = stream_of(c), _limits(c)
    takes_image = c.attr("use_image_if_no_bounding_boxes")
    fixed = np.array(c.node.attrs.get("min_object_covered", 0), np.float32)

    def sample(image_size: Array, boxes: Array, covered: Array = fixed) -> tuple[Array, ...]:
        # TensorFlow sets aside as many words for each attempt.
        words = stream.reserve(limits.attempts)
        return _sampled(image_size, boxes, covered, limits, takes_image, words)

    return sample


@STATELESS_SAMPLE_DISTORTED_BOUNDING_BOX.fresh_kernel
def _stateless_kernel(c: KernelContext) -> Kernel:
    limits, takes_image = _limits(c), c.attr("use_image_if_no_bounding_boxes")

    def sample(image_size: Array, boxes: Array, covered: Array, seed: Array) -> tuple[Array, ...]:
        stream = stream_of_seeds(seed)
        return _sampled(image_size, boxes, covered, limits, takes_image, stream)

    return sample


def _sampled(
    image_size: Array,
    boxes: Array,
    covered: Array,
    limits: Limits,
    takes_image: bool,
    stream: Philox,
) -> tuple[Array, ...]:
    if image_size.shape != (3,):
        raise ValueError(f"image_size must have shape [3], got {list(image_size.shape)}")
    if boxes.ndim != 3 or boxes.shape[2] != 4:
        raise ValueError(
            f"bounding_boxes must have shape [batch, number, 4], got {list(boxes.shape)}"
        )
    if covered.ndim or not covered >= 0:
        raise ValueError(f"min_object_covered = {covered.tolist()} is not a scalar of at least 0")
    rows, columns, _ = image_size.tolist()
    for name, size in (("rows", rows), ("columns", columns)):
        if not 0 <= size < 2**31 - 1:
            raise ValueError(f"the {name} in image_size must be in [0, 2**31 - 1), got {size}")
    objects = _objects(boxes.reshape(-1, 4), rows, columns)
    whole = Rectangle(0, 0, rows, columns)
    if not objects:
        if not takes_image:
            raise ValueError(
                "bounding_boxes is empty, which only use_image_if_no_bounding_boxes=True allows"
            )
        objects = [whole]
    rectangle = random_rectangle(whole, objects, covered[()], limits, stream) or whole
    top, left, bottom, right = rectangle
    kind = image_size.dtype
    size = np.array([bottom - top, right - left, -1], np.int64).astype(kind)
    with np.errstate(invalid="ignore"):
        part = np.array(rectangle, np.float32) / np.array([rows, columns] * 2, np.float32)
    return np.array([top, left, 0], kind), size, part.reshape(1, 1, 4)


def _objects(boxes: Array, rows: int, columns: int) -> list[Rectangle]:
    outside = ~((boxes >= 0) & (boxes <= 1))
    if outside.any():
        raise ValueError(f"bounding_boxes must be in [0, 1], got {boxes[outside][0]}")
    scale = np.array([rows, columns] * 2, np.float32)
    return [Rectangle(*box) for box in (boxes * scale).astype(np.int64).tolist()]


class DistortedBox(NamedTuple):
    """A part of an image: where `td.slice` begins, how much it takes, and the part as a box."""

    begin: Tensor
    size: Tensor
    bboxes: Tensor


_documented = shared_docs(
    args={
        "image_size": "the rows, columns and channels of the image: integers [3].",
        "bounding_boxes": "[batch, number, 4] of float32: the objects, `y1, x1, y2, x2` in [0, 1].",
        "min_object_covered": "how much of one of the objects the part shows at least.",
        "aspect_ratio_range": "the least and the greatest number of columns by rows; by default "
        "0.75 and 1.33.",
        "area_range": "which part of the image it covers at least, and at most; by default 0.05 "
        "and 1.",
        "max_attempts": "how often to draw before taking the whole image; by default 100.",
        "use_image_if_no_bounding_boxes": "whether the image is the object where there is none; "
        "else that is an error.",
        "name": "a name for the scope of the op.",
    },
    returns="Where the part begins and how large it is, as `td.slice` takes it: `[y, x, 0]` and "
    "`[rows, columns, -1]` of the dtype of `image_size`; and the part as a float32 box "
    "[1, 1, 4]. They are what TensorFlow draws with the same seeds.",
    raises="ValueError: the shapes do not fit together, or a limit is missing; errors at run "
    "time, such as a box outside the image, are an InvalidArgumentError.",
)


@_documented
def sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: int | None = None,
    seed2: int | None = None,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> DistortedBox:
    """A part of an image at random, that shows enough of an object.

    Args:
        seed: makes the draws the same in every session. As in TensorFlow, `td.set_random_seed`
            plays no part here.
        seed2: a second seed.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     part = td.image.sample_distorted_bounding_box(
        ...         [40, 60, 3], [[[0.2, 0.2, 0.8, 0.8]]], seed=1, min_object_covered=0.5
        ...     )
        ...     print(*session.run([part.begin, part.size]))
        [ 2 19  0] [26 32 -1]
    """
    with name_scope(name, "sample_distorted_bounding_box", [image_size, bounding_boxes]):
        limits = _given(aspect_ratio_range, area_range, max_attempts)
        return DistortedBox(
            *SAMPLE_DISTORTED_BOUNDING_BOX_V2(
                image_size,
                bounding_boxes,
                min_object_covered,
                seed=seed or 0,
                seed2=seed2 or 0,
                use_image_if_no_bounding_boxes=bool(use_image_if_no_bounding_boxes),
                **limits,
            )
        )


def _given(aspects: Any, areas: Any, attempts: int | None) -> dict[str, Any]:
    """The attrs that a call states."""
    attrs = {"aspect_ratio_range": aspects, "area_range": areas, "max_attempts": attempts}
    return {name: value for name, value in attrs.items() if value is not None}


@_documented
def stateless_sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: Any,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> DistortedBox:
    """As `td.image.sample_distorted_bounding_box`, by seeds that are given in each run.

    Args:
        seed: two integers, int32 or int64 [2].

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     part = td.image.stateless_sample_distorted_bounding_box(
        ...         [40, 60, 3], [[[0.2, 0.2, 0.8, 0.8]]], seed=[1, 2]
        ...     )
        ...     print(*session.run([part.begin, part.size]))
        [0 3 0] [39 48 -1]
    """
    with name_scope(name, "stateless_sample_distorted_bounding_box", [image_size, bounding_boxes]):
        limits = _given(aspect_ratio_range, area_range, max_attempts)
        return DistortedBox(
            *STATELESS_SAMPLE_DISTORTED_BOUNDING_BOX(
                image_size,
                bounding_boxes,
                min_object_covered,
                seed,
                use_image_if_no_bounding_boxes=bool(use_image_if_no_bounding_boxes),
                **limits,
            )
        )
