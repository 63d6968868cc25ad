"""The names under which programs look for TensorFlow, in this process: `import tensorflow`."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING

from ..graph.surface.namespaces import NAMESPACES

if TYPE_CHECKING:
    from collections.abc import Sequence

public = {"td": "as_tensorflow"}

VERSION = "1.15.0"
"""The version that programs see: of TensorFlow's releases the one whose names these are."""

_PACKAGE = __name__.partition(".")[0]
_PUBLIC_ROOTS = ("tensorflow.compat.v1", "tensorflow")
# Modules that hold what is public elsewhere; programs of the time reach into them.
_INTERNAL = ("tensorflow.python", "tensorflow.core", "tensorflow.contrib")
_MNIST = "contrib.learn.datasets.mnist"
_TUTORIAL = "tensorflow.examples.tutorials.mnist.input_data"
# Modules whose names are those of one module of the package.
_HOMES = {
    _TUTORIAL: _MNIST,
    "tensorflow.contrib.learn.python.learn.datasets.mnist": _MNIST,
    "tensorflow.python.framework.tensor_shape": "shape_inference.tensor_shape",
}


class PublicModule(ModuleType):
    """`tensorflow` itself: tensordraft under another name and version.

    Args:
        name: the name of the module.
    """

    __version__ = VERSION
    VERSION = VERSION

    def __init__(self, name: str) -> None:
        super().__init__(name, "tensordraft, under the name of TensorFlow.")
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> object:
        if name in ("python", "core") and self.__name__ == "tensorflow":
            return import_module(f"tensorflow.{name}")
        return getattr(import_module(_PACKAGE), name)

    def __dir__(self) -> list[str]:
        return dir(import_module(_PACKAGE))


class InternalModule(ModuleType):
    """A module inside of TensorFlow, such as `tensorflow.python.ops.array_ops`.

    It has every public name: those of the namespace that is called as it is, such as `gfile`, come
    first, then those of `td`, then those of other namespaces.

    Args:
        name: the name of the module.
    """

    def __init__(self, name: str) -> None:
        super().__init__(
            name, "Public names of tensordraft, where TensorFlow's own modules have them."
        )
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> object:
        own = "td." + self.__name__.rpartition(".")[2]
        for namespace in dict.fromkeys((own, "td", *NAMESPACES)):
            if not name.startswith("__") and (namespace == "td" or namespace in NAMESPACES):
                value = getattr(import_module(namespace.replace("td", _PACKAGE, 1)), name, None)
                # What is a module there is none of these names: `ops` is to be imported.
                if value is not None and not isinstance(value, ModuleType):
                    return value
        raise AttributeError(f"tensordraft has no {name!r}, which is asked of {self.__name__}")


class TensorflowFinder(MetaPathFinder):
    """Finds TensorFlow's modules here, before any that may be installed."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a module of TensorFlow; None for any other.

        Raises:
            ModuleNotFoundError: TensorFlow may have it, tensordraft has not.
        """
        if fullname.partition(".")[0] != "tensorflow":
            return None
        module = module_called(fullname)
        if module is None:
            raise ModuleNotFoundError(f"tensordraft has no {fullname}", name=fullname)
        return ModuleSpec(fullname, _Loader(module), is_package=True)


class _Loader(Loader):
    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = self._module


def module_called(fullname: str) -> ModuleType | None:
    """The module that stands for one of TensorFlow's, or None.

    Args:
        fullname: what programs call it, such as `tensorflow.nn`.
    """
    if fullname in _PUBLIC_ROOTS:
        return PublicModule(fullname)
    for root in _PUBLIC_ROOTS:
        namespace = fullname.replace(root, "td", 1)
        if fullname.startswith(f"{root}.") and namespace in NAMESPACES:
            return import_module(namespace.replace("td", _PACKAGE, 1))
    if fullname in _HOMES:
        return import_module(f"{_PACKAGE}.{_HOMES[fullname]}")
    if fullname.startswith(_INTERNAL) or f"{_TUTORIAL}.".startswith(f"{fullname}."):
        return InternalModule(fullname)
    return None


def as_tensorflow() -> ModuleType:
    """From now on, `import tensorflow` means tensordraft in this process.

    So a program or a notebook for TensorFlow 1.x runs as it is. `tensorflow.compat.v1` and the
    inner modules that programs use, such as `tensorflow.python.framework.ops`, are found, too.

    Returns:
        The module `tensorflow`.

    Raises:
        RuntimeError: TensorFlow itself has been imported already.

    Example:
        >>> import tensordraft as td
        >>> tf = td.as_tensorflow()
        >>> from tensorflow.python.framework import ops
        >>> ops.Graph is tf.Graph is td.Graph, tf.__version__
        (True, '1.15.0')
    """
    present = sys.modules.get("tensorflow")
    if present is not None and not isinstance(present, PublicModule):
        raise RuntimeError("TensorFlow itself has been imported in this process already")
    if present is None:
        sys.meta_path.insert(0, TensorflowFinder())
    return import_module("tensorflow")
