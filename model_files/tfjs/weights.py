"""Weights of a TensorFlow.js model: its manifest, and the files that it names.

A manifest has groups. The weights of a group lie one behind the other in the bytes of its files,
wherever one file ends and the next begins.
"""

from __future__ import annotations

import math
import ntpath
import os
import posixpath
import stat
from contextlib import ExitStack
from io import BufferedReader
from typing import Any, NamedTuple

import numpy as np

from ...formats.message_files import opened
from ...formats.progress import Progress
from ...runtime import errors
from ...runtime.load_budget import ask
from .json_files import damaged, member, objects, shown

Array = np.ndarray[Any, np.dtype[Any]]

# The dtypes of weights in memory, which are little-endian in the files.
_DTYPES = {
    "float32": "<f4",
    "int32": "<i4",
    "bool": "|u1",
    "uint8": "|u1",
    "complex64": "<c8",
    "float16": "<f2",
    "uint16": "<u2",
}
_QUANTIZED = {
    "float16": ("float32",),
    "uint8": ("float32", "int32"),
    "uint16": ("float32", "int32"),
}
_MOST_RANK = 64  # of a NumPy array
_LONGEST_NAME = 255  # bytes, in all common file systems
_LENGTH = 4  # bytes of the length before each string
_BLOCK = 1 << 20  # elements that are restored from fewer bits at a time


