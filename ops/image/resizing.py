"""Images made larger or smaller, and cut out; users find them in `td.image`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph import errors
from ...graph.op_def import OpDef
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits
from ..kit.allocation import check_size, new_array
from .resize_scales import between, modes_of, nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...graph.node import Tensor
    from ...graph.surface.tensor_like import TensorLike
    from ...shape_inference.context import KernelContext, ShapeContext
    from ...shape_inference.protocols import Array, Kernel

    Resize = Callable[[Array, int, int], Array]

public = {"td.image": "crop_and_resize resize_bilinear resize_nearest_neighbor"}

IMAGE_TYPES = "int8, uint8, int16, uint16, int32, int64, bfloat16, half, float32, float64"
RESIZE_MODES = "align_corners: bool = false, half_pixel_centers: bool = false"
RESIZE_BILINEAR = OpDef(
    "ResizeBilinear",
    "images: T, size: int32 -> resized_images: float32",
    f"T: {{{IMAGE_TYPES}}}, {RESIZE_MODES}",
    traits=Traits(splits="n*,*->n*"),
)
RESIZE_NEAREST_NEIGHBOR = OpDef(
    "ResizeNearestNeighbor",
    "images: T, size: int32 -> resized_images: T",
    f"T: {{{IMAGE_TYPES}}}, {RESIZE_MODES}",
    traits=Traits(splits="n*,*->n*"),
)


@RESIZE_BILINEAR.shape
@RESIZE_NEAREST_NEIGHBOR.shape
def resize_shape(c: ShapeContext) -> TensorShape:
    """The shape of `images` in another `size`."""
    batch, _, _, channels = _sizes(c, "images", 4)
    (length,) = _sizes(c, "size", 1)
    c.same_size("the length of size and the number of dimensions of space", length, 2)
    size = c.value("size")
    known: list[Any] = [None, None] if size is None else size.tolist()
    # A size that is not positive is an error of the run, as in TensorFlow.
    space = [None if isinstance(n, int) and n < 1 else n for n in known]
    return TensorShape.of((batch, *space, channels))


def _sizes(c: ShapeContext, name: str, rank: int) -> tuple[Any, ...]:
    return c.shape(name, rank=rank).sizes or ()


def resizing(c: KernelContext, resize: Resize) -> Kernel:
    """The kernel that checks images and sizes before it resizes them."""
    dtype = c.output_dtype.numpy_dtype

    def resized(images: Array, size: Array) -> Array:
        if images.ndim != 4:
            raise ValueError(f"images must have rank 4, got shape {list(images.shape)}")
        if size.shape != (2,):
            raise ValueError(f"size must have shape [2], got {list(size.shape)}")
        for i, number in enumerate(size.tolist()):
            if number < 1:
                raise ValueError(f"size[{i}] = {number} is not at least 1")
        if 0 in images.shape[1:]:
            raise ValueError(f"images must not be empty, got shape {list(images.shape)}")
        rows, columns = size.tolist()
        check_size((images.shape[0], rows, columns, images.shape[3]), dtype)
        return resize(images, rows, columns)

    return resized


@RESIZE_BILINEAR.fresh_kernel
def _resize_bilinear_kernel(c: KernelContext) -> Kernel:
    modes = modes_of(c)

    def resize(images: Array, rows: int, columns: int) -> Array:
        top, bottom, down = between(images.shape[1], rows, *modes)
        left, right, across = between(images.shape[2], columns, *modes)
        used, ranks = np.unique(np.concatenate([top, bottom]), return_inverse=True)
        above, below = ranks[:rows], ranks[rows:]
        result = np.empty((len(images), rows, columns, images.shape[3]), np.float32)
        for image, target in zip(images, result, strict=True):
            image = image[used] if len(used) < len(image) else image
            lines = _stretched(image.astype(np.float32, copy=False), left, right, across)
            first = lines[above]
            line = lines[below]
            line -= first
            line *= down[:, None]
            np.add(line, first, target.reshape(rows, -1))
        return result

    return resizing(c, resize)


def _stretched(image: Array, left: Array, right: Array, across: Array) -> Array:
    """The rows of an image [rows, columns, channels] in other columns, flat: the means of two."""
    channels = image.shape[2]
    flat = image.reshape(len(image), -1)
    before, after = (
        (x[:, None] * channels + np.arange(channels)).reshape(-1) for x in (left, right)
    )
    start: Array = flat.take(before, 1)
    line: Array = flat.take(after, 1)
    line -= start
    line *= np.repeat(across, channels)
    line += start
    return line


def bilinear_mean(
    upper: Array, lower: Array, left: Array, right: Array, across: Array, down: Array
) -> Array:
    """The mean of four pixels: of two in each of two rows, then of the rows.

    Args:
        upper: for each row of the result the row of the images before it.
        lower: the row after it.
        left: for each column of the result the column before it.
        right: the column after it.
        across: how near each column is to these.
        down: how near each row is to those.
    """
    lines = []
    for row in (upper, lower):
        line = row[:, :, right]
        start = row[:, :, left]
        line -= start
        line *= across[:, None]
        line += start
        lines.append(line)
    first, result = lines
    result -= first
    result *= down
    result += first
    return result


@RESIZE_NEAREST_NEIGHBOR.fresh_kernel
def _resize_nearest_neighbor_kernel(c: KernelContext) -> Kernel:
    modes = modes_of(c)

    def resize(images: Array, rows: int, columns: int) -> Array:
        down = nearest(images.shape[1], rows, *modes)
        across = nearest(images.shape[2], columns, *modes)
        return images[:, down][:, :, across]

    return resizing(c, resize)


CROP_AND_RESIZE = OpDef(
    "CropAndResize",
    "image: T, boxes: float32, box_ind: int32, crop_size: int32 -> crops: float32",
    "T: {uint8, uint16, int8, int16, int32, int64, half, float32, float64}, "
    "method: {'bilinear', 'nearest'} = 'bilinear', extrapolation_value: float = 0.0",
    traits=Traits(splits="*,n*,n,*->n*"),
)


@CROP_AND_RESIZE.shape
def _crop_and_resize_shape(c: ShapeContext) -> TensorShape:
    *_, channels = _sizes(c, "image", 4)
    number, corners = _sizes(c, "boxes", 2)
    c.same_size("the second size of boxes and the number of corners", corners, 4)
    (indices,) = _sizes(c, "box_ind", 1)
    number = c.same_size("the number of boxes and of box_ind", number, indices)
    (length,) = _sizes(c, "crop_size", 1)
    c.same_size("the length of crop_size and the number of dimensions of space", length, 2)
    size = c.value("crop_size")
    known: list[Any] = [None, None] if size is None else size.tolist()
    space = [None if isinstance(n, int) and n < 1 else n for n in known]
    return TensorShape.of((number, *space, channels))


@CROP_AND_RESIZE.fresh_kernel
def _crop_and_resize_kernel(c: KernelContext) -> Kernel:
    extrapolated = np.float32(c.attr("extrapolation_value"))
    cut = _cut_nearest if c.attr("method") == b"nearest" else _cut_bilinear

    def crop_and_resize(image: Array, boxes: Array, box_ind: Array, crop_size: Array) -> Array:
        check_crops(image.shape, boxes, box_ind, crop_size)
        rows, columns = crop_size.tolist()
        shape = (len(boxes), rows, columns, image.shape[3])
        check_size(shape, np.dtype(np.float32))
        down = places_of_crops(boxes[:, 0], boxes[:, 2], image.shape[1], rows)
        across = places_of_crops(boxes[:, 1], boxes[:, 3], image.shape[2], columns)
        inside_rows = (down >= 0) & (down <= image.shape[1] - 1)
        inside_columns = (across >= 0) & (across <= image.shape[2] - 1)
        inside = inside_rows[:, :, None] & inside_columns[:, None, :]
        crops = cut(
            image,
            box_ind[:, None, None],
            np.where(inside_rows, down, 0)[:, :, None],
            np.where(inside_columns, across, 0)[:, None, :],
        )
        result = new_array(shape, np.dtype(np.float32))
        result[...] = extrapolated
        np.copyto(result, crops, where=inside[..., None])
        return result

    return crop_and_resize


def check_crops(image: Sequence[int], boxes: Array, box_ind: Array, crop_size: Array) -> None:
    """Checks that crops of images of a shape can be made.

    Raises:
        ValueError: an argument has another shape, or the boxes are not finite.
        OutOfRangeError: there is no image of a number.
    """
    if len(image) != 4:
        raise ValueError(f"image must have rank 4, got shape {list(image)}")
    if 0 in image[1:3]:
        raise ValueError(f"image must not be empty, got shape {list(image)}")
    if boxes.ndim != 2 or boxes.shape[1] != 4:
        raise ValueError(f"boxes must have shape [number, 4], got {list(boxes.shape)}")
    if box_ind.shape != boxes.shape[:1]:
        raise ValueError(f"box_ind must have shape [{len(boxes)}], got {list(box_ind.shape)}")
    if crop_size.shape != (2,):
        raise ValueError(f"crop_size must have shape [2], got {list(crop_size.shape)}")
    if crop_size.min() < 1:
        raise ValueError(f"crop_size must be at least 1, got {crop_size.tolist()}")
    if not np.isfinite(boxes).all():
        raise ValueError("boxes must be finite")
    for i, index in enumerate(box_ind.tolist()):
        if not 0 <= index < image[0]:
            raise errors.OutOfRangeError(
                None, None, f"box_ind[{i}] = {index} is not in [0, {image[0]})"
            )


def places_of_crops(start: Array, end: Array, size: int, wanted: int) -> Array:
    """Where in the image the rows, or columns, of each crop lie."""
    last = np.float32(size - 1)
    if wanted == 1:
        return np.asarray(np.float32(0.5) * (start + end) * last)[:, None]
    step = (end - start) * last / np.float32(wanted - 1)
    return np.asarray((start * last)[:, None] + np.arange(wanted, dtype=np.float32) * step[:, None])


def _cut_bilinear(image: Array, batch: Array, down: Array, across: Array) -> Array:
    def pixels(rows: Array, columns: Array) -> Array:
        found = image[batch, rows.astype(np.intp), columns.astype(np.intp)]
        return found.astype(np.float32, copy=False)

    top, left = np.floor(down), np.floor(across)
    bottom, right = np.ceil(down), np.ceil(across)
    share = (across - left)[..., None]
    upper, lower = (
        start + (pixels(rows, right) - start) * share
        for rows, start in ((top, pixels(top, left)), (bottom, pixels(bottom, left)))
    )
    return np.asarray(upper + (lower - upper) * (down - top)[..., None])


def _cut_nearest(image: Array, batch: Array, down: Array, across: Array) -> Array:
    rows, columns = ((place + np.float32(0.5)).astype(np.intp) for place in (down, across))
    return np.asarray(image[batch, rows, columns])


def resize_bilinear(
    images: TensorLike,
    size: TensorLike,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Images in another size: each pixel is the mean of the four next to its place.

    Args:
        images: [batch, rows, columns, channels] of numbers.
        size: the rows and columns of the result, int32.
        align_corners: whether the centres of the corner pixels stay where they are.
        name: a name for the op.
        half_pixel_centers: whether pixels are taken to be squares rather than points.

    Returns:
        A float32 Tensor [batch, size[0], size[1], channels]. A size less than 1, or empty images,
        are an InvalidArgumentError at the run.

    Raises:
        ValueError: `images` is not of rank 4, or `size` has not 2 elements.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     wide = td.image.resize_bilinear([[[[0.0], [4.0]]]], [1, 4])
        ...     print(session.run(wide).ravel())
        [0. 2. 4. 4.]
    """
    return RESIZE_BILINEAR(
        images,
        size,
        align_corners=align_corners,
        half_pixel_centers=half_pixel_centers,
        name=name,
    )


