"""tensordraft: TensorFlow's graph mode without TensorFlow, on NumPy.

Calling an op adds a node to a graph, whose shape is known at once; a session computes any part of
the graph; graphs are saved and loaded as TensorFlow's GraphDefs.

Example:
    >>> import tensordraft as td
    >>> with td.Graph().as_default(), td.Session() as session:
    ...     x = td.placeholder(td.float32, ["batch", 3])
    ...     y = 2.0 * x + 1.0
    ...     print(y.shape, session.run(y, {x: [[1.0, 2.0, 3.0]]}))
    (batch, 3) [[3. 5. 7.]]

Which names are public is said beside what they stand for, in the `public` of each module; they are
imported when they are asked for.
"""

from __future__ import annotations

import sys as _sys

from .graph import registry as _registry
from .graph.api.namespaces import (
    NamespaceFinder as _NamespaceFinder,
    listed as _listed,
    look_up as _look_up,
)
from .graph.api.public_table import PublicTable as _PublicTable

__version__ = "0.2.0"

_table = _PublicTable(__name__)
_registry.on_first_use(lambda: _table.load("ops"))
_sys.meta_path.append(_NamespaceFinder(__name__, _table))


def __getattr__(name: str) -> object:
    value = globals()[name] = _look_up(_table, __name__, "td", name)
    return value


def __dir__() -> list[str]:
    return _listed(_table, "td")
