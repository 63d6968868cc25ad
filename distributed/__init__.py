"""One graph over data in chunks: analysis of what can be split, and execution in parts."""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path

if __name__ == "distributed":
    # A process started in the folder of the package finds this one under the name of dask's
    # own package, which is what it wants.
    _here = Path(__file__).resolve().parent.parent
    _spec = PathFinder.find_spec(__name__, [p for p in sys.path if Path(p).resolve() != _here])
    if _spec is None or _spec.loader is None:
        raise ModuleNotFoundError(f"No module named {__name__!r}", name=__name__)
    sys.modules[__name__] = _module = module_from_spec(_spec)
    _spec.loader.exec_module(_module)
