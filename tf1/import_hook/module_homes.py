"""TensorFlow's inner modules and the tensordraft modules that have their names."""

from __future__ import annotations

from pathlib import Path

from ...graph.api.namespaces import NAMESPACES

_INNER = "tf1.private_modules"
GENERATED = f"{_INNER}.generated_ops"
_TABLE = Path(__file__).with_name("module_homes.txt")


# Functions in these share names with functions of `td` itself but differ from them: they are never
# looked for there.
_APART = (
    "tensorflow.python.data",
    "tensorflow.python.distribute",
    "tensorflow.python.estimator",
    "tensorflow.python.feature_column",
    "tensorflow.python.keras",
    "tensorflow.python.layers",
    "tensorflow.python.ops.distributions",
    "tensorflow.python.ops.losses",
    "tensorflow.python.ops.ragged",
    "tensorflow.python.ops.signal",
    "tensorflow.python.ops.stateless_random_ops",
    "tensorflow.python.profiler",
    "tensorflow.python.saved_model",
)


def _homes() -> dict[str, tuple[str, ...]]:
    """Reads the table: the modules to search for the names of each inner module."""
    homes: dict[str, tuple[str, ...]] = {}
    package = ""
    for line in _TABLE.read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        if not line.startswith(" "):
            package = "tensorflow." + line.removesuffix(":")
            continue
        for entry in line.split():
            name, _, stated = entry.partition("=")
            listed = stated or (name if f"td.{name}" in NAMESPACES else "")
            candidates = tuple(
                home.replace("~", f"{_INNER}.") for home in listed.split(",") if home
            )
            existing = tuple(
                home.removeprefix("/")
                for home in candidates
                if f"td.{home}" in NAMESPACES or home.startswith(("/", _INNER))
            )
            if existing or not candidates:
                module = package if name == "*" else f"{package}.{name}"
                if name.startswith("gen_"):
                    homes[module] = (GENERATED,)
                    continue
                places = existing if module.startswith(_APART) and existing else (*existing, "")
                # Generated functions share names with functions that take other arguments.
                homes[module] = tuple(sorted(places, key=GENERATED.__eq__))
    return homes


def _packages(homes: dict[str, tuple[str, ...]]) -> frozenset[str]:
    """The packages around some modules that hold no names of their own."""
    found = set()
    for module in homes:
        while "." in (module := module.rpartition(".")[0]):
            if module not in homes:
                found.add(module)
    return frozenset(found)


_STATED = _homes()
PACKAGES = _packages(_STATED)
"""Packages whose `__init__` is empty: `from … import *` gives nothing."""
HOMES = _STATED | dict.fromkeys(sorted(PACKAGES), ("",))
"""The modules of this package that have the names of each inner module, by its full name."""

HIDDEN_BY_FUNCTIONS = frozenset({"tensorflow.contrib.framework.python.ops.arg_scope"})
"""Modules whose package imports a function of the same name over them: it takes precedence."""
