"""The call forms of older documents, adapted to those of the newest one.

Every public function has the signature of the newest document. Where an older document had another
order or other names, a decorator on the function says so, and distinguishes the forms by what can
only be one of them: a concat dimension has rank 0 and the values have not; an axis is no string.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from ...graph.api.source_locations import warn_user
from ...protos.dtypes import as_dtype
from ...shape_inference.dimension import Dimension
from ...shape_inference.tensor_shape import as_shape

if TYPE_CHECKING:
    FormTest = Callable[[Sequence[Any]], bool]

F = TypeVar("F", bound="Callable[..., Any]")

_warned: set[str] = set()


def renamed(**names: str) -> Callable[[F], F]:
    """Decorator: arguments may also be given under their older names.

    Args:
        names: for each older name the present one. An older name that stands in the signature of
            the function can be given by position, too; the function itself never sees a value.

    Returns:
        The decorator. A call that gives an argument under both names raises a ValueError.

    Example:
        >>> from tensordraft.ops.common.call_forms import renamed
        >>> @renamed(dim="axis")
        ... def describe(x, axis=None, dim=None):
        ...     return f"{x} along {axis}"
        >>> describe("sum", dim=1), describe("sum", None, 1)
        ('sum along 1', 'sum along 1')
    """

    def adapt(function: F) -> F:
        parameters = _parameters(function)
        known_by_position = min(
            (i for i, name in enumerate(parameters) if name in names), default=len(parameters)
        )

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if len(args) <= known_by_position and names.keys().isdisjoint(kwargs):
                return function(*args, **kwargs)
            return function(**_present(function.__name__, parameters, names, args, kwargs))

        return cast("F", call)

    return adapt


def older_form(
    parameters: str, is_older: FormTest | None = None, instead: str | None = None
) -> Callable[[F], F]:
    """Decorator: the function may also be called with the parameters that it had once.

    Args:
        parameters: the older parameters in their order, as `"concat_dim=axis, values, name"`:
            where the name has changed, the older one, "=" and the present one.
        is_older: recognizes a call of the older form by its positional arguments. A call
            with a keyword that only the older form has is of the older form, too.
        instead: what to write today, where the older form is deprecated.

    Returns:
        The decorator.

    Example:
        >>> from tensordraft.ops.common.call_forms import older_form, scalar_at
        >>> @older_form("dim=axis, values", is_older=scalar_at(0))
        ... def describe(values, axis):
        ...     return f"{values} along {axis}"
        >>> describe(1, [2, 3]), describe([2, 3], 1), describe(dim=1, values=[2, 3])
        ('[2, 3] along 1', '[2, 3] along 1', '[2, 3] along 1')
    """
    pairs = [item.strip().partition("=") for item in parameters.split(",")]
    order = [older for older, _, _ in pairs]
    names = {older: present for older, _, present in pairs if present}

    def adapt(function: F) -> F:
        older_only = set(order) - set(_parameters(function))

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            older = is_older is not None and is_older(args)
            if not older and older_only.isdisjoint(kwargs):
                return function(*args, **kwargs)
            if instead is not None:
                _warn_once(f"{function.__name__}({', '.join(order)})", instead)
            return function(**_present(function.__name__, order, names, args, kwargs))

        return cast("F", call)

    return adapt


def deprecated(instead: str) -> Callable[[F], F]:
    """Decorator: the first call warns that the function is deprecated.

    Args:
        instead: what to write today.

    Returns:
        The decorator.

    Example:
        >>> import warnings
        >>> from tensordraft.ops.common.call_forms import deprecated
        >>> @deprecated("td.concat(values, axis)")
        ... def glue(values):
        ...     return values
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     print(glue([1]), glue([2]), caught[0].message, len(caught))
        [1] [2] glue is deprecated: write td.concat(values, axis) 1
    """

    def adapt(function: F) -> F:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            _warn_once(function.__name__, instead)
            return function(*args, **kwargs)

        return cast("F", call)

    return adapt


def scalar_at(position: int) -> FormTest:
    """Recognizes a call whose positional argument `position` is known to have rank 0."""

    def matches(args: Sequence[Any]) -> bool:
        if len(args) <= position:
            return False
        value = args[position]
        if isinstance(value, (int, np.integer, Dimension)):
            return True
        shape = getattr(value, "shape", None)
        return shape is not None and as_shape(shape).rank == 0

    return matches


def string_at(position: int) -> FormTest:
    """Recognizes a call whose positional argument `position` is a string."""

    def matches(args: Sequence[Any]) -> bool:
        return len(args) > position and isinstance(args[position], str)

    return matches


def name_at(position: int) -> FormTest:
    """Recognizes a call whose positional argument `position` is a string that names no dtype."""

    def matches(args: Sequence[Any]) -> bool:
        if len(args) <= position or not isinstance(args[position], str):
            return False
        try:
            as_dtype(args[position])
        except TypeError:
            return True
        return False

    return matches


def _parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    parameters = signature(function).parameters.values()
    return tuple([item.name for item in parameters if item.kind in kinds])


def _present(
    function: str,
    order: Sequence[str],
    names: Mapping[str, str],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> dict[str, Any]:
    """The arguments of a call by their present names."""
    if len(args) > len(order):
        raise TypeError(f"{function}({', '.join(order)}) got {len(args)} positional arguments")
    given: dict[str, Any] = {}
    spelled: dict[str, str] = {}
    for name, value in (*zip(order, args, strict=False), *kwargs.items()):
        present = names.get(name, name)
        if value is None and name in names:
            continue
        if given.get(present) is not None:
            raise ValueError(f"{function} got both {spelled[present]} and {name}, which are one")
        given[present] = value
        spelled[present] = name
    return given


def _warn_once(what: str, instead: str) -> None:
    if what not in _warned:
        _warned.add(what)
        warn_user(f"{what} is deprecated: write {instead}", DeprecationWarning)
