"""Similarity of images: PSNR and SSIM."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import control_dependencies, name_scope
from ...graph.node import Tensor
from ..array.cast import cast
from ..array.concat import concat
from ..array.identity import identity
from ..array.pad import pad
from ..array.ranges import range as numbers
from ..array.reshape import reshape
from ..array.shapes import shape
from ..array.stack import stack
from ..array.tile import tile
from ..conv.depthwise_convolution import depthwise_conv2d
from ..conv.pooling import avg_pool
from ..debugging.assertions import assert_equal, assert_greater_equal
from ..math.arithmetic import maximum, pow as power, square, squared_difference
from ..math.exponentials import exp, log
from ..math.reductions import reduce_mean, reduce_prod, reduce_sum
from .convert_image_dtype import convert_image_dtype

public = {"td.image": "psnr ssim ssim_multiscale"}

_SHARES = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)  # of the scales, by Wang and others (2003)
_HALF = [1, 2, 2, 1]


def psnr(a: TensorLike, b: TensorLike, max_val: Any, name: str | None = None) -> Tensor:
    """The peak signal-to-noise ratio of images, in decibels.

    Args:
        a: [..., rows, columns, channels] of integers or floats.
        b: of the same dtype and shape.
        max_val: the greatest value that samples may have, such as 255, or 1.0.
        name: a name for the scope of the ops.

    Returns:
        A float32 Tensor [...], one number for each image; infinite where they are the same.

    Raises:
        ValueError: the shapes do not fit together; if detected at run time, an
            InvalidArgumentError.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.image.psnr(td.ones([2, 2, 1]), td.zeros([2, 2, 1]), 10.0)))
        20.0
    """
    with name_scope(name, "PSNR", [a, b]):
        first, second, most = _compared(a, b, max_val)
        noise = reduce_mean(squared_difference(first, second), [-3, -2, -1])
        return 20 * log(most) / math.log(10) - np.float32(10 / math.log(10)) * log(noise)


def _compared(a: Any, b: Any, max_val: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Two images as floats that can be compared, and the greatest value."""
    x, y = convert_to_tensor(a, name="a"), convert_to_tensor(b, name="b")
    for image in (x, y):
        if image.shape.ndims is not None and image.shape.ndims < 3:
            raise ValueError(f"images must have rank 3 or more, got shape {image.shape}")
    if not x.shape[-3:].is_compatible_with(y.shape[-3:]):
        raise ValueError(
            f"images must have the same size and channels, got {x.shape} and {y.shape}"
        )
    checks = []
    if not (x.shape[-3:].is_fully_defined() and y.shape[-3:].is_fully_defined()):
        same = "images must have the same size and channels"
        checks.append(assert_equal(shape(x)[-3:], shape(y)[-3:], message=same))
    most = convert_image_dtype(cast(max_val, x.dtype.base_dtype), "float32")
    with control_dependencies(checks):
        x = identity(x)
    return convert_image_dtype(x, "float32"), convert_image_dtype(y, "float32"), most


