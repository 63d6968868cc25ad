"""`td.variable_scope`: name prefixes and rules for `td.get_variable`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...graph.default_graph import get_default_graph, graph_of
from ...graph.graph import Graph
from ...graph.scopes.collections import GraphKeys
from ...protos.dtypes import DType, as_dtype
from ..variables.variable import Variable
from ..variables.variable_kinds import scopes_of
from .variable_getters import got, nested
from .variable_store import AUTO_REUSE, AutoReuse

public = {"td": "VariableScope get_variable_scope variable_op_scope variable_scope"}

Reuse = bool | AutoReuse | None


class VariableScope:
    """Settings of `td.get_variable`: a prefix of names, reuse, and defaults.

    Scopes are made by `td.variable_scope`.

    Example:
        >>> with td.Graph().as_default():
        ...     with td.variable_scope("layer", initializer=td.zeros_initializer()) as scope:
        ...         w = td.get_variable("w", [2])
        ...     scope.reuse_variables()
        ...     with td.variable_scope(scope):
        ...         scope.name, td.get_variable("w") is w, scope.global_variables() == [w]
        ('layer', True, True)
    """

    def __init__(
        self,
        reuse: Reuse,
        name: str = "",
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        name_scope: str = "",
        dtype: Any = "float32",
        use_resource: bool | None = None,
        constraint: Any = None,
    ) -> None:
        self._name = name
        self._initializer = initializer
        self._regularizer = regularizer
        self._reuse = reuse
        self._caching_device = caching_device
        self._partitioner = partitioner
        self._custom_getter = custom_getter
        self._name_scope = name_scope
        self._dtype = as_dtype(dtype)
        self._use_resource = use_resource
        self._constraint = constraint

    @property
    def name(self) -> str:
        """The prefix of the names of variables, without a "/" at the end."""
        return self._name

    @property
    def original_name_scope(self) -> str:
        """The name scope that was opened together with this scope."""
        return self._name_scope

    @property
    def reuse(self) -> Reuse:
        """True to reuse variables, False to create them, or `td.AUTO_REUSE` for either."""
        return self._reuse

    @property
    def initializer(self) -> Any:
        """Default initializer of variables."""
        return self._initializer

    @property
    def regularizer(self) -> Any:
        """Default regularizer of variables."""
        return self._regularizer

    @property
    def custom_getter(self) -> Any:
        """The function through which variables are got."""
        return self._custom_getter

    @property
    def dtype(self) -> DType:
        """The dtype of variables for which none is given."""
        return self._dtype

    @property
    def caching_device(self) -> Any:
        """The device on which variables are read for which no such device is given."""
        return self._caching_device

    @property
    def partitioner(self) -> Any:
        """The partitioner for variables for which none is given."""
        return self._partitioner

    @property
    def use_resource(self) -> bool | None:
        """True for resource variables; None if the scope does not specify it."""
        return self._use_resource

    @property
    def constraint(self) -> Any:
        """The constraint of variables for which none is given."""
        return self._constraint

    def reuse_variables(self) -> None:
        """From now on variables are to be found, not made."""
        self._reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """Sets what makes the initial value of variables for which no initializer is given."""
        self._initializer = initializer

    def set_regularizer(self, regularizer: Any) -> None:
        """Sets what is applied to variables for which no regularizer is given."""
        self._regularizer = regularizer

    def set_dtype(self, dtype: Any) -> None:
        """Sets the dtype of variables for which none is given."""
        self._dtype = as_dtype(dtype)

    def set_caching_device(self, caching_device: Any) -> None:
        """Sets the device on which variables are read for which no such device is given."""
        self._caching_device = caching_device

    def set_partitioner(self, partitioner: Any) -> None:
        """Sets the partitioner for variables for which none is given."""
        self._partitioner = partitioner

    def set_use_resource(self, use_resource: bool | None) -> None:
        """Sets whether variables are resource variables where a call does not say."""
        self._use_resource = use_resource

    def set_custom_getter(self, custom_getter: Any) -> None:
        """Sets the function through which variables are got."""
        self._custom_getter = custom_getter

    def global_variables(self) -> list[Variable]:
        """The global variables whose names are under this scope."""
        return self._listed(GraphKeys.GLOBAL_VARIABLES)

    def trainable_variables(self) -> list[Variable]:
        """The trainable variables whose names are under this scope."""
        return self._listed(GraphKeys.TRAINABLE_VARIABLES)

    def _listed(self, key: str) -> list[Variable]:
        prefix = f"{self._name}/" if self._name else ""
        items = get_default_graph().get_collection(key)
        return [item for item in items if item.name.startswith(prefix)]

    def local_variables(self) -> list[Variable]:
        """The local variables whose names are under this scope."""
        return self._listed(GraphKeys.LOCAL_VARIABLES)

    def get_collection(self, name: Any) -> list[Any]:
        """The items of a collection whose names are under this scope."""
        return self._listed(name)

    def get_variable(self, name: str, **settings: Any) -> Variable:
        """The variable `name` under this scope: see `td.get_variable`."""
        return got(self, name, **settings)

    def copied(self, **changes: Any) -> VariableScope:
        """A scope like this one, with some properties changed."""
        settings = {name.removeprefix("_"): value for name, value in vars(self).items()}
        return VariableScope(**{**settings, **changes})


def get_variable_scope() -> VariableScope:
    """The variable scope in force.

    Example:
        >>> with td.Graph().as_default(), td.variable_scope("layer"):
        ...     td.get_variable_scope().name
        'layer'
    """
    scopes = scopes_of(get_default_graph())
    if scopes.current is None:
        scopes.current = VariableScope(False)
    return scopes.current


@contextmanager
def variable_scope(
    name_or_scope: Any,
    default_name: str | None = None,
    values: Sequence[Any] | None = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: Callable[..., Any] | None = None,
    reuse: Reuse = None,
    dtype: Any = None,
    use_resource: bool | None = None,
    constraint: Any = None,
    auxiliary_name_scope: bool = True,
) -> Iterator[VariableScope]:
    """Puts the variables that `td.get_variable` makes in a `with` block under `name/`.

    Args:
        name_or_scope: a name, which is put under the scope in force; a VariableScope to enter
            again; None for `default_name`.
        default_name: a name that is made unique by "_1", "_2", … where it was used before.
        values: tensors that the block works on; their graph becomes the default one.
        initializer: for variables for which none is given; by default that of the scope around.
        regularizer: as `initializer`.
        caching_device: the device on which the variable is read, if that is another.
        partitioner: for variables for which none is given.
        custom_getter: called instead of the usual getter, as
            `f(getter=getter, name=name, **settings)`, with the arguments of `td.get_variable`.
        reuse: True to find variables that exist, `td.AUTO_REUSE` to make those that do not; a
            scope inside one that reuses does so, too.
        dtype: for variables for which none is given.
        use_resource: whether variables are resource variables.
        constraint: for variables for which none is given.
        auxiliary_name_scope: whether to open a name scope of that name, too.

    Yields:
        The VariableScope.

    Raises:
        TypeError: neither a name nor a scope nor a default name is given.
        ValueError: `reuse` is none of these, or goes with a default name, which is a new one.

    Example:
        >>> with td.Graph().as_default():
        ...     with td.variable_scope("layer"):
        ...         w = td.get_variable("w", [2, 3])
        ...     with td.variable_scope("layer", reuse=True):
        ...         w.name, td.get_variable("w") is w
        ('layer/w:0', True)
    """
    if reuse not in (None, True, False, AUTO_REUSE):
        raise ValueError(f"reuse must be True, False, None or td.AUTO_REUSE, got {reuse!r}")
    graph = graph_of(values or ())
    with graph.as_default():
        scopes = scopes_of(graph)
        outer = get_variable_scope()
        if isinstance(name_or_scope, VariableScope):
            base, name = name_or_scope, name_or_scope.name
            shown = name.rpartition("/")[2]
        else:
            base = outer
            prefix = f"{outer.name}/" if outer.name else ""
            if isinstance(name_or_scope, str):
                shown = name_or_scope
                name = prefix + shown
            elif name_or_scope is not None:
                raise TypeError(
                    f"name_or_scope must be a string or a VariableScope, got {name_or_scope!r}"
                )
            elif default_name is not None:
                if reuse:
                    raise ValueError("reuse needs a name_or_scope: a default_name is a new one")
                name = scopes.unique_name(prefix + default_name)
                shown = default_name  # which the graph makes unique by itself
            else:
                raise TypeError("variable_scope needs a name, a scope or a default_name")
        changes = {
            "name": name,
            "initializer": initializer,
            "regularizer": regularizer,
            "dtype": dtype,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "use_resource": use_resource,
            "constraint": constraint,
            "custom_getter": nested(custom_getter, base.custom_getter),
        }
        changes = {key: value for key, value in changes.items() if value is not None}
        with graph.name_scope(_name_scope(graph, shown, auxiliary_name_scope)) as opened:
            if not isinstance(name_or_scope, VariableScope):
                changes["name_scope"] = opened
            scopes.current = base.copied(**changes, reuse=reuse or base.reuse)
            scopes.opened.add(name)
            before = set(scopes.opened)
            try:
                yield scopes.current
            finally:
                scopes.current = outer
                if base is not name_or_scope:
                    # Entered by name again, it gives the scopes inside it the same names again.
                    before = {other for other in scopes.opened if not other.startswith(f"{name}/")}
                scopes.opened = before


@contextmanager
def whole_variables() -> Iterator[None]:
    """A block in which the scope in force divides no variables: for what stands beside others."""
    scope = get_variable_scope()
    partitioner = scope.partitioner
    scope.set_partitioner(None)
    try:
        yield
    finally:
        scope.set_partitioner(partitioner)


def _name_scope(graph: Graph, shown: str, wanted: bool) -> str | None:
    """The name scope to open: the current one if no other is requested."""
    if wanted and shown:
        return shown
    inner = graph.get_name_scope()
    return f"{inner}/" if inner else None


@contextmanager
def variable_op_scope(
    values: Sequence[Any], name_or_scope: Any, default_name: str | None = None, **settings: Any
) -> Iterator[VariableScope]:
    """The older form of `variable_scope`, with the tensors first.

    Args:
        values: as for `td.variable_scope`.
        name_or_scope: as for `td.variable_scope`.
        default_name: as for `td.variable_scope`.
        settings: as for `td.variable_scope`.

    Example:
        >>> with td.Graph().as_default(), td.variable_op_scope([], None, "layer") as scope:
        ...     scope.name
        'layer'
    """
    with variable_scope(name_or_scope, default_name, values, **settings) as scope:
        yield scope
