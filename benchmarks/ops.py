"""Each op of the documents on about 1M elements, against the best NumPy known for it.

A result is the caller's own in both: where an op is a view, both copy it once.

The five that take longest against NumPy do more than it: `string_to_number` parses as C does and
rounds once; `saturate_cast` is TensorFlow's two comparisons and a cast, where NumPy clips in one
pass; `meshgrid` multiplies by ones, as TensorFlow's graph does, where NumPy copies; a fake
quantization per channel has a range for each channel, and its rival one for all; `quantize_v2`
rounds halves away from zero, which takes two more passes than `np.rint`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from libraries import callables
from ml_dtypes import bfloat16
from numpy.lib.stride_tricks import sliding_window_view
from timing import Row, compare

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
CHANNELS = _RNG.random((250_000, 4), np.float32)
NUMBERS = np.array([b"%.3f" % x for x in _RNG.random(10_000)], object)
ORDER = _RNG.permutation(1000).astype(np.int32)
LOW, HIGH = np.float32(0), np.float32(1)
STEP = np.float32(1 / 255)


class Work(NamedTuple):
    """One op: the graph function, the NumPy function, and the arrays that both receive."""

    name: str
    op: Callable[..., Any]
    numpy: Callable[..., Any]
    arrays: tuple[np.ndarray, ...]


def rows() -> Iterator[Row]:
    """Every op, by `make_callable`."""
    for family in (_casting, _shaping, _joining, _blocks, _gathering, _quantizing, _in_place):
        for work in family():
            ours, tensorflow = callables(work.op, work.arrays)
            arrays = work.arrays
            yield compare(work.name, ours, partial(work.numpy, *arrays), _LIMIT, tensorflow)


def _casting() -> Iterator[Work]:
    yield Work(
        "string_to_number, 10k strings",
        lambda t, x: t.string_to_number(x),
        lambda x: x.astype(np.float32),
        (NUMBERS,),
    )
    yield Work("cast", lambda t, x: t.cast(x, t.int32), lambda x: x.astype(np.int32), (FLOATS,))
    yield Work(
        "to_bfloat16", lambda t, x: t.to_bfloat16(x), lambda x: x.astype(bfloat16), (FLOATS,)
    )
    yield Work(
        "bitcast", lambda t, x: t.bitcast(x, t.int32), lambda x: x.view(np.int32).copy(), (FLOATS,)
    )
    yield Work(
        "saturate_cast",
        lambda t, x: t.saturate_cast(x, t.uint8),
        lambda x: np.clip(x, 0, 255).astype(np.uint8),
        (FLOATS,),
    )


def _shaping() -> Iterator[Work]:
    yield Work(
        "reshape", lambda t, x: t.reshape(x, [-1]), lambda x: x.reshape(-1).copy(), (FLOATS,)
    )
    yield Work(
        "squeeze", lambda t, x: t.squeeze(x), lambda x: x.squeeze().copy(), (FLOATS[:, None],)
    )
    yield Work(
        "expand_dims", lambda t, x: t.expand_dims(x, 1), lambda x: x[:, None].copy(), (FLOATS,)
    )
    yield Work(
        "transpose",
        lambda t, x: t.transpose(x, [2, 0, 1]),
        lambda x: x.transpose(2, 0, 1).copy(),
        (CUBE,),
    )
    yield Work("strided_slice", lambda t, x: x[::2, ::-1], lambda x: x[::2, ::-1].copy(), (FLOATS,))
    yield Work(
        "slice",
        lambda t, x: t.slice(x, [10, 10], [900, 900]),
        lambda x: x[10:910, 10:910].copy(),
        (FLOATS,),
    )
    yield Work("reverse", lambda t, x: t.reverse(x, [0]), lambda x: x[::-1].copy(), (FLOATS,))
    yield Work(
        "reverse_sequence",
        lambda t, x, n: t.reverse_sequence(x, n, seq_axis=1, batch_axis=0),
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
        "concat",
        lambda t, x: t.concat([x, x], 1),
        lambda x: np.concatenate([x, x], 1),
        (FLOATS,),
    )
    yield Work("stack", lambda t, x: t.stack([x, x], 1), lambda x: np.stack([x, x], 1), (FLOATS,))
    yield Work(
        "parallel_stack",
        lambda t, x: t.parallel_stack([x, x]),
        lambda x: np.stack([x, x]),
        (FLOATS,),
    )
    yield Work(
        "split",
        lambda t, x: t.split(x, 4, 1),
        lambda x: [part.copy() for part in np.split(x, 4, 1)],
        (FLOATS,),
    )
    yield Work(
        "unstack",
        lambda t, x: t.unstack(x, axis=0),
        lambda x: [x[i].copy() for i in range(len(x))],
        (CUBE,),
    )
    yield Work("tile", lambda t, x: t.tile(x, [2, 2]), lambda x: np.tile(x, (2, 2)), (FLOATS,))
    yield Work(
        "pad",
        lambda t, x: t.pad(x, [[5, 5], [7, 7]]),
        lambda x: np.pad(x, ((5, 5), (7, 7))),
        (FLOATS,),
    )
    yield Work(
        "pad, reflected",
        lambda t, x: t.pad(x, [[5, 5], [7, 7]], "REFLECT"),
        lambda x: np.pad(x, ((5, 5), (7, 7)), "reflect"),
        (FLOATS,),
    )
    yield Work(
        "meshgrid",
        lambda t, x, y: t.meshgrid(x, y),
        lambda x, y: np.meshgrid(x, y, copy=True),
        (FLOATS[0], FLOATS[1]),
    )


def _blocks() -> Iterator[Work]:
    yield Work(
        "extract_image_patches",
        lambda t, x: t.extract_image_patches(x, [1, 3, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"),
        _numpy_patches,
        (IMAGES,),
    )
    yield Work(
        "space_to_batch",
        lambda t, x: t.space_to_batch(x, [[0, 0], [0, 0]], 2),
        _numpy_space_to_batch,
        (IMAGES,),
    )
    yield Work(
        "space_to_batch_nd, padded",
        lambda t, x: t.space_to_batch_nd(x, [2, 2], [[1, 1], [1, 1]]),
        lambda x: _numpy_space_to_batch(np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))),
        (IMAGES,),
    )
    yield Work(
        "batch_to_space",
        lambda t, x: t.batch_to_space(x, [[0, 0], [0, 0]], 2),
        _numpy_batch_to_space,
        (IMAGES,),
    )
    yield Work(
        "batch_to_space_nd, cropped",
        lambda t, x: t.batch_to_space_nd(x, [2, 2], [[1, 1], [1, 1]]),
        lambda x: _numpy_batch_to_space(x)[:, 1:-1, 1:-1].copy(),
        (IMAGES,),
    )
    yield Work(
        "space_to_depth", lambda t, x: t.space_to_depth(x, 2), _numpy_space_to_depth, (IMAGES,)
    )
    yield Work(
        "depth_to_space", lambda t, x: t.depth_to_space(x, 2), _numpy_depth_to_space, (IMAGES,)
    )


def _numpy_patches(x: np.ndarray) -> np.ndarray:
    windows = sliding_window_view(x, (3, 3), (1, 2))[:, ::2, ::2]
    n, h, w = windows.shape[:3]
    return windows.transpose(0, 1, 2, 4, 5, 3).reshape(n, h, w, -1)


def _numpy_space_to_batch(x: np.ndarray) -> np.ndarray:
    n, h, w, c = x.shape
    parts = x.reshape(n, h // 2, 2, w // 2, 2, c).transpose(2, 4, 0, 1, 3, 5)
    return parts.reshape(4 * n, h // 2, w // 2, c)


def _numpy_batch_to_space(x: np.ndarray) -> np.ndarray:
    n, h, w, c = x.shape
    parts = x.reshape(2, 2, n // 4, h, w, c).transpose(2, 3, 0, 4, 1, 5)
    return parts.reshape(n // 4, 2 * h, 2 * w, c)


def _numpy_space_to_depth(x: np.ndarray) -> np.ndarray:
    n, h, w, c = x.shape
    parts = x.reshape(n, h // 2, 2, w // 2, 2, c).transpose(0, 1, 3, 2, 4, 5)
    return parts.reshape(n, h // 2, w // 2, 4 * c)


def _numpy_depth_to_space(x: np.ndarray) -> np.ndarray:
    n, h, w, c = x.shape
    parts = x.reshape(n, h, w, 2, 2, c // 4).transpose(0, 1, 3, 2, 4, 5)
    return parts.reshape(n, 2 * h, 2 * w, c // 4)


def _gathering() -> Iterator[Work]:
    yield Work("gather", lambda t, x, i: t.gather(x, i), lambda x, i: x[i], (FLOATS, ROWS))
    yield Work(
        "gather, single elements",
        lambda t, x, i: t.gather(x, i),
        np.take,
        (FLOATS.reshape(-1), INTS),
    )
    yield Work(
        "gather_nd",
        lambda t, x, i: t.gather_nd(x, i),
        lambda x, i: x[i[:, 0], i[:, 1]],
        (FLOATS, np.stack([INTS, INTS[::-1]], 1)),
    )
    yield Work(
        "scatter_nd",
        lambda t, i, u: t.scatter_nd(i, u, [1000]),
        lambda i, u: np.bincount(i[:, 0], u, 1000).astype(np.float32),
        (INTS[:, None], FLOATS.reshape(-1)),
    )
    yield Work(
        "boolean_mask", lambda t, x, m: t.boolean_mask(x, m), lambda x, m: x[m], (FLOATS, MASK)
    )
    yield Work(
        "dynamic_partition",
        lambda t, x, p: t.dynamic_partition(x, p, 8),
        lambda x, p: [x[p == i] for i in range(8)],
        (FLOATS.reshape(-1), PARTS),
    )
    yield Work(
        "dynamic_stitch",
        lambda t, i, x: t.dynamic_stitch([i[:500], i[500:]], [x[:500], x[500:]]),
        _numpy_stitch,
        (ORDER, FLOATS),
    )
    yield Work(
        "one_hot",
        lambda t, i: t.one_hot(i, 1000),
        lambda i: (i[:, None] == np.arange(1000, dtype=np.int32)).astype(np.float32),
        (ROWS,),
    )
    yield Work(
        "sequence_mask",
        lambda t, n: t.sequence_mask(n, 1000),
        lambda n: np.arange(1000, dtype=np.int32) < n[:, None],
        (LENGTHS,),
    )
    yield Work("unique", lambda t, x: t.unique(x), _numpy_unique, (INTS,))
    yield Work(
        "unique_with_counts",
        lambda t, x: t.unique_with_counts(x),
        lambda x: (*(found := _numpy_unique(x)), np.bincount(found[1])),
        (INTS,),
    )
    yield Work("setdiff1d", lambda t, x, y: t.setdiff1d(x, y), _numpy_setdiff, (INTS, ROWS))


def _numpy_stitch(i: np.ndarray, x: np.ndarray) -> np.ndarray:
    result = np.empty_like(x)
    result[i] = x
    return result


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
        lambda t, x: t.dequantize(t.bitcast(x, t.quint8), 0.0, 6.0),
        lambda x: x.astype(np.float32) * np.float32(6 / 255),
        (BYTES,),
    )
    yield Work(
        "quantize_v2",
        lambda t, x: t.quantize_v2(x, 0.0, 1.0, t.quint8)[0],
        lambda x: np.rint(np.clip(x, LOW, HIGH) / STEP).astype(np.uint8),
        (FLOATS,),
    )
    yield Work(
        "quantized_concat",
        lambda t, x: t.quantized_concat(0, [t.bitcast(x, t.quint8)] * 2, [0.0, 0.0], [1.0, 1.0])[0],
        lambda x: np.concatenate([x, x]),
        (BYTES,),
    )
    yield Work(
        "fake_quant_with_min_max_args",
        lambda t, x: t.fake_quant_with_min_max_args(x, 0.0, 1.0),
        _numpy_fake_quant,
        (FLOATS,),
    )
    yield Work(
        "fake_quant_with_min_max_args_gradient",
        lambda t, g, x: t.fake_quant_with_min_max_args_gradient(g, x, 0.0, 1.0),
        lambda g, x: np.where((x >= LOW) & (x <= HIGH), g, np.float32(0)),
        (FLOATS, FLOATS),
    )
    yield Work(
        "fake_quant_with_min_max_vars",
        lambda t, x: t.fake_quant_with_min_max_vars(x, 0.0, 1.0),
        _numpy_fake_quant,
        (FLOATS,),
    )
    yield Work(
        "fake_quant_with_min_max_vars_gradient",
        lambda t, g, x: t.fake_quant_with_min_max_vars_gradient(g, x, 0.0, 1.0),
        lambda g, x: (
            np.where((x >= LOW) & (x <= HIGH), g, np.float32(0)),
            g[x < LOW].sum(),
            g[x > HIGH].sum(),
        ),
        (FLOATS, FLOATS),
    )
    yield Work(
        "fake_quant_with_min_max_vars_per_channel",
        lambda t, x: t.fake_quant_with_min_max_vars_per_channel(x, [0.0] * 4, [1.0] * 4),
        _numpy_fake_quant,
        (CHANNELS,),
    )


def _numpy_fake_quant(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.rint(np.clip(x, LOW, HIGH) / STEP) * STEP)


def _in_place() -> Iterator[Work]:
    def updated(change: Callable[..., None], x: np.ndarray, v: np.ndarray) -> np.ndarray:
        result = x + np.float32(0)
        change(result, ROWS[:10], v)
        return result

    for name, change in (
        ("alias_inplace_update", np.ndarray.__setitem__),
        ("alias_inplace_add", np.add.at),
        ("alias_inplace_subtract", np.subtract.at),
    ):
        yield Work(
            name,
            lambda t, x, v, name=name: getattr(t, name)(x + 0.0, ROWS[:10], v),
            partial(updated, change),
            (FLOATS, FLOATS[:10]),
        )
