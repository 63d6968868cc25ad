"""Exponentials written for machine code, which does them and what stands around them in one loop.

They are of float32, and round otherwise than NumPy's: by 2 units in the last place at most. What
is infinite, NaN or a zero with a sign gives what it gives there.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.kernel_spec import FEWEST_IN_BLOCKS, Accelerated, KernelSpec, Loop, Memory

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...shape_inference.protocols import Array

# x = n ln 2 + r, of which ln 2 is the sum of two numbers, so that n times the first is exact. The
# polynomial is that of S. Moshier's Cephes. By the last digits of `t` lies n, and 2^n is put
# together from its bits: of two factors, for there are results that need a larger n than one has.
_EXP = """\
{v}_x = float32(89) if {x} > float32(89) else {x}
{v}_x = float32(-104) if {v}_x < float32(-104) else {v}_x
{v}_t = {v}_x * float32(1.4426950408889634) + float32(12582912)
{v}_n = {v}_t - float32(12582912)
{v}_r = {v}_x - {v}_n * float32(0.693359375) + {v}_n * float32(2.12194440e-4)
{v}_p = float32(1.9875691500e-4) * {v}_r + float32(1.3981999507e-3)
{v}_p = {v}_p * {v}_r + float32(8.3334519073e-3)
{v}_p = {v}_p * {v}_r + float32(4.1665795894e-2)
{v}_p = {v}_p * {v}_r + float32(1.6666665459e-1)
{v}_p = {v}_p * {v}_r + float32(5.0000001201e-1)
{v}_p = {v}_p * {v}_r * {v}_r + {v}_r + float32(1)
{v}_i = int32(bits({v}_t) - int32(0x4B400000))
{v}_h = int32({v}_i >> 1)
{v}_a = of_bits(int32(int32({v}_h + int32(127)) << int32(23)))
{v}_b = of_bits(int32(int32({v}_i - {v}_h + int32(127)) << int32(23)))
{v}_e = {v}_p * {v}_a * {v}_b
"""
EXP = _EXP.replace("{x}", "{0}") + "{v}_e"
SIGMOID = "{v}_z = -{0}\n" + _EXP.replace("{x}", "{v}_z") + "float32(1) / (float32(1) + {v}_e)"
TANH = (
    "{v}_s = {0} if {0} > float32(0) else -{0}\n{v}_z = {v}_s + {v}_s\n"
    + _EXP.replace("{x}", "{v}_z")
    + """\
{v}_f = float32(1) - float32(2) / ({v}_e + float32(1))
{v}_f = {v}_f if {0} > float32(0) else -{v}_f
{v}_q = {0} * {0}
{v}_w = float32(-5.70498872745e-3) * {v}_q + float32(2.06390887954e-2)
{v}_w = {v}_w * {v}_q - float32(5.37397155531e-2)
{v}_w = {v}_w * {v}_q + float32(1.33314422036e-1)
{v}_w = {v}_w * {v}_q - float32(3.33332819422e-1)
{v}_w = {0} * (float32(1) + {v}_q * {v}_w)
{v}_w if {v}_s < float32(0.625) else {v}_f"""
)


def with_machine_code(kernel: KernelSpec, expression: str) -> KernelSpec:
    """The kernel of a function of float32, which may leave its work to machine code.

    Small arrays it does itself: a call of machine code takes as long as they do.

    Args:
        kernel: the kernel.
        expression: as in `KernelSpec`.
    """

    def by_machine(function: Callable[..., None]) -> KernelSpec:
        def block(x: Array, out: Array | None = None) -> Any:
            result = np.empty(x.shape, x.dtype) if out is None else out
            np.copyto(result, x)
            function(result, result.size)
            return result

        def call(x: Array) -> Any:
            return kernel.call(x) if x.size < FEWEST_IN_BLOCKS else block(x)

        return KernelSpec(call, Memory.FRESH, block=block, takes_out=True, expression=expression)

    return kernel.with_accelerated(Accelerated(_loop(expression), by_machine))


@cache
def _loop(expression: str) -> Loop:
    """The loop `function(x, count)`, which writes the results into `x`.

    So it is certain that an element is read before it is written.
    """
    lines = [f"  {line}\n" for line in expression.format("x[k]", v="y", t="float32").split("\n")]
    lines[-1] = f"  x[k] = {lines[-1].lstrip()}"
    source = "".join(["def function(x, count):\n", " for k in range(count):\n", *lines])
    return Loop("function", ("float32*", "int64"), source)
