"""Loops for machine code, run by Python; and the accelerator in tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import tensordraft as td
from tensordraft.acceleration.accelerator import Accelerator
from tensordraft.acceleration.code_cache import CodeCache
from tensordraft.graph.kernel_spec import Loop

NEEDS_NUMBA = pytest.mark.skipif(find_spec("numba") is None, reason="numba is not installed")


def interpreted(loop: Loop) -> Callable[..., None]:
    """A loop as a function, as machine code of it would be."""
    scope: dict[str, Any] = {}
    exec(loop.source, scope)  # noqa: S102 - our own source

    def run(*arguments: Any) -> None:
        assert len(arguments) == len(loop.parameters)
        taken = []
        for value, name in zip(arguments, loop.parameters, strict=True):
            if name[-1] == "*":
                assert value.dtype.name == name[:-1]
                assert value.flags.c_contiguous
                value = value.reshape(-1)
            taken.append(value)
        scope[loop.name](*taken)

    return run


@contextmanager
def accelerated(folder: Path) -> Iterator[Accelerator]:
    """The accelerator turned on, with its cache in a folder, and as a new process finds it."""
    from tensordraft.acceleration import accelerator as module
    from tensordraft.session import executor, explanation
    from tensordraft.session.drafts import machine_code

    fresh = Accelerator(CodeCache(folder))
    with pytest.MonkeyPatch.context() as patch:
        for user in (module, executor, explanation, machine_code):
            patch.setattr(user, "accelerator", fresh)
        patch.setattr(td.config, "accelerator", True)
        yield fresh
        fresh.wait()
