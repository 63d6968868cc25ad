"""Op definitions: a signature with its shape function and kernel."""

from __future__ import annotations

import sys
import typing
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Generic

from ..protos.attr_codec import encode_attr
from ..protos.config import config
from ..protos.dtypes import DType
from ..protos.messages import NodeDef, OpDef as OpDefProto
from ..runtime.kernel_spec import Memory
from ..runtime.user_frames import is_ours
from ..shape_inference.context import KernelFactory, ShapeFunction, ValueFunction
from ..shape_inference.costs import FlopsRule
from ..shape_inference.split_parts import Rule as SplitRule
from ..shape_inference.traits import OPAQUE, Traits
from ..shape_inference.workspaces import WorkspaceRule
from . import registry
from .api.source_locations import Site
from .attrs import coerce_attr
from .bodies import Call
from .convert import convert_inputs
from .default_graph import graph_of
from .gradient_rules import Rule, register
from .node import Operation, Tensor
from .signature import REQUIRED, ArgSpec, Signature, parse_signature

if TYPE_CHECKING:
    from .lowered_nodes import Lowering

public = {"td": "OpDef"}


if TYPE_CHECKING:
    from typing_extensions import TypeVar

    class Results(tuple[Tensor, ...]):
        """Namedtuple of tensors that a call of an op with several results returns."""

        __slots__ = ()

        def __getattr__(self, name: str) -> Tensor: ...

else:

    def TypeVar(name: str, default: type) -> typing.TypeVar:  # noqa: N802 - it stands in for one
        """Type variable without its default, which Python knows from 3.13 on."""
        return typing.TypeVar(name)


Result = TypeVar("Result", default=Tensor)


