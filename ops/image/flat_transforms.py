"""Images turned, moved and put in perspective; users find this in `td.contrib.image`.

A transform `[a0, a1, a2, b0, b1, b2, c0, c1]` says where each pixel comes from: the one at `(x, y)`
is that at `((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k)`, with `k = c0 x + c1 y + 1`.
"""

from __future__ import annotations

from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...protos.dtypes import float32, int32
from ..array.cast import cast
from ..array.concat import concat
from ..array.constants import ones, ones_like, zeros_like
from ..array.reshape import expand_dims, reshape, squeeze
from ..array.shapes import shape
from ..array.stack import stack
from ..linalg.matmul import matmul
from ..math.trigonometry import cos, sin
from .projective_transforms import IMAGE_PROJECTIVE_TRANSFORM_V2

public = {
    "td.contrib.image": (
        "angles_to_projective_transforms compose_transforms flat_transforms_to_matrices "
        "matrices_to_flat_transforms rotate transform translate "
        "translations_to_projective_transforms"
    )
}


def flat_transforms_to_matrices(transforms: Any) -> Tensor:
    """Transforms as matrices, which can be multiplied and inverted.

    Args:
        transforms: float32 [8] or [n, 8].

    Returns:
        A float32 Tensor [n, 3, 3].

    Raises:
        ValueError: the transforms have another rank.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     moved = [1.0, 0, 5, 0, 1, 7, 0, 0]
        ...     print(session.run(td.contrib.image.flat_transforms_to_matrices(moved))[0])
        [[1. 0. 5.]
         [0. 1. 7.]
         [0. 0. 1.]]
    """
    with name_scope("flat_transforms_to_matrices"):
        flat = _flat(transforms)
        last = ones(stack([shape(flat)[0], 1]))
        return reshape(concat([flat, last], 1), [-1, 3, 3])


def _flat(transforms: Any) -> Tensor:
    """Transforms as [n, 8]."""
    flat = convert_to_tensor(transforms, float32, name="transforms")
    if flat.shape.ndims not in (1, 2):
        raise ValueError(f"transforms must have shape [8] or [n, 8], got {flat.shape}")
    return expand_dims(flat, 0) if flat.shape.ndims == 1 else flat


def matrices_to_flat_transforms(transform_matrices: Any) -> Tensor:
    """Matrices as transforms.

    Args:
        transform_matrices: floats [3, 3] or [n, 3, 3], which say where pixels come from.

    Returns:
        A Tensor [n, 8] of the same dtype.

    Raises:
        ValueError: the matrices have another rank.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     matrix = [[2.0, 0, 10], [0, 2, 14], [0, 0, 2]]
        ...     print(session.run(td.contrib.image.matrices_to_flat_transforms(matrix)))
        [[1. 0. 5. 0. 1. 7. 0. 0.]]
    """
    with name_scope("matrices_to_flat_transforms"):
        matrices = convert_to_tensor(transform_matrices, name="transform_matrices")
        if matrices.shape.ndims not in (2, 3):
            raise ValueError(
                f"transform_matrices must have shape [3, 3] or [n, 3, 3], got {matrices.shape}"
            )
        flat = reshape(matrices, [-1, 9])
        scaled: Tensor = flat / flat[:, 8:9]
        return scaled[:, :8]


def compose_transforms(*transforms: Any) -> Tensor:
    """One transform for several, of which the last one moves pixels first.

    Args:
        transforms: float32 [8] or [n, 8] each.

    Returns:
        A float32 Tensor [n, 8].

    Raises:
        ValueError: there are none, or one has another rank.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     step = [1.0, 0, 5, 0, 1, 7, 0, 0]
        ...     print(session.run(td.contrib.image.compose_transforms(step, step)))
        [[ 1.  0. 10.  0.  1. 14.  0.  0.]]
    """
    if not transforms:
        raise ValueError("transforms must be one at least, got none")
    with name_scope("compose_transforms"):
        first, *others = [flat_transforms_to_matrices(flat) for flat in transforms]
        for matrices in others:
            first = matmul(first, matrices)
        return matrices_to_flat_transforms(first)


def angles_to_projective_transforms(
    angles: Any, image_height: Any, image_width: Any, name: str | None = None
) -> Tensor:
    """The transforms that turn images about their middle.

    Args:
        angles: in radians, counter-clockwise: a scalar or a vector of float32.
        image_height: the rows of the images: a float32 scalar.
        image_width: their columns.
        name: a name for the scope of the ops.

    Returns:
        A float32 Tensor [n, 8].

    Raises:
        ValueError: the angles have another rank.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     turned = td.contrib.image.angles_to_projective_transforms(0.0, 4.0, 6.0)
        ...     print(session.run(turned))
        [[ 1. -0.  0.  0.  1.  0.  0.  0.]]
    """
    with name_scope(name, "angles_to_projective_transforms", [angles]):
        turns = convert_to_tensor(angles, float32, name="angles")
        if turns.shape.ndims not in (0, 1):
            raise ValueError(f"angles must be a scalar or a vector, got shape {turns.shape}")
        turns = reshape(turns, [-1])
        across, down = image_width - 1, image_height - 1
        cosine, sine = cos(turns), sin(turns)
        x = (across - (cosine * across - sine * down)) / 2.0
        y = (down - (sine * across + cosine * down)) / 2.0
        nothing = zeros_like(turns)
        return stack([cosine, -sine, x, sine, cosine, y, nothing, nothing], 1)


