"""Conversion of image dtypes: floats in [0, 1], or integers up to their maximum."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...protos.dtypes import as_dtype, float16, float32
from ..array.cast import cast, saturate_cast
from ..array.identity import identity
from ..math.arithmetic import multiply

public = {"td.image": "convert_image_dtype"}


def convert_image_dtype(
    image: TensorLike, dtype: Any, saturate: bool = False, name: str | None = None
) -> Tensor:
    """Images in samples of another dtype: in [0, 1] as floats, up to the limit of integers.

    Args:
        image: a tensor of integers or floats, of any shape.
        dtype: the dtype of the result.
        saturate: whether values beyond the limits of `dtype` become these limits; else they are
            wrapped around, as `td.cast` does.
        name: a name for the op.

    Returns:
        A Tensor of `dtype` and the shape of `image`.

    Raises:
        TypeError: a dtype is of no numbers.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     image = td.constant([0, 255], td.uint8)
        ...     print(session.run(td.image.convert_image_dtype(image, td.float32)))
        [0. 1.]
    """
    x, target = convert_to_tensor(image, name="image"), as_dtype(dtype)
    source = x.dtype.base_dtype
    for kind in (source, target):
        if not (kind.is_floating or kind.is_integer):
            raise TypeError(f"images must be of integers or floats, got {kind.name}")
    if source == target:
        return identity(x, name=name)
    with name_scope(name, "convert_image", [x]) as scope:
        to: Callable[..., Any] = saturate_cast if saturate else cast
        result: Any
        if source.is_floating and target.is_floating:
            result = cast(x, target, name=scope)
        elif source.is_floating:
            result = to(x * (target.max + 0.5), target, name=scope)
        elif target.is_floating:
            result = multiply(cast(x, target), 1.0 / source.max, name=scope)
        elif source.max > target.max:
            result = to(x // ((source.max + 1) // (target.max + 1)), target, name=scope)
        else:
            scale = (target.max + 1) // (source.max + 1)
            result = multiply(to(x, target), scale, name=scope)
        return result


def on_floats(image: Any, adjust: Callable[[Tensor], Tensor]) -> Tensor:
    """Applies `adjust` to an image as floats, then converts back to its dtype with saturation."""
    x = convert_to_tensor(image, name="image")
    source = x.dtype.base_dtype
    floats = x if source in (float16, float32) else convert_image_dtype(x, float32)
    return convert_image_dtype(adjust(floats), source, saturate=True)
