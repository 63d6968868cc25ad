"""Compiles loops with numba: a program of its own, which is given one in each line of its input.

The process that asks goes on meanwhile, and needs neither numba nor its memory. A line is JSON, as
is the one that answers it: `{"symbol": ..., "code": ...}`, or `{"error": ...}`.
"""

from __future__ import annotations

import base64
import importlib
import json
import os
import sys
from typing import Any

# What machine code may ask of the process that it is loaded into.
_KNOWN = {"memset", "memcpy", "memmove"}


def compiled(loop: dict[str, Any]) -> dict[str, str]:
    """The object code of a loop, and the name of the function in it."""
    os.environ["NUMBA_SLP_VECTORIZE"] = "1"  # what stands side by side becomes a vector
    numba: Any = importlib.import_module("numba")
    types: list[Any] = [_type(numba.types, name) for name in loop["parameters"]]
    scope: dict[str, Any] = {
        **{name: getattr(numba, name) for name in ("float32", "float64", "int32")},
        "sqrt": _root(numba),
        "bits": _reread(numba, numba.float32, numba.int32),
        "of_bits": _reread(numba, numba.int32, numba.float32),
    }
    exec("from __future__ import annotations\n" + loop["source"], scope)  # noqa: S102
    # Division by zero gives what NumPy gives: nothing that raises is left in the code.
    compile_it = numba.cfunc(numba.types.void(*types), error_model="numpy")
    library = compile_it(scope[loop["name"]])
    module = library._library._final_module
    asked = [item.name for item in module.functions if item.is_declaration]
    unknown = [name for name in asked if not name.startswith("llvm.") and name not in _KNOWN]
    if unknown:
        raise ValueError(f"the code would call {', '.join(unknown)}")
    code = library._library.codegen._tm.emit_object(module)
    return {"symbol": library._wrapper_name, "code": base64.b64encode(code).decode()}


def _type(types: Any, name: str) -> Any:
    return types.CPointer(getattr(types, name[:-1])) if name[-1] == "*" else getattr(types, name)


def _reread(numba: Any, given: Any, wanted: Any) -> Any:
    """The function that takes a number of one type for one of another, bit by bit."""

    def reread(_: Any, number: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.bitcast(arguments[0], context.get_value_type(wanted))

        return wanted(given), code

    return importlib.import_module("numba.extending").intrinsic(reread)


def _root(numba: Any) -> Any:
    """The square root, by the processor's instruction in place of a call of the C library."""

    def root(_: Any, number: Any) -> Any:
        def code(_: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            [x] = arguments
            return builder.call(builder.module.declare_intrinsic("llvm.sqrt", [x.type]), [x])

        return number(number), code

    return importlib.import_module("numba.extending").intrinsic(root)


def main() -> None:
    """Answers each line."""
    if hasattr(os, "nice"):
        os.nice(5)  # a run that is under way goes first
    for line in sys.stdin:
        try:
            answer = compiled(json.loads(line))
        except Exception as error:  # noqa: BLE001 - it is told to who asked
            answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
