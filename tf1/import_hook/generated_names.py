"""The names that TensorFlow's generated modules have, such as `gen_array_ops`."""

from __future__ import annotations

import builtins
import keyword
import re
from functools import cache
from pathlib import Path

_TABLE = Path(__file__).with_name("generated_modules.txt")
_WORDS = re.compile("(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])")
# Functions that TensorFlow replaces by hand-written ones: their names begin with `_`.
_HIDDEN = frozenset(
    {
        "BatchNormWithGlobalNormalization",
        "ClipByValue",
        "FusedBatchNorm",
        "HistogramFixedWidth",
        "Stack",
    }
)


def names_of(module: str) -> list[str]:
    """The public names of a generated module: of op types and of their functions.

    Args:
        module: its last name, such as `gen_array_ops`.
    """
    types = _modules().get(module, [])
    return [*types, *(name for op_type in types if (name := _function_name(op_type)))]


def _function_name(op_type: str) -> str | None:
    """`max_pool_grad` for `MaxPoolGrad`; None if the function is hidden."""
    name = _WORDS.sub("_", op_type).lower()
    reserved = keyword.iskeyword(name) or (hasattr(builtins, name) and name != "round")
    return None if reserved or op_type in _HIDDEN else name


@cache
def _modules() -> dict[str, list[str]]:
    modules: dict[str, list[str]] = {}
    types: list[str] = []
    for line in _TABLE.read_text("utf-8").splitlines():
        if line.endswith(":"):
            types = modules[line.removesuffix(":")] = []
        elif not line.startswith("#"):
            types += line.split()
    return modules
