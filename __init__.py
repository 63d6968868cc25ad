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
from importlib import import_module as _import_module

from .graph import registry as _registry
from .graph.api.graph_summary import offer_copies as _offer_copies
from .graph.api.namespaces import (
    NamespaceFinder as _NamespaceFinder,
    listed as _listed,
    look_up as _look_up,
)
from .graph.api.notebook_pictures import offer_pictures as _offer_pictures
from .graph.api.public_table import PublicTable as _PublicTable
from .graph.node_expanders import offer as _offer
from .session.targets import is_cluster as _is_cluster, offer_sessions as _offer_sessions

__version__ = "0.2.0"

_table = _PublicTable(__name__, _registry.LOADING)
_registry.on_first_use(lambda: _table.load("ops"))
_offer("SymbolicGradient", lambda: _table.load("autodiff"))
_offer_sessions(
    _is_cluster,
    lambda: _import_module(".distributed.data_parallel", __name__).ParallelSession,
)
_offer_pictures(lambda: _import_module(".analysis.drawing.draw", __name__).notebook_picture)
_offer_copies(lambda: _import_module(".saving.checkpoints.pickled_graph", __name__).copying())
_sys.meta_path.append(_NamespaceFinder(__name__, _table))


def __getattr__(name: str) -> object:
    value = globals()[name] = _look_up(_table, __name__, "td", name)
    return value


def __dir__() -> list[str]:
    return _listed(_table, "td")
