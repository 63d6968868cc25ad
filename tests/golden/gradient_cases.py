"""Functions whose gradients are compared with TensorFlow's: for any library of its interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# By name: the shapes of the inputs, and a function of the library and the inputs.
Case = tuple[list[tuple[int, ...]], Callable[..., Any]]

CASES: dict[str, Case] = {
    # mathematics
    "broadcast": ([(3, 1), (4,)], lambda tf, x, y: x * y + x / y - tf.pow(x, y)),
    "lgamma": ([(2, 3)], lambda tf, x: tf.lgamma(x) + tf.digamma(x) * tf.erf(x)),
    "igamma": ([(3,), (3,)], lambda tf, a, x: tf.igamma(tf.stop_gradient(a), x)),
    "atan2": ([(3,), (3,)], lambda tf, x, y: tf.atan2(x, y) * tf.floormod(x, y)),
    "extremes": ([(3, 3)], lambda tf, x: tf.reduce_max(x, 0) + tf.reduce_prod(x, 1)),
    "cumprod": ([(3, 3)], lambda tf, x: tf.cumprod(x, 1, exclusive=True, reverse=True)),
    "logsumexp": ([(3, 3)], lambda tf, x: tf.reduce_logsumexp(x, 1)),
    # segments
    "segment_mean": ([(4, 2)], lambda tf, x: tf.segment_mean(x, [0, 0, 1, 3])),
    "segment_max": ([(4, 2)], lambda tf, x: tf.segment_max(x, [0, 0, 1, 1])),
    "unsorted": ([(4, 2)], lambda tf, x: tf.unsorted_segment_sum(x, [2, 0, -1, 2], 3)),
    "sparse_segments": (
        [(4, 2)],
        lambda tf, x: tf.sparse_segment_sqrt_n(x, [3, 0, 0], [0, 0, 1]),
    ),
    # linear algebra
    "inverse": ([(3, 3)], lambda tf, x: tf.matrix_inverse(_definite(tf, x))),
    "determinant": ([(3, 3)], lambda tf, x: tf.matrix_determinant(_definite(tf, x))),
    "cholesky": ([(3, 3)], lambda tf, x: tf.cholesky(_definite(tf, x))),
    "solve": ([(3, 3), (3, 2)], lambda tf, x, y: tf.matrix_solve(_definite(tf, x), y)),
    "triangular": (
        [(3, 3), (3, 2)],
        lambda tf, x, y: tf.matrix_triangular_solve(_definite(tf, x), y, lower=True),
    ),
    "eigenvalues": ([(3, 3)], lambda tf, x: tf.self_adjoint_eigvals(_definite(tf, x))),
    # sparse
    "sparse_matmul": (
        [(3,), (3, 2)],
        lambda tf, x, y: tf.sparse_tensor_dense_matmul(_sparse(tf, x), y),
    ),
    "sparse_sum": ([(3,)], lambda tf, x: tf.sparse_reduce_sum(_sparse(tf, x), 1)),
    "sparse_sums": (
        [(3,), (3,)],
        lambda tf, x, y: tf.sparse_add(_sparse(tf, x), _sparse(tf, y * y)).values,
    ),
    "sparse_slices": (
        [(3,), ()],
        lambda tf, x, y: (
            tf.sparse_fill_empty_rows(tf.sparse_slice(_sparse(tf, x), [0, 0], [2, 2]), y)[0].values
        ),
    ),
    # networks
    "activations": (
        [(3, 3)],
        lambda tf, x: tf.nn.elu(x - 1.0) + tf.nn.selu(x - 1.0) + tf.nn.softplus(x),
    ),
    "cross_entropy": (
        [(3, 4), (3, 4)],
        lambda tf, x, y: tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=x),
    ),
    "cross_entropy_twice": (
        [(3, 4), (3, 4)],
        lambda tf, x, y: tf.gradients(
            tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=x), x
        )[0],
    ),
    "convolution": (
        [(1, 4, 4, 2), (3, 3, 2, 2)],
        lambda tf, x, w: tf.nn.conv2d(x, w, [1, 2, 2, 1], "SAME"),
    ),
    "depthwise": (
        [(1, 4, 4, 2), (2, 2, 2, 2)],
        lambda tf, x, w: tf.nn.depthwise_conv2d_native(x, w, [1, 1, 1, 1], "VALID"),
    ),
    "pools": (
        [(1, 4, 4, 1)],
        lambda tf, x: (
            tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
            * tf.nn.avg_pool(x, [1, 3, 3, 1], [1, 2, 2, 1], "SAME")
        ),
    ),
    "layer_norm": ([(3, 4)], lambda tf, x: tf.nn.l2_normalize(x, 1) + tf.nn.log_softmax(x)),
    "dilation": (
        [(1, 4, 4, 2), (2, 3, 2)],
        lambda tf, x, w: tf.nn.dilation2d(x, w, [1, 1, 1, 1], [1, 2, 1, 1], "SAME"),
    ),
    "erosion": (
        [(1, 4, 4, 2), (2, 2, 2)],
        lambda tf, x, w: tf.nn.erosion2d(x, w, [1, 2, 1, 1], [1, 1, 1, 1], "VALID"),
    ),
    "fractional_pools": (
        [(1, 7, 6, 2)],
        lambda tf, x: (
            tf.nn.fractional_max_pool(x, [1.0, 1.4, 1.7, 1.0], deterministic=True, seed=3)[0]
            * tf.nn.fractional_avg_pool(
                x, [1.0, 1.4, 1.7, 1.0], True, True, deterministic=True, seed=4
            )[0]
        ),
    ),
    "global_normalization": (
        [(1, 2, 2, 3), (3,), (3,), (3,), (3,)],
        lambda tf, x, m, v, b, g: tf.nn.batch_norm_with_global_normalization(
            x, m, v, b, g, 0.1, True
        ),
    ),
    # images; resizing is of float32
    "bilinear": ([(1, 3, 3, 1)], lambda tf, x: tf.image.resize_bilinear(x, [5, 4])),
    "corners": (
        [(1, 3, 3, 1)],
        lambda tf, x: tf.image.resize_bilinear(x, [5, 4], align_corners=True),
    ),
    "cubic": ([(1, 3, 3, 1)], lambda tf, x: tf.image.resize_bicubic(x, [5, 4])),
    "cubic_corners": (
        [(1, 3, 3, 1)],
        lambda tf, x: tf.image.resize_bicubic(x, [2, 5], align_corners=True),
    ),
    "filtered": (
        [(1, 4, 4, 1)],
        lambda tf, x: tf.raw_ops.ScaleAndTranslate(
            images=tf.cast(x, tf.float32), size=[3, 5], scale=[0.7, 1.4], translation=[0.2, -0.3]
        ),
    ),
    "nearest": ([(1, 3, 3, 1)], lambda tf, x: tf.image.resize_nearest_neighbor(x, [5, 2])),
}


def gradients(library: Any, name: str) -> list[Any]:
    """The gradients of a case: of its result times 1, 2, 3, … so that no two elements are alike."""
    shapes, function = CASES[name]
    random = np.random.RandomState(sum(map(ord, name)))
    xs = [library.constant(random.uniform(0.5, 1.5, shape)) for shape in shapes]
    y = function(library, *xs)
    flat = library.reshape(library.cast(y, library.float64), [-1])
    weights = library.cast(library.range(1, library.size(y) + 1), library.float64)
    total = library.reduce_sum(flat * weights)
    zero = library.UnconnectedGradients.ZERO
    found: list[Any] = library.gradients(total, xs, unconnected_gradients=zero)
    return found


def _definite(tf: Any, x: Any) -> Any:
    """A symmetric matrix, of which no eigenvalue is small."""
    return tf.matmul(x, x, transpose_b=True) + tf.matrix_diag(tf.constant([1.0, 2.0, 4.0], x.dtype))


def _sparse(tf: Any, x: Any) -> Any:
    return tf.SparseTensor([[0, 0], [0, 2], [1, 1]], x, [2, 3])
