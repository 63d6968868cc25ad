"""External optimizers: `td.contrib.opt.ScipyOptimizerInterface`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ....autodiff.gradients import gradients
from ....graph.node import Tensor
from ....graph.scopes.thread_defaults import get_default_session
from ....ops.array.constants import zeros_like
from ....ops.array.placeholder import placeholder
from ....ops.debugging.group_and_tuple import group
from ....ops.variables.variable import Variable
from ....ops.variables.variable_lists import trainable_variables
from ....runtime.logging import info

public = {"td.contrib.opt": "ExternalOptimizerInterface ScipyOptimizerInterface"}

Vector = np.ndarray[Any, Any]


class ExternalOptimizerInterface:
    """Base class of optimizers that minimize a loss with a Python function.

    A subclass has `_minimize`, which gets a vector of all values of the variables, functions of
    such vectors, and bounds, and gives the vector in the end. The variables are assigned to once,
    when it has ended. Source: TensorFlow 1.15.

    Args:
        loss: a scalar tensor of a real dtype.
        var_list: the variables; by default all that are trained.
        equalities: tensors that are to be 0.
        inequalities: tensors that are not to be below 0.
        var_to_bounds: for some variables a pair of the least and the greatest value, numbers or
            arrays that broadcast to the variable.
        optimizer_kwargs: passed to `_minimize` as `optimizer_kwargs`.

    Raises:
        ValueError: there are no variables.

    Example:
        >>> class Steps(td.contrib.opt.ExternalOptimizerInterface):
        ...     def _minimize(self, initial_val, loss_grad_func, **others):
        ...         x = initial_val
        ...         for _ in range(50):
        ...             x = x - 0.25 * loss_grad_func(x)[1]
        ...         return x
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable([1.0, 5.0])
        ...     optimizer = Steps(td.reduce_sum((v - 3.0) ** 2))
        ...     session.run(td.global_variables_initializer())
        ...     optimizer.minimize(session)
        ...     print(session.run(v).round(3))
        [3. 3.]
    """

    def __init__(
        self,
        loss: Tensor,
        var_list: Sequence[Variable] | None = None,
        equalities: Sequence[Tensor] | None = None,
        inequalities: Sequence[Tensor] | None = None,
        var_to_bounds: Mapping[Variable, tuple[Any, Any]] | None = None,
        **optimizer_kwargs: Any,
    ) -> None:
        self._loss = loss
        self._vars = list(trainable_variables() if var_list is None else var_list)
        if not self._vars:
            raise ValueError("there are no variables to make the loss small by")
        self._equalities, self._inequalities = list(equalities or ()), list(inequalities or ())
        self.optimizer_kwargs = optimizer_kwargs
        self._bounds = _bounds(self._vars, var_to_bounds)
        tensors = [loss, *self._equalities, *self._inequalities]
        self._gradients = [self._slopes(tensor) for tensor in tensors]
        self._given = [placeholder(v.dtype.base_dtype, v.shape) for v in self._vars]
        pairs = zip(self._vars, self._given, strict=True)
        self._assign = group(*(variable.assign(value) for variable, value in pairs))

    def _slopes(self, tensor: Tensor) -> list[Any]:
        """Its gradients, zeros where it does not depend on a variable."""
        found = gradients(tensor, self._vars)
        return [
            zeros_like(variable) if slope is None else slope
            for slope, variable in zip(found, self._vars, strict=True)
        ]

    def minimize(
        self,
        session: Any = None,
        feed_dict: Mapping[Any, Any] | None = None,
        fetches: Sequence[Any] | None = None,
        step_callback: Callable[[Vector], Any] | None = None,
        loss_callback: Callable[..., Any] | None = None,
        **run_kwargs: Any,
    ) -> None:
        """Minimizes the loss, and assigns the result to the variables.

        Args:
            session: by default the default session.
            feed_dict: the feeds of each run.
            fetches: fetched with each loss, for `loss_callback`.
            step_callback: is called after each step with the vector of all values.
            loss_callback: is called with the values of `fetches` after each run.
            run_kwargs: further arguments of `session.run`.

        Raises:
            ValueError: there is no session.
        """
        session = session or get_default_session()
        if session is None:
            raise ValueError("there is no default session: pass one, or use `with session:`")
        more = list(fetches or ())

        def fed(vector: Vector) -> dict[Any, Any]:
            return {**(feed_dict or {}), **dict(zip(self._vars, self._parts(vector), strict=True))}

        def function(tensor: Any, slopes: list[Any], report: bool) -> Callable[[Vector], Any]:
            def value_and_slopes(vector: Vector) -> tuple[Any, Vector]:
                wanted = [tensor, slopes, more if report else []]
                value, found, others = session.run(wanted, feed_dict=fed(vector), **run_kwargs)
                if report and loss_callback is not None:
                    loss_callback(*others)
                return value, _joined(found)

            return value_and_slopes

        whole = [self._loss, *self._equalities, *self._inequalities]
        functions = [
            function(tensor, slopes, place == 0)
            for place, (tensor, slopes) in enumerate(zip(whole, self._gradients, strict=True))
        ]
        first = _joined(session.run(self._vars, feed_dict=feed_dict, **run_kwargs))
        behind = 1 + len(self._equalities)
        found = self._minimize(
            initial_val=first,
            loss_grad_func=functions[0],
            equality_funcs=[_first(each) for each in functions[1:behind]],
            equality_grad_funcs=[_second(each) for each in functions[1:behind]],
            inequality_funcs=[_first(each) for each in functions[behind:]],
            inequality_grad_funcs=[_second(each) for each in functions[behind:]],
            packed_bounds=self._bounds,
            step_callback=step_callback,
            optimizer_kwargs=self.optimizer_kwargs,
        )
        session.run(self._assign, dict(zip(self._given, self._parts(found), strict=True)))

    def _parts(self, vector: Vector) -> list[Vector]:
        """The values of the variables that a vector holds."""
        sizes: Any = [variable.shape.num_elements() for variable in self._vars]
        ends: Any = np.cumsum(sizes)[:-1]
        shapes: Any = [variable.shape.as_list() for variable in self._vars]
        return [
            part.reshape(shape).astype(variable.dtype.base_dtype.as_numpy_dtype)
            for part, shape, variable in zip(
                np.split(np.asarray(vector), ends), shapes, self._vars, strict=True
            )
        ]

    def _minimize(self, **arguments: Any) -> Vector:
        """The vector at which the loss is small; to be overridden.

        Args:
            arguments: `initial_val`, a vector; `loss_grad_func`, which gives the loss and its
                gradient for one; `equality_funcs`, `equality_grad_funcs`, `inequality_funcs` and
                `inequality_grad_funcs`, lists of functions; `packed_bounds`, a pair for each
                number or None; `step_callback`; `optimizer_kwargs`.
        """
        raise NotImplementedError(f"{type(self).__name__} has no _minimize")


class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """Minimizes a loss with `scipy.optimize.minimize`, by default with L-BFGS-B.

    Args:
        loss: a scalar tensor of a real dtype.
        var_list: the variables; by default all that are trained.
        equalities: tensors that must be 0, for methods that support constraints.
        inequalities: tensors that are not to be below 0.
        var_to_bounds: for some variables a pair of the least and the greatest value.
        optimizer_kwargs: `method`, `options` and further arguments of SciPy's function.

    Raises:
        ValueError: there are no variables.
        ImportError: in `minimize`, SciPy is not installed: `pip install scipy`.

    Example:
        >>> with td.Graph().as_default():
        ...     v = td.Variable([1.0, 5.0])
        ...     loss = td.reduce_sum((v - 3.0) ** 2)
        ...     optimizer = td.contrib.opt.ScipyOptimizerInterface(loss, options={"maxiter": 50})
        ...     optimizer.optimizer_kwargs
        {'options': {'maxiter': 50}}
    """

    _DEFAULT_METHOD = "L-BFGS-B"

    def _minimize(self, **arguments: Any) -> Vector:
        """SciPy's result."""
        try:
            from scipy import optimize  # type: ignore[import-untyped, unused-ignore]
        except ImportError:
            raise ImportError(
                "ScipyOptimizerInterface needs SciPy: `pip install scipy`, or minimize the loss by "
                "an optimizer of td.train"
            ) from None
        settings = dict(arguments["optimizer_kwargs"])
        method = settings.pop("method", self._DEFAULT_METHOD)
        constraints = [
            {"type": kind, "fun": value, "jac": slope}
            for kind, word in (("eq", "equality"), ("ineq", "inequality"))
            for value, slope in zip(
                arguments[f"{word}_funcs"], arguments[f"{word}_grad_funcs"], strict=True
            )
        ]
        step_callback = arguments["step_callback"]
        if step_callback is not None:
            settings["callback"] = step_callback
        result = optimize.minimize(
            _in_doubles(arguments["loss_grad_func"]),
            arguments["initial_val"].astype(np.float64),
            jac=True,
            method=method,
            constraints=constraints,
            bounds=arguments["packed_bounds"],
            **settings,
        )
        info(
            "Optimization terminated with:\n  Message: %s\n  Objective function value: %s\n"
            "  Number of functions evaluations: %s",
            result.message,
            result.fun,
            result.nfev,
        )
        return np.asarray(result.x)


