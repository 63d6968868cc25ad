"""`tensorflow.python.tools.import_pb_to_tensorboard`: a graph file, to be seen in TensorBoard."""

from __future__ import annotations

from ...formats.model_files import load_graph_def
from ...saving.graph_events import write_graph_events


def import_to_tensorboard(model_dir: str, log_dir: str, tag_set: str | None = None) -> None:
    """Writes a graph to an event file.

    Args:
        model_dir: the graph, a file or a folder.
        log_dir: the folder of the event file.
        tag_set: taken for compatibility.
    """
    write_graph_events(load_graph_def(model_dir), log_dir)
    print(f"Model Imported. Visualize by running: tensorboard --logdir={log_dir}")
