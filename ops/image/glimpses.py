"""Glimpses: windows at given places of images, noise where they look outside."""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, OpContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import STATEFUL
from ..common.allocation import new_zeros

public = {"td.image": "extract_glimpse"}

_ATTRS = (
    "centered: bool = true, normalized: bool = true, uniform_noise: bool = true, "
    "noise: string = 'uniform'"
)
_SIGNATURE = "input: float32, size: int32, offsets: float32 -> glimpse: float32"
# The noise is another one in each run.
EXTRACT_GLIMPSE = OpDef("ExtractGlimpse", _SIGNATURE, _ATTRS, traits=STATEFUL)
EXTRACT_GLIMPSE_V2 = OpDef("ExtractGlimpseV2", _SIGNATURE, _ATTRS, traits=STATEFUL)
_NOISES = (b"uniform", b"gaussian", b"zero")


@EXTRACT_GLIMPSE.shape
@EXTRACT_GLIMPSE_V2.shape
def _extract_glimpse_shape(c: ShapeContext) -> TensorShape:
    batch, _, _, channels = c.sizes("input", rank=4) or ()
    (length,) = c.sizes("size", rank=1) or ()
    c.same_size("the length of size and the number of spatial dimensions", length, 2)
    places, dimensions = c.sizes("offsets", rank=2) or ()
    c.same_size("the second size of offsets and the number of spatial dimensions", dimensions, 2)
    batch = c.same_size("the number of images and of offsets", batch, places)
    _noise(c)
    size = c.value("size")
    sizes = [None, None] if size is None else size.tolist()
    space = [None if isinstance(n, int) and n < 1 else n for n in sizes]
    return TensorShape.of((batch, *space, channels))


def _noise(c: OpContext) -> bytes:
    """Kind of noise outside the images."""
    noise: bytes = c.attr("noise")
    if c.attr("uniform_noise"):
        if noise not in (b"", b"uniform"):
            raise ValueError(f"noise = {noise.decode()!r}, where uniform_noise is True")
        return b"uniform"
    if noise not in (b"", *_NOISES):
        raise ValueError(f"noise must be 'uniform', 'gaussian' or 'zero', got {noise.decode()!r}")
    return noise or b"gaussian"


@EXTRACT_GLIMPSE.fresh_kernel
@EXTRACT_GLIMPSE_V2.fresh_kernel
def _extract_glimpse_kernel(c: KernelContext) -> Kernel:
    noise, rng = _noise(c), np.random.default_rng(secrets.randbits(64))
    second = c.node.definition is EXTRACT_GLIMPSE_V2
    centred, normalized = c.attr("centered"), c.attr("normalized")

    def extract(images: Array, size: Array, offsets: Array) -> Array:
        if images.ndim != 4:
            raise ValueError(f"input must have rank 4, got shape {list(images.shape)}")
        if size.shape != (2,) or size.min() < 1:
            raise ValueError(f"size must be two positive numbers, got {size.tolist()}")
        if offsets.shape != (len(images), 2):
            raise ValueError(
                f"offsets must have shape [{len(images)}, 2], got {list(offsets.shape)}"
            )
        if 0 in images.shape[1:3]:
            raise ValueError(f"input must hold pixels, got shape {list(images.shape)}")
        wanted = size.tolist()
        result = new_zeros((len(images), *wanted, images.shape[3]), np.dtype(np.float32))
        space = np.array(images.shape[1:3], np.float32)
        starts = _starts(offsets, space, size.astype(np.float32), centred, normalized, second)
        for glimpse, image, start in zip(result, images, starts.tolist(), strict=True):
            parts = [
                _overlap(*bounds) for bounds in zip(start, wanted, image.shape[:2], strict=True)
            ]
            (there, here), (right_there, right_here) = parts
            if here.stop - here.start < wanted[0] or right_here.stop - right_here.start < wanted[1]:
                _fill(glimpse, image, noise, rng)
            glimpse[here, right_here] = image[there, right_there]
        return result

    return extract


def _starts(
    offsets: Array, space: Array, size: Array, centred: bool, normalized: bool, second: bool
) -> Array:
    """The first row and column of each glimpse, which may lie outside of the image.

    The second version counts pixels from the centre, and not halves of them, and leaves glimpses
    that begin at a corner where they begin.
    """
    two = np.float32(2)
    places = offsets * space if normalized else offsets
    if second and not normalized:
        places = places + space / two if centred else places
    elif centred:
        places = places / two + space / two
    if not second or (normalized and centred):
        places = places - size / two
    places = np.nan_to_num(places, nan=-(2.0**31), posinf=2.0**31, neginf=-(2.0**31))
    return np.asarray(places.clip(-(2.0**31), 2.0**31).astype(np.int64))


def _overlap(start: int, wanted: int, there: int) -> tuple[slice, slice]:
    """Range of an image axis that a glimpse covers, and its place in the glimpse."""
    if start < 0:
        # As in TensorFlow: what is seen ends where the glimpse does, if it reaches that far.
        seen = max(0, wanted + start)
        shown = min(seen, there)
        return slice(0, shown), slice(wanted - seen, wanted - seen + shown)
    shown = min(max(0, there - start), wanted)
    return slice(start, start + shown), slice(0, shown)


def _fill(glimpse: Array, image: Array, noise: bytes, rng: np.random.Generator) -> None:
    if noise == b"uniform":
        low, high = image.min(), image.max()
        glimpse[...] = low + rng.random(glimpse.shape, np.float32) * (high - low)
    elif noise == b"gaussian":
        low, high = image.min((0, 1)), image.max((0, 1))
        drawn = rng.standard_normal(glimpse.shape, np.float32)
        glimpse[...] = (image.mean((0, 1)) + drawn * image.std((0, 1))).clip(low, high)


def extract_glimpse(
    input: TensorLike,
    size: TensorLike,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: str | None = None,
) -> Tensor:
    """Windows of images, one of each, around given places.

    Args:
        input: [batch, rows, columns, channels] of float32.
        size: the rows and columns of the windows, int32.
        offsets: [batch, 2] of float32: the place, `y, x`, of the middle of each window.
        centered: whether places are counted from the middle of the image, else from its corner.
        normalized: whether places are parts of the image: up to 1, from -1 where they are centred;
            else pixels, two for one where they are centred.
        uniform_noise: whether what lies outside of the image is noise that is uniform between its
            darkest and its brightest sample; else normal noise with the image's mean and deviation.
        name: a name for the op.

    Returns:
        A float32 Tensor [batch, size[0], size[1], channels]. The noise is another one in each run.

    Raises:
        ValueError: the shapes do not fit together.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     image = td.reshape(td.range(16.0), [1, 4, 4, 1])
        ...     print(session.run(td.image.extract_glimpse(image, [2, 2], [[0.0, 0.0]])).ravel())
        [ 5.  6.  9. 10.]
    """
    return EXTRACT_GLIMPSE(
        input,
        size,
        offsets,
        centered=centered,
        normalized=normalized,
        uniform_noise=uniform_noise,
        name=name,
    )
