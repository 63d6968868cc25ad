"""The program that compiles loops, as a child of this process."""

from __future__ import annotations

import atexit
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..kernel_spec import Loop
from .code_cache import Code

if TYPE_CHECKING:
    import subprocess

_PROGRAM = Path(__file__).with_name("compile_loops.py")


class Compiler:
    """The program, started when it is first needed, and ended with this process."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def compiled(self, loop: Loop) -> Code:
        """The code of a loop.

        Raises:
            RuntimeError: it could not be compiled.
            OSError: the program could not be started.
        """
        import base64
        import json

        stdin, stdout = self._pipes()
        stdin.write(json.dumps(loop._asdict()) + "\n")
        stdin.flush()
        line = stdout.readline()
        if not line:
            raise RuntimeError("the program that compiles has ended")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return Code(answer["symbol"], base64.b64decode(answer["code"]))

    def _pipes(self) -> tuple[Any, Any]:
        import subprocess

        if self._process is not None and self._process.poll() is not None:
            self.end()
        if self._process is None:
            # Of the folder that this process works in, nothing is imported.
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-P", str(_PROGRAM)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            atexit.register(self.end)
        return self._process.stdin, self._process.stdout

    def end(self) -> None:
        """Ends the program, if it was started."""
        process, self._process = self._process, None
        if process is not None:
            atexit.unregister(self.end)
            process.kill()
            process.communicate()
