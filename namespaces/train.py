"""Saving and restoring variables, under the name that TensorFlow gives to this: `td.train`."""

from __future__ import annotations

from ..graph.checkpoints.checkpoint_reader import (
    CheckpointReader as CheckpointReader,
    list_variables as list_variables,
    load_checkpoint as load_checkpoint,
    load_variable as load_variable,
)
from ..graph.checkpoints.checkpoint_state import (
    CheckpointState as CheckpointState,
    checkpoint_exists as checkpoint_exists,
    get_checkpoint_state as get_checkpoint_state,
    latest_checkpoint as latest_checkpoint,
    update_checkpoint_state as update_checkpoint_state,
)
from ..graph.checkpoints.meta_graph import export_meta_graph as export_meta_graph
from ..graph.files.graph_files import write_graph as write_graph
from ..graph.surface.absent import missing as _missing
from ..graph.surface.namespace import public_names as _public_names
from ..ops.variables.global_step import (
    assert_global_step as assert_global_step,
    create_global_step as create_global_step,
    get_global_step as get_global_step,
    get_or_create_global_step as get_or_create_global_step,
    global_step as global_step,
)
from ..ops.variables.moving_averages import ExponentialMovingAverage as ExponentialMovingAverage
from ..ops.variables.saver import Saver as Saver, import_meta_graph as import_meta_graph
from ..protos.messages import SaverDef as SaverDef

NewCheckpointReader = CheckpointReader


def __getattr__(name: str) -> object:
    raise _missing(__name__, name)


def __dir__() -> list[str]:
    return _public_names(globals())
