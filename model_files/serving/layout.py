"""Models and their versions on disk: what a path given to a server means."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from ...formats.model_files import MODEL_FILES
from ...runtime import errors
from ..locating import is_model_name, locate

# Files that are named for what they are: their model has the name of their folder.
_NAMED_BY_FOLDER = (*MODEL_FILES, "model.json")
_NUMBER = re.compile(r"\d{1,18}")
_SINGLE = 1  # the number of a model that has no versions


@dataclass(frozen=True)
class Policy:
    """The versions of a model that are served.

    Args:
        latest: how many of the highest numbers; None for all.
        specific: these numbers; then `latest` is ignored.
    """

    latest: int | None = 1
    specific: tuple[int, ...] | None = None

    def chosen(self, numbers: Iterable[int]) -> set[int]:
        """The versions to serve, of those that are there."""
        if self.specific is not None:
            return {*self.specific} & {*numbers}
        highest = sorted(numbers, reverse=True)
        return {*(highest if self.latest is None else highest[: self.latest])}


@dataclass(frozen=True)
class ModelSettings:
    """A model that is served.

    Args:
        name: the name that clients use.
        path: the folder with its versions, or the model itself.
        policy: the versions that are served.
        labels: numbers of versions by label.
        version: where `path` is the model itself, its number; None where it holds versions.
        root: the folder that was given to the server, which links must not lead out of; by default
            `path`.
        is_listed: True for a model of a configuration, which is unloaded when it is not listed any
            more; others are served on when they vanish from the disk.
    """

    name: str
    path: str
    policy: Policy = Policy()
    labels: Mapping[str, int] = field(default_factory=dict)
    version: int | None = None
    root: str = ""
    is_listed: bool = False

    def versions(self) -> dict[int, str]:
        """The paths of the versions that are there, by number.

        Raises:
            OSError: the folder cannot be read.
        """
        if self.version is not None:
            os.stat(self.path)
            return {self.version: self.path}
        return numbered(self.path)


def numbered(folder: str) -> dict[int, str]:
    """The versions in a folder, by number."""
    found = {}
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if _NUMBER.fullmatch(name) and os.path.isdir(path):
            found[int(name)] = path
    return found


def models_at(path: str, name: str | None = None) -> list[ModelSettings]:
    """The models at a path: one, or those in a folder.

    Args:
        path: a file or folder of a model, a folder with numbered versions, or one that holds such
            by name.
        name: the name of a single model; by default that of its folder or file.

    Raises:
        NotFoundError: there is no model.
        ValueError: several models cannot have one name.
    """
    path = os.path.abspath(path)
    if not os.path.exists(path):
        raise errors.NotFoundError(None, None, f"there is no file or folder {path!r}")
    single = _model_at(path)
    if single is not None and not (os.path.isdir(path) and _holds_models(path)):
        return [ModelSettings(name or single.name, path, version=single.version)]
    entries = sorted(os.listdir(path)) if os.path.isdir(path) else []
    models = [
        replace(settings, root=path)
        for entry in entries
        if not entry.startswith(".")
        and (settings := _model_at(os.path.join(path, entry))) is not None
    ]
    if not models:
        raise errors.NotFoundError(
            None,
            None,
            f"{path!r} holds no model: expected a model, folders of versions named by numbers, or "
            "folders of such by name",
        )
    if name is not None:
        raise ValueError(f"a name, {name!r}, is for a single model; {path!r} holds {len(models)}")
    return models


def _model_at(path: str) -> ModelSettings | None:
    """The model that a path is, or that has its versions there; None if it is none."""
    name = os.path.basename(path)
    if os.path.isfile(path):
        if not is_model_name(name):
            return None
        stem = os.path.basename(os.path.dirname(path)) if name in _NAMED_BY_FOLDER else name
        return ModelSettings(stem.partition(".")[0], path, version=_SINGLE)
    if numbered(path):
        return ModelSettings(name, path)
    if not _is_model(path):
        return None
    if _NUMBER.fullmatch(name):  # a version by itself
        above = os.path.basename(os.path.dirname(path))
        return ModelSettings(above or name, path, version=int(name))
    return ModelSettings(name, path, version=_SINGLE)


def _holds_models(folder: str) -> bool:
    """True if models are in folders of a folder that is none itself, for all it may hold a file."""
    names = os.listdir(folder)
    if any(name in names for name in MODEL_FILES) or numbered(folder):
        return False
    folders = [os.path.join(folder, name) for name in names if not name.startswith(".")]
    return any(os.path.isdir(path) and _model_at(path) is not None for path in folders)


def _is_model(folder: str) -> bool:
    try:
        return os.path.isfile(locate(folder))
    except (errors.OpError, OSError):
        return False


def fingerprint(path: str) -> tuple[tuple[str, int, int], ...]:
    """Names, sizes and times of the files of a version; equal while nothing changes there.

    Raises:
        OSError: it cannot be read.
    """
    if not os.path.isdir(path):
        status = os.stat(path)
        return ((path, status.st_size, status.st_mtime_ns),)
    found = []
    for folder, _, names in os.walk(path):
        for name in names:
            file = os.path.join(folder, name)
            status = os.stat(file)
            found.append((file, status.st_size, status.st_mtime_ns))
    return (*sorted(found),)
