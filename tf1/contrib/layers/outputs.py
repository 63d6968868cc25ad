"""Outputs of layers in collections under their names, and dicts made of them again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

from ....graph.default_graph import get_default_graph
from ....graph.default_scopes import add_to_collections
from ....graph.node import Tensor

public = {
    "td.contrib.layers.utils, td.contrib.slim.utils": (
        "append_tensor_alias collect_named_outputs convert_collection_to_dict "
        "gather_tensors_aliases get_tensor_aliases get_variable_collections last_dimension"
    ),
}

_aliases: WeakKeyDictionary[Tensor, list[str]] = WeakKeyDictionary()


def collect_named_outputs(collections: Any, alias: str, outputs: Any) -> Any:
    """Adds a tensor to collections under a name.

    Args:
        collections: the name of a collection, or several; None or an empty list for none.
        alias: the name.
        outputs: the tensor.

    Returns:
        The tensor.

    Example:
        >>> utils = td.contrib.layers.utils
        >>> with td.Graph().as_default():
        ...     x = utils.collect_named_outputs("ends", "a", td.constant(1))
        ...     utils.convert_collection_to_dict("ends")["a"] is x
        True
    """
    if collections:
        append_tensor_alias(outputs, alias)
        add_to_collections(collections, outputs)
    return outputs


def append_tensor_alias(tensor: Tensor, alias: str) -> Tensor:
    """Gives a tensor one more name.

    Args:
        tensor: the tensor.
        alias: the name; a slash at its end is dropped.

    Returns:
        The tensor.

    Example:
        >>> utils = td.contrib.layers.utils
        >>> with td.Graph().as_default():
        ...     utils.get_tensor_aliases(utils.append_tensor_alias(td.constant(1), "a/"))
        ['a']
    """
    _aliases.setdefault(tensor, []).append(alias.removesuffix("/"))
    return tensor


def get_tensor_aliases(tensor: Tensor) -> list[str]:
    """The aliases of a tensor; by default its own name.

    Args:
        tensor: the tensor.

    Example:
        >>> with td.Graph().as_default():
        ...     td.contrib.layers.utils.get_tensor_aliases(td.constant(1, name="c"))
        ['c']
    """
    own = tensor.op.name if tensor.value_index == 0 else tensor.name
    return list(_aliases.get(tensor, [own]))


def gather_tensors_aliases(tensors: Sequence[Tensor]) -> list[str]:
    """The names of several tensors: see `get_tensor_aliases`.

    Args:
        tensors: the tensors.

    Example:
        >>> with td.Graph().as_default():
        ...     td.contrib.layers.utils.gather_tensors_aliases([td.constant(1, name="c")])
        ['c']
    """
    return [alias for tensor in tensors for alias in get_tensor_aliases(tensor)]


def convert_collection_to_dict(
    collection: str, clear_collection: bool = False
) -> OrderedDict[str, Any]:
    """The tensors of a collection by their names.

    Args:
        collection: the name of the collection.
        clear_collection: whether to empty it.

    Example:
        >>> slim = td.contrib.slim
        >>> with td.Graph().as_default():
        ...     with slim.arg_scope([slim.fully_connected], outputs_collections="ends"):
        ...         _ = slim.fully_connected(td.ones([2, 3]), 4, scope="fc1")
        ...     [*slim.utils.convert_collection_to_dict("ends")]
        ['fc1']
    """
    graph = get_default_graph()
    found = OrderedDict(
        (alias, tensor)
        for tensor in graph.get_collection(collection)
        for alias in get_tensor_aliases(tensor)
    )
    if clear_collection:
        graph.clear_collection(collection)
    return found


def get_variable_collections(variables_collections: Any, name: str) -> Any:
    """The collections for one variable of a layer.

    Args:
        variables_collections: collections for all variables, or a dict of them by name.
        name: the name of the variable.

    Example:
        >>> td.contrib.layers.utils.get_variable_collections({"biases": ["b"]}, "weights")
        []
    """
    if isinstance(variables_collections, dict):
        return variables_collections.get(name) or []
    return variables_collections or []


def last_dimension(shape: Any, min_rank: int = 1) -> int:
    """The last size of a shape.

    Args:
        shape: the TensorShape.
        min_rank: the least rank.

    Raises:
        ValueError: the rank is less, or the size is not known.

    Example:
        >>> td.contrib.layers.utils.last_dimension(td.TensorShape([None, 3]))
        3
    """
    if shape.rank is None or shape.rank < min_rank:
        raise ValueError(f"the rank must be {min_rank} or more, got shape {shape}")
    size: int | None = shape.as_list()[-1]
    if size is None:
        raise ValueError(f"the last size must be known, got shape {shape}")
    return size
