"""Elements moved about, under the names of `tf.manip`: `td.manip`."""

from __future__ import annotations

from ..graph.surface.absent import missing as _missing
from ..graph.surface.namespace import public_names as _public_names
from ..ops.array.padding import tile as tile
from ..ops.array.reshaping import reshape as reshape
from ..ops.array.reversing import reverse as reverse
from ..ops.array.rolling import roll as roll
from ..ops.array.space_to_batch import (
    batch_to_space_nd as batch_to_space_nd,
    space_to_batch_nd as space_to_batch_nd,
)
from ..ops.indexing.gather_nd import (
    gather_nd as gather_nd,
    scatter_nd as scatter_nd,
)


def __getattr__(name: str) -> object:
    raise _missing(__name__, name)


def __dir__() -> list[str]:
    return _public_names(globals())
