"""Reading the model that a path means: a file, a folder, or the prefix of a checkpoint."""

from __future__ import annotations

import os
from collections.abc import Iterable
from os import PathLike

from ..formats import model_files
from ..formats.model_files import ModelFile
from ..formats.progress import Progress
from .locating import locate


def read_model(
    path: str | PathLike[str],
    tags: Iterable[str] | None = None,
    progress: Progress | None = None,
    *,
    apart: bool = True,
) -> ModelFile:
    """Reads the model that a path means: see `locate`, and `read_model` of `formats`.

    Args:
        path: the path.
        tags: of a SavedModel, the tags of the meta graph; by default the only one, or that for
            serving.
        progress: called now and then.
        apart: whether the content of large constants may be beside the graph.
    """
    return model_files.read_model(locate(os.fsdecode(path)), tags, progress, apart=apart)