def translations_to_projective_transforms(translations: Any, name: str | None = None) -> Tensor:
    """The transforms that move images.

    Args:
        translations: float32 [2] or [n, 2]: how many pixels to the right and down.
        name: a name for the scope of the ops.

    Returns:
        A float32 Tensor [n, 8].

    Raises:
        ValueError: the translations have another rank.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     moved = td.contrib.image.translations_to_projective_transforms([5.0, 7.0])
        ...     print(session.run(moved))
        [[ 1.  0. -5.  0.  1. -7.  0.  0.]]
    """
    with name_scope(name, "translations_to_projective_transforms", [translations]):
        steps = convert_to_tensor(translations, float32, name="translations")
        if steps.shape.ndims not in (1, 2):
            raise ValueError(f"translations must have shape [2] or [n, 2], got {steps.shape}")
        x, y = reshape(steps, [-1, 2])[:, 0], reshape(steps, [-1, 2])[:, 1]
        one, nothing = ones_like(x), zeros_like(x)
        return stack([one, nothing, -x, nothing, one, -y, nothing, nothing], 1)


def transform(
    images: TensorLike,
    transforms: Any,
    interpolation: str = "NEAREST",
    output_shape: Any = None,
    name: str | None = None,
) -> Tensor:
    """Images whose pixels come from where transforms say; outside of the image they are 0.

    Args:
        images: [rows, columns], [rows, columns, channels] or a batch of the latter: uint8, int32,
            int64 or floats.
        transforms: float32 [8], or [n, 8] for one transform for each image of a batch.
        interpolation: "NEAREST" for the next pixel, "BILINEAR" for the mean of the four around.
        output_shape: the rows and columns of the result, int32; by default those of the images.
        name: a name for the scope of the ops.

    Returns:
        A Tensor of the dtype and rank of `images`.

    Raises:
        ValueError: the images or the transforms have another rank.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(
        ...         session.run(td.contrib.image.transform([[1, 2, 3]], [1.0, 0, 1, 0, 1, 0, 0, 0]))
        ...     )
        [[2 3 0]]
    """
    with name_scope(name, "transform", [images, transforms]):
        x = convert_to_tensor(images, name="images")
        rank = x.shape.ndims
        if rank not in (2, 3, 4):
            raise ValueError(f"images must have rank 2, 3 or 4, got shape {x.shape}")
        around = {2: [0, -1], 3: [0], 4: []}[rank]
        for axis in around:
            x = expand_dims(x, axis)
        size = shape(x)[1:3] if output_shape is None else convert_to_tensor(output_shape, int32)
        moved: Tensor = IMAGE_PROJECTIVE_TRANSFORM_V2(
            x, _flat(transforms), size, interpolation=interpolation.upper()
        )
        return squeeze(moved, around) if around else moved


def rotate(
    images: TensorLike, angles: Any, interpolation: str = "NEAREST", name: str | None = None
) -> Tensor:
    """Images turned about their middle; what was outside is 0.

    Args:
        images: as for `td.contrib.image.transform`.
        angles: in radians, counter-clockwise: a scalar, or one for each image of a batch.
        interpolation: "NEAREST" or "BILINEAR".
        name: a name for the scope of the ops.

    Returns:
        A Tensor as `images`.

    Raises:
        ValueError: the images or the angles have another rank.

    Example:
        >>> import math
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.contrib.image.rotate([[1, 2], [3, 4]], math.pi / 2)))
        [[2 4]
         [1 3]]
    """
    with name_scope(name, "rotate", [images, angles]):
        x = convert_to_tensor(images, name="images")
        if x.shape.ndims not in (2, 3, 4):
            raise ValueError(f"images must have rank 2, 3 or 4, got shape {x.shape}")
        first = 1 if x.shape.ndims == 4 else 0
        sizes = cast(shape(x), float32)
        turned = angles_to_projective_transforms(angles, sizes[first], sizes[first + 1])
        return transform(x, turned, interpolation)


def translate(
    images: TensorLike, translations: Any, interpolation: str = "NEAREST", name: str | None = None
) -> Tensor:
    """Images moved; what was outside is 0.

    Args:
        images: as for `td.contrib.image.transform`.
        translations: float32 [2], or [n, 2] for each image of a batch: how many pixels to the
            right and down.
        interpolation: "NEAREST" or "BILINEAR".
        name: a name for the scope of the ops.

    Returns:
        A Tensor as `images`.

    Raises:
        ValueError: the images or the translations have another rank.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.contrib.image.translate([[1, 2, 3]], [1.0, 0.0])))
        [[0 1 2]]
    """
    with name_scope(name, "translate", [images, translations]):
        moved = translations_to_projective_transforms(translations)
        return transform(images, moved, interpolation)
