"""Adjustments of brightness, contrast, gamma, hue and saturation, fixed or random."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...protos.dtypes import float32
from ..array.cast import cast
from ..array.shapes import shape
from ..common.public_function import public_function
from ..common.shared_docs import shared_docs
from ..math.arithmetic import add, maximum, pow as power
from ..math.division import realdiv
from ..math.exponentials import rsqrt
from ..math.reductions import reduce_mean, reduce_prod
from ..random.uniform_and_normal import random_uniform
from ..statistics.moments import reduce_std
from .color_kernels import ADJUST_CONTRAST, ADJUST_HUE, ADJUST_SATURATION
from .convert_image_dtype import on_floats

public = {
    "td.image": (
        "adjust_brightness adjust_contrast adjust_gamma adjust_hue adjust_saturation "
        "per_image_standardization per_image_whitening=per_image_standardization "
        "random_brightness random_contrast random_hue random_saturation"
    )
}


def adjust_brightness(image: TensorLike, delta: TensorLike) -> Tensor:
    """Images with something added to all samples.

    Args:
        image: a tensor of integers or floats.
        delta: what to add, where 1 is the brightest value; a scalar.

    Returns:
        A Tensor as `image`; integers stay within their limits, floats may leave [0, 1].

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     image = td.constant([0, 100, 250], td.uint8)
        ...     print(session.run(td.image.adjust_brightness(image, 0.2)))
        [ 51 151 255]
    """
    with name_scope(None, "adjust_brightness", [image, delta]) as scope:
        return on_floats(image, lambda x: add(x, cast(delta, x.dtype), name=scope))


def adjust_contrast(images: TensorLike, contrast_factor: TensorLike) -> Tensor:
    """Images with the distances from the mean of each channel multiplied.

    Args:
        images: [..., rows, columns, channels] of integers or floats.
        contrast_factor: a scalar; greater than 1 for more contrast.

    Returns:
        A Tensor as `images`; integers stay within their limits.

    Raises:
        ValueError: the images have a rank below 3.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     image = td.image.adjust_contrast([[[1.0], [3.0]]], 2.0)
        ...     print(session.run(image).ravel())
        [0. 4.]
    """
    with name_scope(None, "adjust_contrast", [images, contrast_factor]) as scope:
        return on_floats(images, lambda x: ADJUST_CONTRAST(x, contrast_factor, name=scope))


def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Tensor:
    """Images whose samples are raised to a power, and multiplied.

    Args:
        image: a tensor of integers or floats.
        gamma: the power; not negative. Above 1 makes images darker.
        gain: the factor.

    Returns:
        A Tensor as `image`; integers stay within their limits.

    Raises:
        ValueError: gamma is negative.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.image.adjust_gamma([[[0.5]]], 2)).ravel())
        [0.25]
    """
    if not isinstance(gamma, Tensor) and gamma < 0:
        raise ValueError(f"gamma must be at least 0, got {gamma}")

    def adjusted(x: Tensor) -> Tensor:
        return cast(gain, x.dtype) * power(x, cast(gamma, x.dtype))

    with name_scope(None, "adjust_gamma", [image, gamma, gain]):
        return on_floats(image, adjusted)


_documented = shared_docs(
    {
        "image": ("[..., 3] of integers or floats, of rank 3 or more: red, green and blue."),
        "name": "a name for the scope of the ops.",
    },
    returns="A Tensor as `image`.",
    raises="ValueError: there are not 3 channels.",
)


@_documented
def adjust_hue(image: TensorLike, delta: TensorLike, name: str | None = None) -> Tensor:
    """Images with the hues moved around the circle of colours.

    Args:
        delta: by how much of the circle; a scalar in [-1, 1].

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     red = td.constant([[[200, 0, 0]]], td.uint8)
        ...     print(session.run(td.image.adjust_hue(red, 0.5)).ravel())
        [  0 200 200]
    """
    with name_scope(name, "adjust_hue", [image]):
        return on_floats(image, lambda x: ADJUST_HUE(x, delta))


@_documented
def adjust_saturation(
    image: TensorLike, saturation_factor: TensorLike, name: str | None = None
) -> Tensor:
    """Images with stronger colours, or paler ones.

    Args:
        saturation_factor: what to multiply the saturation with; a scalar. 0 leaves no colour.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     red = td.constant([[[200, 100, 100]]], td.uint8)
        ...     print(session.run(td.image.adjust_saturation(red, 2)).ravel())
        [200   0   0]
    """
    with name_scope(name, "adjust_saturation", [image]):
        return on_floats(image, lambda x: ADJUST_SATURATION(x, saturation_factor))


class RandomStep(Protocol):
    """The public function that adjusts by a step of up to so much, to either side."""

    def __call__(self, image: TensorLike, max_delta: float, seed: int | None = None) -> Tensor:
        """Adds the ops."""


class RandomFactor(Protocol):
    """The public function that adjusts by a factor between two limits."""

    def __call__(
        self, image: TensorLike, lower: float, upper: float, seed: int | None = None
    ) -> Tensor:
        """Adds the ops."""


_DOC = """As `td.image.adjust_{what}`, by a random {amount}: one for all images.

    Args:
        image: as there.
        {arguments}
        seed: a seed, for the same draws in each session; see also `td.set_random_seed`.

    Returns:
        A Tensor as `image`.

    Raises:
        ValueError: {wrong}.

    Example:
        >>> with td.Graph().as_default():
        ...     image = td.zeros([4, 4, 3])
        ...     td.image.random_{what}(image, {example}, seed=1).shape.as_list()
        [4, 4, 3]
    """


def _random_step(what: str, adjust: Callable[..., Tensor], most: float) -> RandomStep:
    def random(image: Any, max_delta: float, seed: int | None = None) -> Tensor:
        if not 0 <= max_delta <= most:
            raise ValueError(f"max_delta = {max_delta} is not in [0, {most}]")
        return adjust(image, random_uniform([], -max_delta, max_delta, seed=seed))

    doc = _DOC.format(
        what=what,
        amount="step",
        arguments="max_delta: the largest step, to either side.",
        wrong="`max_delta` is negative, or too large",
        example="0.2",
    )
    return public_function(random, f"random_{what}", doc)


def _random_factor(what: str, adjust: Callable[..., Tensor]) -> RandomFactor:
    def random(image: Any, lower: float, upper: float, seed: int | None = None) -> Tensor:
        if upper <= lower:
            raise ValueError(f"upper must be greater than lower, got {upper} and {lower}")
        if lower < 0:
            raise ValueError(f"lower must be at least 0, got {lower}")
        return adjust(image, random_uniform([], lower, upper, seed=seed))

    doc = _DOC.format(
        what=what,
        amount="factor",
        arguments="lower: the smallest factor.\n        upper: the largest one, exclusive.",
        wrong="`lower` is negative, or not less than `upper`",
        example="0.5, 1.5",
    )
    return public_function(random, f"random_{what}", doc)


random_brightness = _random_step("brightness", adjust_brightness, float("inf"))
random_hue = _random_step("hue", adjust_hue, 0.5)
random_contrast = _random_factor("contrast", adjust_contrast)
random_saturation = _random_factor("saturation", adjust_saturation)


def per_image_standardization(image: TensorLike) -> Tensor:
    """Images with mean 0 and deviation 1, each by itself.

    Args:
        image: [..., rows, columns, channels] of numbers.

    Returns:
        A float32 Tensor of the same shape. An image of one colour becomes 0: the deviation is
        taken to be at least `1 / sqrt(samples)`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     image = td.image.per_image_standardization([[[1], [3]]])
        ...     print(session.run(image).ravel())
        [-1.  1.]
    """
    with name_scope(None, "per_image_standardization", [image]) as scope:
        x = cast(convert_to_tensor(image, name="image"), float32)
        axes = [-1, -2, -3]
        least = rsqrt(cast(reduce_prod(shape(x)[-3:]), float32))
        deviation = maximum(reduce_std(x, axes, keepdims=True), least)
        return realdiv(x - reduce_mean(x, axes, keepdims=True), deviation, scope)
