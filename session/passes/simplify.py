"""Simplification of a plan: known results, constants and equal ops are not computed again."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from ...graph.describe import run_error
from ...graph.node import Operation, Tensor
from ...graph.references import dereference
from ...protos import dtypes
from ...protos.dtypes import DType
from ...runtime import errors
from ...runtime.kernel_spec import KernelSpec, stated
from ...runtime.passthrough import passthrough
from ...shape_inference.context import KernelContext, is_symbolic
from ...shape_inference.traits import Bodies, Input
from .draft import Constant, Draft, Source, Work
from .executor_order import in_executor_order, taken_as_references, updated_variables, variable_of
from .update_order import check_update_order, updated_tensors

_MOST_FOLDED_BYTES = 1 << 26
_SIZES = frozenset([dtypes.int32, dtypes.int64])
_DEREFERENCE = KernelSpec(dereference)
_UNREAD = Constant(np.empty(0))


def simplify(draft: Draft, state: dict[Any, Any], bodies: Any) -> None:
    """The pass that finds the work of a draft: its ops, folded, merged and with their kernels.

    Args:
        draft: a draft without work.
        state: the session's store for stateful ops.
        bodies: makes what runs the bodies of ops: see `KernelContext`.

    Raises:
        InvalidArgumentError: the graph leaves the order of an update in place and a use open.
    """
    updated = updated_tensors(draft.ops, draft.fed)
    check_update_order(draft.ops, draft.fetches, updated)
    for tensor, root in updated.items():
        draft.substitutes.put(tensor, root)
    simplifier = _Simplifier(draft, state, bodies, updated.keys())
    simplifier.order()
    with np.errstate(all="ignore"):
        for op in draft.ops:
            simplifier.add(op)
        simplifier.read_last()


class _Simplifier:
    """Processes the ops one by one; each looks up the substitutes for its inputs."""

    def __init__(self, draft: Draft, state: dict[Any, Any], bodies: Any, updated: Any) -> None:
        self._draft = draft
        self._substitutes = draft.substitutes
        self._state = state
        self._bodies = bodies
        self._updated = updated
        self._fetched = set(draft.fetches)
        self._done: dict[Hashable, Operation] = {}
        self._passing: set[Operation] = set()
        self._replaced = draft.ops[0].graph.replaced(draft.ops) if draft.ops else {}
        self._changing = updated_variables(draft.ops, draft.fed)
        self._values: dict[Tensor, Tensor] = {}

    def order(self) -> None:
        """Has ops that use a variable that the run updates in the order of TensorFlow."""
        draft = self._draft
        if self._changing:
            draft.ops = in_executor_order(draft.ops, draft.fed, self._changing, self._replaced)

    def add(self, op: Operation) -> None:
        """Adds the results of an op to the known values, or the op to the work."""
        self._add(op)
        for tensor in op.outputs:
            if tensor.dtype.is_ref_dtype and (
                op.inputs or (tensor in self._fetched and tensor not in self._changing)
            ):
                # Later readers want the value as it is now.
                self._substitutes.put(tensor, self._read(tensor))

    def read_last(self) -> None:
        """Has the variables that are fetched and updated read when all is done.

        In TensorFlow such a fetch has the memory of the variable, and is looked at when the run is
        over: a step counter that is fetched with the training op has counted.
        """
        updated: set[Tensor] = set()
        for op in self._draft.ops:
            taken = taken_as_references(op)
            if taken is not None:
                pairs = zip(op.inputs, taken, strict=False)
                updated.update([variable_of(tensor) for tensor, whole in pairs if whole])
        updated -= self._draft.fed
        read: dict[Tensor, Source] = {}
        for fetch in self._draft.fetches if updated else ():
            if isinstance(fetch, Tensor):
                tensor = fetch
                while tensor.op in self._passing and tensor not in self._draft.fed:
                    tensor = tensor.op.inputs[tensor.value_index]
                variable = variable_of(tensor)
                if variable in updated and tensor not in self._draft.fed:
                    if variable not in read:
                        read[variable] = self._read(variable)
                    self._substitutes.put(fetch, read[variable])

    def _add(self, op: Operation) -> None:
        if op in self._replaced:
            wider = self._replaced[op].outputs[: len(op.outputs)]
            self._draft.replace(op.outputs, map(self._substitutes.of, wider))
            return
        pure = op.definition.pure
        if pure and self._updated:
            pure = self._updated.isdisjoint((*op.inputs, *op.outputs))
        if pure and self._known_from_shapes(op):
            return
        if self._changing and pure and self._handed_on(op):
            return
        inputs = self._inputs(op)
        if pure and self._merged(op, inputs):
            return
        kernel = self._kernel(op)
        if kernel.unused_inputs:
            inputs = tuple(
                [_UNREAD if i in kernel.unused_inputs else x for i, x in enumerate(inputs)]
            )
        kept = _unchanged(op, kernel, inputs)
        if pure and kernel.call is passthrough:
            self._passing.add(op)
            self._draft.replace(op.outputs, inputs)
        elif pure and kept is not None:
            self._draft.replace(op.outputs, [kept])
        elif not (pure and self._folded(op, kernel, inputs)):
            self._draft.work.append(Work(op, kernel, inputs, op.outputs))

    def _handed_on(self, op: Operation) -> bool:
        """Substitutes variables that the run updates for the results of an op that passes them on.

        So each op that computes something of them reads what they are when it does.
        """
        late = [self._late(tensor) for tensor in op.inputs]
        if all(variable is None for variable in late) or self._kernel(op).call is not passthrough:
            return False
        self._passing.add(op)
        pairs = zip(late, op.inputs, strict=True)
        sources = [self._substitutes.of(tensor) if x is None else x for x, tensor in pairs]
        self._draft.replace(op.outputs, sources)
        return True

    def _late(self, tensor: Tensor) -> Tensor | None:
        """The variable, updated in the run, whose value at the time of reading is meant."""
        source = tensor if tensor.dtype.is_ref_dtype else self._substitutes.of(tensor)
        return source if isinstance(source, Tensor) and source in self._changing else None

    def _inputs(self, op: Operation) -> tuple[Source, ...]:
        """Substitutes for the inputs; references to variables if the op takes them."""
        taken = taken_as_references(op)
        if taken is not None:
            pairs = list(zip(op.inputs, taken, strict=True))
            inputs = tuple([tensor if whole else self._read(tensor) for tensor, whole in pairs])
            for tensor, whole in pairs:
                if whole:
                    self._values.pop(variable_of(tensor), None)
            return inputs
        if self._changing:
            return tuple([self._read(tensor) for tensor in op.inputs])
        return self._substitutes.of_all(op.inputs)

    def _read(self, tensor: Tensor) -> Source:
        """The value that `tensor` refers to at this point of the plan.

        An update refers to the variable's value right after it, whenever it is read. A fed value
        for a variable is its value; what a body takes in is a reference.
        """
        variable = self._late(tensor)
        if variable is not None:
            if variable in self._values:
                return self._values[variable]
            tensor = variable
        fed = tensor in self._draft.fed and not isinstance(tensor.op.definition.traits, Input)
        if not tensor.dtype.is_ref_dtype or fed:
            return self._substitutes.of(tensor)
        if tensor.op.inputs and tensor in self._substitutes:
            return self._substitutes.of(tensor)
        value = Tensor(tensor.op, tensor.value_index, tensor.dtype.base_dtype)
        self._draft.work.append(Work(tensor.op, _DEREFERENCE, (tensor,), (value,)))
        if variable is not None:
            self._values[variable] = value
        return value

    def _kernel(self, op: Operation) -> KernelSpec:
        factory = op.definition.kernel_factory
        if factory is None:
            raise errors.InternalError(None, op, f"{op.type} has no kernel")
        context = KernelContext(
            op, self._draft.inference, self._substitutes, self._state, bodies=self._bodies
        )
        try:
            return stated(factory(context), op.definition.kernel_memory)
        except (MemoryError, errors.ResourceExhaustedError) as error:
            # The plan is not kept: another time there may be memory for it.
            raise run_error(error, op, ()) from error
        except Exception as error:  # noqa: BLE001
            # Errors of the op are raised when it runs, as if by the kernel.
            return KernelSpec(_raiser(error))

    def _known_from_shapes(self, op: Operation) -> bool:
        """Makes results that follow from static shapes constant: Shape, and ops on it.

        Sizes are integers, and restricting the pass to those keeps planning quick. An empty
        result is known even if the kernel will refuse its inputs, so it has to run.
        """
        definition = op.definition
        own_rule = definition.value_function is not None
        # Arithmetic may refuse its inputs though the result is known: 0 // x, where x is 0.
        if not own_rule and (not op.inputs or not op.outputs or definition.traits.checking):
            return False
        if not own_rule and not _SIZES.issuperset([tensor.dtype for tensor in op.outputs]):
            return False
        values = [self._draft.inference.value(tensor) for tensor in op.outputs]
        known = [
            value
            for value in values
            if value is not None and not is_symbolic(value) and (own_rule or value.size)
        ]
        if len(known) < len(values):
            return False
        self._draft.replace(op.outputs, map(Constant, known))
        return True

    def _merged(self, op: Operation, inputs: tuple[Source, ...]) -> bool:
        """Substitutes an earlier op that computes the same for this one."""
        if not inputs or not self._draft.fed.isdisjoint(op.outputs):
            return False
        key = (op.definition.name, inputs, _attr_key(op))
        twin = self._done.setdefault(key, op)
        if twin is op:
            return False
        if twin in self._passing:
            self._passing.add(op)
        self._draft.replace(op.outputs, twin.outputs)
        return True

    def _folded(self, op: Operation, kernel: KernelSpec, inputs: tuple[Source, ...]) -> bool:
        """Runs an op on constants now; if it fails or is too large, it runs later."""
        arrays = []
        for source in inputs:
            if not isinstance(source, Constant):
                return False
            arrays.append(source.array)
        if inputs and self._is_large(op):
            return False
        if isinstance(op.definition.traits, Bodies):
            return False
        try:
            results = kernel.call(*arrays)
        except Exception:  # noqa: BLE001 - it fails again, with a report, when it runs
            return False
        several = isinstance(results, (tuple, list))
        values = [np.asarray(result) for result in (results if several else [results])]
        if inputs and sum(value.nbytes for value in values) > _MOST_FOLDED_BYTES:
            return False
        for value in values:
            value.flags.writeable = False
        self._draft.replace(op.outputs, map(Constant, values))
        return True

    def _is_large(self, op: Operation) -> bool:
        """Returns whether results are known to be too large to be kept in a plan."""
        sizes = [
            (self._draft.inference.shape(tensor).num_elements() or 0) * tensor.dtype.size
            for tensor in op.outputs
        ]
        return sum(sizes) > _MOST_FOLDED_BYTES


def _unchanged(op: Operation, kernel: KernelSpec, inputs: Sequence[Source]) -> Source | None:
    """Input that an op returns bit for bit: `x` for `x * 1.0` and `x / 1.0`; None for others."""
    line_of = kernel.folding.line
    if line_of is None or op.outputs[0].dtype.numpy_dtype.kind != "f":
        return None
    line = line_of([item.array if isinstance(item, Constant) else None for item in inputs])
    if line is None or isinstance(inputs[line.input], Constant):
        return None
    is_product = isinstance(line.offset, float)  # x + 0.0 changes the sign of a zero
    one = is_product and np.ndim(line.factor) == 0 and line.factor == 1
    return inputs[line.input] if one and line.offset == 0 else None


def _attr_key(op: Operation) -> Hashable:
    """The attrs of an op in a form that can be compared; those of the node itself are left out."""
    return tuple([_bits(value) for name, value in op.attrs.items() if not name.startswith("_")])


def _bits(value: Any) -> Hashable:
    """A key shared only by indistinguishable values: not by -0.0 and 0.0, or True and 1."""
    if isinstance(value, DType):
        return value
    if isinstance(value, (list, tuple)):
        return tuple(map(_bits, value))
    if isinstance(value, float):
        return float, value.hex()
    try:
        hash(value)
    except TypeError:
        return id(value)
    return type(value), value


def _raiser(error: Exception) -> Callable[..., Any]:
    def fail(*_: Any) -> Any:
        raise error.with_traceback(None)

    return fail