class OpDef(Generic[Result]):
    """An op type: inputs, outputs, shape function and kernel.

    Making one registers it, so that graphs which hold such ops can be loaded. Calling it adds an
    op to the default graph.

    Args:
        name: the op type, as it stands in a NodeDef: CamelCase.
        arguments: inputs and outputs: `"x: T, ys: N * T -> z: T, count: int32"`. A type is a
            dtype, the name of a type attr, `N * type` for a list of tensors of one type, or the
            name of an attr of kind `list(type)` for a list of tensors of several.
        attrs: `"T: {int32, float32}, N: int >= 1, axis: int = 0, mode: {'A', 'B'} = 'A'"`. Type
            and number attrs are found from the inputs and need not be passed. An `int32` is an int
            that must fit in 32 bits.
        traits: the kind of op, and further properties for inference, sessions and files: a record
            of `tensordraft.shape_inference.traits`.

    Raises:
        ValueError: the signature is not in the grammar, or the op type is defined already.

    Example:
        >>> DOUBLE = td.OpDef("DocDouble", "x: T -> y: T", "T: {int32, float32}")
        >>> @DOUBLE.shape
        ... def double_shape(c):
        ...     return c.shape("x")
        >>> @DOUBLE.kernel
        ... def double_kernel(c):
        ...     return lambda x: np.add(x, x)
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(DOUBLE([1, 2, 3])))
        [2 4 6]
    """

    def __init__(
        self,
        name: str,
        arguments: str,
        attrs: str = "",
        *,
        traits: Traits = OPAQUE,
    ) -> None:
        self.name = name
        self.traits = traits
        # An op over references reads a variable, or changes it.
        self.pure = not traits.stateful and traits.aliases is None and "Ref(" not in arguments
        self._takes_references = "Ref(" in arguments.partition("->")[0]
        self.shape_function: ShapeFunction | None = None
        # Whether the one result's shape depends only on those of the inputs.
        self.from_shapes = False
        self.template: NodeDef | None = None
        self.value_function: ValueFunction | None = None
        self.flops_function: FlopsRule | None = None
        self.workspace_rule: WorkspaceRule | None = None
        self.split_rule: SplitRule | None = None
        self.steps_function: Callable[..., Sequence[Tensor]] | None = None
        self.kernel_factory: KernelFactory | None = None
        self.kernel_memory = Memory.UNKNOWN
        self.lowering: Lowering | None = None
        self.calls: Callable[[Any], list[Call]] | None = None
        caller = sys._getframe(1)
        self.site = Site(caller.f_code.co_filename, caller.f_lineno)
        self._text = (arguments, attrs)
        self._signature: Signature | None = None
        self._positions: dict[str, int | range] | None = None
        self._result_type: Any = None
        if not is_ours(caller):
            self._signature = parse_signature(arguments, attrs)  # so that its errors come here
        registry.register(self)

    def shape(self, function: ShapeFunction) -> ShapeFunction:
        """Decorator: `function(c)` gives the shape of the output, or a sequence of them.

        It receives a `ShapeContext`. A size that it does not know is None.
        """
        self.shape_function = function
        return function

    def kernel(self, factory: KernelFactory) -> KernelFactory:
        """Decorator: `factory(c)` gives the callable that computes the op on ndarrays.

        The factory receives a `KernelContext` and runs once when a plan is made. The callable
        runs at every run, on one array per input, and returns one array or a tuple of them; it
        may return views and must not write into an input.
        """
        return self._with_kernel(factory, Memory.UNKNOWN)

    def fresh_kernel(self, factory: KernelFactory) -> KernelFactory:
        """Decorator: as `kernel`, where each result is a new array without other references.

        A session may then write into the result after its last use.
        """
        return self._with_kernel(factory, Memory.FRESH)

    def view_kernel(self, factory: KernelFactory) -> KernelFactory:
        """Decorator: as `kernel`, where each result is a new array or a view of inputs.

        The callable keeps neither its inputs nor its results.
        """
        return self._with_kernel(factory, Memory.VIEW)

    def _with_kernel(self, factory: KernelFactory, memory: Memory) -> KernelFactory:
        self.kernel_factory, self.kernel_memory = factory, memory
        return factory

    def value(self, function: ValueFunction) -> ValueFunction:
        """Decorator: `function(c)` gives the parts of outputs' values that follow from shapes.

        It receives a `ShapeContext` and returns an array or None for each output. Only ops whose
        result follows from static shapes need it; the rest are followed by their kernels.
        """
        self.value_function = function
        return function

    def flops(self, function: FlopsRule) -> FlopsRule:
        """Decorator: `function(c)` gives the number of arithmetic operations of the op.

        It receives a `CostContext`. Ops whose traits determine the cost need no rule: elementwise
        ops, reductions, products and what moves elements.
        """
        self.flops_function = function
        return function

    def workspace(self, rule: WorkspaceRule) -> WorkspaceRule:
        """Decorator: `rule(c)` gives the memory that the kernel takes besides its results.

        It receives a `SizedContext` and returns a `Workspace`. Only kernels that lay out much need
        it; numbers that the NumPy kernel takes for a moment, a row or a block, do not count.
        """
        self.workspace_rule = rule
        return rule

    def split(self, rule: SplitRule) -> SplitRule:
        """Decorator: `rule(c)` gives the axes along which the op can be split, unless traits do.

        It receives a SplitContext and returns a Partition: see `shape_inference/split_parts.py`.
        """
        self.split_rule = rule
        return rule

    def steps(self, function: Callable[..., Sequence[Tensor]]) -> Callable[..., Sequence[Tensor]]:
        """Decorator: `function(c, *inputs)` builds an op that mixes rows from ops that do not.

        Between them, what chunks give may be combined: a mean of all rows, say, that the chunks
        then read. It receives a SplitContext and a tensor for each input, and returns the results;
        it raises NotSplittable where it cannot be split.
        """
        self.steps_function = function
        return function

    def lowered(self, function: Lowering) -> Lowering:
        """Decorator: `function(nodes, lowered)` writes an op with bodies without functions.

        It receives the LoweredNodes to write into and the op with its inputs there, and returns
        the substitutes for its outputs.
        """
        self.lowering = function
        return function

    def called(self, function: Callable[[Any], list[Call]]) -> Callable[[Any], list[Call]]:
        """Decorator: `function(c)` gives the functions that the op runs.

        It receives a `ShapeContext`. Each function comes with the facts about its inputs that hold
        whenever the op runs it.
        """
        self.calls = function
        return function

    def gradient(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Decorator: `function(op, *gradients)` gives the gradients of the op's inputs.

        It receives the Operation and the gradient of each output, and returns that of each input:
        a tensor, or None where there is none; not in a list for a single input. An output that
        nothing depends on has a gradient of zeros.

        Raises:
            KeyError: the op type has a gradient already.
        """
        register(self.name, Rule(function))
        return function

    @property
    def signature(self) -> Signature:
        """The inputs, outputs and attrs; read from the text when first asked for."""
        if self._signature is None:
            self._signature = parse_signature(*self._text)
        return self._signature

    def __call__(self, *inputs: Any, name: str | None = None, **attrs: Any) -> Result:
        """Adds an op to the graph of the inputs, or to the default graph.

        Args:
            inputs: one tensor, or value that makes one, for each input; a list for a list input.
            name: the name of the op; by default the op type.
            attrs: attrs that do not follow from the inputs.

        Returns:
            The output tensor; a list where the only output is a list; a namedtuple of several; the
            Operation where there is none.

        Raises:
            TypeError: an input or attr is of the wrong type, or missing.
            ValueError: a value is not legal, or the shapes do not fit together.
        """
        signature = self.signature
        if len(inputs) != len(signature.inputs):
            takes = ", ".join(spec.name for spec in signature.inputs) or "none"
            raise TypeError(
                f"{self.name} takes {len(signature.inputs)} inputs ({takes}), got {len(inputs)}"
            )
        values: dict[str, Any] = {}
        for key, value in attrs.items():
            spec = signature.attrs.get(key)
            if spec is None:
                raise TypeError(f"{self.name} has no attr {key!r}")
            if value is not None:
                values[key] = coerce_attr(spec, value)
        graph = graph_of(inputs)
        with graph.editing():
            start = graph.version
            try:
                full_name = graph.unique_name(name or self.name)
                tensors = convert_inputs(self, graph, full_name, inputs, values)
                for key, spec in signature.attrs.items():
                    if key not in values:
                        if spec.default is REQUIRED:
                            raise TypeError(f"{self.name} needs the attr {key!r}")
                        values[key] = spec.default
                if not self._takes_references:
                    return self.result(graph.add(self, tensors, values, full_name))
                with ExitStack() as blocks:  # beside the variables, as in TensorFlow
                    for tensor, dtype in zip(tensors, self.input_dtypes(values), strict=False):
                        if dtype.is_ref_dtype:
                            blocks.enter_context(graph.colocate_with(tensor.op))
                    return self.result(graph.add(self, tensors, values, full_name))
            except BaseException:
                graph.truncate(start)  # the constants that were made of inputs
                raise

    def result(self, op: Operation) -> Result:
        """Outputs of `op` in the form that a call returns."""
        outputs = op.outputs
        specs = self.signature.outputs
        found: Any = op
        if len(specs) == 1:
            found = list(outputs) if specs[0].is_list else outputs[0]
        elif specs:
            if self._result_type is None:
                self._result_type = _result_type(self.name, specs)
            items: list[Any] = []
            position = 0
            for spec in specs:
                number = self._number(spec, op.attrs)
                some = outputs[position : position + number]
                items.append(list(some) if spec.is_list else some[0])
                position += number
            found = self._result_type(*items)
        return found

    def output_dtypes(self, attrs: Mapping[str, Any]) -> list[DType]:
        """The dtypes of the outputs of an op with these attrs."""
        return _dtypes(self.signature.outputs, attrs)

    def input_dtypes(self, attrs: Mapping[str, Any]) -> list[DType]:
        """The dtypes of the inputs of an op with these attrs."""
        return _dtypes(self.signature.inputs, attrs)

    def input_positions(self, attrs: Mapping[str, Any]) -> Mapping[str, int | range]:
        """Position of each argument among the inputs: an index, or a range for a list."""
        if self._positions is not None:
            return self._positions
        positions: dict[str, int | range] = {}
        start = 0
        for spec in self.signature.inputs:
            number = self._number(spec, attrs)
            positions[spec.name] = range(start, start + number) if spec.is_list else start
            start += number
        if not any(spec.is_list for spec in self.signature.inputs):
            self._positions = positions
        return positions

    @staticmethod
    def _number(spec: ArgSpec, attrs: Mapping[str, Any]) -> int:
        """Number of tensors in an argument."""
        if spec.number_attr is not None:
            return int(attrs[spec.number_attr])
        return 1 if spec.type_list_attr is None else len(attrs[spec.type_list_attr])

    def to_proto(self) -> OpDefProto:
        """The definition as an OpDef message."""
        proto = OpDefProto(name=self.name, is_stateful=self.traits.stateful)
        for specs, args in (
            (self.signature.inputs, proto.input_arg),
            (self.signature.outputs, proto.output_arg),
        ):
            for spec in specs:
                args.add(
                    name=spec.name,
                    type=0 if spec.dtype is None else spec.dtype.as_datatype_enum,
                    type_attr=spec.type_attr or "",
                    number_attr=spec.number_attr or "",
                    type_list_attr=spec.type_list_attr or "",
                    is_ref=spec.is_ref,
                )
        for attr in self.signature.attrs.values():
            message = proto.attr.add(name=attr.name, type=attr.kind)
            if attr.minimum is not None:
                message.has_minimum = True
                message.minimum = attr.minimum
            if attr.allowed is not None:
                kind = f"list({attr.item_kind})"
                message.allowed_values.CopyFrom(encode_attr(list(attr.allowed), kind))
            if attr.default is not REQUIRED:
                message.default_value.CopyFrom(encode_attr(attr.default, attr.kind))
        return proto

    def __str__(self) -> str:
        arguments, attrs = self._text
        return f"{self.name}({arguments})" + (f" [{attrs}]" if attrs else "")

    def __repr__(self) -> str:
        return f"<td.OpDef {self}>"


def _result_type(name: str, specs: tuple[ArgSpec, ...]) -> Any:
    return namedtuple(name, [spec.name for spec in specs])  # noqa: PYI024


def _dtypes(specs: tuple[ArgSpec, ...], attrs: Mapping[str, Any]) -> list[DType]:
    dtypes: list[DType] = []
    for spec in specs:
        if spec.type_list_attr is not None:
            dtypes += attrs[spec.type_list_attr]
            continue
        dtype = spec.dtype or attrs[str(spec.type_attr)]
        if spec.is_ref:
            dtype = dtype.ref
        if spec.number_attr is None:
            dtypes.append(dtype)
        else:
            number = attrs[spec.number_attr]
            if number > config.max_op_tensors:
                raise ValueError(
                    f"{spec.number_attr} = {number} is more than td.config.max_op_tensors = "
                    f"{config.max_op_tensors}"
                )
            dtypes += [dtype] * number
    return dtypes
