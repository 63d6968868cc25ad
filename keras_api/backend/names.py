"""Functions of `td` under the names that Keras gives them in its backend."""
# ruff: noqa: A004 - Keras's names

from __future__ import annotations

from ...autodiff.gradients import gradients
from ...graph.default_scopes import name_scope
from ...ops.array.cast import cast
from ...ops.array.constants import constant, ones_like, zeros_like
from ...ops.array.identity import identity, stop_gradient
from ...ops.array.ranges import range as arange
from ...ops.array.reshape import reshape, squeeze
from ...ops.array.reverse import reverse
from ...ops.array.shapes import shape
from ...ops.array.stack import stack
from ...ops.array.tile import tile
from ...ops.array.transpose import transpose
from ...ops.control_flow.map_and_fold import foldl, foldr, map_fn
from ...ops.indexing.gather import gather
from ...ops.indexing.one_hot import one_hot
from ...ops.linalg.matrix_functions import eye
from ...ops.math.arithmetic import abs, maximum, minimum, pow, round, sign, square
from ...ops.math.comparison import equal, greater, greater_equal, less, less_equal, not_equal
from ...ops.math.cumsum import cumprod, cumsum
from ...ops.math.exponentials import exp, log, sigmoid, sqrt
from ...ops.math.reductions import (
    reduce_logsumexp as logsumexp,
    reduce_max as max,
    reduce_min as min,
    reduce_prod as prod,
    reduce_sum as sum,
)
from ...ops.math.trigonometry import cos, sin, tanh
from ...ops.nn.activations import elu, softmax, softplus, softsign
from ...ops.random.uniform_and_normal import random_normal, random_uniform, truncated_normal
from ...ops.sorting.top_k import in_top_k
from ...ops.statistics.clip import clip_by_value as clip
from ...ops.statistics.moments import reduce_std as std, reduce_variance as var
from ...ops.statistics.norms import l2_normalize
from ...ops.variables.assign import (
    assign as update,
    assign_add as update_add,
    assign_sub as update_sub,
)
from ...training.layers.activations import hard_sigmoid

public = {
    "td.keras.backend": (
        "abs arange cast clip constant cos cumprod cumsum elu equal exp eye foldl foldr gather "
        "gradients greater greater_equal hard_sigmoid identity in_top_k l2_normalize less "
        "less_equal log logsumexp map_fn max maximum min minimum name_scope not_equal one_hot "
        "ones_like pow prod random_normal random_uniform reshape reverse round shape sigmoid "
        "sign sin softmax softplus softsign sqrt square squeeze stack std stop_gradient sum "
        "tanh tile transpose truncated_normal update update_add update_sub var zeros_like "
        "permute_dimensions=transpose"
    )
}

__all__ = [
    "abs",
    "arange",
    "cast",
    "clip",
    "constant",
    "cos",
    "cumprod",
    "cumsum",
    "elu",
    "equal",
    "exp",
    "eye",
    "foldl",
    "foldr",
    "gather",
    "gradients",
    "greater",
    "greater_equal",
    "hard_sigmoid",
    "identity",
    "in_top_k",
    "l2_normalize",
    "less",
    "less_equal",
    "log",
    "logsumexp",
    "map_fn",
    "max",
    "maximum",
    "min",
    "minimum",
    "name_scope",
    "not_equal",
    "one_hot",
    "ones_like",
    "pow",
    "prod",
    "random_normal",
    "random_uniform",
    "reshape",
    "reverse",
    "round",
    "shape",
    "sigmoid",
    "sign",
    "sin",
    "softmax",
    "softplus",
    "softsign",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "stop_gradient",
    "sum",
    "tanh",
    "tile",
    "transpose",
    "truncated_normal",
    "update",
    "update_add",
    "update_sub",
    "var",
    "zeros_like",
]