def _in_doubles(function: Callable[[Vector], Any]) -> Callable[[Vector], tuple[float, Vector]]:
    """Wraps a function to return results in the form that SciPy requires."""

    def found(vector: Vector) -> tuple[float, Vector]:
        value, slopes = function(vector)
        return float(value), slopes.astype(np.float64)

    return found


def _joined(arrays: Sequence[Any]) -> Vector:
    """The numbers of several arrays in one vector."""
    return np.concatenate([np.ravel(array) for array in arrays])


def _first(function: Callable[[Vector], Any]) -> Callable[[Vector], Any]:
    return lambda vector: function(vector)[0]


def _second(function: Callable[[Vector], Any]) -> Callable[[Vector], Any]:
    return lambda vector: function(vector)[1]


def _bounds(
    variables: Sequence[Variable], given: Mapping[Variable, tuple[Any, Any]] | None
) -> list[tuple[Any, Any]] | None:
    """For each number a pair of the least and the greatest value; None if there is none.

    Raises:
        ValueError: bounds of a variable do not broadcast to it.
    """
    if given is None:
        return None
    found: list[tuple[Any, Any]] = []
    for variable in variables:
        shape: Any = variable.shape.as_list()
        low, high = given.get(variable, (-np.inf, np.inf))
        try:
            ends = [np.broadcast_to(end, shape).ravel().tolist() for end in (low, high)]
        except ValueError:
            raise ValueError(
                f"bounds of {variable.op.name} do not broadcast to its shape {shape}: "
                f"{np.shape(low)} and {np.shape(high)}"
            ) from None
        found += zip(*ends, strict=True)
    return found
