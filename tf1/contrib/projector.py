"""TensorBoard's projector: which tensors it shows as points."""

from __future__ import annotations

import os
from typing import Any

from ...formats.message_files import write_message
from ...protos.messages import ProjectorConfig

public = {"td.contrib.tensorboard.plugins.projector": "visualize_embeddings"}


def visualize_embeddings(summary_writer: Any, config: ProjectorConfig) -> None:
    """Writes the configuration of TensorBoard's projector to the folder of a summary writer.

    Args:
        summary_writer: a FileWriter, or the name of its folder; the checkpoint with the tensors is
            to be saved there, too.
        config: the configuration: see `td.contrib.tensorboard.plugins.projector.ProjectorConfig`.

    Raises:
        ValueError: the writer has no folder.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> projector = td.contrib.tensorboard.plugins.projector
        >>> config = projector.ProjectorConfig()
        >>> shown = config.embeddings.add(tensor_name="words", metadata_path="words.tsv")
        >>> folder = tempfile.mkdtemp()
        >>> projector.visualize_embeddings(folder, config)
        >>> print(Path(folder, "projector_config.pbtxt").read_text())
        embeddings {
          tensor_name: "words"
          metadata_path: "words.tsv"
        }
        <BLANKLINE>
    """
    ask = getattr(summary_writer, "get_logdir", None)
    folder = summary_writer if ask is None else ask()
    if not folder:
        raise ValueError("Summary writer must have a logdir")
    write_message(config, os.path.join(folder, "projector_config.pbtxt"), as_text=True)
