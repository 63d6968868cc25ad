"""The accelerator: which loops there are as machine code, and having others compiled meanwhile."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from functools import cache, cached_property

from ...protos.config import config
from ..kernel_spec import Loop
from ..thread_pools import after_fork
from .code_cache import Code, CodeCache
from .compiler import Compiler
from .machine_code import function_of, processor

_OLDEST = (0, 61)  # the first that knows NumPy 2.1


class Accelerator:
    """Loops as machine code, for the whole process.

    A loop is looked for in the process and in the cache on disk. One that is in neither can be
    asked for: a process of its own compiles it, while a thread waits for it. What was compiled is
    there for who looks later.

    Args:
        cache: where code is kept on disk.
    """

    def __init__(self, cache: CodeCache | None = None) -> None:
        self.cache = cache or CodeCache()
        self._functions: dict[Loop, Callable[..., None] | None] = {}
        self._failures: dict[Loop, str] = {}
        self._begin()
        after_fork(self._begin)

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[Loop] = deque()
        self._thread: threading.Thread | None = None

    @cached_property
    def _versions(self) -> list[str] | None:
        from importlib import metadata

        try:
            return [metadata.version(name) for name in ("numba", "llvmlite")]
        except metadata.PackageNotFoundError:
            return None

    @property
    def obstacle(self) -> str | None:
        """Reason why machine code is unavailable; None if it is available."""
        if not config.accelerator:
            return "td.config.accelerator is off"
        if self._versions is None:
            return "numba is not installed, as `pip install tensordraft[jit]` does"
        if _is_too_old(self._versions[0]):
            oldest = ".".join(map(str, _OLDEST))
            return f"numba {self._versions[0]} is older than {oldest}"
        return None

    def failure(self, loop: Loop) -> str | None:
        """Why a loop could not be compiled, if it was tried."""
        return self._failures.get(loop)

    def ready(self, loop: Loop) -> Callable[..., None] | None:
        """The loop as a function; None if it is not compiled."""
        found = self._functions.get(loop)
        if self.obstacle is not None or found is not None:
            return None if self.obstacle is not None else found
        if loop in self._functions or not self.cache.holds_anything():
            return None
        with self._lock:
            code = self.cache.read(self._key(loop))
            self._functions[loop] = None if code is None else self._linked(loop, code)
            return self._functions[loop]

    def ask_for(self, loops: Iterable[Loop]) -> None:
        """Has loops compiled that are not, meanwhile."""
        if self.obstacle is not None:
            return
        missing = [loop for loop in loops if self.ready(loop) is None]
        with self._lock:
            for loop in missing:
                known = self._functions.get(loop) or loop in self._failures
                if not known and loop not in self._waiting:
                    self._waiting.append(loop)
            if self._waiting and self._thread is None:
                self._thread = threading.Thread(
                    target=self._work, daemon=True, name="tensordraft-compiling"
                )
                self._thread.start()

    @property
    def is_busy(self) -> bool:
        """True while loops are being compiled."""
        return self._thread is not None

    def wait(self) -> None:
        """Returns when all that was asked for is compiled, or has failed."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def _key(self, loop: Loop) -> str:
        """File name with a hash of everything that a loop's code depends on."""
        import hashlib
        import json

        text = json.dumps([self._versions, processor(), *loop])
        return hashlib.sha256(text.encode()).hexdigest()

    def _linked(self, loop: Loop, code: Code) -> Callable[..., None] | None:
        try:
            return function_of(code, loop.parameters)
        except Exception as error:  # noqa: BLE001 - whatever it is, the plan runs without
            self._failures[loop] = str(error)
            return None

    def _work(self) -> None:
        """Has what is waited for compiled, one after the other."""
        compiler = Compiler()
        while True:
            with self._lock:
                if not self._waiting:
                    self._thread = None
                    break
                loop = self._waiting[0]
            try:
                code = compiler.compiled(loop)
                self.cache.keep(self._key(loop), code)
                function = self._linked(loop, code)
            except Exception as error:  # noqa: BLE001 - reported by `explain`
                function = None
                self._failures[loop] = str(error) or type(error).__name__
            with self._lock:
                self._functions[loop] = function
                self._waiting.popleft()
        compiler.end()


@cache
def _is_too_old(version: str) -> bool:
    return tuple([int(part) for part in version.split(".")[:2] if part.isdigit()]) < _OLDEST


accelerator = Accelerator()
