"""Ops that TensorFlow.js lacks, written as others: the model that is read again computes the same.

What TensorFlow.js itself computes from such models was compared with results here, in Node.js.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typed_arrays import f32

import tensordraft as td
from tensordraft.graph.registry import lookup
from tensordraft.model_files.tfjs.op_types import OP_TYPES

RNG = np.random.default_rng(0)


def _weight(*shape: int) -> Any:
    return td.constant(RNG.normal(size=shape).astype(np.float32))


def _integers(op_type: str) -> Callable[[], Any]:
    return lambda: lookup(op_type)(_input([6], td.int32), td.constant([3, -3, 2, -2, 5, 1]))


def _input(shape: list[Any], dtype: Any = td.float32) -> Any:
    return td.placeholder(dtype, shape, name="x")


LOOP = ("Enter", "Exit", "LoopCond", "Merge", "NextIteration", "Switch")
IMAGE = [2, 4, 7, 7]
CHANNELS_FIRST = {"data_format": "NCHW"}


def _conv(channels: int, filters: tuple[int, ...], **attrs: Any) -> Callable[[], Any]:
    def make() -> Any:
        x = _input([2, 6, 6, channels])
        return lookup("Conv2D")(x, _weight(*filters), strides=[1, 2, 2, 1], padding="SAME", **attrs)

    return make


def _norm(op_type: str, training: bool, **attrs: Any) -> Callable[[], Any]:
    def make() -> Any:
        channels_first = attrs.get("data_format") == "NCHW"
        x = _input([2, 3, 4, 4] if channels_first else [2, 4, 4, 3])
        scale, offset, mean, variance = (_weight(3), _weight(3), _weight(3), td.abs(_weight(3)))
        if training:
            mean = variance = td.constant([], td.float32)
        op = lookup(op_type)
        return op(x, scale, offset, mean, variance, is_training=training, epsilon=0.01, **attrs)[0]

    return make


def _first_conv() -> Any:
    x = _input(IMAGE)
    return td.nn.conv2d(x, _weight(3, 3, 4, 5), [1, 1, 2, 2], "VALID", data_format="NCHW")


def _padded_conv() -> Any:
    pads = [0, 0, 0, 0, 1, 0, 0, 2]
    op = lookup("Conv2D")
    return op(
        _input(IMAGE),
        _weight(3, 3, 4, 5),
        strides=[1, 1, 1, 1],
        padding="EXPLICIT",
        explicit_paddings=pads,
        **CHANNELS_FIRST,
    )


def _select_rows() -> Any:
    x = _input([3, 2])
    return lookup("Select")(td.constant([True, False, True]), x, -x)


def _in_function() -> Any:
    x = _input([3])
    less = td.constant(2.0)
    body = lambda i, a: (i + 1, td.erfc(a) * td.nn.softsign(a) - less)  # noqa: E731
    return td.while_loop(lambda i, _: i < 3, body, [td.constant(0), x])[1]


def _split_results() -> Any:
    x = _input([4, 3])
    values, places = td.nn.top_k(x, 2)
    return td.concat([values, td.cast(places, td.float32)], 1)


def _old_top() -> Any:
    return lookup("TopK")(_input([4, 3]), k=2)[0]


# What makes the result, and op types that must not be in the written model.
CASES: dict[str, tuple[Callable[[], Any], str]] = {
    "erfc": (lambda: td.erfc(_input([5])), "Erfc"),
    "softsign": (lambda: td.nn.softsign(_input([5])), "Softsign"),
    "l2_loss": (lambda: td.nn.l2_loss(_input([5, 2])), "L2Loss"),
    "mod": (_integers("TruncateMod"), "TruncateMod"),
    "truncate_div": (_integers("TruncateDiv"), "TruncateDiv"),
    "div_of_integers": (_integers("Div"), "Div"),
    "div_of_floats": (lambda: lookup("Div")(_input([5]), td.constant(3.0)), "Div"),
    "xlogy": (lambda: lookup("Xlogy")(td.nn.relu(_input([5])), td.constant(3.0)), "Xlogy"),
    "xlog1py": (lambda: lookup("Xlog1py")(_input([5]), td.constant(3.0)), "Xlog1py"),
    "xdivy": (lambda: lookup("Xdivy")(td.nn.relu(_input([5])), td.constant(3.0)), "Xdivy"),
    "inverse": (lambda: lookup("Inv")(_input([5])), "Inv"),
    "check": (lambda: td.exp(td.check_numerics(_input([5]), "no")), "CheckNumerics"),
    "one_hot_first": (lambda: td.one_hot(_input([5], td.int32), 4, axis=0), ""),
    "one_hot_last": (lambda: td.one_hot(_input([5], td.int32), 4, axis=1), ""),
    "select_rows": (_select_rows, "Select"),
    "select": (lambda: lookup("Select")(_input([3]) > 0, td.ones([3]), td.zeros([3])), "Select"),
    "top": (_old_top, "TopK"),
    "second_result": (_split_results, ""),
    "depthwise_conv": (_conv(4, (3, 3, 1, 8)), "Conv2D"),
    "grouped_conv": (_conv(6, (3, 3, 3, 4)), ""),
    "plain_conv": (_conv(3, (3, 3, 3, 4)), ""),
    "norm": (_norm("FusedBatchNormV3", training=False), ""),
    "norm_in_training": (_norm("FusedBatchNormV3", training=True), "FusedBatchNormV3"),
    "norm_first": (_norm("FusedBatchNorm", training=True, **CHANNELS_FIRST), "FusedBatchNorm"),
    "old_norm": (
        lambda: td.nn.batch_norm_with_global_normalization(
            *(_input([2, 4, 4, 3]), _weight(3), td.abs(_weight(3)), _weight(3), _weight(3)),
            *(0.01, True),
        ),
        "BatchNormWithGlobalNormalization",
    ),
    "conv_first": (_first_conv, ""),
    "padded_conv_first": (_padded_conv, ""),
    "bias_first": (lambda: td.nn.bias_add(_input(IMAGE), _weight(4), data_format="NCHW"), ""),
    "pool_first": (
        lambda: td.nn.max_pool(
            _input(IMAGE), [1, 1, 2, 2], [1, 1, 2, 2], "SAME", data_format="NCHW"
        ),
        "",
    ),
    "in_loop": (_in_function, "Erfc"),
    "narrow_integers": (
        lambda: td.cast(_input([3], td.int32), td.int16) + td.cast(2, td.int16),
        "",
    ),
}


def _fed(tensor: Any) -> Any:
    shape = [3 if size is None else size for size in tensor.shape.as_list()]
    if tensor.dtype.is_integer:
        return RNG.integers(0, 4, shape).astype(tensor.dtype.numpy_dtype) - 1
    return RNG.normal(size=shape).astype(tensor.dtype.numpy_dtype)


def _ops(path: str) -> set[str]:
    topology = json.loads(Path(path).read_text())["modelTopology"]
    bodies = [topology["node"], *(f["nodeDef"] for f in topology["library"].get("function", ()))]
    return {node["op"] for nodes in bodies for node in nodes}


@pytest.mark.parametrize("name", CASES)
def test_results_are_the_same_in_terms_of_other_ops(name: str, tmp_path: Path) -> None:
    make, without = CASES[name]
    with td.Graph().as_default() as graph:
        y = td.identity(make(), name="y")
    x = graph.get_tensor_by_name("x:0")
    values = _fed(x)
    with td.Session(graph=graph) as session:
        expected = session.run(y, {x: values})
    path = td.save_tfjs(graph, tmp_path / "m", outputs=["y"])
    ops = _ops(path)
    assert without not in ops
    assert ops <= {*OP_TYPES, *LOOP}
    with td.load(path) as model:
        np.testing.assert_allclose(model(values), expected, rtol=1e-5, atol=1e-6)


def _named_norm() -> Any:
    x = _input([2, 4, 4, 3])
    return td.nn.fused_batch_norm(x, td.ones([3]), td.zeros([3]), is_training=True)


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "moments": (lambda: _named_norm()[1], "the moments of FusedBatchNorm"),
    "unknown_rank": (lambda: td.one_hot(td.placeholder(td.int32, None), 4, axis=0), "axis 0"),
    "unknown_select": (
        lambda: lookup("Select")(td.placeholder(td.bool, None), td.ones([2]), td.ones([2])),
        "of unknown rank",
    ),
    "groups": (_conv(300 * 2, (1, 1, 2, 300)), "in 300 groups"),
    "dtype": (lambda: lookup("Cast")(_input([2]), DstT=td.qint8), "of qint8"),
    "channels": (
        lambda: lookup("SpaceToDepth")(_input(IMAGE), block_size=7, data_format="NCHW"),
        "with NCHW",
    ),
    "bias": (
        lambda: lookup("BiasAdd")(td.placeholder(td.float32, None), _weight(4), data_format="NCHW"),
        "of unknown rank",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_written_is_named(name: str, tmp_path: Path) -> None:
    make, message = REFUSED[name]
    with td.Graph().as_default() as graph:
        y = td.identity(make(), name="y")
    with pytest.raises(td.errors.UnimplementedError, match=message):
        td.save_tfjs(graph, tmp_path / "m", outputs=[y.name])


def test_functions_are_written_in_the_form_of_tensorflow_1(tmp_path: Path) -> None:
    with td.Graph().as_default() as graph:
        y = td.identity(_in_function(), name="y")
    graph_def = graph.as_graph_def()
    assert graph_def.library.function
    path = td.save_tfjs(graph_def, tmp_path / "m", outputs=["y"])
    topology = json.loads(Path(path).read_text())["modelTopology"]
    assert {"Enter", "Merge"} <= {node["op"] for node in topology["node"]}
    x = f32([0.1, -0.2, 3])
    with td.load(path) as model, td.Session(graph=graph) as session:
        np.testing.assert_allclose(model(x), session.run(y, {"x:0": x}), rtol=1e-5)
