"""Default names of ops, as in TensorFlow 2.21's `compat.v1`.

Programs of the time fetch tensors by these names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tensordraft as td

NAMES: dict[str, Callable[[Any, Any], Any]] = {
    "Add": lambda x, i: td.add(x, x),
    "add": lambda x, i: x + x,
    "Sub": lambda x, i: td.subtract(x, x),
    "Mul": lambda x, i: td.multiply(x, x),
    "truediv": lambda x, i: td.divide(x, x),
    "div": lambda x, i: td.div(x, x),
    "floordiv": lambda x, i: td.floordiv(x, x),
    "FloorMod": lambda x, i: td.mod(x, x),
    "pow": lambda x, i: x**2,
    "Neg": lambda x, i: -x,
    "MatMul": lambda x, i: td.matmul(x, x),
    "Mean": lambda x, i: td.reduce_mean(x),
    "ReduceLogSumExp": lambda x, i: td.reduce_logsumexp(x),
    "ArgMax": lambda x, i: td.argmax(x),
    "ToInt32": lambda x, i: td.to_int32(x),
    "clip_by_value": lambda x, i: td.clip_by_value(x, 0.0, 1.0),
    "clip_by_value/Minimum": lambda x, i: td.clip_by_value(x, 0.0, 1.0).op.inputs[0],
    "clip_by_norm": lambda x, i: td.clip_by_norm(x, 1.0),
    "Trace": lambda x, i: td.trace(x),
    "random_normal": lambda x, i: td.random_normal([2]),
    "random_uniform_1": lambda x, i: (td.random_uniform([2]), td.random_uniform([2]))[1],
    "truncated_normal": lambda x, i: td.truncated_normal([2]),
    "concat": lambda x, i: td.concat([x, x], 0),
    "stack": lambda x, i: td.stack([x, x]),
    "ExpandDims": lambda x, i: td.expand_dims(x, 0),
    "transpose": lambda x, i: td.transpose(x),
    "strided_slice": lambda x, i: x[0],
    "strided_slice/_assign": lambda x, i: td.Variable([1.0])[0:1].assign([2.0]),
    "read": lambda x, i: td.Variable(1.0).read_value(),
    "init": lambda x, i: td.global_variables_initializer(),
    "group_deps": lambda x, i: td.group(x),
    "Relu": lambda x, i: td.nn.relu(x),
    "Softmax": lambda x, i: td.nn.softmax(x),
    "BiasAdd": lambda x, i: td.nn.bias_add(x, [1.0, 1.0]),
    "xw_plus_b": lambda x, i: td.nn.xw_plus_b(x, x, [1.0, 1.0]),
    "embedding_lookup/Identity": lambda x, i: td.nn.embedding_lookup(x, [0]),
    "dropout": lambda x, i: td.nn.dropout(x, 0.5).op.name.partition("/")[0],
    "logistic_loss": lambda x, i: td.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=x),
    "Conv2D": lambda x, i: td.nn.conv2d(i, td.ones([1, 1, 1, 1]), [1, 1, 1, 1], "SAME"),
    "depthwise": lambda x, i: td.nn.depthwise_conv2d(
        i, td.ones([1, 1, 1, 1]), [1, 1, 1, 1], "SAME"
    ),
    "conv2d_transpose": lambda x, i: td.nn.conv2d_transpose(
        i, td.ones([1, 1, 1, 1]), [1, 2, 2, 1], [1, 1, 1, 1]
    ),
    "SparseSoftmaxCrossEntropyWithLogits/SparseSoftmaxCrossEntropyWithLogits": lambda x, i: (
        td.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1], logits=x)
    ),
    "xent/xent": lambda x, i: td.nn.sparse_softmax_cross_entropy_with_logits(
        labels=[0, 1], logits=x, name="xent"
    ),
    "SparseTensor/values": lambda x, i: td.SparseTensor([[0]], [1.0], [2]).values,
    "SparseSoftmax/SparseSoftmax": lambda x, i: (
        td.sparse_softmax(td.SparseTensor([[0, 0]], [1.0], [2, 2])).values
    ),
    "SparseTensorDenseMatMul/SparseTensorDenseMatMul": lambda x, i: td.sparse_tensor_dense_matmul(
        td.SparseTensor([[0, 0]], [1.0], [2, 2]), x
    ),
    "global_norm/global_norm": lambda x, i: td.global_norm([x, x]),
    "global_norm/stack": lambda x, i: td.global_norm([x, x]).op.inputs[0].op.inputs[0].op.inputs[0],
    "Tensordot/MatMul": lambda x, i: td.tensordot(x, x, 1).op.inputs[0],
    "truediv_1/Cast": lambda x, i: (
        td.truediv(x, x),
        td.truediv(td.constant(1), 2).op.inputs[0],
    )[1],
    "adjust_brightness": lambda x, i: td.image.adjust_brightness(i, 0.1).op.inputs[0],
    "normalize/mean": lambda x, i: td.nn.normalize_moments(2.0, x, x, None)[0],
    "MaxPool1d/Squeeze": lambda x, i: td.nn.max_pool1d(i[0], 1, 1, "SAME"),
    "hann_window/sub_2": lambda x, i: td.signal.hann_window(td.placeholder(td.int32, [])),
    "CosineDecay/Mul_3": lambda x, i: td.train.cosine_decay(1.0, td.constant(1), 2),
    "conv1d/Squeeze": lambda x, i: td.nn.conv1d(i[0], td.ones([1, 1, 1]), 1, "SAME"),
    "MaxPool": lambda x, i: td.nn.max_pool(i, [1, 1, 1, 1], [1, 1, 1, 1], "SAME"),
}


@pytest.mark.parametrize("name", NAMES)
def test_default_names(name: str) -> None:
    with td.Graph().as_default():
        x = td.placeholder(td.float32, [2, 2], name="input")
        image = td.placeholder(td.float32, [1, 2, 2, 1], name="image")
        made = NAMES[name](x, image)
        found = made if isinstance(made, str) else getattr(made, "op", made).name
        assert found == name
