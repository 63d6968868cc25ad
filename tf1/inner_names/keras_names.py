"""Names of `tensorflow.python.keras.optimizer_v2` and `keras.utils`."""

from __future__ import annotations

from typing import Any

from ...graph.node import Tensor
from ...graph.sparse_tensor import SparseTensor
from ...keras_api.optimizers.optimizer import Optimizer
from ...ops.variables.variable import Variable
from ...training.losses.weighted_loss import Reduction

OptimizerV2 = Optimizer
ReductionV2 = Reduction


def is_symbolic_tensor(tensor: Any) -> bool:
    """True for a tensor of a graph, a sparse one, or a variable."""
    return isinstance(tensor, Tensor | SparseTensor | Variable)


def is_tensor_or_variable(x: Any) -> bool:
    """True for a tensor of a graph or a variable."""
    return isinstance(x, Tensor | Variable)
