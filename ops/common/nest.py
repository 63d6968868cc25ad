"""Nested structures for programs: `td.nest`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .structures import check_alike, flat, packed

public = {
    "td.nest, td.contrib.framework.nest": (
        "assert_same_structure flatten is_nested map_structure pack_sequence_as"
    ),
    "td.contrib.framework.nest": "is_sequence=is_nested",
}


def is_nested(seq: Any) -> bool:
    """True for a list, tuple or dict; False for a leaf.

    Args:
        seq: anything.

    Example:
        >>> td.nest.is_nested((1, 2)), td.nest.is_nested("12")
        (True, False)
    """
    return isinstance(seq, (list, tuple, dict))


def flatten(structure: Any) -> list[Any]:
    """The leaves of a structure of lists, tuples and dicts; of dicts in the order of the keys.

    Args:
        structure: the structure, or one leaf.

    Example:
        >>> td.nest.flatten([1, (2, {"b": 4, "a": 3})])
        [1, 2, 3, 4]
    """
    return flat(structure)


def pack_sequence_as(structure: Any, flat_sequence: Sequence[Any]) -> Any:
    """A structure with other leaves.

    Args:
        structure: the structure.
        flat_sequence: the leaves, in the order of `flatten`.

    Raises:
        ValueError: they are not as many as those of the structure.

    Example:
        >>> td.nest.pack_sequence_as([0, (0, 0)], "abc")
        ['a', ('b', 'c')]
    """
    leaves, number = list(flat_sequence), len(flat(structure))
    if len(leaves) != number:
        raise ValueError(f"flat_sequence must have {number} elements, got {len(leaves)}")
    return packed(structure, leaves)


def map_structure(func: Callable[..., Any], *structure: Any, check_types: bool = True) -> Any:
    """Maps a function over the leaves of one or several structures of the same form.

    Args:
        func: a function of as many leaves as there are structures.
        structure: the structures.
        check_types: whether a list and a tuple count as different.

    Raises:
        TypeError: `func` cannot be called, or a list is given instead of a tuple.
        ValueError: there is no structure, or they are not nested alike.

    Example:
        >>> td.nest.map_structure(lambda x, y: x + y, [1, {"a": 2}], [10, {"a": 20}])
        [11, {'a': 22}]
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    first, *others = structure
    for other in others:
        check_alike(first, other, check_types)
    leaves = zip(*map(flat, structure), strict=True)
    return packed(first, [func(*items) for items in leaves])


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Checks that two structures have the same nesting.

    Args:
        nest1: a structure.
        nest2: another one.
        check_types: whether a list and a tuple count as different.

    Raises:
        TypeError: a list, tuple or dict of the one is one of another kind in the other.
        ValueError: they are not nested alike.

    Example:
        >>> td.nest.assert_same_structure([1, (2, 3)], ["a", ("b", "c")])
    """
    check_alike(nest1, nest2, check_types)
