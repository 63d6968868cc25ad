"""Lists of the variables of a graph, their initializers, and reports of uninitialized ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...graph.default_graph import get_default_graph
from ...graph.node import Operation, Tensor
from ...graph.scopes.collections import GraphKeys
from ..array.constants import constant
from ..array.stack import stack
from ..common.call_forms import deprecated
from ..debugging.assertions import Assert
from ..debugging.group_and_tuple import group
from ..indexing.masks import boolean_mask
from ..math.logical import logical_not
from .assign import is_variable_initialized
from .variable import Variable

public = {
    "td": (
        "all_variables assert_variables_initialized global_variables global_variables_initializer "
        "initialize_all_variables initialize_local_variables initialize_variables local_variables "
        "local_variables_initializer model_variables report_uninitialized_variables "
        "trainable_variables variables_initializer"
    ),
    "td.initializers": (
        "global_variables=global_variables_initializer "
        "local_variables=local_variables_initializer variables=variables_initializer"
    ),
}


def global_variables(scope: str | None = None) -> list[Variable]:
    """The variables of the default graph that are shared by all who run it.

    Args:
        scope: only those whose name begins with this regular expression.

    Returns:
        A new list.

    Example:
        >>> with td.Graph().as_default():
        ...     v = td.Variable(1, name="v")
        ...     td.global_variables()
        [<td.Variable 'v:0' shape=() dtype=int32_ref>]
    """
    return get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


@deprecated("td.global_variables()")
def all_variables() -> list[Variable]:
    """The older name of `global_variables`.

    Example:
        >>> import warnings
        >>> with td.Graph().as_default(), warnings.catch_warnings(action="ignore"):
        ...     v = td.Variable(1)
        ...     td.all_variables() == [v]
        True
    """
    return global_variables()


def local_variables(scope: str | None = None) -> list[Variable]:
    """The variables of the default graph in the collection of local ones, as a new list.

    Args:
        scope: only those whose name begins with this regular expression.

    Example:
        >>> with td.Graph().as_default():
        ...     count = td.get_local_variable("count", [], td.int32)
        ...     td.local_variables() == [count], td.global_variables()
        (True, [])
    """
    return get_default_graph().get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope: str | None = None) -> list[Variable]:
    """The variables of the default graph in the collection of model variables, as a new list.

    Args:
        scope: only those whose name begins with this regular expression.

    Example:
        >>> with td.Graph().as_default():
        ...     v = td.Variable(1, collections=[td.GraphKeys.MODEL_VARIABLES])
        ...     td.model_variables() == [v]
        True
    """
    return get_default_graph().get_collection(GraphKeys.MODEL_VARIABLES, scope)


def trainable_variables(scope: str | None = None) -> list[Variable]:
    """The variables of the default graph that were made with `trainable=True`, as a new list.

    Args:
        scope: only those whose name begins with this regular expression.

    Example:
        >>> with td.Graph().as_default():
        ...     weight = td.Variable(0.5, name="weight")
        ...     step = td.Variable(0, trainable=False, name="step")
        ...     [v.op.name for v in td.trainable_variables()]
        ['weight']
    """
    return get_default_graph().get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def variables_initializer(var_list: Iterable[Variable], name: str = "init") -> Operation:
    """An op that gives each of some variables its initial value.

    Args:
        var_list: the variables.
        name: a name for the op.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v, w = td.Variable(1), td.Variable(2)
        ...     session.run(td.variables_initializer([v]))
        ...     session.run(td.report_uninitialized_variables()).tolist()
        [b'Variable_1']
    """
    return group(*[variable.initializer for variable in var_list], name=name)


def global_variables_initializer() -> Operation:
    """An op that gives each of the global variables of the default graph its initial value.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable(3)
        ...     session.run(td.global_variables_initializer())
        ...     session.run(v)
        np.int32(3)
    """
    return variables_initializer(global_variables())


def local_variables_initializer() -> Operation:
    """An op that gives each of the local variables of the default graph its initial value.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     count = td.get_local_variable("count", [], td.int32)
        ...     session.run(td.local_variables_initializer())
        ...     session.run(count)
        np.int32(0)
    """
    return variables_initializer(local_variables())


@deprecated("td.global_variables_initializer()")
def initialize_all_variables() -> Operation:
    """The older name of `global_variables_initializer`.

    Example:
        >>> import warnings
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable(3)
        ...     with warnings.catch_warnings(action="ignore"):
        ...         session.run(td.initialize_all_variables())
        ...     session.run(v)
        np.int32(3)
    """
    return global_variables_initializer()


@deprecated("td.local_variables_initializer()")
def initialize_local_variables() -> Operation:
    """The older name of `local_variables_initializer`.

    Example:
        >>> import warnings
        >>> with td.Graph().as_default(), warnings.catch_warnings(action="ignore"):
        ...     td.initialize_local_variables().type
        'NoOp'
    """
    return local_variables_initializer()


@deprecated("td.variables_initializer(...)")
def initialize_variables(var_list: Iterable[Variable], name: str = "init") -> Operation:
    """The older name of `variables_initializer`.

    Example:
        >>> import warnings
        >>> with td.Graph().as_default(), warnings.catch_warnings(action="ignore"):
        ...     v = td.Variable(1)
        ...     td.initialize_variables([v]).control_inputs == [v.initializer]
        True
    """
    return variables_initializer(var_list, name)


def report_uninitialized_variables(
    var_list: Iterable[Variable] | None = None, name: str = "report_uninitialized_variables"
) -> Tensor:
    """The names of the variables that have no value yet.

    Args:
        var_list: the variables to ask about; by default all global and local ones.
        name: a name for the scope of the ops.

    Returns:
        A string vector.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable(1, name="v")
        ...     session.run(td.report_uninitialized_variables()).tolist()
        [b'v']
    """
    variables: list[Any] = list(
        [*global_variables(), *local_variables()] if var_list is None else var_list
    )
    graph = get_default_graph()
    with graph.name_scope(name):
        if not variables:
            return constant(np.array([], object), "string")
        missing = logical_not(stack([is_variable_initialized(item) for item in variables]))
        return boolean_mask(constant([item.op.name for item in variables]), missing)


@deprecated("td.report_uninitialized_variables()")
def assert_variables_initialized(var_list: Iterable[Variable] | None = None) -> Operation | None:
    """An op that fails if one of some variables has no value; None where there are no variables.

    Args:
        var_list: the variables; by default all global and local ones.

    Example:
        >>> import warnings
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable(1)
        ...     with warnings.catch_warnings(action="ignore"):
        ...         check = td.assert_variables_initialized()
        ...     try:
        ...         session.run(check)
        ...     except td.errors.FailedPreconditionError as error:
        ...         print(str(error).partition(":")[0])
        Attempting to use uninitialized value Variable
    """
    variables: list[Any] = list(
        [*global_variables(), *local_variables()] if var_list is None else var_list
    )
    # An assertion that holds: what counts is that it reads the variables.
    return Assert(True, variables, name="assert_initialized") if variables else None