def resize_nearest_neighbor(
    images: TensorLike,
    size: TensorLike,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Images in another size: each pixel is the one at its place, or next to it.

    Args:
        images: [batch, rows, columns, channels] of numbers.
        size: the rows and columns of the result, int32.
        align_corners: whether the centres of the corner pixels stay where they are.
        name: a name for the op.
        half_pixel_centers: whether pixels are taken to be squares rather than points.

    Returns:
        A Tensor [batch, size[0], size[1], channels] of the dtype of `images`. A size less than 1,
        or empty images, are an InvalidArgumentError at the run.

    Raises:
        ValueError: `images` is not of rank 4, or `size` has not 2 elements.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     wide = td.image.resize_nearest_neighbor([[[[0], [4]]]], [1, 4])
        ...     print(session.run(wide).ravel())
        [0 0 4 4]
    """
    return RESIZE_NEAREST_NEIGHBOR(
        images,
        size,
        align_corners=align_corners,
        half_pixel_centers=half_pixel_centers,
        name=name,
    )


def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_ind: TensorLike,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: float = 0,
    name: str | None = None,
) -> Tensor:
    """Boxes cut out of images, all resized to one size.

    Args:
        image: [batch, rows, columns, channels] of numbers.
        boxes: [number, 4] of float32: for each crop `y1, x1, y2, x2`, where 0 and 1 are the first
            and the last pixel. With `y1 > y2` it is turned upside down.
        box_ind: [number] of int32: which image each crop is cut from.
        crop_size: the rows and columns of the crops, int32.
        method: "bilinear" for the mean of the four next pixels, "nearest" for the next one.
        extrapolation_value: what stands for pixels outside of the image.
        name: a name for the op.

    Returns:
        A float32 Tensor [number, crop_size[0], crop_size[1], channels].

    Raises:
        ValueError: the shapes do not fit together.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     image = [[[[1.0], [2.0], [3.0]]]]
        ...     crops = td.image.crop_and_resize(image, [[0.0, 0.5, 0.0, 1.0]], [0], [1, 2])
        ...     print(session.run(crops).ravel())
        [2. 3.]
    """
    return CROP_AND_RESIZE(
        image,
        boxes,
        box_ind,
        crop_size,
        method=method,
        extrapolation_value=extrapolation_value,
        name=name,
    )
