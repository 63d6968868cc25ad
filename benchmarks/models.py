"""Networks against the bare matrix products in them, of the shapes that convolutions unfold to.

So the ratio shows the cost of the rest: im2col, depthwise convolutions, scales, activations.
Where numba is installed, as it was here, much of that is machine code.
Below, whole architectures stand against TensorFlow, the shortest of interleaved runs of each.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from architectures import rows as architectures
from libraries import callables
from timing import Row, compare

import tensordraft as td

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
# Channels and strides of MobileNet's blocks, at a quarter of its width.
_BLOCKS = [(16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2), *5 * [(128, 1)]]
_BLOCKS += [(256, 2), (256, 1)]
_RNG = np.random.default_rng(0)


def rows() -> Iterator[Row]:
    """Networks built here, and those of the examples."""
    yield _row("MobileNet 0.25, 4 images 128x128", _mobilenet, _images(4, 128, 3), 10)
    yield _row("3 residual blocks, 28x28x256", _residual_blocks, _images(1, 28, 256), 2)
    yield _row("3x3 convolution, 56x56x128 to 256", _wide_convolution, _images(1, 56, 128), 2)
    yield _row("dense layer, 256 rows, 1024 to 4096", _dense_layer, _array(256, 1024), 2)
    for name, repeated, limit in (("shapes", 10, 10), ("attention", 1, None), ("lstm", 1, None)):
        yield _frozen(name, repeated, limit)
    yield from architectures()


def _row(
    name: str, network: Callable[..., Any], value: np.ndarray, limit: float | None = None
) -> Row:
    ours, tensorflow = callables(network, [value])
    factors = [(_array(m, k), _array(k, n)) for m, k, n in _products(network, value)]
    return compare(
        name, ours, lambda: [np.matmul(x, y) for x, y in factors], limit, tensorflow, seconds=2.0
    )


def _products(network: Callable[..., Any], value: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """The rows, inner sizes and columns of the matrix products of a network."""
    with td.Graph().as_default() as graph, td.Session() as session:
        x = td.placeholder(value.dtype, value.shape)
        metadata = td.RunMetadata()
        options = td.RunOptions(trace_level=td.RunOptions.FULL_TRACE)
        session.run(network(td, x), {x: value}, options, metadata)
        for trace in metadata.step_stats:
            if trace.type in ("Conv2D", "MatMul"):
                *lead, columns = trace.shapes[0]
                weights: Any = graph.get_operation_by_name(trace.name).inputs[1].shape
                yield math.prod(lead), math.prod(weights.as_list()) // columns, columns


def _mobilenet(library: Any, x: Any) -> Any:
    x = _scaled(library, _convolved(library, x, 3, 8, 2))
    for channels, stride in _BLOCKS:
        depthwise = _array(3, 3, int(x.shape[3]), 1)
        strides = [1, stride, stride, 1]
        x = _scaled(library, library.nn.depthwise_conv2d(x, depthwise, strides, "SAME"))
        x = _scaled(library, _convolved(library, x, 1, channels))
    features = library.reduce_mean(x, [1, 2], keepdims=True)
    return library.nn.softmax(_convolved(library, features, 1, 1000)[:, 0, 0])


def _residual_blocks(library: Any, x: Any) -> Any:
    for _ in range(3):
        y = _scaled(library, _convolved(library, x, 1, 64))
        y = _scaled(library, _convolved(library, y, 3, 64))
        x = library.nn.relu(x + _convolved(library, y, 1, 256))
    return x


def _wide_convolution(library: Any, x: Any) -> Any:
    return library.nn.relu(_convolved(library, x, 3, 256))


def _dense_layer(library: Any, x: Any) -> Any:
    return library.nn.relu(library.nn.bias_add(library.matmul(x, _array(1024, 4096)), _array(4096)))


def _convolved(library: Any, x: Any, size: int, channels: int, stride: int = 1) -> Any:
    filters = _array(size, size, int(x.shape[3]), channels)
    return library.nn.conv2d(x, filters, [1, stride, stride, 1], "SAME")


def _scaled(library: Any, x: Any) -> Any:
    """Batch normalization as freezing leaves it, and the activation."""
    channels = int(x.shape[3])
    return library.nn.relu6(x * _array(channels) + _array(channels))


def _frozen(name: str, repeated: int, limit: float | None) -> Row:
    case = np.load(EXAMPLES / f"{name}.npz")
    data = (EXAMPLES / f"{name}.pb").read_bytes()

    def network(library: Any, x: Any) -> Any:
        graph_def = library.GraphDef.FromString(data)
        [result] = library.import_graph_def(
            graph_def, {str(case["input_name"]): x}, [str(case["output_name"])], name=""
        )
        return result

    value = np.concatenate([case["input"]] * repeated)
    return _row(f"examples/{name}.pb, {len(value)} inputs", network, value, limit)


def _images(count: int, size: int, channels: int) -> np.ndarray:
    return _array(count, size, size, channels)


def _array(*shape: int) -> np.ndarray:
    """Random numbers, so scaled that a sum of products of them is about 1."""
    scale = math.prod(shape[:-1]) ** -0.5 if len(shape) > 1 else 1.0
    return (_RNG.standard_normal(shape) * scale).astype(np.float32)
