"""Rows of case tables in chunks: whatever falls apart gives in parts what it gives as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from cases import Array, Built, Case, Declare, Shape, as_array, build, constant, flat_inputs

import tensordraft as td
from tensordraft.distributed.data_parallel import SplitCall
from tensordraft.distributed.engine import InThisThread
from tensordraft.shape_inference.traits import Elementwise, Move, Reduction

Way = Mapping[int, int]
"""The axis called "rows" of some inputs, by their numbers."""


def ways(case: Case) -> Iterator[Way]:
    """The ways to split a case: each axis of each input, and what is as long along it."""
    flat = flat_inputs(case)
    shapes = [() if name in case.fixed else array.shape for name, array, _ in flat]
    seen = set()
    for i, shape in enumerate(shapes):
        for axis, size in enumerate(shape):
            together = {
                j: axis
                for j, other in enumerate(shapes)
                if len(other) > axis and other[axis] == size
            }
            for way in ({i: axis}, together):
                if (key := tuple(way.items())) not in seen:
                    seen.add(key)
                    yield way


def named(axis: int) -> Declare:
    """The input is fed, with its shape known, and an axis called "rows"."""

    def declare(array: Array) -> Shape:
        sizes: list[int | None] = list(array.shape)
        sizes[axis] = "rows"  # type: ignore[call-overload]
        return sizes

    return declare


def chunkings(rows: int) -> list[list[int]]:
    """So many rows in one, two, three and uneven chunks, with empty ones."""
    half, third = rows // 2, rows // 3
    found = [[rows], [half, rows - half], [third, third, rows - 2 * third]]
    return [*found, [0, min(rows, 1), 0, max(rows - 1, 0), 0]]


def split_ways(case: Case) -> Iterator[tuple[Built, SplitCall, td.Session, int]]:
    """The ways in which a case falls apart, ready to run."""
    for way in ways(case):
        try:
            built = build(case, constant, {i: named(axis) for i, axis in way.items()})
        except (TypeError, ValueError):
            continue  # what is known of constants does not fit a size that is not known
        with td.Session(graph=built.graph) as session:
            outputs = tuple(built.op.outputs)
            call = SplitCall(session, outputs, "rows", None, tuple(built.feeds))
            if call.stages.number and not call.analysis.mixed:
                first, axis = next(iter(built.feeds.values())), next(iter(way.values()))
                yield built, call, session, first.shape[axis]


def check_in_chunks(case: Case) -> None:
    """Checks that what falls apart gives in any chunks what it gives as a whole."""
    for built, call, session, rows in split_ways(case):
        wanted = built.run(session)
        same = identical if keeps_bits(call, built) else close
        for chunks in chunkings(rows):
            results = call.run(built.feeds, chunks, InThisThread())
            for result, whole in zip(results, wanted, strict=True):
                assert same(as_array(result), whole), f"{chunks}: got {result}, not {whole}"


def keeps_bits(call: SplitCall, built: Built) -> bool:
    """Returns True if chunks give the bits of the whole: nothing is combined across rows."""
    kinds = (Elementwise, Move, Reduction)
    parts = [call.analysis.parts[tensor] for tensor in built.op.outputs]
    return isinstance(built.op.definition.traits, kinds) and all(
        part.kind == "split" for part in parts
    )


def identical(actual: Array, wanted: Array) -> bool:
    """Compares two results bit for bit."""
    if actual.dtype != wanted.dtype or actual.shape != wanted.shape:
        return False
    if actual.dtype.kind == "O":
        return bool(np.all(actual == wanted))
    return actual.tobytes() == wanted.tobytes()


def close(actual: Array, wanted: Array) -> bool:
    """Compares two results up to the order in which floats were summed."""
    if actual.dtype != wanted.dtype or actual.shape != wanted.shape:
        return False
    if wanted.dtype.kind in "fcV" and not wanted.dtype.names:
        wide = np.complex128 if wanted.dtype.kind == "c" else np.float64
        tolerance = 1e-6 if wanted.dtype.itemsize >= 4 else 1e-2
        x, y = actual.astype(wide), wanted.astype(wide)
        return bool(np.allclose(x, y, tolerance, tolerance, equal_nan=True))
    return bool(np.all((actual == wanted) | ((actual != actual) & (wanted != wanted))))