def ssim(
    img1: Any,
    img2: Any,
    max_val: Any,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """The structural similarity of images: 1 where they are the same.

    It is that of Wang and others, "Image quality assessment: from error visibility to structural
    similarity" (2004), by a Gaussian window, averaged over its places and over channels.

    Args:
        img1: [..., rows, columns, channels] of integers or floats.
        img2: of the same dtype, and a shape that broadcasts with it in front.
        max_val: the greatest value that samples may have, such as 255, or 1.0.
        filter_size: the rows and columns of the window.
        filter_sigma: its deviation.
        k1: steadies the comparison of brightness.
        k2: steadies that of contrast.

    Returns:
        A float32 Tensor [...], one number for each image.

    Raises:
        ValueError: the shapes do not fit together; if detected at run time, or if the images are
            smaller than the window, an InvalidArgumentError.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     image = td.random_uniform([16, 16, 3], seed=1)
        ...     round(float(session.run(td.image.ssim(image, image, 1.0))), 5)
        1.0
    """
    with name_scope(None, "SSIM", [img1, img2]):
        x, y, most = _compared(img1, img2, max_val)
        whole, _ = _by_channel(x, y, most, filter_size, filter_sigma, k1, k2)
        return reduce_mean(whole, [-1])


def ssim_multiscale(
    img1: Any,
    img2: Any,
    max_val: Any,
    power_factors: Sequence[float] = _SHARES,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """The structural similarity of images at several scales, each half as large as the last.

    It is that of Wang and others, "Multiscale structural similarity for image quality assessment"
    (2003).

    Args:
        img1: [..., rows, columns, channels] of integers or floats.
        img2: of the same dtype, and a shape that broadcasts with it in front.
        max_val: the greatest value that samples may have, such as 255, or 1.0.
        power_factors: how much each scale counts, the original first.
        filter_size: the rows and columns of the window.
        filter_sigma: its deviation.
        k1: steadies the comparison of brightness.
        k2: steadies that of contrast.

    Returns:
        A float32 Tensor [...], one number in [0, 1] for each image.

    Raises:
        ValueError: the shapes do not fit together; if detected at run time, or if the images are
            smaller than the window at some scale, an InvalidArgumentError.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     image = td.random_uniform([24, 24, 1], seed=1)
        ...     same = td.image.ssim_multiscale(image, image, 1.0, [0.5, 0.5])
        ...     round(float(session.run(same)), 5)
        1.0
    """
    with name_scope(None, "MS-SSIM", [img1, img2]):
        x, y, most = _compared(img1, img2, max_val)
        scales = []
        for number in range(len(power_factors)):
            with name_scope(f"Scale{number}", values=[x, y]):
                if number:
                    x, y = _halved(x), _halved(y)
                whole, structure = _by_channel(x, y, most, filter_size, filter_sigma, k1, k2)
                last = number == len(power_factors) - 1
                scales.append(maximum(whole if last else structure, 0.0))
        factors = convert_to_tensor(list(power_factors), "float32")
        product = reduce_prod(power(stack(scales, -1), factors), [-1])
        return reduce_mean(product, [-1])


def _halved(x: Tensor) -> Tensor:
    """Images at half size; an unpaired last row or column counts twice."""
    sizes = shape(x)
    flat = reshape(x, concat([[-1], sizes[-3:]], 0))
    odd = sizes[-3:-1] % 2
    even = pad(flat, stack([[0, 0], stack([0, odd[0]]), stack([0, odd[1]]), [0, 0]]), "SYMMETRIC")
    small = avg_pool(even, _HALF, _HALF, "VALID")
    return reshape(small, concat([sizes[:-3], shape(small)[1:]], 0))


def _by_channel(
    x: Tensor, y: Tensor, most: Tensor, size: Any, sigma: Any, k1: float, k2: float
) -> tuple[Tensor, Tensor]:
    """The similarity of each channel, and the part of it that contrast and structure make."""
    window = convert_to_tensor(size, "int32", name="filter_size")
    wanted = "images must not be smaller than filter_size"
    checks = [assert_greater_equal(shape(z)[-3:-1], window, message=wanted) for z in (x, y)]
    with control_dependencies(checks):
        x = identity(x)
    kernel = tile(_gaussian(window, sigma), stack([1, 1, shape(x)[-1], 1]))

    def averaged(z: Tensor) -> Tensor:
        sizes = shape(z)
        flat = reshape(z, concat([[-1], sizes[-3:]], 0))
        means = depthwise_conv2d(flat, kernel, [1, 1, 1, 1], "VALID")
        return reshape(means, concat([sizes[:-3], shape(means)[1:]], 0))

    c1, c2 = square(k1 * most), square(k2 * most)
    mean_x, mean_y = averaged(x), averaged(y)
    product, squares = mean_x * mean_y * 2.0, square(mean_x) + square(mean_y)
    brightness = (product + c1) / (squares + c1)
    both, each = averaged(x * y) * 2.0, averaged(square(x) + square(y))
    structure = (both - product + c2) / (each - squares + c2)
    return reduce_mean(brightness * structure, [-3, -2]), reduce_mean(structure, [-3, -2])


def _gaussian(size: Tensor, sigma: Any) -> Tensor:
    """A window of Gaussian weights, whose sum is 1: [size, size, 1, 1]."""
    places = cast(numbers(size), "float32") - cast(size - 1, "float32") / 2.0
    exponents = square(places) * (-0.5 / square(cast(sigma, "float32")))
    weights = exp(reshape(exponents, [1, -1]) + reshape(exponents, [-1, 1]))
    return reshape(weights / reduce_sum(weights), stack([size, size, 1, 1]))
