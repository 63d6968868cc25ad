"""Contracts: promises of a graph to its users, as a TOML file."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..protos.dtypes import DType, as_dtype

public = {"td": "Contract"}

_TYPE = re.compile(r"\s*([a-z]\w*)\s*\[([^\[\]]*)\]\s*")
_BARE = re.compile("[A-Za-z0-9_-]+")
_LIMITS = ("parameters", "flops", "peak_bytes")
_RELEASES = ("1.15", "2")


@dataclass(frozen=True)
class TensorPromise:
    """The dtype and sizes that a contract promises for a tensor.

    Attributes:
        dtype: the dtype.
        sizes: for each dimension a number, the text of an expression of named sizes, or None where
            anything goes; None where any rank goes.
    """

    dtype: DType
    sizes: tuple[int | str | None, ...] | None

    @classmethod
    def parse(cls, text: str) -> TensorPromise:
        """Reads `float32[batch, 2*seq, 10, ?]`, or `float32[...]` for any shape.

        Raises:
            ValueError: the text is of no such form.

        Example:
            >>> from tensordraft.analysis.contract import TensorPromise
            >>> TensorPromise.parse("float32[batch, 10, ?]").sizes
            ('batch', 10, None)
        """
        match = _TYPE.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is not of the form 'float32[batch, 10]'")
        try:
            dtype = as_dtype(match[1])
        except TypeError:
            raise ValueError(f"{text!r} names no dtype: {match[1]!r}") from None
        inner = match[2].strip()
        if inner == "...":
            return cls(dtype, None)
        parts = [part.strip() for part in inner.split(",")] if inner else []
        if not all(parts):
            raise ValueError(f"{text!r} leaves a size empty; use `?` for any size")
        return cls(dtype, tuple([_size(part) for part in parts]))

    def __str__(self) -> str:
        if self.sizes is None:
            return f"{self.dtype.name}[...]"
        return f"{self.dtype.name}[{', '.join('?' if n is None else str(n) for n in self.sizes)}]"

    def accepts(self, sizes: tuple[Any, ...] | None) -> bool:
        """Returns True if a tensor of these sizes keeps the promise."""
        if self.sizes is None:
            return True
        if sizes is None or len(sizes) != len(self.sizes):
            return False
        pairs = zip(self.sizes, sizes, strict=True)
        return all(mine is None or str(mine) == str(theirs) for mine, theirs in pairs)


def _size(text: str) -> int | str | None:
    if text == "?":
        return None
    return int(text) if text.isascii() and text.isdecimal() else text


@dataclass(frozen=True)
class Contract:
    """Promises of a graph; `Contract.of` records the present state of one.

    Attributes:
        model: the path of the graph, beside the contract; "" where it is given otherwise.
        inputs: what is promised of each input, by name. Outputs need no others.
        outputs: what is promised of each output, where inputs have their sizes.
        allowed: the op types that may be in the graph; None for any.
        limits: the most "parameters", "flops" and "peak_bytes", at `sizes`.
        sizes: numbers for named sizes, at which limits hold.
        deterministic: whether no op draws random numbers or has state.
        files: whether ops may read or write files.
        python: whether ops may call functions of the program.
        unknown: whether there may be ops of unknown types.
        tensorflow: the releases of TensorFlow that load the graph, of "1.15" and "2".

    Example:
        >>> with td.Graph().as_default() as graph:
        ...     y = td.square(td.placeholder(td.float32, ["batch", 4], name="x"), name="y")
        >>> contract = td.Contract.parse({"outputs": {"y": "float32[batch, 5]"}})
        >>> print(td.check_graph(graph, contract=contract).breaches[0])
        TC02 output y is float32[batch, 5]: it is float32(batch, 4)
    """

    model: str = ""
    inputs: Mapping[str, TensorPromise] = field(default_factory=dict)
    outputs: Mapping[str, TensorPromise] = field(default_factory=dict)
    allowed: frozenset[str] | None = None
    limits: Mapping[str, int] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    deterministic: bool = False
    files: bool = True
    python: bool = True
    unknown: bool = True
    tensorflow: tuple[str, ...] = ()

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Contract:
        r"""Reads a contract from a file in TOML.

        Args:
            path: the file.

        Raises:
            OSError: it cannot be read.
            ValueError: it is not in TOML, or says what no contract says.

        Example:
            >>> import os, tempfile
            >>> path = os.path.join(tempfile.mkdtemp(), "model.toml")
            >>> with open(path, "w") as file:
            ...     _ = file.write('[outputs]\nscores = "float32[batch, 10]"')
            >>> str(td.Contract.load(path).outputs["scores"])
            'float32[batch, 10]'
        """
        with open(path, "rb") as file:
            try:
                tables = tomllib.load(file)
            except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
                raise ValueError(f"{os.fsdecode(path)} is not in TOML: {error}") from None
        try:
            return cls.parse(tables)
        except ValueError as error:
            raise ValueError(f"{os.fsdecode(path)}: {error}") from None

    @classmethod
    def parse(cls, tables: Mapping[str, Any]) -> Contract:
        """A contract from the content of a file.

        Raises:
            ValueError: a table or an entry is unknown, or of the wrong type.
        """
        _check_names("a contract", tables, ("model", *_TABLES))
        settings: dict[str, Any] = {"model": _of(str, "model", tables.get("model", ""))}
        for name, read in _TABLES.items():
            settings.update(read(_of(dict, name, tables.get(name, {}))))
        return cls(**settings)

    def to_toml(self) -> str:
        """The contract in the form of a file."""
        tables: dict[str, dict[str, Any]] = {
            "inputs": {name: str(promise) for name, promise in self.inputs.items()},
            "outputs": {name: str(promise) for name, promise in self.outputs.items()},
            "ops": {} if self.allowed is None else {"allowed": sorted(self.allowed)},
            "limits": dict(self.limits),
            "sizes": dict(self.sizes),
            "promises": {
                "deterministic": self.deterministic,
                "files": self.files,
                "python": self.python,
                "unknown": self.unknown,
                "tensorflow": list(self.tensorflow),
            },
        }
        lines = [f"model = {_toml(self.model)}", ""] if self.model else []
        for name, entries in tables.items():
            if entries:
                lines.append(f"[{name}]")
                lines += [f"{_key(key)} = {_toml(value)}" for key, value in entries.items()]
                lines.append("")
        return "\n".join(lines)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _toml(name)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, int):
        return str(value)
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped) + '"'


def _of(kind: type, name: str, value: Any) -> Any:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ValueError(f"{name} must be of type {kind.__name__}, got {value!r}")
    return value


def _check_names(what: str, entries: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for name in entries:
        if name not in known:
            raise ValueError(f"{what} has no {name!r}; it has {', '.join(known)}")


def _tensors(table: str) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    def read(entries: Mapping[str, Any]) -> dict[str, Any]:
        promises = {}
        for name, text in entries.items():
            try:
                promises[name] = TensorPromise.parse(_of(str, "it", text))
            except ValueError as error:
                raise ValueError(f"[{table}] {name}: {error}") from None
        return {table: promises}

    return read


def _ops(entries: Mapping[str, Any]) -> dict[str, Any]:
    _check_names("[ops]", entries, ("allowed",))
    if "allowed" not in entries:
        return {}
    types = _of(list, "[ops] allowed", entries["allowed"])
    return {"allowed": frozenset(_of(str, "[ops] allowed", item) for item in types)}


def _limits(entries: Mapping[str, Any]) -> dict[str, Any]:
    _check_names("[limits]", entries, _LIMITS)
    return {"limits": {name: _count(f"[limits] {name}", n) for name, n in entries.items()}}


def _sizes(entries: Mapping[str, Any]) -> dict[str, Any]:
    return {"sizes": {name: _count(f"[sizes] {name}", n) for name, n in entries.items()}}


def _count(name: str, value: Any) -> int:
    number: int = _of(int, name, value)
    if number < 0:
        raise ValueError(f"{name} must not be negative, got {number}")
    return number


def _promises(entries: Mapping[str, Any]) -> dict[str, Any]:
    flags = ("deterministic", "files", "python", "unknown")
    _check_names("[promises]", entries, (*flags, "tensorflow"))
    promises = {n: _of(bool, f"[promises] {n}", entries[n]) for n in flags if n in entries}
    releases = _of(list, "[promises] tensorflow", entries.get("tensorflow", []))
    for release in releases:
        if release not in _RELEASES:
            known = " and ".join(map(repr, _RELEASES))
            raise ValueError(f"[promises] tensorflow knows {known}, got {release!r}")
    return {**promises, "tensorflow": tuple(releases)}


_TABLES: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "inputs": _tensors("inputs"),
    "outputs": _tensors("outputs"),
    "ops": _ops,
    "limits": _limits,
    "sizes": _sizes,
    "promises": _promises,
}
