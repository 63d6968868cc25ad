"""Non-maximum suppression of boxes: `td.image`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, OpContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import SCALAR
from ...shape_inference.tensor_shape import TensorShape
from ..common.allocation import new_zeros
from ..common.shared_docs import shared_docs
from .non_max_suppression_kernels import Selection, intersection_over_union, select

public = {
    "td.image": (
        "non_max_suppression non_max_suppression_overlaps non_max_suppression_padded "
        "non_max_suppression_with_scores"
    )
}

_SAFE = 1e18  # coordinates below this have finite areas
_TYPES = "T: {half, float32} = float32"
_OF_THRESHOLD = "T_threshold: {half, float32} = float32"
_PADDED = "pad_to_max_output_size: bool = false"


def _define(version: str, limits: str, outputs: str, attrs: str, boxes: str = "T") -> OpDef:
    """One of the versions of the op.

    Args:
        version: the end of its name.
        limits: the inputs behind `max_output_size`.
        outputs: what it gives.
        attrs: its attrs.
        boxes: the dtype of boxes and scores.
    """
    inputs = f"boxes: {boxes}, scores: {boxes}, max_output_size: int32"
    names = [part.split(":")[0] for part in limits.split(", ") if part]
    kinds = [part.split(":")[0] for part in outputs.split(", ")]
    definition = OpDef(
        f"NonMaxSuppression{version}",
        f"{', '.join([inputs, *filter(None, [limits])])} -> {outputs}",
        attrs,
    )

    @definition.shape
    def shape(c: ShapeContext) -> list[TensorShape]:
        number, corners = c.sizes("boxes", rank=2) or ()
        c.same_size("the second size of boxes and the number of corners", corners, 4)
        (scores,) = c.sizes("scores", rank=1) or ()
        c.same_size("the number of boxes and of scores", number, scores)
        for name in ("max_output_size", *names):
            c.shape(name, rank=0)
        most = c.scalar("max_output_size") if _is_padded(c) else None
        if isinstance(most, int):
            _check_most(most)
        selected = TensorShape.of((most,))
        return [SCALAR if kind == "valid_outputs" else selected for kind in kinds]

    @definition.fresh_kernel
    def kernel(c: KernelContext) -> Kernel:
        padded = _is_padded(c)
        attrs = {name: np.float32(c.attr(name)) for name in c.node.attrs if name == "iou_threshold"}

        def suppress(boxes: Array, scores: Array, max_output_size: Array, *limits: Array) -> Any:
            if boxes.ndim != 2 or boxes.shape[1] != 4:
                raise ValueError(f"boxes must have shape [number, 4], got {list(boxes.shape)}")
            _check_scores(len(boxes), scores)
            values = attrs | {name: number(name, x) for name, x in zip(names, limits, strict=True)}
            most = int(number("max_output_size", max_output_size))
            kept = _kept(boxes, scores, most, values)
            return _results(kinds, kept, most if padded else len(kept.indices), scores.dtype)

        return suppress

    return definition


def _kept(boxes: Array, scores: Array, most: int, limits: dict[str, Any]) -> Selection:
    _check_most(most)
    kind = scores.dtype.type
    sigma = limits.get("soft_nms_sigma", kind(0))
    if not sigma >= 0:
        raise ValueError(f"soft_nms_sigma = {sigma} is not at least 0")
    with np.errstate(all="ignore"):
        return select(
            scores,
            intersection_over_union(boxes),
            most,
            threshold=kind(share("iou_threshold", limits["iou_threshold"])),
            least_score=kind(limits.get("score_threshold", np.finfo(kind).min)),
            sigma=sigma,
            defined=bool(np.abs(boxes).max(initial=0) < _SAFE),
        )


def _results(kinds: list[str], kept: Selection, size: int, dtype: np.dtype[Any]) -> Any:
    count = len(kept.indices)
    found = {
        "selected_indices": new_zeros([size], np.dtype(np.int32)),
        "selected_scores": new_zeros([size], dtype),
        "valid_outputs": np.array(count, np.int32),
    }
    found["selected_indices"][:count] = kept.indices
    found["selected_scores"][:count] = kept.scores
    results = tuple(found[kind] for kind in kinds)
    return results if len(results) > 1 else results[0]


_SELECTED = "selected_indices: int32"
_OVERLAP = "iou_threshold: T_threshold"
_OVERLAP_AND_SCORE = f"{_OVERLAP}, score_threshold: T_threshold"
NON_MAX_SUPPRESSION = _define("", "", _SELECTED, "iou_threshold: float = 0.5", "float32")
NON_MAX_SUPPRESSION_V2 = _define("V2", _OVERLAP, _SELECTED, f"{_TYPES}, {_OF_THRESHOLD}")
NON_MAX_SUPPRESSION_V3 = _define("V3", _OVERLAP_AND_SCORE, _SELECTED, f"{_TYPES}, {_OF_THRESHOLD}")
NON_MAX_SUPPRESSION_V4 = _define(
    "V4",
    _OVERLAP_AND_SCORE,
    f"{_SELECTED}, valid_outputs: int32",
    f"{_TYPES}, {_OF_THRESHOLD}, {_PADDED}",
)
NON_MAX_SUPPRESSION_V5 = _define(
    "V5",
    "iou_threshold: T, score_threshold: T, soft_nms_sigma: T",
    f"{_SELECTED}, selected_scores: T, valid_outputs: int32",
    f"{_TYPES}, {_PADDED}",
)
NON_MAX_SUPPRESSION_WITH_OVERLAPS = OpDef(
    "NonMaxSuppressionWithOverlaps",
    "overlaps: float32, scores: float32, max_output_size: int32, overlap_threshold: float32, "
    "score_threshold: float32 -> selected_indices: int32",
)


@NON_MAX_SUPPRESSION_WITH_OVERLAPS.shape
def _of_overlaps_shape(c: ShapeContext) -> TensorShape:
    rows, columns = c.sizes("overlaps", rank=2) or ()
    number = c.same_size("the rows and columns of overlaps", rows, columns)
    (scores,) = c.sizes("scores", rank=1) or ()
    c.same_size("the number of overlaps and of scores", number, scores)
    for name in ("max_output_size", "overlap_threshold", "score_threshold"):
        c.shape(name, rank=0)
    return TensorShape([None])


def _is_padded(c: OpContext) -> bool:
    return bool(c.node.attrs.get("pad_to_max_output_size", False))


def _check_most(most: int) -> None:
    if most < 0:
        raise ValueError(f"max_output_size = {most} is negative")


def number(name: str, value: Array) -> Any:
    """Value of a scalar input.

    Raises:
        ValueError: it is not a scalar.
    """
    if value.ndim:
        raise ValueError(f"{name} must be a scalar, got shape {list(value.shape)}")
    return value[()]


def share(name: str, value: Any) -> Any:
    """A number that has to be in [0, 1].

    Raises:
        ValueError: it is not.
    """
    if not 0 <= value <= 1:
        raise ValueError(f"{name} = {value} is not in [0, 1]")
    return value


def _check_scores(number: int, scores: Array) -> None:
    if scores.shape != (number,):
        raise ValueError(f"scores must have shape [{number}], got {list(scores.shape)}")


@NON_MAX_SUPPRESSION_WITH_OVERLAPS.fresh_kernel
def _of_overlaps_kernel(c: KernelContext) -> Kernel:
    def suppress(
        overlaps: Array,
        scores: Array,
        max_output_size: Array,
        overlap_threshold: Array,
        score_threshold: Array,
    ) -> Array:
        if overlaps.ndim != 2 or overlaps.shape[0] != overlaps.shape[1]:
            raise ValueError(f"overlaps must be square, got shape {list(overlaps.shape)}")
        _check_scores(len(overlaps), scores)
        most = int(number("max_output_size", max_output_size))
        _check_most(most)

        def similarity(rows: Array, columns: Array) -> Array:
            return np.asarray(overlaps[rows[:, None], columns])

        threshold = number("overlap_threshold", overlap_threshold)
        least = number("score_threshold", score_threshold)
        defined = not np.isnan(threshold) and bool(np.isfinite(overlaps).all())
        sigma = np.float32(0)
        kept = select(scores, similarity, most, threshold, least, sigma, defined)
        return np.array(kept.indices, np.int32)

    return suppress


_documented = shared_docs(
    args={
        "boxes": "[number, 4] of float32 or float16: two opposite corners of each box, `y1, x1, "
        "y2, x2`, in any unit.",
        "overlaps": "[number, number] of float32: how much box `i` overlaps with box `j`.",
        "scores": "[number] of the same dtype: how good each box is.",
        "max_output_size": "how many boxes to keep at most: an int32 scalar.",
        "iou_threshold": "by how much two boxes may overlap, in [0, 1]: what they share, by what "
        "they cover together.",
        "overlap_threshold": "by how much two boxes may overlap.",
        "score_threshold": "boxes with this score or a lower one are left out.",
        "pad_to_max_output_size": "whether zeros fill the indices up to `max_output_size`.",
        "soft_nms_sigma": "how gently boxes that overlap lose of their scores; with 0 they are "
        "dropped.",
        "name": "a name for the scope of the ops.",
    },
    raises="ValueError: the shapes do not fit together; an error at run time, such as an "
    "`iou_threshold` outside [0, 1], is an InvalidArgumentError.",
)


@_documented
def non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """Selects boxes greedily by score, dropping those that overlap a selected one.

    Returns:
        An int32 vector: the numbers of the boxes, best first. Of equal scores the first comes
        first, as in TensorFlow.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     boxes = [[0.0, 0, 1, 1], [0, 0.1, 1, 1], [2, 2, 3, 3]]
        ...     print(session.run(td.image.non_max_suppression(boxes, [0.8, 0.9, 0.7], 3)))
        [1 2]
    """
    with name_scope(name, "non_max_suppression", [boxes, scores]):
        limits = _thresholds(iou_threshold=iou_threshold, score_threshold=score_threshold)
        return NON_MAX_SUPPRESSION_V3(boxes, scores, max_output_size, *limits)


def _thresholds(**numbers: Any) -> list[Tensor]:
    """Thresholds as tensors: Python numbers become float32, as they do in TensorFlow."""
    return [convert_to_tensor(number, name=name) for name, number in numbers.items()]


@_documented
def non_max_suppression_overlaps(
    overlaps: Any,
    scores: TensorLike,
    max_output_size: Any,
    overlap_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """As `td.image.non_max_suppression`, by overlaps of one's own measure.

    Returns:
        An int32 vector: the numbers of the boxes, best first.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     overlaps = [[1.0, 0.6], [0.6, 1.0]]
        ...     print(session.run(td.image.non_max_suppression_overlaps(overlaps, [0.8, 0.9], 2)))
        [1]
    """
    with name_scope(name, "non_max_suppression_overlaps", [overlaps, scores]):
        threshold = convert_to_tensor(overlap_threshold, name="overlap_threshold")
        return NON_MAX_SUPPRESSION_WITH_OVERLAPS(
            overlaps, scores, max_output_size, threshold, score_threshold
        )


class PaddedSelection(NamedTuple):
    """The numbers of the boxes that are kept, and how many of these numbers hold."""

    selected_indices: Tensor
    valid_outputs: Tensor


@_documented
def non_max_suppression_padded(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    pad_to_max_output_size: bool = False,
    name: str | None = None,
) -> PaddedSelection:
    """As `td.image.non_max_suppression`, with as many results in every run.

    Returns:
        An int32 vector of the numbers of the boxes, best first and then zeros; and a scalar, how
        many there are before the zeros.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     kept, number = td.image.non_max_suppression_padded(
        ...         [[0.0, 0, 1, 1]], [0.8], 3, pad_to_max_output_size=True
        ...     )
        ...     kept.shape.as_list(), session.run([kept, number])
        ([3], [array([0, 0, 0], dtype=int32), np.int32(1)])
    """
    with name_scope(name, "non_max_suppression_padded", [boxes, scores]):
        limits = _thresholds(iou_threshold=iou_threshold, score_threshold=score_threshold)
        result = NON_MAX_SUPPRESSION_V4(
            boxes, scores, max_output_size, *limits, pad_to_max_output_size=pad_to_max_output_size
        )
        return PaddedSelection(*result)


class ScoredSelection(NamedTuple):
    """The numbers of the boxes that are kept, and what their scores have become."""

    selected_indices: Tensor
    selected_scores: Tensor


@_documented
def non_max_suppression_with_scores(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    soft_nms_sigma: Any = 0.0,
    name: str | None = None,
) -> ScoredSelection:
    """As `td.image.non_max_suppression`, with the scores, which may also be lowered.

    With a positive `soft_nms_sigma` a box is not dropped for what it overlaps with: its score is
    multiplied by `exp(-0.5 * overlap ** 2 / soft_nms_sigma)` for each better box (Bodla and others,
    "Soft-NMS", 2017), and `iou_threshold` plays no part.

    Returns:
        An int32 vector of the numbers of the boxes, best first; and their scores.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     boxes = [[0.0, 0, 1, 1], [0, 0, 1, 1]]
        ...     kept, scores = td.image.non_max_suppression_with_scores(
        ...         boxes, [0.5, 1.0], 2, soft_nms_sigma=0.5
        ...     )
        ...     print(*session.run([kept, scores]))
        [1 0] [1.         0.18393973]
    """
    with name_scope(name, "non_max_suppression_with_scores", [boxes, scores]):
        limits = _thresholds(
            iou_threshold=iou_threshold,
            score_threshold=score_threshold,
            soft_nms_sigma=soft_nms_sigma,
        )
        result = NON_MAX_SUPPRESSION_V5(boxes, scores, max_output_size, *limits)
        return ScoredSelection(*result[:2])
