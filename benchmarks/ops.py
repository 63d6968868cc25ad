"""Each op of the documents on about 1M elements, against the best NumPy known for it.

A result is the caller's own in both: where an op is a view, both copy it once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from timing import Row, compare

import tensordraft as td

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LIMIT = 1.1
_RNG = np.random.default_rng(0)

FLOATS = _RNG.random((1000, 1000), np.float32)
CUBE = _RNG.random((100, 100, 100), np.float32)
IMAGES = _RNG.random((16, 128, 128, 4), np.float32)
INTS = _RNG.integers(0, 1000, 1_000_000, np.int32)
ROWS = _RNG.integers(0, 1000, 1000, np.int32)
MASK = _RNG.random(1000) < 0.5
LENGTHS = _RNG.integers(0, 1000, 1000, np.int32)
BYTES = _RNG.integers(0, 256, 1_000_000, np.uint8)
PARTS = _RNG.integers(0, 8, 1_000_000, np.int32)


class Work(NamedTuple):
    """One op: the graph function, the NumPy function, and the arrays that both receive."""

    name: str
    op: Callable[..., Any]
    numpy: Callable[..., Any]
    arrays: tuple[np.ndarray, ...]


def rows() -> Iterator[Row]:
    """Every op, by `make_callable`."""
    for work in (*_shaping(), *_joining(), *_gathering(), *_quantizing()):
        yield _row(work)


def _row(work: Work) -> Row:
    with td.Graph().as_default(), td.Session() as session:
        inputs = [td.placeholder(array.dtype, array.shape) for array in work.arrays]
        call = session.make_callable(work.op(*inputs), inputs)
        for _ in range(5):
            call(*work.arrays)
        return compare(
            work.name, lambda: call(*work.arrays), lambda: work.numpy(*work.arrays), _LIMIT
        )


def _shaping() -> Iterator[Work]:
    yield Work("cast", lambda x: td.cast(x, td.int32), lambda x: x.astype(np.int32), (FLOATS,))
    yield Work(
        "bitcast", lambda x: td.bitcast(x, td.int32), lambda x: x.view(np.int32).copy(), (FLOATS,)
    )
    yield Work(
        "saturate_cast",
        lambda x: td.saturate_cast(x, td.uint8),
        lambda x: np.clip(x, 0, 255).astype(np.uint8),
        (FLOATS,),
    )
    yield Work("reshape", lambda x: td.reshape(x, [-1]), lambda x: x.reshape(-1).copy(), (FLOATS,))
    yield Work(
        "expand_dims", lambda x: td.expand_dims(x, 1), lambda x: x[:, None].copy(), (FLOATS,)
    )
    yield Work(
        "transpose", lambda x: td.transpose(x, [2, 0, 1]), lambda x: x.transpose(2, 0, 1).copy(),
        (CUBE,),
    )  # fmt: skip
    yield Work("strided_slice", lambda x: x[::2, ::-1], lambda x: x[::2, ::-1].copy(), (FLOATS,))
    yield Work(
        "slice",
        lambda x: td.slice(x, [10, 10], [900, 900]),
        lambda x: x[10:910, 10:910].copy(),
        (FLOATS,),
    )
    yield Work("reverse", lambda x: td.reverse(x, [0]), lambda x: x[::-1].copy(), (FLOATS,))
    yield Work(
        "reverse_sequence",
        lambda x, n: td.reverse_sequence(x, n, seq_axis=1, batch_axis=0),
        _numpy_reverse_sequence,
        (FLOATS, LENGTHS),
    )


def _numpy_reverse_sequence(x: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    columns = np.arange(x.shape[1], dtype=np.int32)
    within = columns < lengths[:, None]
    index = np.where(within, lengths[:, None] - 1 - columns, columns)
    return np.take_along_axis(x, index, 1)


def _joining() -> Iterator[Work]:
    yield Work(
        "concat", lambda x: td.concat([x, x], 1), lambda x: np.concatenate([x, x], 1), (FLOATS,)
    )
    yield Work("stack", lambda x: td.stack([x, x], 1), lambda x: np.stack([x, x], 1), (FLOATS,))
    yield Work(
        "split",
        lambda x: td.split(x, 4, 1),
        lambda x: [part.copy() for part in np.split(x, 4, 1)],
        (FLOATS,),
    )
    yield Work(
        "unstack",
        lambda x: td.unstack(x, axis=0),
        lambda x: [x[i].copy() for i in range(len(x))],
        (CUBE,),
    )
    yield Work("tile", lambda x: td.tile(x, [2, 2]), lambda x: np.tile(x, (2, 2)), (FLOATS,))
    yield Work(
        "pad", lambda x: td.pad(x, [[5, 5], [7, 7]]), lambda x: np.pad(x, ((5, 5), (7, 7))),
        (FLOATS,),
    )  # fmt: skip
    yield Work(
        "pad reflect",
        lambda x: td.pad(x, [[5, 5], [7, 7]], "REFLECT"),
        lambda x: np.pad(x, ((5, 5), (7, 7)), "reflect"),
        (FLOATS,),
    )
    yield Work(
        "extract_image_patches",
        lambda x: td.extract_image_patches(x, [1, 3, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"),
        _numpy_patches,
        (IMAGES,),
    )
    yield Work(
        "space_to_batch",
        lambda x: td.space_to_batch(x, [[0, 0], [0, 0]], 2),
        _numpy_space_to_batch,
        (IMAGES,),
    )
    yield Work(
        "space_to_depth", lambda x: td.space_to_depth(x, 2), _numpy_space_to_depth, (IMAGES,)
    )


def _numpy_patches(x: np.ndarray) -> np.ndarray:
    windows = sliding_window_view(x, (3, 3), (1, 2))[:, ::2, ::2]
    n, h, w = windows.shape[:3]
    return windows.transpose(0, 1, 2, 4, 5, 3).reshape(n, h, w, -1)


def _numpy_space_to_batch(x: np.ndarray) -> np.ndarray:
    n, h, w, c = x.shape
    parts = x.reshape(n, h // 2, 2, w // 2, 2, c).transpose(2, 4, 0, 1, 3, 5)
    return parts.reshape(4 * n, h // 2, w // 2, c)


def _numpy_space_to_depth(x: np.ndarray) -> np.ndarray:
    n, h, w, c = x.shape
    parts = x.reshape(n, h // 2, 2, w // 2, 2, c).transpose(0, 1, 3, 2, 4, 5)
    return parts.reshape(n, h // 2, w // 2, 4 * c)


def _gathering() -> Iterator[Work]:
    yield Work("gather", td.gather, lambda x, i: x[i], (FLOATS, ROWS))
    pairs = np.stack([ROWS, ROWS[::-1]], 1)
    yield Work("gather_nd", td.gather_nd, lambda x, i: x[i[:, 0], i[:, 1]], (FLOATS, pairs))
    yield Work(
        "scatter_nd",
        lambda i, u: td.scatter_nd(i, u, [1000]),
        lambda i, u: np.bincount(i[:, 0], u, 1000).astype(np.float32),
        (INTS[:, None], FLOATS.reshape(-1)),
    )
    yield Work("boolean_mask", td.boolean_mask, lambda x, m: x[m], (FLOATS, MASK))
    yield Work(
        "dynamic_partition",
        lambda x, p: td.dynamic_partition(x, p, 8),
        lambda x, p: [x[p == i] for i in range(8)],
        (FLOATS.reshape(-1), PARTS),
    )
    yield Work(
        "one_hot",
        lambda i: td.one_hot(i, 1000),
        lambda i: (i[:, None] == np.arange(1000, dtype=np.int32)).astype(np.float32),
        (ROWS,),
    )
    yield Work(
        "sequence_mask",
        lambda n: td.sequence_mask(n, 1000),
        lambda n: np.arange(1000, dtype=np.int32) < n[:, None],
        (LENGTHS,),
    )
    yield Work("unique", td.unique, _numpy_unique, (INTS,))
    yield Work("setdiff1d", td.setdiff1d, _numpy_setdiff, (INTS, ROWS))


def _numpy_unique(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    values, first, inverse = np.unique(x, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return values[order], rank[inverse]


def _numpy_setdiff(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    kept = ~np.isin(x, y)
    return x[kept], np.flatnonzero(kept).astype(np.int32)


def _quantizing() -> Iterator[Work]:
    yield Work(
        "dequantize",
        lambda x: td.dequantize(td.bitcast(x, td.quint8), 0.0, 6.0),
        lambda x: x.astype(np.float32) * np.float32(6 / 255),
        (BYTES,),
    )
    yield Work(
        "quantize_v2",
        lambda x: td.quantize_v2(x, 0.0, 1.0, td.quint8)[0],
        lambda x: np.rint(np.clip(x, 0, 1) * np.float32(255)).astype(np.uint8),
        (FLOATS,),
    )
    yield Work(
        "fake_quant_with_min_max_args",
        lambda x: td.fake_quant_with_min_max_args(x, 0.0, 1.0),
        lambda x: np.rint(np.clip(x, 0, 1) * np.float32(255)) * np.float32(1 / 255),
        (FLOATS,),
    )
    yield Work(
        "alias_inplace_add",
        lambda x, v: td.alias_inplace_add(x + 0.0, ROWS[:10], v),
        _numpy_add_rows,
        (FLOATS, FLOATS[:10]),
    )


def _numpy_add_rows(x: np.ndarray, v: np.ndarray) -> np.ndarray:
    result = x + 0.0
    np.add.at(result, ROWS[:10], v)
    return result
