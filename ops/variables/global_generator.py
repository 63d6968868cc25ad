"""The global random-number generator of a graph."""

from __future__ import annotations

from ...graph.default_graph import get_default_graph
from .random_generator import Generator

public = {"td.random, td.random.experimental": "get_global_generator set_global_generator"}

_GLOBAL = ("__global_generator",)  # the collection that holds it


def get_global_generator() -> Generator:
    """The generator of the default graph, made when it is first asked for.

    TensorFlow has one for all graphs; in graph mode it belongs to the graph that it was made in.

    Returns:
        The Generator that `set_global_generator` has set, or one of a state at random.

    Example:
        >>> with td.Graph().as_default():
        ...     td.random.get_global_generator() is td.random.get_global_generator()
        True
    """
    graph = get_default_graph()
    with graph.editing():
        generators = graph.get_collection_ref(_GLOBAL)
        if not generators:
            generators.append(Generator.from_non_deterministic_state())
        return generators[0]


def set_global_generator(generator: Generator) -> None:
    """Has `get_global_generator` return this one, in the default graph.

    Args:
        generator: a Generator.

    Raises:
        TypeError: it is none.

    Example:
        >>> with td.Graph().as_default():
        ...     generator = td.random.Generator.from_seed(1)
        ...     td.random.set_global_generator(generator)
        ...     td.random.get_global_generator() is generator
        True
    """
    if not isinstance(generator, Generator):
        raise TypeError(f"generator must be a td.random.Generator, got {generator!r}")
    get_default_graph().get_collection_ref(_GLOBAL)[:] = [generator]
