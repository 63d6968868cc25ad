"""Summary functions of TensorFlow before 1.0, whose tags are not prefixed by scopes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...graph.scopes.collections import GraphKeys
from .image_and_audio import AUDIO_SUMMARY_V2, IMAGE_SUMMARY
from .scalars_and_histograms import HISTOGRAM_SUMMARY, SCALAR_SUMMARY
from .summary_scopes import collected
from .text_and_merge import merge, merge_all

public = {
    "td": (
        "audio_summary histogram_summary image_summary merge_all_summaries merge_summary "
        "scalar_summary"
    ),
}


def scalar_summary(
    tags: Any, values: TensorLike, collections: Iterable[str] | None = None, name: str | None = None
) -> Tensor:
    """A summary of numbers, each with its tag: see `td.summary.scalar`.

    Args:
        tags: strings.
        values: real numbers, of the same shape.
        collections: the collections that list the summary; by default the one of summaries.
        name: a name for the op.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     both = td.scalar_summary(["loss", "rate"], [0.5, 0.1])
        ...     [value.tag for value in td.Summary.FromString(session.run(both)).value]
        ['loss', 'rate']
    """
    with name_scope(name, "ScalarSummary", [tags, values]) as scope:
        return collected(SCALAR_SUMMARY(tags, values, name=scope), collections)


def histogram_summary(
    tag: Any, values: TensorLike, collections: Iterable[str] | None = None, name: str | None = None
) -> Tensor:
    """A summary of how numbers are distributed: see `td.summary.histogram`.

    Args:
        tag: the tag.
        values: real numbers, of any shape.
        collections: the collections that list the summary; by default the one of summaries.
        name: a name for the op.

    Example:
        >>> with td.Graph().as_default():
        ...     td.histogram_summary("weights", [1.0, 2.0]).op.type
        'HistogramSummary'
    """
    with name_scope(name, "HistogramSummary", [tag, values]) as scope:
        return collected(HISTOGRAM_SUMMARY(tag, values, name=scope), collections)


def image_summary(
    tag: Any,
    tensor: TensorLike,
    max_images: int = 3,
    collections: Iterable[str] | None = None,
    name: str | None = None,
) -> Tensor:
    """A summary of images: see `td.summary.image`.

    Args:
        tag: the tag.
        tensor: [batch, rows, columns, channels].
        max_images: how many images of the batch are shown.
        collections: the collections that list the summary; by default the one of summaries.
        name: a name for the op.

    Example:
        >>> with td.Graph().as_default():
        ...     td.image_summary("input", td.zeros([1, 8, 8, 1])).op.type
        'ImageSummary'
    """
    with name_scope(name, "ImageSummary", [tag, tensor]) as scope:
        summary = IMAGE_SUMMARY(tag, tensor, max_images=max_images, name=scope)
        return collected(summary, collections)


def audio_summary(
    tag: Any,
    tensor: TensorLike,
    sample_rate: Any,
    max_outputs: int = 3,
    collections: Iterable[str] | None = None,
    name: str | None = None,
) -> Tensor:
    """A summary of sounds: see `td.summary.audio`.

    Args:
        tag: the tag.
        tensor: [batch, frames, channels] or [batch, frames].
        sample_rate: frames per second.
        max_outputs: how many sounds of the batch are kept.
        collections: the collections that list the summary; by default the one of summaries.
        name: a name for the op.

    Example:
        >>> with td.Graph().as_default():
        ...     td.audio_summary("hum", td.zeros([1, 10]), 8000).op.type
        'AudioSummaryV2'
    """
    with name_scope(name, "AudioSummary", [tag, tensor]) as scope:
        summary = AUDIO_SUMMARY_V2(tag, tensor, sample_rate, max_outputs=max_outputs, name=scope)
        return collected(summary, collections)


def merge_summary(
    inputs: Sequence[Any], collections: Iterable[str] | None = None, name: str | None = None
) -> Tensor:
    """The older name of `td.summary.merge`.

    Args:
        inputs: as there, like the other arguments.
        collections: the collections that list the result; by default none.
        name: a name for the scope of the op.

    Example:
        >>> with td.Graph().as_default():
        ...     td.merge_summary([td.scalar_summary("loss", 0.5)]).op.type
        'MergeSummary'
    """
    return merge(inputs, collections, name)


def merge_all_summaries(key: str = GraphKeys.SUMMARIES) -> Tensor | None:
    """The older name of `td.summary.merge_all`.

    Args:
        key: the collection that lists the summaries.

    Example:
        >>> with td.Graph().as_default():
        ...     td.merge_all_summaries() is None
        True
    """
    return merge_all(key)
