"""Nested structures down to the depth of a shallower one, and the paths to their leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .nest import is_nested, map_structure
from .structures import check_same_elements, packed

public = {
    "td.contrib.framework.nest": (
        "assert_shallow_structure flatten_dict_items flatten_up_to flatten_with_joined_string_paths"
        " flatten_with_tuple_paths get_traverse_shallow_structure map_structure_up_to"
        " map_structure_with_paths"
    )
}


def assert_shallow_structure(shallow_tree: Any, input_tree: Any, check_types: bool = True) -> None:
    """Checks that a structure is nested as a shallower one is, down to the leaves of that.

    Args:
        shallow_tree: the shallower structure.
        input_tree: the other one.
        check_types: whether a list and a tuple count as different.

    Raises:
        TypeError: where the first has a list, tuple or dict the other has a leaf or another kind.
        ValueError: the number of elements, or the keys of dicts, differ.

    Example:
        >>> nest = td.contrib.framework.nest
        >>> nest.assert_shallow_structure([0, 0], [1, {"deeper": 2}])
    """
    for _ in _pairs(shallow_tree, input_tree, check_types):
        pass


def flatten_up_to(shallow_tree: Any, input_tree: Any, check_types: bool = True) -> list[Any]:
    """The parts of a structure at the leaves of a shallower one.

    Args:
        shallow_tree: the shallower structure.
        input_tree: the structure that is taken apart.
        check_types: whether a list and a tuple count as different.

    Raises:
        TypeError: where the first has a list, tuple or dict the other has a leaf or another kind.
        ValueError: the number of elements, or the keys of dicts, differ.

    Example:
        >>> td.contrib.framework.nest.flatten_up_to([0, 0], [1, {"deeper": 2}])
        [1, {'deeper': 2}]
    """
    return [part for _, part in _pairs(shallow_tree, input_tree, check_types)]


def map_structure_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, check_types: bool = True
) -> Any:
    """Applies a function to the parts at the leaves of a shallower structure.

    Args:
        shallow_tree: the shallower structure, which the result has.
        func: a function of as many parts as there are structures.
        inputs: the structures that are taken apart.
        check_types: whether a list and a tuple count as different.

    Raises:
        TypeError: where the first has a list, tuple or dict another has a leaf or another kind.
        ValueError: there is no structure; the number of elements, or the keys of dicts, differ.

    Example:
        >>> td.contrib.framework.nest.map_structure_up_to([0, 0], len, [[1, 2], "abc"])
        [2, 3]
    """
    if not inputs:
        raise ValueError("map_structure_up_to takes a structure, got none")
    parts = [flatten_up_to(shallow_tree, each, check_types) for each in inputs]
    return packed(shallow_tree, [func(*each) for each in zip(*parts, strict=True)])


def get_traverse_shallow_structure(traverse_fn: Callable[[Any], Any], structure: Any) -> Any:
    """A structure of bools: True where a function stops, the structure itself where it continues.

    Args:
        traverse_fn: a function of a part of the structure: whether to look into it, or a structure
            of bools that says so of its elements.
        structure: the structure.

    Raises:
        TypeError: the function gives neither.

    Example:
        >>> nest = td.contrib.framework.nest
        >>> nest.get_traverse_shallow_structure(lambda part: isinstance(part, list), [1, (2, 3)])
        [False, False]
    """
    answer = traverse_fn(structure)
    if isinstance(answer, bool):
        if not answer or not is_nested(structure):
            return answer
        answer = _outermost(structure, True)
    elif not is_nested(answer):
        raise TypeError(f"traverse_fn must return a bool or a structure of bools, got {answer!r}")

    def into(goes_on: Any, part: Any) -> Any:
        if not isinstance(goes_on, bool):
            raise TypeError(f"traverse_fn must return bools in a structure, got {goes_on!r}")
        return get_traverse_shallow_structure(traverse_fn, part) if goes_on else False

    return map_structure_up_to(answer, into, answer, structure)


def flatten_dict_items(dictionary: dict[Any, Any]) -> dict[Any, Any]:
    """A dict whose keys are the leaves of structures, each with its leaf of the value.

    Args:
        dictionary: a dict; a key that is a structure has a value that is nested alike.

    Raises:
        TypeError: it is not a dict, or a key and its value are of different kinds.
        ValueError: a key and its value are not nested alike, or a leaf stands in two keys.

    Example:
        >>> td.contrib.framework.nest.flatten_dict_items({(1, (2, 3)): ("a", ("b", "c")), 4: "d"})
        {1: 'a', 2: 'b', 3: 'c', 4: 'd'}
    """
    if not isinstance(dictionary, dict):
        raise TypeError(f"dictionary must be a dict, got {dictionary!r}")
    leaves: dict[Any, Any] = {}
    for key, value in dictionary.items():
        for leaf, part in _pairs(key, value, True) if is_nested(key) else [(key, value)]:
            if leaf in leaves:
                raise ValueError(f"the key {leaf!r} is not unique")
            leaves[leaf] = part
    return leaves


def flatten_with_tuple_paths(structure: Any) -> list[tuple[tuple[Any, ...], Any]]:
    """The leaves of a structure, each after the indices and keys that lead to it.

    Args:
        structure: the structure.

    Example:
        >>> td.contrib.framework.nest.flatten_with_tuple_paths({"a": [1, 2]})
        [(('a', 0), 1), (('a', 1), 2)]
    """
    return list(_with_paths(structure, ()))


def flatten_with_joined_string_paths(structure: Any, separator: str = "/") -> list[tuple[str, Any]]:
    """The leaves of a structure, each after the path to it as text.

    Args:
        structure: the structure.
        separator: what stands between two steps of a path.

    Example:
        >>> td.contrib.framework.nest.flatten_with_joined_string_paths({"a": [1, 2]})
        [('a/0', 1), ('a/1', 2)]
    """
    return [(_joined(path, separator), leaf) for path, leaf in _with_paths(structure, ())]


def map_structure_with_paths(func: Callable[..., Any], *structure: Any) -> Any:
    """Applies a function to the path of each leaf, as text, and to the leaves there.

    Args:
        func: a function of a path, such as `a/0`, and as many leaves as there are structures.
        structure: the structures, nested alike.

    Raises:
        TypeError: a list is given instead of a tuple.
        ValueError: there is no structure, or they are not nested alike.

    Example:
        >>> nest = td.contrib.framework.nest
        >>> nest.map_structure_with_paths(lambda path, x: f"{path}={x}", {"a": [1, 2]})
        {'a': ['a/0=1', 'a/1=2']}
    """
    if not structure:
        raise ValueError("map_structure_with_paths takes a structure, got none")
    paths = packed(
        structure[0], [path for path, _ in flatten_with_joined_string_paths(structure[0])]
    )
    return map_structure(func, paths, *structure)


def _pairs(shallow: Any, deep: Any, check_types: bool) -> Iterator[tuple[Any, Any]]:
    """Pairs of each leaf of the shallower structure and the part at its position."""
    if not is_nested(shallow):
        yield shallow, deep
        return
    if not is_nested(deep):
        raise TypeError(f"where the shallower structure has {shallow!r}, the other has {deep!r}")
    check_same_elements(shallow, deep, check_types)
    for key in sorted(shallow) if isinstance(shallow, dict) else range(len(shallow)):
        yield from _pairs(shallow[key], deep[key], check_types)


def _outermost(structure: Any, element: Any) -> Any:
    """A list, tuple or dict with `element` in place of each of its elements."""
    if isinstance(structure, dict):
        return type(structure)((key, element) for key in structure)
    return getattr(structure, "_make", type(structure))([element] * len(structure))


def _with_paths(structure: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if not is_nested(structure):
        yield path, structure
        return
    fields = getattr(structure, "_fields", range(len(structure)))
    items = (
        [(key, structure[key]) for key in sorted(structure)]
        if isinstance(structure, dict)
        else zip(fields, structure, strict=True)
    )
    for step, part in items:
        yield from _with_paths(part, (*path, step))


def _joined(path: tuple[Any, ...], separator: str) -> str:
    return separator.join(map(str, path))
