"""The ops that loops and conditionals of TensorFlow 1.x are made of on the wire.

Where they make up a loop or a conditional, an import puts an op such as `While` or `If` in their
place. Of what is left, a frame without a loop runs once; a Switch or Merge cannot be run.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, NoReturn

from ...graph.op_def import OpDef
from ...runtime import errors
from ...runtime.passthrough import passthrough
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.handle_data import common_shape
from ...shape_inference.rules import SCALAR, UNKNOWN_SHAPE
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import STATEFUL, Move

_FRAME = "T: type, frame_name: string, is_constant: bool = false, parallel_iterations: int = 10"
_SWITCH = "output_false: {0}, output_true: {0}"

SWITCH = OpDef("Switch", f"data: T, pred: bool -> {_SWITCH.format('T')}", "T: type")
REF_SWITCH = OpDef(
    "RefSwitch", f"data: Ref(T), pred: bool -> {_SWITCH.format('Ref(T)')}", "T: type"
)
SWITCH_N = OpDef(
    "_SwitchN",
    "data: T, output_index: int32 -> outputs: num_outs * T",
    "num_outs: int >= 1, T: type",
)
MERGE = OpDef("Merge", "inputs: N * T -> output: T, value_index: int32", "T: type, N: int >= 1")
REF_MERGE = OpDef(
    "RefMerge", "inputs: Ref(N * T) -> output: Ref(T), value_index: int32", "T: type, N: int >= 1"
)
# Outside of a loop, a frame has one iteration.
_RELAYED = Move(views=True)
ENTER = OpDef("Enter", "data: T -> output: T", _FRAME, traits=_RELAYED)
REF_ENTER = OpDef("RefEnter", "data: Ref(T) -> output: Ref(T)", _FRAME)
EXIT = OpDef("Exit", "data: T -> output: T", "T: type", traits=_RELAYED)
REF_EXIT = OpDef("RefExit", "data: Ref(T) -> output: Ref(T)", "T: type")
NEXT_ITERATION = OpDef("NextIteration", "data: T -> output: T", "T: type", traits=_RELAYED)
REF_NEXT_ITERATION = OpDef("RefNextIteration", "data: Ref(T) -> output: Ref(T)", "T: type")
LOOP_COND = OpDef("LoopCond", "input: bool -> output: bool", traits=_RELAYED)
IRREGULAR_FRAME = OpDef(
    "IrregularFrame",
    "input: Tin -> output: Tout",
    "Tin: list(type), Tout: list(type), reason: string = ''",
    traits=STATEFUL,
)


@SWITCH.shape
@REF_SWITCH.shape
def _switch_shape(c: ShapeContext) -> list[TensorShape]:
    c.hold(c.content("data"), 0)
    c.hold(c.content("data"), 1)
    return [c.shape("data")] * 2


@SWITCH_N.shape
def _switch_n_shape(c: ShapeContext) -> list[TensorShape]:
    return [c.shape("data")] * len(c.node.outputs)


@MERGE.shape
@REF_MERGE.shape
def _merge_shape(c: ShapeContext) -> list[TensorShape]:
    return [reduce(common_shape, c.shapes("inputs")), SCALAR]


@ENTER.shape
@REF_ENTER.shape
@EXIT.shape
@REF_EXIT.shape
@NEXT_ITERATION.shape
@REF_NEXT_ITERATION.shape
def _relayed_shape(c: ShapeContext) -> TensorShape:
    c.relay_contents()
    return c.shape("data")


@LOOP_COND.shape
def _loop_cond_shape(c: ShapeContext) -> TensorShape:
    return c.shape("input", rank=0)


@IRREGULAR_FRAME.shape
def _irregular_frame_shape(c: ShapeContext) -> list[TensorShape]:
    return [UNKNOWN_SHAPE] * len(c.node.outputs)


@IRREGULAR_FRAME.kernel
def _irregular_frame_kernel(c: KernelContext) -> Callable[..., Any]:
    reason = c.attr("reason").decode(errors="replace")
    return _refusal(f"the frame cannot be run: {reason}")


@ENTER.view_kernel
@EXIT.view_kernel
@NEXT_ITERATION.view_kernel
@LOOP_COND.view_kernel
@REF_ENTER.kernel
@REF_EXIT.kernel
@REF_NEXT_ITERATION.kernel
def _relaying_kernel(c: KernelContext) -> Callable[..., Any]:
    return passthrough


@SWITCH.kernel
@REF_SWITCH.kernel
@SWITCH_N.kernel
@MERGE.kernel
@REF_MERGE.kernel
def _stray_kernel(c: KernelContext) -> Callable[..., Any]:
    name = c.node.definition.name
    return _refusal(
        f"a {name} that is part of no loop or conditional cannot be run: it leaves open what is "
        "there and what is not"
    )


def _refusal(message: str) -> Callable[..., Any]:
    def refuse(*_: Any) -> NoReturn:
        raise errors.UnimplementedError(None, None, message)

    return refuse
