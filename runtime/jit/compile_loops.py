"""Compiles loops with numba: a separate program that reads one loop per line of its input.

The requesting process continues meanwhile, and needs neither numba nor its memory. Lines are JSON,
as are the answers: `{"symbol": ..., "code": ...}`, or `{"error": ...}`.
"""

from __future__ import annotations

import base64
import importlib
import json
import operator
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
        **(_vectors(numba, loop["lanes"]) if loop["lanes"] else {}),
    }
    words = set(scope)
    exec("from __future__ import annotations\n" + loop["source"], scope)  # noqa: S102
    for name in scope.keys() - words - {"__builtins__", "annotations", loop["name"]}:
        # What the loop calls becomes a part of it, else numba would ask whether it has raised.
        scope[name] = numba.njit(error_model="numpy", inline="always")(scope[name])
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
    """The square root, by the processor's instruction instead of a call of the C library."""

    def root(_: Any, number: Any) -> Any:
        def code(_: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            [x] = arguments
            return builder.call(builder.module.declare_intrinsic("llvm.sqrt", [x.type]), [x])

        return number(number), code

    return importlib.import_module("numba.extending").intrinsic(root)


def _vectors(numba: Any, lanes: int) -> dict[str, Any]:
    """The words for vectors of so many float32, which lie side by side in a register."""
    ir: Any = importlib.import_module("llvmlite.ir")
    extending: Any = importlib.import_module("numba.extending")
    types, intrinsic = numba.types, extending.intrinsic
    register = ir.VectorType(ir.FloatType(), lanes)
    vector = type("Vector", (types.Type,), {})(f"vector of {lanes}")
    floats, index = types.CPointer(types.float32), types.int64

    def model(manager: Any, kind: Any) -> Any:
        return extending.models.PrimitiveModel(manager, kind, register)

    extending.register_model(type(vector))(model)

    def place(builder: Any, array: Any, i: Any) -> Any:
        return builder.bitcast(builder.gep(array, [i]), register.as_pointer())

    @intrinsic  # type: ignore[untyped-decorator]
    def load(_: Any, array: Any, i: Any) -> Any:
        def code(_: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.load(place(builder, *arguments), align=4)

        return vector(floats, index), code

    @intrinsic  # type: ignore[untyped-decorator]
    def store(_: Any, array: Any, i: Any, numbers: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            builder.store(arguments[2], place(builder, *arguments[:2]), align=4)
            return context.get_dummy_value()

        return types.void(floats, index, vector), code

    @intrinsic  # type: ignore[untyped-decorator]
    def spread(_: Any, number: Any) -> Any:
        def code(_: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            unset = ir.Constant(register, ir.Undefined)
            places = ir.VectorType(ir.IntType(32), lanes)
            first = builder.insert_element(unset, arguments[0], ir.Constant(ir.IntType(32), 0))
            return builder.shuffle_vector(first, unset, ir.Constant(places, [0] * lanes))

        return vector(types.float32), code

    @intrinsic  # type: ignore[untyped-decorator]
    def fma(_: Any, x: Any, y: Any, z: Any) -> Any:
        def code(_: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            module, name = builder.module, f"llvm.fma.v{lanes}f32"
            kind = ir.FunctionType(register, [register] * 3)
            known = module.globals.get(name) or ir.Function(module, kind, name)
            return builder.call(known, arguments)

        return vector(vector, vector, vector), code

    def chosen_by(sign: str) -> Any:
        @intrinsic  # type: ignore[untyped-decorator]
        def chosen(_: Any, a: Any, b: Any, x: Any, y: Any) -> Any:
            def code(_: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                return builder.select(builder.fcmp_ordered(sign, *arguments[:2]), *arguments[2:])

            return vector(*[vector] * 4), code

        return chosen

    for sign, method in ((operator.add, "fadd"), (operator.sub, "fsub"), (operator.mul, "fmul")):
        _overload(extending, vector, sign, method)
    words = {"load": load, "store": store, "spread": spread, "fma": fma}
    return words | {"greater": chosen_by(">"), "equal": chosen_by("==")}


def _overload(extending: Any, vector: Any, sign: Any, method: str) -> None:
    """Has an operator of two vectors done by a method of LLVM's builder."""

    @extending.intrinsic  # type: ignore[untyped-decorator]
    def combined(_: Any, x: Any, y: Any) -> Any:
        def code(_: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return getattr(builder, method)(*arguments)

        return vector(vector, vector), code

    def combined_by(x, y):  # type: ignore[no-untyped-def]
        return combined(x, y)

    # Numba compares the parameters of both, with their annotations.
    @extending.overload(sign, inline="always")
    def overload(x, y):  # type: ignore[no-untyped-def]
        return combined_by if x == y == vector else None


def main() -> None:
    """Answers each line."""
    if hasattr(os, "nice"):
        os.nice(5)  # a run that is under way goes first
    for line in sys.stdin:
        try:
            answer = compiled(json.loads(line))
        except Exception as error:  # noqa: BLE001 - reported to the requesting process
            answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
