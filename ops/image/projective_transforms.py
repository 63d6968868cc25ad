"""Images seen from elsewhere: turned, moved, or in any perspective; in `td.contrib.image`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.op_def import OpDef
from ...runtime.kernel_spec import fresh
from ...shape_inference.context import KernelContext, OpContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ..common.allocation import check_size

_TYPES = "dtype: {uint8, int32, int64, half, bfloat16, float32, float64}, interpolation: string"
_MODE = "fill_mode: string = 'CONSTANT'"
# Of `tf.contrib.image`, whose kernel came with its own library.
IMAGE_PROJECTIVE_TRANSFORM = OpDef(
    "ImageProjectiveTransform",
    "images: dtype, transforms: float32 -> transformed_images: dtype",
    _TYPES,
)
IMAGE_PROJECTIVE_TRANSFORM_V2 = OpDef(
    "ImageProjectiveTransformV2",
    "images: dtype, transforms: float32, output_shape: int32 -> transformed_images: dtype",
    f"{_TYPES}, {_MODE}",
)
IMAGE_PROJECTIVE_TRANSFORM_V3 = OpDef(
    "ImageProjectiveTransformV3",
    "images: dtype, transforms: float32, output_shape: int32, fill_value: float32 "
    "-> transformed_images: dtype",
    f"{_TYPES}, {_MODE}",
)
_INTERPOLATIONS = ("NEAREST", "BILINEAR")
_MODES = ("CONSTANT", "REFLECT", "WRAP", "NEAREST")
_F = np.float32


def _choice(c: OpContext, name: str, choices: tuple[str, ...]) -> str:
    """The value of an attr, in capitals."""
    value: str = c.node.attrs.get(name, choices[0].encode()).decode().upper()
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, got {value!r}")
    return value


@IMAGE_PROJECTIVE_TRANSFORM.shape
@IMAGE_PROJECTIVE_TRANSFORM_V2.shape
@IMAGE_PROJECTIVE_TRANSFORM_V3.shape
def _transform_shape(c: ShapeContext) -> TensorShape:
    _choice(c, "interpolation", _INTERPOLATIONS)
    _choice(c, "fill_mode", _MODES)
    images = c.shape("images", rank=4)
    numbers = (c.sizes("transforms", rank=2) or ())[1]
    c.same_size("the second size of transforms and the numbers of a transform", numbers, 8)
    if c.node.definition is IMAGE_PROJECTIVE_TRANSFORM:
        return images
    if c.node.definition is IMAGE_PROJECTIVE_TRANSFORM_V3:
        c.shape("fill_value", rank=0)
    (length,) = c.sizes("output_shape", rank=1) or ()
    c.same_size("the length of output_shape and the number of dimensions of space", length, 2)
    size = c.value("output_shape")
    known: list[Any] = [None, None] if size is None else size.tolist()
    space = [None if isinstance(n, int) and n < 1 else n for n in known]
    sizes = images.sizes or (None,) * 4
    return TensorShape.of((sizes[0], *space, sizes[3]))


@IMAGE_PROJECTIVE_TRANSFORM.kernel
@IMAGE_PROJECTIVE_TRANSFORM_V2.kernel
@IMAGE_PROJECTIVE_TRANSFORM_V3.kernel
def _transform_kernel(c: KernelContext) -> Kernel:
    bilinear = _choice(c, "interpolation", _INTERPOLATIONS) == "BILINEAR"
    mode = _choice(c, "fill_mode", _MODES)

    def transform(
        images: Array, transforms: Array, output_shape: Any = None, fill_value: Any = 0
    ) -> Array:
        if images.ndim != 4:
            raise ValueError(f"images must have rank 4, got shape {list(images.shape)}")
        if transforms.ndim != 2 or transforms.shape[1] != 8:
            raise ValueError(f"transforms must have shape [n, 8], got {list(transforms.shape)}")
        if len(transforms) not in (1, len(images)):
            raise ValueError(f"transforms must be 1 or {len(images)}, got {len(transforms)}")
        rows, columns = images.shape[1:3]
        if output_shape is not None:
            if output_shape.shape != (2,) or output_shape.min() < 1:
                raise ValueError(
                    f"output_shape must be two positive numbers, got {output_shape.tolist()}"
                )
            rows, columns = output_shape.tolist()
        shape = check_size((len(images), rows, columns, images.shape[3]), images.dtype)
        with np.errstate(all="ignore"):
            fill = np.asarray(fill_value).astype(images.dtype)
            result = np.full(shape, fill)
            for i, image in enumerate(images):
                if image.size:
                    places = _places(transforms[i % len(transforms)], rows, columns)
                    _sample(image, places, mode, bilinear, fill, result[i])
        return result

    return fresh(transform)


def _places(transform: Array, rows: int, columns: int) -> tuple[Array, Array]:
    """Where in the image each pixel of the result comes from: NaN where from nowhere."""
    x, y = np.arange(columns, dtype=_F), np.arange(rows, dtype=_F)[:, None]
    a0, a1, a2, b0, b1, b2, c0, c1 = transform
    depth = c0 * x + c1 * y + _F(1)
    depth = np.where(depth == 0, _F(np.nan), depth)
    return (b0 * x + b1 * y + b2) / depth, (a0 * x + a1 * y + a2) / depth


def _sample(
    image: Array, places: tuple[Array, Array], mode: str, bilinear: bool, fill: Array, out: Array
) -> None:
    """Writes the pixels at some places; those outside of the image have the fill value."""
    down, across = (_mapped(p, n, mode) for p, n in zip(places, image.shape[:2], strict=True))
    rows, columns = image.shape[:2]
    near = (down > -1) & (down < rows) & (across > -1) & (across < columns)
    y, x = down[near], across[near]
    top, left = np.floor(y), np.floor(x)
    i, j = top.astype(np.intp) + 1, left.astype(np.intp) + 1
    # A frame of one pixel holds what is read outside.
    framed = np.pad(image, [(1, 1), (1, 1), (0, 0)], constant_values=fill)
    if not bilinear:  # halves go away from 0
        i += np.where(y < 0, y - top > _F(0.5), y - top >= _F(0.5))
        j += np.where(x < 0, x - left > _F(0.5), x - left >= _F(0.5))
        out[near] = framed[i, j]
        return
    wide = framed.astype(_F, copy=False)
    low, right = (y - top)[:, None], (x - left)[:, None]
    high, near_left = (top + _F(1) - y)[:, None], (left + _F(1) - x)[:, None]
    upper = near_left * wide[i, j] + right * wide[i, j + 1]
    lower = near_left * wide[i + 1, j] + right * wide[i + 1, j + 1]
    out[near] = (high * upper + low * lower).astype(image.dtype)


def _mapped(places: Array, size: int, mode: str) -> Array:
    """Places outside of the image as places inside, but for the mode that leaves them."""
    last, whole = _F(size - 1), _F(size)
    if mode == "CONSTANT":
        return places
    below, above = places < 0, places > last
    if mode != "NEAREST" and size == 1:
        places = np.where(below | above, _F(0), places)
    elif mode == "REFLECT":
        twice = _F(2 * size)
        left = twice * np.trunc(-places / twice) + places
        left = np.where(left < -whole, left + twice, -left - _F(1))
        right = places - twice * np.trunc(places / twice)
        right = np.where(right >= whole, twice - right - _F(1), right)
        places = np.where(below, left, np.where(above, right, places))
    elif mode == "WRAP":
        left = places + whole * (np.trunc(-places / last) + _F(1))
        right = places - whole * np.trunc(places / last)
        places = np.where(below, left, np.where(above, right, places))
    return np.asarray(places.clip(_F(0), last))
