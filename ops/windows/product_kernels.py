"""Kernels of products whose results are made some rows at a time, and whose filters can change."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...graph.kernel_spec import Accelerated, Filters, KernelSpec, Memory, Rows
from ..kit.allocation import check_size, new_array
from .convolution_rules import check_ranks
from .windowing import channels_back, channels_last

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...graph.kernel_spec import Loop
    from ...shape_inference.protocols import Array
    from ...shape_inference.sliding_windows import Sliding, Window

    Machine = Callable[..., None] | None
    Again = Callable[[], Array] | None
    RowsOf = Callable[[Array, Array, Any], Rows]


class Way(NamedTuple):
    """A way to make rows of images, filters and windows, for certain filters.

    Attributes:
        rows: makes them.
        told: what `explain` says of it.
    """

    rows: RowsOf
    told: str


def made_of(rows: Rows, dtype: np.dtype[Any]) -> Array:
    """A result that is to be made, as a new array."""
    result = new_array(rows.shape, dtype)
    rows.fill(result, None)
    return result


def side_by_side(parts: Sequence[Rows]) -> Rows:
    """Results of groups of channels, one after the other along the channels."""
    shape = (*parts[0].shape[:-1], sum(part.shape[-1] for part in parts))

    def fill(result: Array, finish: Callable[[int, int], Any] | None) -> None:
        start = 0
        for part in parts:
            stop = start + part.shape[-1]
            result[..., start:stop] = made_of(part, result.dtype)
            start = stop
        if finish is not None:
            finish(0, result.size // max(start, 1))

    return Rows(shape, fill)


class SlidingProduct:
    """What makes kernels of images and filters that slide over them.

    Args:
        slide: how they slide.
        dtype: of both.
        check: called with how they slide and the shapes of both; raises a ValueError if they do not
            fit.
        rows_by: from constant filters, if there are any, and machine code, if there is any, to the
            function that makes rows of images, channels last, filters and windows, in the dtype
            that sums are made in.
        shape_of_factor: the shape in which factors of the channels of a result are multiplied with
            filters of a shape.
        loop: from the dtype that sums are made in to the loop that machine code is made of.
        quicker: from constant filters, windows and what makes these filters again, if they are not
            kept elsewhere, to a quicker way to make rows of any filters of their shape, which
            rounds otherwise, and what it is called; None where there is none.
    """

    def __init__(
        self,
        slide: Sliding,
        dtype: np.dtype[Any],
        check: Callable[[Sliding, Any, Any], Any],
        rows_by: Callable[[Array | None, Machine], RowsOf],
        shape_of_factor: Callable[[tuple[int, ...]], tuple[int, ...]],
        loop: Callable[[np.dtype[Any]], Loop | None] = lambda _: None,
        quicker: Callable[[Array, Sequence[Window], Again], Way | None] = lambda *_: None,
    ) -> None:
        self._rank = len(slide.strides)
        self._channels = slide.channels
        self._dtype = dtype
        self._inner = np.dtype(np.float32) if dtype.itemsize == 2 else dtype
        self._rows_by = rows_by
        self._shape_of_factor = shape_of_factor
        self._loop = loop(self._inner)
        self._slide = slide
        self._quicker = quicker
        self._sliding = partial(
            SlidingProduct,
            dtype=dtype,
            check=check,
            rows_by=rows_by,
            shape_of_factor=shape_of_factor,
            loop=loop,
            quicker=quicker,
        )

        @lru_cache
        def windows(image: tuple[int, ...], filters: tuple[int, ...]) -> tuple[Window, ...]:
            check(slide, image, filters)
            return slide.windows(filters[:-2])

        self._windows = windows

    def kernel(
        self, filters: Array | None, machine: Machine = None, again: Again = None
    ) -> KernelSpec:
        """The kernel for these filters; for any, if None are given."""
        if filters is not None and filters.ndim != self._rank:
            filters = None
        rows_of = self._rows_by(
            None if filters is None else filters.astype(self._inner, copy=False), machine
        )
        way = None
        if filters is not None and filters.dtype == self._inner:
            way = self._quicker(filters, self._slide.windows(filters.shape[:-2]), again)
        return self._kernel_of(filters, machine, rows_of, way, shape_alone=again is not None)

    def _kernel_of(
        self,
        filters: Array | None,
        machine: Machine,
        rows_of: RowsOf,
        way: Way | None = None,
        told: str = "",
        shape_alone: bool = False,
    ) -> KernelSpec:

        def rows(x: Array, filters: Array) -> Rows:
            check_ranks(self._rank, input=x, filter=filters)
            windows = self._windows(x.shape, filters.shape)
            x = channels_last(x, self._channels).astype(self._inner, copy=False)
            result = rows_of(x, filters.astype(self._inner, copy=False), windows)
            check_size(result.shape, self._inner)
            return result

        def product(x: Array, filters: Array) -> Array:
            result = made_of(rows(x, filters), self._inner)
            return channels_back(result, self._channels).astype(self._dtype, copy=False)

        axis = self._channels - self._rank
        return KernelSpec(
            product,
            Memory.FRESH,
            filters=None if filters is None else Filters(self._rank, axis, 1, self._times(filters)),
            rows=rows if axis == -1 and self._inner is self._dtype else None,
            accelerated=None
            if self._loop is None or machine is not None
            else Accelerated(self._loop, partial(self.kernel, filters)),
            quicker=None
            if way is None
            else partial(self._quicker_kernel, machine, way, shape_alone),
            told=told,
            within=partial(self._within, filters, machine),
        )

    def _quicker_kernel(self, machine: Machine, way: Way, shape_alone: bool) -> KernelSpec:
        kernel = self._kernel_of(None, machine, way.rows, told=way.told)
        kernel.shape_alone = (1,) if shape_alone else ()
        return kernel

    def _within(
        self, filters: Array | None, machine: Machine, margins: Sequence[int]
    ) -> KernelSpec | None:
        """The kernel for images between margins, that takes them without."""
        slide = self._slide
        fits = len(margins) == len(slide.margins) and not slide.same
        for axis in (0, slide.channels):
            fits = fits and not any(margins[2 * axis : 2 * axis + 2])
        if not fits:
            return None
        both = [sum(pair) for pair in zip(margins, slide.margins, strict=True)]
        return self._sliding(slide._replace(margins=both)).kernel(filters, machine)

    def _times(self, filters: Array) -> Callable[[Array], tuple[Array, KernelSpec]]:
        def times(factor: Array) -> tuple[Array, KernelSpec]:
            shaped = factor.reshape(self._shape_of_factor(filters.shape))

            def made() -> Array:
                folded = np.empty(filters.shape, filters.dtype)
                np.multiply(filters, shaped, out=folded, casting="same_kind")  # in float64
                return folded

            folded = made()
            return folded, self.kernel(folded, again=made)

        return times
