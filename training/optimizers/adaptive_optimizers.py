"""Optimizers with a rate for each element, from the squares of its gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...graph.convert import convert_to_tensor
from ...ops.array.cast import cast
from ...ops.array.constants import constant
from ...ops.array.identity import identity
from ...ops.initializers.plain_initializers import Constant, Ones
from ...ops.variable_scopes.slot_variables import is_resource
from .kernel_optimizer import KernelOptimizer

public = {
    "td.train": (
        "AdadeltaOptimizer AdagradDAOptimizer AdagradOptimizer ProximalAdagradOptimizer "
        "RMSPropOptimizer"
    ),
}


def _check_positive(value: float, name: str = "initial_accumulator_value") -> None:
    if value <= 0.0:
        raise ValueError(f"{name} must be positive, got {value}")


class AdagradOptimizer(KernelOptimizer):
    """Steps that shrink with the sum of the squares of all gradients (Duchi et al., 2011).

    Args:
        learning_rate: a number or a scalar tensor.
        initial_accumulator_value: what the sums begin with, greater than 0.
        use_locking: accepted for TensorFlow's sake.
        name: the name.

    Raises:
        ValueError: `initial_accumulator_value` is not positive.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable([3.0, 40.0])
        ...     train = td.train.AdagradOptimizer(1.0).minimize(v * v)
        ...     session.run(td.global_variables_initializer())
        ...     session.run(train)
        ...     print(session.run(v).round(2))
        [ 2. 39.]
    """

    _op = "Adagrad"
    _slot_names = (("accum", "accumulator"),)

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        _check_positive(initial_accumulator_value)
        super().__init__(use_locking, name, lr=("learning_rate", learning_rate))
        self._first = initial_accumulator_value

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            dtype = var.dtype.base_dtype
            first = Constant(self._first, dtype)
            self._get_or_make_slot_with_initializer(
                var, first, var.shape, dtype, "accumulator", self._name
            )


class ProximalAdagradOptimizer(KernelOptimizer):
    """Adagrad, and then towards zero as L1 and L2 ask for (Duchi and Singer, 2009).

    Args:
        learning_rate: a number or a scalar tensor.
        initial_accumulator_value: what the sums begin with, greater than 0.
        l1_regularization_strength: how far towards zero, at least 0.
        l2_regularization_strength: by how much nearer to zero, at least 0.
        use_locking: accepted for TensorFlow's sake.
        name: the name.

    Raises:
        ValueError: `initial_accumulator_value` is not positive.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable([3.0, 40.0])
        ...     train = td.train.ProximalAdagradOptimizer(1.0).minimize(v * v)
        ...     session.run(td.global_variables_initializer())
        ...     session.run(train)
        ...     print(session.run(v).round(2))
        [ 2. 39.]
    """

    _op = "ProximalAdagrad"
    _slot_names = (("accum", "accumulator"),)

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: Any = 0.0,
        l2_regularization_strength: Any = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        _check_positive(initial_accumulator_value)
        super().__init__(
            use_locking,
            name,
            lr=("learning_rate", learning_rate),
            l1=("l1_regularization_strength", l1_regularization_strength),
            l2=("l2_regularization_strength", l2_regularization_strength),
        )
        self._first = initial_accumulator_value

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            first = constant(self._first, var.dtype.base_dtype, var.shape)
            self._get_or_make_slot(var, first, "accumulator", self._name)


class AdagradDAOptimizer(KernelOptimizer):
    """Adagrad by dual averaging: each step restarts from the sum of all gradients.

    With L1, weights whose gradients are rare stay exactly 0. Weights should begin at 0.

    Args:
        learning_rate: a number or a scalar tensor.
        global_step: the number of steps done so far: an integer variable or tensor.
        initial_gradient_squared_accumulator_value: what the sums of squares begin with.
        l1_regularization_strength: how far towards zero, at least 0.
        l2_regularization_strength: by how much nearer to zero, at least 0.
        use_locking: accepted for TensorFlow's sake.
        name: the name.

    Raises:
        ValueError: `initial_gradient_squared_accumulator_value` is not positive.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v, step = td.Variable([0.0, 0.0]), td.train.create_global_step()
        ...     optimizer = td.train.AdagradDAOptimizer(1.0, step)
        ...     train = optimizer.minimize(v * [5.0, 50.0], step)
        ...     session.run(td.global_variables_initializer())
        ...     session.run(train)
        ...     print(session.run(v).round(2))
        [-1. -1.]
    """

    _op = "AdagradDA"
    _slot_names = (
        ("gradient_accumulator", "gradient_accumulator"),
        ("gradient_squared_accumulator", "gradient_squared_accumulator"),
    )

    def __init__(
        self,
        learning_rate: Any,
        global_step: Any,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        first = initial_gradient_squared_accumulator_value
        _check_positive(first, "initial_gradient_squared_accumulator_value")
        super().__init__(use_locking, name, lr=("learning_rate", learning_rate))
        self._first = first
        self._strengths = {"l1": l1_regularization_strength, "l2": l2_regularization_strength}
        self._global_step = global_step
        self._steps: Any = None

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            dtype = var.dtype.base_dtype
            with var.graph.colocate_with(var):
                zero = constant(0.0, dtype, var.shape)
                first = constant(self._first, dtype, var.shape)
            self._get_or_make_slot(var, zero, "gradient_accumulator", self._name)
            self._get_or_make_slot(var, first, "gradient_squared_accumulator", self._name)

    def _prepare(self) -> None:
        super()._prepare()
        step = self._global_step
        graph = step.graph
        with graph.colocate_with(step._reference if is_resource(step) else step):
            self._steps = identity(convert_to_tensor(step)) + 1

    def _arguments(self, var: Any) -> dict[str, Any]:
        dtype = var.dtype.base_dtype
        strengths = {key: constant(value, dtype) for key, value in self._strengths.items()}
        steps = cast(identity(self._steps), "int64")
        return {**super()._arguments(var), **strengths, "global_step": steps}


class AdadeltaOptimizer(KernelOptimizer):
    """Steps by the ratio of the moving averages of steps and of gradients (Zeiler, 2012).

    Args:
        learning_rate: a number or a scalar tensor; 1 in the paper.
        rho: the decay rate of the averages.
        epsilon: what keeps roots from 0.
        use_locking: accepted for TensorFlow's sake.
        name: the name.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable([1.0, -2.0])
        ...     train = td.train.AdadeltaOptimizer(1.0, epsilon=1e-2).minimize(v * v)
        ...     session.run(td.global_variables_initializer())
        ...     session.run(train)
        ...     print(session.run(v).round(2))
        [ 0.56 -1.56]
    """

    _op = "Adadelta"
    _slot_names = (("accum", "accum"), ("accum_update", "accum_update"))

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        numbers = {"lr": ("lr", learning_rate), "rho": ("rho", rho)}
        super().__init__(use_locking, name, **numbers, epsilon=("epsilon", epsilon))

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            self._zeros_slot(var, "accum", self._name)
            self._zeros_slot(var, "accum_update", self._name)


class RMSPropOptimizer(KernelOptimizer):
    """Gradients over the root of the moving average of their squares (Tieleman and Hinton, 2012).

    Args:
        learning_rate: a number or a scalar tensor.
        decay: the decay rate of the average.
        momentum: the momentum factor.
        epsilon: what keeps the root from 0.
        use_locking: accepted for TensorFlow's sake.
        centered: whether the mean is subtracted, so that the root is the standard deviation.
        name: the name.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable([1.0, -2.0], name="v")
        ...     train = td.train.RMSPropOptimizer(0.1).minimize(v * v)
        ...     session.run(td.global_variables_initializer())
        ...     session.run(train)
        ...     print(session.run(v).round(3), [v.name for v in td.global_variables()])
        [ 0.825 -1.747] ['v:0', 'v/RMSProp:0', 'v/RMSProp_1:0']
    """

    def __init__(
        self,
        learning_rate: Any,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(
            use_locking,
            name,
            lr=("learning_rate", learning_rate),
            rho=("decay", decay),
            momentum=("momentum", momentum),
            epsilon=("epsilon", epsilon),
        )
        self._centered = centered
        self._op = "CenteredRMSProp" if centered else "RMSProp"
        # The op's argument `momentum` is a number, and the slot of that name its `mom`.
        self._slot_names = (("ms", "rms"), ("mom", "momentum"))
        if centered:
            self._slot_names += (("mg", "mg"),)

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            dtype = var.dtype.base_dtype
            ones = Ones(dtype)
            self._get_or_make_slot_with_initializer(var, ones, var.shape, dtype, "rms", self._name)
            if self._centered:
                self._zeros_slot(var, "mg", self._name)
            self._zeros_slot(var, "momentum", self._name)
