"""Calls of the public API, each in a graph of its own: how many ops do they add?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Case = Callable[[Any], Any]


def _x(tf: Any, *shape: int | None) -> Any:
    return tf.placeholder("float32", list(shape))


def _minimized(name: str, *settings: float) -> Case:
    def minimize(tf: Any) -> None:
        variable = tf.Variable([1.0, 2.0], name="v")
        optimizer = getattr(tf.train, f"{name}Optimizer")(*settings)
        optimizer.minimize(tf.reduce_sum(tf.square(variable)))

    return minimize


CASES: dict[str, Case] = {
    "random_normal": lambda tf: tf.random_normal([2, 3]),
    "random_uniform": lambda tf: tf.random_uniform([2, 3]),
    "random_uniform int": lambda tf: tf.random_uniform([2, 3], maxval=5, dtype=tf.int32),
    "truncated_normal": lambda tf: tf.truncated_normal([2, 3]),
    "random_shuffle": lambda tf: tf.random_shuffle([1, 2, 3]),
    "multinomial": lambda tf: tf.multinomial([[1.0, 2.0]], 3),
    "random_gamma": lambda tf: tf.random_gamma([3], 1.0),
    "random_poisson": lambda tf: tf.random_poisson(1.0, [3]),
    "random_crop": lambda tf: tf.random_crop(tf.zeros([4, 4]), [2, 2]),
    "zeros": lambda tf: tf.zeros([2]),
    "ones": lambda tf: tf.ones([2]),
    "fill": lambda tf: tf.fill([2], 1.0),
    "zeros big": lambda tf: tf.zeros([2000]),
    "zeros_like": lambda tf: tf.zeros_like(_x(tf, None, 2)),
    "ones_like": lambda tf: tf.ones_like(_x(tf, None, 2)),
    "zeros_like static": lambda tf: tf.zeros_like(_x(tf, 3, 2)),
    "ones_like static": lambda tf: tf.ones_like(_x(tf, 3, 2)),
    "Variable": lambda tf: tf.Variable(1.0),
    "Variable drawn": lambda tf: tf.Variable(tf.random_normal([2])),
    "get_variable": lambda tf: tf.get_variable("v", [3, 4]),
    "get_variable zeros": lambda tf: tf.get_variable(
        "v", [3, 4], initializer=tf.zeros_initializer()
    ),
    "get_variable ones": lambda tf: tf.get_variable("v", [3, 4], initializer=tf.ones_initializer()),
    "get_variable const": lambda tf: tf.get_variable(
        "v", [3, 4], initializer=tf.constant_initializer(2.0)
    ),
    "get_variable normal": lambda tf: tf.get_variable(
        "v", [3, 4], initializer=tf.random_normal_initializer()
    ),
    "get_variable uniform": lambda tf: tf.get_variable(
        "v", [3, 4], initializer=tf.random_uniform_initializer(-1, 1)
    ),
    "get_variable truncated": lambda tf: tf.get_variable(
        "v", [3, 4], initializer=tf.truncated_normal_initializer()
    ),
    "get_variable scaling": lambda tf: tf.get_variable(
        "v", [3, 4], initializer=tf.variance_scaling_initializer()
    ),
    "get_variable scaling uniform": lambda tf: tf.get_variable(
        "v", [3, 4], initializer=tf.variance_scaling_initializer(distribution="uniform")
    ),
    "get_variable orthogonal": lambda tf: tf.get_variable(
        "v", [3, 4], initializer=tf.orthogonal_initializer()
    ),
    "get_variable identity": lambda tf: tf.get_variable(
        "v", [3, 3], initializer=tf.initializers.identity()
    ),
    "get_variable resource": lambda tf: tf.get_variable("v", [3, 4], use_resource=True),
    "get_variable regularized": lambda tf: tf.get_variable("v", [3, 4], regularizer=tf.nn.l2_loss),
    "dense": lambda tf: tf.layers.dense(_x(tf, None, 3), 4),
    "dense static": lambda tf: tf.layers.dense(_x(tf, 5, 3), 4),
    "dense relu": lambda tf: tf.layers.dense(_x(tf, None, 3), 4, activation=tf.nn.relu),
    "dense no bias": lambda tf: tf.layers.dense(_x(tf, None, 3), 4, use_bias=False),
    "dense rank3": lambda tf: tf.layers.dense(_x(tf, None, 2, 3), 4),
    "conv1d": lambda tf: tf.layers.conv1d(_x(tf, 2, 8, 3), 4, 3),
    "conv2d": lambda tf: tf.layers.conv2d(_x(tf, 2, 8, 8, 3), 4, 3),
    "conv2d relu": lambda tf: tf.layers.conv2d(
        _x(tf, None, 8, 8, 3), 4, 3, activation=tf.nn.relu, padding="same"
    ),
    "conv3d": lambda tf: tf.layers.conv3d(_x(tf, 2, 8, 8, 8, 3), 4, 3),
    "conv2d_transpose": lambda tf: tf.layers.conv2d_transpose(_x(tf, 2, 8, 8, 3), 4, 3),
    "conv2d_transpose open": lambda tf: tf.layers.conv2d_transpose(_x(tf, None, 8, 8, 3), 4, 3),
    "conv3d_transpose": lambda tf: tf.layers.conv3d_transpose(_x(tf, 2, 4, 4, 4, 3), 4, 3),
    "separable_conv1d": lambda tf: tf.layers.separable_conv1d(_x(tf, 2, 8, 3), 4, 3),
    "separable_conv2d": lambda tf: tf.layers.separable_conv2d(_x(tf, 2, 8, 8, 3), 4, 3),
    "max_pooling2d": lambda tf: tf.layers.max_pooling2d(_x(tf, 2, 8, 8, 3), 2, 2),
    "average_pooling2d": lambda tf: tf.layers.average_pooling2d(_x(tf, 2, 8, 8, 3), 2, 2),
    "max_pooling1d": lambda tf: tf.layers.max_pooling1d(_x(tf, 2, 8, 3), 2, 2),
    "max_pooling3d": lambda tf: tf.layers.max_pooling3d(_x(tf, 2, 4, 4, 4, 3), 2, 2),
    "flatten": lambda tf: tf.layers.flatten(_x(tf, None, 8, 3)),
    "dropout off": lambda tf: tf.layers.dropout(_x(tf, None, 3)),
    "dropout on": lambda tf: tf.layers.dropout(_x(tf, None, 3), training=True),
    "dropout fed": lambda tf: tf.layers.dropout(
        _x(tf, None, 3), training=tf.placeholder("bool", [])
    ),
    "batch_normalization": lambda tf: tf.layers.batch_normalization(_x(tf, None, 4)),
    "batch_normalization training": lambda tf: tf.layers.batch_normalization(
        _x(tf, None, 4), training=True
    ),
    "batch_normalization fused": lambda tf: tf.layers.batch_normalization(_x(tf, 2, 8, 8, 3)),
    "batch_normalization fused training": lambda tf: tf.layers.batch_normalization(
        _x(tf, 2, 8, 8, 3), training=True
    ),
    "nn.dropout": lambda tf: tf.nn.dropout(_x(tf, None, 3), 0.5),
    "nn.l2_loss": lambda tf: tf.nn.l2_loss(_x(tf, None, 3)),
    "nn.moments": lambda tf: tf.nn.moments(_x(tf, None, 3), [0]),
    "nn.batch_normalization": lambda tf: tf.nn.batch_normalization(
        _x(tf, 2, 3), 0.0, 1.0, 0.0, 1.0, 1e-3
    ),
    "nn.sigmoid_ce": lambda tf: tf.nn.sigmoid_cross_entropy_with_logits(
        labels=_x(tf, None, 3), logits=_x(tf, None, 3)
    ),
    "nn.softmax_ce": lambda tf: tf.nn.softmax_cross_entropy_with_logits(
        labels=_x(tf, None, 3), logits=_x(tf, None, 3)
    ),
    "nn.softmax_ce_v2": lambda tf: tf.nn.softmax_cross_entropy_with_logits_v2(
        labels=_x(tf, None, 3), logits=_x(tf, None, 3)
    ),
    "nn.sparse_ce": lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=tf.placeholder("int32", [None]), logits=_x(tf, None, 3)
    ),
    "nn.bias_add": lambda tf: tf.nn.bias_add(_x(tf, None, 3), tf.zeros([3])),
    "nn.embedding_lookup": lambda tf: tf.nn.embedding_lookup(tf.zeros([4, 2]), [1, 2]),
    "nn.l2_normalize": lambda tf: tf.nn.l2_normalize(_x(tf, None, 3), 1),
    "nn.xw_plus_b": lambda tf: tf.nn.xw_plus_b(_x(tf, None, 3), tf.zeros([3, 2]), tf.zeros([2])),
    "nn.conv2d": lambda tf: tf.nn.conv2d(
        _x(tf, 2, 8, 8, 3), tf.zeros([3, 3, 3, 4]), [1, 1, 1, 1], "SAME"
    ),
    "nn.max_pool": lambda tf: tf.nn.max_pool(
        _x(tf, 2, 8, 8, 3), [1, 2, 2, 1], [1, 2, 2, 1], "SAME"
    ),
    "reduce_mean": lambda tf: tf.reduce_mean(_x(tf, None, 3)),
    "reduce_mean axis": lambda tf: tf.reduce_mean(_x(tf, None, 3), 1),
    "reduce_sum static": lambda tf: tf.reduce_sum(_x(tf, 4, 3)),
    "reduce_logsumexp": lambda tf: tf.reduce_logsumexp(_x(tf, 4, 3)),
    "matmul": lambda tf: tf.matmul(_x(tf, 2, 3), _x(tf, 3, 2)),
    "tensordot": lambda tf: tf.tensordot(_x(tf, 2, 3, 4), _x(tf, 4, 2), 1),
    "tensordot open": lambda tf: tf.tensordot(_x(tf, None, 3, 4), _x(tf, 4, 2), 1),
    "add number": lambda tf: _x(tf, 2) + 1.0,
    "square": lambda tf: tf.square(_x(tf, 2)),
    "pow": lambda tf: _x(tf, 2) ** 2,
    "slice": lambda tf: _x(tf, 4, 3)[1:, 0],
    "transpose": lambda tf: tf.transpose(_x(tf, 2, 3)),
    "reshape": lambda tf: tf.reshape(_x(tf, 2, 3), [-1]),
    "concat": lambda tf: tf.concat([_x(tf, 2), _x(tf, 2)], 0),
    "split": lambda tf: tf.split(_x(tf, 4, 2), 2),
    "stack": lambda tf: tf.stack([_x(tf, 2), _x(tf, 2)]),
    "unstack": lambda tf: tf.unstack(_x(tf, 2, 3)),
    "gather": lambda tf: tf.gather(_x(tf, 4, 2), [0, 1]),
    "one_hot": lambda tf: tf.one_hot([1, 2], 3),
    "argmax": lambda tf: tf.argmax(_x(tf, 2, 3), 1),
    "cast": lambda tf: tf.cast(_x(tf, 2), tf.int32),
    "equal": lambda tf: tf.equal(_x(tf, 2), _x(tf, 2)),
    "where": lambda tf: tf.where(tf.placeholder("bool", [2]), _x(tf, 2), _x(tf, 2)),
    "clip_by_value": lambda tf: tf.clip_by_value(_x(tf, 2), 0.0, 1.0),
    "clip_by_norm": lambda tf: tf.clip_by_norm(_x(tf, 2), 1.0),
    "clip_by_global_norm": lambda tf: tf.clip_by_global_norm([_x(tf, 2), _x(tf, 3)], 1.0),
    "range": lambda tf: tf.range(5),
    "linspace": lambda tf: tf.linspace(0.0, 1.0, 3),
    "expand_dims": lambda tf: tf.expand_dims(_x(tf, 2), 0),
    "squeeze": lambda tf: tf.squeeze(_x(tf, 2, 1)),
    "tile": lambda tf: tf.tile(_x(tf, 2), [2]),
    "pad": lambda tf: tf.pad(_x(tf, 2), [[1, 1]]),
    "group": lambda tf: tf.group(tf.no_op(), tf.no_op()),
    "global_variables_initializer": lambda tf: (
        tf.Variable(1.0),
        tf.global_variables_initializer(),
    ),
    "losses.mse": lambda tf: tf.losses.mean_squared_error(_x(tf, None, 3), _x(tf, None, 3)),
    "losses.softmax": lambda tf: tf.losses.softmax_cross_entropy(_x(tf, None, 3), _x(tf, None, 3)),
    "losses.sparse": lambda tf: tf.losses.sparse_softmax_cross_entropy(
        tf.placeholder("int32", [None]), _x(tf, None, 3)
    ),
    "losses.sigmoid": lambda tf: tf.losses.sigmoid_cross_entropy(_x(tf, None, 3), _x(tf, None, 3)),
    "losses.absolute": lambda tf: tf.losses.absolute_difference(_x(tf, None, 3), _x(tf, None, 3)),
    "losses.hinge": lambda tf: tf.losses.hinge_loss(_x(tf, None, 3), _x(tf, None, 3)),
    "losses.log": lambda tf: tf.losses.log_loss(_x(tf, None, 3), _x(tf, None, 3)),
    "losses.huber": lambda tf: tf.losses.huber_loss(_x(tf, None, 3), _x(tf, None, 3)),
    "metrics.accuracy": lambda tf: tf.metrics.accuracy(
        tf.placeholder("int32", [None]), tf.placeholder("int32", [None])
    ),
    "metrics.mean": lambda tf: tf.metrics.mean(_x(tf, None)),
    "exponential_decay": lambda tf: tf.train.exponential_decay(
        0.1, tf.Variable(0, trainable=False), 10, 0.9
    ),
    "get_or_create_global_step": lambda tf: tf.train.get_or_create_global_step(),
    "summary.scalar": lambda tf: tf.summary.scalar("a", _x(tf)),
    "summary.histogram": lambda tf: tf.summary.histogram("a", _x(tf, 2)),
    "Saver": lambda tf: (tf.Variable(1.0, name="v"), tf.train.Saver()),
    "image.flip": lambda tf: tf.image.random_flip_left_right(_x(tf, 4, 4, 3)),
    "image.brightness": lambda tf: tf.image.random_brightness(_x(tf, 4, 4, 3), 0.2),
    "image.contrast": lambda tf: tf.image.random_contrast(_x(tf, 4, 4, 3), 0.2, 0.5),
    "image.standardization": lambda tf: tf.image.per_image_standardization(_x(tf, 4, 4, 3)),
    "batch": lambda tf: tf.train.batch([tf.zeros([2])], 4),
    "shuffle_batch": lambda tf: tf.train.shuffle_batch([tf.zeros([2])], 4, 20, 5, seed=1),
    "slice_input_producer": lambda tf: tf.train.slice_input_producer([tf.zeros([4, 2])], seed=1),
    "minimize, GradientDescent": _minimized("GradientDescent", 0.1),
    "minimize, Momentum": _minimized("Momentum", 0.1, 0.9),
    "minimize, Adagrad": _minimized("Adagrad", 0.1),
    "minimize, Adadelta": _minimized("Adadelta"),
    "minimize, RMSProp": _minimized("RMSProp", 0.1),
    "minimize, Adam": _minimized("Adam"),
    "minimize, Ftrl": _minimized("Ftrl", 0.1),
}