class _Spec(NamedTuple):
    """A weight as the manifest describes it; `scale` and `minimum` restore one of fewer bits."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    stored: str
    scale: float
    minimum: float

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        """The fewest bytes that it takes in the files."""
        if self.stored == "string":
            return self.elements * _LENGTH
        return self.elements * np.dtype(_DTYPES[self.stored]).itemsize


def read_weights(
    manifest: list[Any], folder: str, path: str, progress: Progress | None = None
) -> dict[str, Array]:
    """The arrays that a manifest describes, by name; strings are arrays of bytes objects.

    Args:
        manifest: the groups.
        folder: the folder of the model, which must hold all files.
        path: the file with the manifest, for errors.
        progress: called after each weight.

    Raises:
        NotFoundError: a file is missing.
        DataLossError: the manifest is malformed, or the files are of another size.
        PermissionDeniedError: it names a file outside of the folder.
        ResourceExhaustedError: the weights take more than the budget allows.
    """
    groups = []
    for group in objects(manifest, "each group of weightsManifest", path):
        listed = member(group, "weights", list, "a group of weightsManifest", path)
        specs = [_spec(item, path) for item in objects(listed, "each weight", path)]
        names = member(group, "paths", list, "a group of weightsManifest", path)
        groups.append((specs, [_inside(folder, name, path) for name in names]))
    total = sum(len(specs) for specs, _ in groups)
    weights: dict[str, Array] = {}
    for specs, files in groups:
        with ExitStack() as stack:
            shards = _Shards([stack.enter_context(opened(file)) for file in files], files, path)
            needed = sum(spec.bytes for spec in specs)
            exact = not any(spec.stored == "string" for spec in specs)
            if shards.left < needed or (exact and shards.left > needed):
                least = "" if exact else "at least "
                damaged(
                    path,
                    f"its manifest has weights of {least}{needed} bytes in {_listed(files)}, "
                    f"which {'holds' if len(files) == 1 else 'hold'} {shards.left}; a file was "
                    "cut off, or belongs to another model",
                )
            for spec in specs:
                if spec.name in weights:
                    damaged(path, f"its manifest has two weights named {spec.name!r}")
                weights[spec.name] = _read(spec, shards, path)
                if progress is not None:
                    progress("weights", len(weights), total)
            if shards.left:
                damaged(path, f"{_listed(files)} hold {shards.left} bytes behind the last weight")
    return weights


def _listed(files: list[str]) -> str:
    names = [os.path.basename(file) for file in files]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more files" if len(names) > 3 else "")


def _spec(item: dict[str, Any], path: str) -> _Spec:
    """The description of a weight, checked."""
    name = member(item, "name", str, "a weight", path)
    if not name:
        damaged(path, "a weight in its manifest has no name")
    sizes = member(item, "shape", list, f"the weight {name!r}", path)
    if not all(type(size) is int and 0 <= size < 1 << 63 for size in sizes):
        damaged(path, f"the weight {name!r} has shape {sizes[:8]}, expected sizes of at least 0")
    if len(sizes) > _MOST_RANK:
        damaged(path, f"the weight {name!r} has {len(sizes)} dimensions, more than {_MOST_RANK}")
    dtype = member(item, "dtype", str, f"the weight {name!r}", path)
    if dtype != "string" and dtype not in _DTYPES:
        legal = ", ".join(["string", *_DTYPES])
        damaged(path, f"the weight {name!r} has dtype {dtype!r}, expected one of {legal}")
    quantization = member(item, "quantization", dict, f"the weight {name!r}", path)
    if not quantization:
        return _Spec(name, tuple(sizes), dtype, dtype, 1.0, 0.0)
    stored = member(quantization, "dtype", str, f"the quantization of {name!r}", path)
    if dtype not in _QUANTIZED.get(stored, ()):
        damaged(
            path,
            f"the weight {name!r} of {dtype} is quantized as {stored!r}; float32 can be as "
            "float16, uint8 or uint16, and int32 as uint8 or uint16",
        )
    numbers = {"scale": 1.0, "min": 0.0}
    if stored != "float16":
        for key in numbers:
            number = quantization.get(key)
            if type(number) not in (int, float) or not abs(number) < math.inf:
                damaged(path, f"the weight {name!r} has {key} = {shown(number)}, not a number")
            numbers[key] = float(number)
    return _Spec(name, tuple(sizes), dtype, stored, numbers["scale"], numbers["min"])


def _inside(folder: str, name: Any, path: str) -> str:
    """The file of a name in the manifest, which must be in the folder of the model."""
    if not isinstance(name, str) or not name or not name.isprintable():
        damaged(path, f"its manifest names the file {shown(name)}")
    parts = name.replace("\\", "/").split("/")
    if max(map(len, map(os.fsencode, parts))) > _LONGEST_NAME:
        damaged(path, f"its manifest names the file {shown(name)}, a name that is too long")
    whole = os.path.join(folder, name)
    if (
        ".." in parts
        or posixpath.isabs(name)
        or ntpath.splitdrive(name)[0]
        or ntpath.isabs(name)
        or not _holds(os.path.realpath(folder or os.curdir), os.path.realpath(whole))
    ):
        message = (
            f"{path} names the file of weights {name!r}, which is outside of its folder and is "
            "not opened"
        )
        raise errors.PermissionDeniedError(None, None, message)
    if os.path.isdir(whole):
        damaged(path, f"its manifest names the file {name!r}, which is a folder")
    return whole


def _holds(folder: str, file: str) -> bool:
    try:
        return os.path.commonpath([folder, file]) == folder
    except ValueError:  # on different drives
        return False


class _Shards:
    """The bytes of a group's files, one behind the other.

    Args:
        files: the files, open.
        names: their names.
        path: the file with the manifest, for errors.
    """

    def __init__(self, files: list[BufferedReader], names: list[str], path: str) -> None:
        self._path = path
        self._files = list(zip(files, names, strict=True))
        self.left = 0
        for file, name in self._files:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                damaged(path, f"{name!r} is not a regular file")
            self.left += found.st_size

    def read(self, memory: memoryview) -> None:
        """Fills memory with the next bytes."""
        size, done = len(memory), 0
        if size > self.left:
            damaged(self._path, f"its weights end {size - self.left} bytes too early")
        while done < size:
            if not self._files:
                damaged(self._path, "a file of weights has become shorter")
            number = self._files[0][0].readinto(memory[done:])
            if not number:
                del self._files[0]
            done += number
        self.left -= size


def _read(spec: _Spec, shards: _Shards, path: str) -> Array:
    """Reads one weight."""
    what = f"the weight {spec.name!r} of {path!r}"
    if spec.stored == "string":
        return _strings(spec, shards, what)
    ask(spec.elements * np.dtype(_DTYPES[spec.dtype]).itemsize, what)
    values = np.empty(spec.elements, _DTYPES[spec.dtype])
    if spec.stored == spec.dtype:
        shards.read(values.view(np.uint8).data)
    else:
        for start in range(0, spec.elements, _BLOCK):
            block = values[start : start + _BLOCK]
            stored = np.empty(block.size, _DTYPES[spec.stored])
            shards.read(stored.view(np.uint8).data)
            _restore(spec, stored, block)
    if spec.dtype == "bool":
        values = values != 0
    return values.astype(values.dtype.newbyteorder("="), copy=False).reshape(spec.shape)


def _restore(spec: _Spec, stored: Array, block: Array) -> None:
    """Restores a block of values from fewer bits, as TensorFlow.js does, in double precision."""
    with np.errstate(all="ignore"):
        if spec.stored == "float16":
            block[:] = stored
            return
        values = stored * spec.scale + spec.minimum
        if spec.dtype == "int32":
            limits = np.iinfo(np.int32)
            values = np.clip(np.floor(values + 0.5), limits.min, limits.max)
        block[:] = values


def _strings(spec: _Spec, shards: _Shards, what: str) -> Array:
    """Strings, each with its length before it."""
    ask(spec.elements * np.dtype(object).itemsize, what)
    values = np.empty(spec.elements, object)
    head = bytearray(_LENGTH)
    for place in range(spec.elements):
        shards.read(memoryview(head))
        text = bytearray(_within(int.from_bytes(head, "little"), shards, what))
        shards.read(memoryview(text))
        values[place] = bytes(text)
    return values.reshape(spec.shape)


def _within(length: int, shards: _Shards, what: str) -> int:
    if length > shards.left:
        message = f"{what} has a string of {length} bytes, where {shards.left} are left"
        raise errors.DataLossError(None, None, message)
    ask(length, what)
    return length
