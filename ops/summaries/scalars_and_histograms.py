"""Summaries of numbers: scalars one by one, and histograms of many."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...protos.messages import HistogramProto, Summary
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import SUMMARY
from ..common.gemm import multiply
from .summary_messages import checked_finite, decoded, serialized, text_of
from .summary_scopes import collected, summary_scope

public = {"td.summary": "histogram scalar"}

SCALAR_SUMMARY = OpDef(
    "ScalarSummary",
    "tags: string, values: T -> summary: string",
    "T: realnumbertype",
    traits=SUMMARY,
)
HISTOGRAM_SUMMARY = OpDef(
    "HistogramSummary",
    "tag: string, values: T -> summary: string",
    "T: realnumbertype = float32",
    traits=SUMMARY,
)


@SCALAR_SUMMARY.shape
def _scalar_summary_shape(c: ShapeContext) -> TensorShape:
    tags, values = c.shape("tags"), c.shape("values")
    if not tags.is_compatible_with(values):
        raise ValueError(f"tags and values must have equal shapes, got {tags} and {values}")
    return TensorShape([])


@SCALAR_SUMMARY.kernel
def _scalar_summary_kernel(c: KernelContext) -> Kernel:
    def scalar_summary(tags: Array, values: Array) -> Array:
        if tags.shape != values.shape:
            raise ValueError(
                "tags and values must have equal shapes, got "
                f"{list(tags.shape)} and {list(values.shape)}"
            )
        summary = Summary()
        numbers = values.ravel().astype(np.float32).tolist()
        for tag, number in zip(tags.ravel().tolist(), numbers, strict=True):
            summary.value.add(tag=decoded("tags", tag), simple_value=number)
        return serialized(summary)

    return scalar_summary


@HISTOGRAM_SUMMARY.shape
def _histogram_summary_shape(c: ShapeContext) -> TensorShape:
    c.shape("tag", rank=0)
    return TensorShape([])


@HISTOGRAM_SUMMARY.kernel
def _histogram_summary_kernel(c: KernelContext) -> Kernel:
    def histogram_summary(tag: Array, values: Array) -> Array:
        name = text_of("tag", tag)
        histogram = histogram_of(checked_finite("values", name, values))
        return serialized(Summary(value=[Summary.Value(tag=name, histo=histogram)]))

    return histogram_summary


@cache
def bucket_limits() -> Array:
    """The upper limits of the buckets: they grow by a tenth, from 1e-12 to 1e20 on either side."""
    positive, limit = [], 1e-12
    while limit < 1e20:
        positive.append(limit)
        limit *= 1.1
    positive.append(np.finfo(np.float64).max)
    return np.array([*(-x for x in reversed(positive)), 0.0, *positive])


def histogram_of(values: Array) -> HistogramProto:
    """The histogram of finite numbers, where empty buckets side by side are put together."""
    limits = bucket_limits()
    greatest = limits[-1]
    result = HistogramProto(min=greatest, max=-greatest)
    if values.size:
        result.min, result.max = float(values.min()), float(values.max())
    result.num, result.sum = float(values.size), float(values.sum())
    result.sum_squares = float(multiply(values[np.newaxis], values[:, np.newaxis])[0, 0])
    places = np.searchsorted(limits, values, "right").clip(max=len(limits) - 1)
    counts = np.bincount(places, minlength=len(limits))
    # Of each run of empty buckets the last stands for all.
    kept = (counts > 0) | np.append(counts[1:] > 0, True)
    if not values.size:
        kept[:-1] = False
    result.bucket_limit.extend(limits[kept].tolist())
    result.bucket.extend(counts[kept].tolist())
    return result


def scalar(
    name: str,
    tensor: TensorLike,
    collections: Iterable[str] | None = None,
    family: str | None = None,
) -> Tensor:
    """A summary of one number, which TensorBoard draws as a curve over the steps.

    Args:
        name: the name, which is also the tag in TensorBoard, with the scopes in force before it.
        tensor: a real number, of rank 0.
        collections: the collections that list the summary; by default the one of summaries.
        family: a first part of the tag, under which TensorBoard groups several.

    Returns:
        A string Tensor of rank 0: a serialized `td.Summary`.

    Raises:
        ValueError: the rank is not 0.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session, td.name_scope("train"):
        ...     loss = td.summary.scalar("loss", 0.5)
        ...     value = td.Summary.FromString(session.run(loss)).value[0]
        ...     value.tag, value.simple_value
        ('train/loss', 0.5)
    """
    with summary_scope(name, family, [tensor]) as (tag, scope):
        return collected(SCALAR_SUMMARY(tag, tensor, name=scope), collections)


def histogram(
    name: str,
    values: TensorLike,
    collections: Iterable[str] | None = None,
    family: str | None = None,
) -> Tensor:
    """A summary of how numbers are distributed.

    Args:
        name: the name and tag, as for `td.summary.scalar`.
        values: real numbers, of any shape.
        collections: the collections that list the summary; by default the one of summaries.
        family: a first part of the tag.

    Returns:
        A string Tensor of rank 0. In the run a number that is not finite is refused.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     weights = td.summary.histogram("weights", [-1.0, 0.0, 1.0])
        ...     histo = td.Summary.FromString(session.run(weights)).value[0].histo
        ...     histo.min, histo.max, histo.num
        (-1.0, 1.0, 3.0)
    """
    with summary_scope(name, family, [values], "HistogramSummary") as (tag, scope):
        return collected(HISTOGRAM_SUMMARY(tag, values, name=scope), collections)
