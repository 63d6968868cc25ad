"""Lines of programs as one would write them: `folder/model.py:9`, `Cell In[3], line 1`."""

from __future__ import annotations

import os
import sys


def shown_line(file: str, line: int) -> str:
    """A line of a file, from where one stands; of a cell, as the notebook calls it."""
    cell = _cell(file)
    return f"{_shown(file)}:{line}" if cell is None else f"{cell}, line {line}"


def _shown(file: str) -> str:
    """A path as one would write it: from where one stands, if it is below that."""
    try:
        here = os.path.join(os.getcwd(), "")
    except OSError:
        return file
    return file.removeprefix(here)


def _cell(file: str) -> str | None:
    """Notebook's name for code that it has compiled under a file name."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    numbers = getattr(getattr(shell, "compile", None), "_filename_map", {})
    return f"Cell In[{numbers[file]}]" if file in numbers else None
