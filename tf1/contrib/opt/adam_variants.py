"""Optimizers near to Adam: lazy about rows, looking ahead, by maxima, or with decaying weights."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ....graph.convert import convert_to_tensor
from ....graph.default_scopes import control_dependencies, name_scope
from ....graph.indexed_slices import IndexedSlices
from ....graph.node import Operation
from ....ops.array.cast import cast
from ....ops.debugging.group_and_tuple import group
from ....ops.indexing.gather import gather
from ....ops.math.arithmetic import abs as magnitude, maximum
from ....ops.math.exponentials import sqrt
from ....training.optimizers.adam import AdamOptimizer

public = {
    "td.contrib.opt": "AdaMaxOptimizer AdamWOptimizer LazyAdamOptimizer NadamOptimizer",
}


class LazyAdamOptimizer(AdamOptimizer):
    """Lazy Adam: averages change only in rows with a gradient.

    Args:
        learning_rate: as for `td.train.AdamOptimizer`, and so are the other arguments.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable([[1.0], [1.0]])
        ...     loss = td.reduce_sum(td.gather(v, [1]))
        ...     step = td.contrib.opt.LazyAdamOptimizer(0.5).minimize(loss)
        ...     session.run(td.global_variables_initializer())
        ...     session.run(step)
        ...     print(session.run(v).round(2).tolist())
        [[1.0], [0.5]]
    """

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        beta1, beta2, rate = self._step_numbers(handle)
        slots: list[Any] = [self.get_slot(handle, name) for name in ("m", "v")]
        rows = zip(slots, (beta1, beta2), (grad, grad * grad), strict=True)
        m, v = [beta * gather(slot, indices) + (1 - beta) * new for slot, beta, new in rows]
        step = rate * m / (sqrt(v) + self._number("epsilon", handle))
        pairs = zip((*slots, handle), (m, v, gather(handle, indices) - step), strict=True)
        with control_dependencies([step]):
            return group(*(kept.scatter_update(IndexedSlices(new, indices)) for kept, new in pairs))

    def _step_numbers(self, variable: Any) -> tuple[Any, Any, Any]:
        """Both betas, and the rate that makes averages fair."""
        first, second = self._powers(variable)
        rate = self._number("lr", variable) * sqrt(1 - second) / (1 - first)
        return self._number("beta1", variable), self._number("beta2", variable), rate


class NadamOptimizer(LazyAdamOptimizer):
    """Adam with Nesterov's momentum (Dozat, 2016).

    Args:
        learning_rate: as for `td.train.AdamOptimizer`, and so are the other arguments.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable([1.0, -2.0])
        ...     step = td.contrib.opt.NadamOptimizer(0.1).minimize(v * v)
        ...     session.run(td.global_variables_initializer())
        ...     session.run(step)
        ...     print(session.run(v).round(2))
        [ 0.81 -1.81]
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._flags["use_nesterov"] = True

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        beta1, beta2, rate = self._step_numbers(handle)
        new = (1 - beta1) * grad
        m = self._averaged(handle, "m", new, beta1, indices)
        v = self._averaged(handle, "v", (1 - beta2) * grad * grad, beta2, indices)
        ahead = new + beta1 * gather(m, indices)
        step = rate * ahead / (sqrt(gather(v, indices)) + self._number("epsilon", handle))
        return group(handle.scatter_sub(IndexedSlices(step, indices)), m, v)


class AdaMaxOptimizer(AdamOptimizer):
    """Adam by the greatest gradient, which is forgotten slowly, in place of the squares' average.

    Averages of rows without a gradient stay as they are (Kingma and Ba, 2014, section 7.1).

    Args:
        learning_rate: as for `td.train.AdamOptimizer`, and so are the other arguments.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable([1.0, -2.0])
        ...     step = td.contrib.opt.AdaMaxOptimizer(0.1).minimize(v * v)
        ...     session.run(td.global_variables_initializer())
        ...     session.run(step)
        ...     print(session.run(v).round(2))
        [ 0.9 -1.9]
    """

    _op = "AdaMax"
    _powered = ("beta1",)

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "AdaMax",
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        [power] = self._powers(handle)
        beta1, beta2 = self._number("beta1", handle), self._number("beta2", handle)
        slots: list[Any] = [self.get_slot(handle, name) for name in ("m", "v")]
        m = gather(slots[0], indices) * beta1 + grad * (1 - beta1)
        v = maximum(gather(slots[1], indices) * beta2, magnitude(grad))
        rate = self._number("lr", handle) / (1 - power)
        step = rate * (m / (v + self._number("epsilon", handle)))
        with control_dependencies([step]):
            kept = [
                slot.scatter_update(IndexedSlices(new, indices))
                for slot, new in zip(slots, (m, v), strict=True)
            ]
        return group(handle.scatter_sub(IndexedSlices(step, indices)), *kept)


class AdamWOptimizer(AdamOptimizer):
    """Adam with decoupled weight decay (Loshchilov and Hutter, 2017).

    Args:
        weight_decay: which part of a variable goes at a step: a number or a tensor. As in
            TensorFlow it is not multiplied by the learning rate.
        learning_rate: as for `td.train.AdamOptimizer`, and so are the other arguments.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable([1.0])
        ...     step = td.contrib.opt.AdamWOptimizer(0.5, 0.1).minimize(v * v)
        ...     session.run(td.global_variables_initializer())
        ...     session.run(step)
        ...     print(session.run(v).round(2))
        [0.4]
    """

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "AdamW",
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)
        self._decay = weight_decay

    def apply_gradients(
        self,
        grads_and_vars: Any,
        global_step: Any = None,
        name: str | None = None,
        decay_var_list: Iterable[Any] | None = None,
    ) -> Operation:
        """Lets variables shrink, and then does the step.

        Args:
            grads_and_vars: pairs of a gradient and its variable.
            global_step: a variable that counts steps.
            name: a name for the op.
            decay_var_list: the variables that shrink; by default all.
        """
        pairs = list(grads_and_vars)
        shrinking = None if decay_var_list is None else list(decay_var_list)
        chosen = [
            variable
            for gradient, variable in pairs
            if gradient is not None and (shrinking is None or any(variable is v for v in shrinking))
        ]
        gradients = [gradient for gradient, _ in pairs if gradient is not None]
        with (
            name_scope("weight_decay"),
            control_dependencies([getattr(g, "op", g) for g in gradients]),
        ):
            rate = convert_to_tensor(self._decay)
            shrunk = [v.assign_sub(cast(rate, v.dtype.base_dtype) * v.value()).op for v in chosen]
        with control_dependencies(shrunk):
            return super().apply_gradients(pairs, global_step, name)
