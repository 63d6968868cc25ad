"""Non-maximum suppression of several classes and images at once: `td.image`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ..common.allocation import new_zeros
from .cpp_sort_order import popped_from_queue, sorted_downwards
from .non_max_suppression import number, share
from .non_max_suppression_kernels import Similarity, apart, intersection_over_union

public = {"td.image": "combined_non_max_suppression"}

COMBINED_NON_MAX_SUPPRESSION = OpDef(
    "CombinedNonMaxSuppression",
    "boxes: float32, scores: float32, max_output_size_per_class: int32, max_total_size: int32, "
    "iou_threshold: float32, score_threshold: float32 -> nmsed_boxes: float32, "
    "nmsed_scores: float32, nmsed_classes: float32, valid_detections: int32",
    "pad_per_class: bool = false, clip_boxes: bool = true",
)
_BLOCK = 64  # boxes more than are asked for, among which those mostly are
_SCALARS = ("max_output_size_per_class", "max_total_size", "iou_threshold", "score_threshold")


@COMBINED_NON_MAX_SUPPRESSION.shape
def _combined_shape(c: ShapeContext) -> list[TensorShape]:
    batch, count, variants, corners = c.sizes("boxes", rank=4) or ()
    c.same_size("the last size of boxes and the number of corners", corners, 4)
    images, scored, classes = c.sizes("scores", rank=3) or ()
    batch = c.same_size("the number of images of boxes and of scores", batch, images)
    c.same_size("the number of boxes and of scores", count, scored)
    for name in _SCALARS:
        c.shape(name, rank=0)
    if isinstance(variants, int) and isinstance(classes, int):
        _check_variants(variants, classes)
    most, total = (c.scalar(name) for name in _SCALARS[:2])
    size: int | None = None
    if isinstance(total, int):
        check_positive("max_total_size", total)
        if not c.attr("pad_per_class"):
            size = total
        elif isinstance(most, int) and isinstance(classes, int):
            size = min(total, most * classes)
    rows = TensorShape.of((batch, size))
    return [TensorShape.of((batch, size, 4)), rows, rows, TensorShape.of((batch,))]


def _check_variants(variants: int, classes: int) -> None:
    if variants not in (1, classes):
        raise ValueError(f"the third size of boxes must be 1 or {classes}, got {variants}")


def check_positive(name: str, value: int) -> None:
    """Checks that there is to be something.

    Raises:
        ValueError: there is not.
    """
    if value < 1:
        raise ValueError(f"{name} = {value} is not at least 1")


@COMBINED_NON_MAX_SUPPRESSION.fresh_kernel
def _combined_kernel(c: KernelContext) -> Kernel:
    by_class, clips = c.attr("pad_per_class"), c.attr("clip_boxes")

    def combined(boxes: Array, scores: Array, *limits: Array) -> tuple[Array, ...]:
        if boxes.ndim != 4 or boxes.shape[3] != 4:
            raise ValueError(
                f"boxes must have shape [batch, number, 1 or classes, 4], got {list(boxes.shape)}"
            )
        wanted = (*boxes.shape[:2], scores.shape[-1] if scores.ndim else 0)
        if scores.shape != wanted:
            raise ValueError(
                f"scores must have shape [{wanted[0]}, {wanted[1]}, classes], "
                f"got {list(scores.shape)}"
            )
        _check_variants(boxes.shape[2], wanted[2])
        most, total, threshold, least = (
            number(name, x) for name, x in zip(_SCALARS, limits, strict=True)
        )
        check_positive("max_output_size_per_class", int(most))
        check_positive("max_total_size", int(total))
        share("iou_threshold", threshold)
        size = int(total)
        if by_class:
            size = min(size, int(most) * wanted[2])
        detections = new_zeros([len(boxes), size, 6], np.dtype(np.float32))
        valid = np.zeros(len(boxes), np.int32)
        for image, (corners, table) in enumerate(zip(boxes, scores, strict=True)):
            with np.errstate(all="ignore"):
                rows = _detections(corners, table, int(most), threshold, least, size)
            detections[image, : len(rows)] = rows
            valid[image] = len(rows)
        if clips:
            np.clip(detections[..., :4], 0, 1, out=detections[..., :4])
        return (
            detections[..., :4].copy(),
            detections[..., 4].copy(),
            detections[..., 5].copy(),
            valid,
        )

    return combined


def _detections(
    boxes: Array, scores: Array, most: int, threshold: Any, least: Any, size: int
) -> Array:
    """The best that is found in one image: rows of four corners, a score and a class."""
    count, classes = scores.shape
    each = min(most, count)
    # TensorFlow sorts these with a row for each possible box, which affects ties.
    rows = np.full((classes * each, 6), -np.inf, np.float32)
    similarities = [intersection_over_union(boxes[:, i]) for i in range(boxes.shape[1])]
    for kind in range(classes):
        own = scores[:, kind]
        variant = kind % len(similarities)
        kept = _best_apart(own, similarities[variant], threshold, least, each)
        part = rows[kind * each : kind * each + len(kept)]
        part[:, :4], part[:, 4], part[:, 5] = boxes[kept, variant], own[kept], kind
    order = sorted_downwards(rows[:, 4], size)
    return np.asarray(rows[order[rows[order, 5] >= 0]])


def _best_apart(
    scores: Array, similarity: Similarity, threshold: Any, least: Any, most: int
) -> list[int]:
    """The boxes of one class that are kept, best first."""
    candidates = (scores > least).nonzero()[0]
    keys = scores[candidates]
    # Mostly the best few are enough, and no two of them have the same score.
    for some in (2 * most + _BLOCK, len(keys)):
        if some > len(keys):
            continue
        top = np.argpartition(keys, -some)[-some:] if some < len(keys) else np.arange(some)
        order = top[np.argsort(-keys[top])]
        kept = apart(candidates[order], similarity, threshold, most)
        visited = len(keys)  # how many had their turn, and the next one
        if len(kept) == most:
            visited = int((candidates[order] == kept[-1]).argmax()) + 2
        ranked = keys[order[:visited]]
        if min(visited, len(keys)) <= some and (ranked[1:] < ranked[:-1]).all():
            return kept
    return apart(candidates[popped_from_queue(keys)], similarity, threshold, most)


class CombinedSelection(NamedTuple):
    """Detections in each image: boxes, scores, classes and their number."""

    nmsed_boxes: Tensor
    nmsed_scores: Tensor
    nmsed_classes: Tensor
    valid_detections: Tensor


def combined_non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size_per_class: Any,
    max_total_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> CombinedSelection:
    """The best boxes of each class in each image, without those that overlap too much.

    Args:
        boxes: [batch, number, 1 or classes, 4] of float32: two opposite corners of each box, `y1,
            x1, y2, x2`, for all classes or for each.
        scores: [batch, number, classes] of float32.
        max_output_size_per_class: how many boxes of a class to keep at most: an int32 scalar.
        max_total_size: how many boxes of an image to keep at most: an int32 scalar.
        iou_threshold: by how much two boxes of a class may overlap, in [0, 1].
        score_threshold: boxes with this score or a lower one are left out.
        pad_per_class: whether results are no longer than all classes together can fill; else they
            have `max_total_size` rows.
        clip_boxes: whether the corners are brought into [0, 1].
        name: a name for the scope of the ops.

    Returns:
        The boxes [batch, rows, 4], their scores and their classes [batch, rows], float32, best
        first and then zeros; and how many hold, int32 [batch]. The order of equal scores is that of
        TensorFlow, which sorts by C++'s standard library.

    Raises:
        ValueError: the shapes do not fit together; if detected at run time, an
            InvalidArgumentError.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     boxes = td.constant([[[[0.0, 0, 1, 1]], [[0.0, 0, 1, 0.9]]]])
        ...     found = td.image.combined_non_max_suppression(boxes, [[[0.9], [0.8]]], 2, 2)
        ...     print(*session.run([found.nmsed_scores, found.valid_detections]))
        [[0.9 0. ]] [1]
    """
    with name_scope(name, "combined_non_max_suppression", [boxes, scores]):
        return CombinedSelection(
            *COMBINED_NON_MAX_SUPPRESSION(
                boxes,
                scores,
                max_output_size_per_class,
                max_total_size,
                convert_to_tensor(iou_threshold, "float32", name="iou_threshold"),
                convert_to_tensor(score_threshold, "float32", name="score_threshold"),
                pad_per_class=pad_per_class,
                clip_boxes=clip_boxes,
            )
        )
