"""Saving and restoring variables, under the name that TensorFlow gives to this: `td.train`."""

from __future__ import annotations

from .graph.checkpoint_state import (
    CheckpointState as CheckpointState,
    checkpoint_exists as checkpoint_exists,
    get_checkpoint_state as get_checkpoint_state,
    latest_checkpoint as latest_checkpoint,
    update_checkpoint_state as update_checkpoint_state,
)
from .graph.checkpoints import (
    CheckpointReader as CheckpointReader,
    list_variables as list_variables,
    load_checkpoint as load_checkpoint,
    load_variable as load_variable,
)
from .graph.files import write_graph as write_graph
from .graph.meta_graph import export_meta_graph as export_meta_graph
from .ops.saver import Saver as Saver, import_meta_graph as import_meta_graph

NewCheckpointReader = CheckpointReader
