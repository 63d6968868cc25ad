"""Finding variables by scope, suffix or name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from ....graph.default_graph import get_default_graph
from ....graph.scopes.collections import GraphKeys
from ....ops.variables.variable import Variable

public = {
    "td.contrib.framework, td.contrib.slim": (
        "filter_variables get_local_variables get_model_variables get_trainable_variables "
        "get_unique_variable get_variable_full_name get_variables get_variables_by_name "
        "get_variables_by_suffix get_variables_to_restore"
    ),
}


def get_variables(
    scope: Any = None, suffix: str | None = None, collection: str = GraphKeys.GLOBAL_VARIABLES
) -> list[Variable]:
    """The variables of a collection whose names start with a scope and end with a suffix.

    Args:
        scope: a regular expression that names begin with, or a VariableScope.
        suffix: the end of op names.
        collection: the collection.

    Example:
        >>> with td.Graph().as_default():
        ...     _ = td.contrib.slim.fully_connected(td.ones([2, 3]), 4, scope="fc")
        ...     [v.name for v in td.contrib.slim.get_variables("fc", "biases")]
        ['fc/biases:0']
    """
    begin = getattr(scope, "name", scope)
    if suffix is not None:
        # The number of an output follows the name of its op.
        begin = f"{begin or ''}.*{suffix}{'' if ':' in suffix else ':'}"
    return get_default_graph().get_collection(collection, begin)


def get_model_variables(scope: Any = None, suffix: str | None = None) -> list[Variable]:
    """The variables of the model: see `get_variables`.

    Args:
        scope: as there.
        suffix: as there.

    Example:
        >>> with td.Graph().as_default():
        ...     _ = td.contrib.slim.fully_connected(td.ones([2, 3]), 4), td.Variable(1.0)
        ...     [v.name for v in td.contrib.slim.get_model_variables()]
        ['fully_connected/weights:0', 'fully_connected/biases:0']
    """
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope: Any = None, suffix: str | None = None) -> list[Variable]:
    """The local variables: see `get_variables`.

    Args:
        scope: as there.
        suffix: as there.

    Example:
        >>> with td.Graph().as_default():
        ...     _ = td.metrics.mean([1.0], name="mean")
        ...     [v.name for v in td.contrib.slim.get_local_variables("mean")]
        ['mean/total:0', 'mean/count:0']
    """
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope: Any = None, suffix: str | None = None) -> list[Variable]:
    """The variables that are trained: see `get_variables`.

    Args:
        scope: as there.
        suffix: as there.

    Example:
        >>> with td.Graph().as_default():
        ...     _ = td.Variable(1.0, name="a"), td.Variable(1.0, name="b", trainable=False)
        ...     [v.name for v in td.contrib.slim.get_trainable_variables()]
        ['a:0']
    """
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


def get_variables_by_suffix(suffix: str, scope: Any = None) -> list[Variable]:
    """The global variables whose names end with a suffix: see `get_variables`.

    Args:
        suffix: as there.
        scope: as there.

    Example:
        >>> with td.Graph().as_default():
        ...     _ = td.Variable(1.0, name="a"), td.Variable(1.0, name="b")
        ...     [v.name for v in td.contrib.slim.get_variables_by_suffix("b")]
        ['b:0']
    """
    return get_variables(scope, suffix)


def get_variables_by_name(given_name: str, scope: Any = None) -> list[Variable]:
    """The global variables whose names, without their scopes, are `given_name`.

    Args:
        given_name: the name.
        scope: a regular expression that whole names begin with.

    Example:
        >>> with td.Graph().as_default():
        ...     _ = td.Variable(1.0, name="a/x"), td.Variable(1.0, name="a/xx")
        ...     [v.name for v in td.contrib.slim.get_variables_by_name("x")]
        ['a/x:0']
    """
    return get_variables(scope, f"/{given_name}:|^{given_name}:")


def get_unique_variable(var_op_name: str) -> Variable:
    """The global variable whose op has a name.

    Args:
        var_op_name: the name, without ":0".

    Raises:
        ValueError: there is none.

    Example:
        >>> with td.Graph().as_default():
        ...     v = td.Variable(1.0, name="a/x")
        ...     td.contrib.slim.get_unique_variable("a/x") is v
        True
    """
    for candidate in get_variables(re.escape(var_op_name)):
        if candidate.op.name == var_op_name:
            return candidate
    raise ValueError(f"there is no variable {var_op_name!r} in the graph")


def get_variable_full_name(var: Variable) -> str:
    """The name of a variable's op, under which checkpoints have it.

    Args:
        var: the variable.

    Example:
        >>> with td.Graph().as_default():
        ...     td.contrib.slim.get_variable_full_name(td.Variable(1.0, name="x"))
        'x'
    """
    return var.op.name


def get_variables_to_restore(
    include: Sequence[str] | None = None, exclude: Sequence[str] | None = None
) -> list[Variable]:
    """The global variables of some scopes, without those of others.

    Args:
        include: scopes, by default all.
        exclude: scopes.

    Raises:
        TypeError: one of them is a string.

    Example:
        >>> with td.Graph().as_default():
        ...     _ = td.Variable(1.0, name="a"), td.Variable(1.0, name="b")
        ...     [v.name for v in td.contrib.slim.get_variables_to_restore(exclude=["b"])]
        ['a:0']
    """
    for name, scopes in (("include", include), ("exclude", exclude)):
        if scopes is not None and not isinstance(scopes, (list, tuple)):
            raise TypeError(f"{name} must be a list of scopes, got {scopes!r}")
    taken = get_variables() if include is None else [v for s in include for v in get_variables(s)]
    left_out = {variable for scope in exclude or () for variable in get_variables(scope)}
    return [variable for variable in taken if variable not in left_out]


def filter_variables(
    var_list: Iterable[Variable],
    include_patterns: Sequence[str] | None = None,
    exclude_patterns: Sequence[str] | None = None,
    reg_search: bool = True,
) -> list[Variable]:
    """The variables whose names match some of the patterns to include, and none to exclude.

    Args:
        var_list: the variables.
        include_patterns: regular expressions; by default everything fits.
        exclude_patterns: regular expressions.
        reg_search: whether a pattern may be found anywhere in a name; otherwise at its beginning.

    Example:
        >>> with td.Graph().as_default():
        ...     both = td.Variable(1.0, name="a/x"), td.Variable(1.0, name="b/x")
        ...     [v.name for v in td.contrib.framework.filter_variables(both, ["x"], ["^a/"])]
        ['b/x:0']
    """
    fits = re.search if reg_search else re.match
    kept = list(var_list)
    if include_patterns is not None:
        kept = [v for v in kept if any(fits(pattern, v.name) for pattern in include_patterns)]
    return [v for v in kept if not any(fits(pattern, v.name) for pattern in exclude_patterns or ())]
