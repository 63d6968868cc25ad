"""Optimizers that go downhill: gradient descent, with momentum, with a pull towards zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...graph.indexed_slices import IndexedSlices
from .kernel_optimizer import KernelOptimizer

public = {
    "td.train": "GradientDescentOptimizer MomentumOptimizer ProximalGradientDescentOptimizer",
}


class GradientDescentOptimizer(KernelOptimizer):
    """Gradient descent: `var -= learning_rate * gradient`.

    Args:
        learning_rate: a number or a scalar tensor.
        use_locking: accepted for TensorFlow's sake.
        name: the name.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable([1.0, -2.0])
        ...     train = td.train.GradientDescentOptimizer(0.25).minimize(v * v)
        ...     session.run(td.global_variables_initializer())
        ...     session.run(train)
        ...     print(session.run(v))
        [ 0.5 -1. ]
    """

    _op = "GradientDescent"

    def __init__(
        self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(use_locking, name, alpha=("learning_rate", learning_rate))

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Any) -> Any:
        step = IndexedSlices(grad.values * self._number("alpha", var), grad.indices)
        return var.scatter_sub(step, use_locking=self._use_locking)

    def _resource_apply_sparse_duplicate_indices(self, grad: Any, handle: Any, indices: Any) -> Any:
        step = IndexedSlices(-grad * self._number("alpha", handle), indices)
        return handle.scatter_add(step).op


class MomentumOptimizer(KernelOptimizer):
    """Gradient descent with momentum.

    `accumulation = momentum * accumulation + gradient; var -= learning_rate * accumulation`.

    Args:
        learning_rate: a number or a scalar tensor.
        momentum: the momentum factor.
        use_locking: accepted for TensorFlow's sake.
        name: the name.
        use_nesterov: whether the gradient is taken to be one a step ahead (Sutskever et al., 2013).

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable(1.0, name="v")
        ...     optimizer = td.train.MomentumOptimizer(0.25, 0.5)
        ...     train = optimizer.minimize(v * v)
        ...     session.run(td.global_variables_initializer())
        ...     session.run(train)
        ...     session.run(v), optimizer.get_slot(v, "momentum").name
        (np.float32(0.5), 'v/Momentum:0')
    """

    _op = "Momentum"
    _slot_names = (("accum", "momentum"),)

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        numbers = {"lr": ("learning_rate", learning_rate), "momentum": ("momentum", momentum)}
        super().__init__(use_locking, name, **numbers)
        self._flags = {"use_nesterov": use_nesterov}

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            self._zeros_slot(var, "momentum", self._name)


class ProximalGradientDescentOptimizer(KernelOptimizer):
    """Gradient descent, and then towards zero as L1 and L2 ask for (Duchi and Singer, 2009).

    Args:
        learning_rate: a number or a scalar tensor.
        l1_regularization_strength: how far towards zero, at least 0.
        l2_regularization_strength: by how much nearer to zero, at least 0.
        use_locking: accepted for TensorFlow's sake.
        name: the name.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable([1.0, 0.125])
        ...     optimizer = td.train.ProximalGradientDescentOptimizer(0.25, 0.5)
        ...     train = optimizer.minimize(v * v)
        ...     session.run(td.global_variables_initializer())
        ...     session.run(train)
        ...     print(session.run(v))
        [0.375 0.   ]
    """

    _op = "ProximalGradientDescent"

    def __init__(
        self,
        learning_rate: Any,
        l1_regularization_strength: Any = 0.0,
        l2_regularization_strength: Any = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(
            use_locking,
            name,
            alpha=("learning_rate", learning_rate),
            l1=("l1_regularization_strength", l1_regularization_strength),
            l2=("l2_regularization_strength", l2_regularization_strength),
        )
