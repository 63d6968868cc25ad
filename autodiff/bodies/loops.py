"""The gradient of a loop: a loop that runs backwards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...graph.bodies import Body
from ...graph.constant_value import known_value, rely_on
from ...graph.default_graph import get_default_graph
from ...graph.graph import Graph
from ...graph.indexed_slices import IndexedSlices
from ...graph.node import Operation, Tensor
from ...ops.array.cast import cast
from ...ops.array.constants import constant, zeros_like
from ...ops.control_flow.body_graph import BodyGraph
from ...ops.control_flow.building import function_name
from ...ops.control_flow.function_defs import register_body
from ...ops.control_flow.structured import STATELESS_WHILE, WHILE
from ...ops.lists.list_ops import EMPTY_TENSOR_LIST, TENSOR_LIST_POP_BACK, TENSOR_LIST_PUSH_BACK
from ...ops.lists.list_tensors import TENSOR_LIST_CONCAT_V2
from ...ops.math.add_n import add_n
from ...ops.math.arithmetic import add, multiply, negative, subtract
from ...ops.math.comparison import greater
from ...protos.attr_codec import encode_attr
from ...shape_inference.handle_data import HandleData, common_shape
from ...shape_inference.tensor_shape import TensorShape
from ..engine.accumulation import Gradient, dense
from ..engine.backpropagation import backpropagate
from .forward import bits_of
from .gradient_graph import GradientGraph
from .loop_forward import LoopForward, element_shape, loop_forward
from .widening import differentiating, func, row_of_zeros, sizes_of, zeros_for


class _Variable:
    """A variable of the loop that runs backwards.

    Args:
        argument: what it is in a round.
        start: makes what it is first.
        end: what it is after the round.
    """

    def __init__(
        self, argument: Tensor, start: Callable[[], Tensor], end: Tensor, shape: TensorShape
    ) -> None:
        self.argument = argument
        self.start = start
        self.end = end
        self.shape = shape


class _LoopGradientGraph(GradientGraph):
    """The body of the loop that runs backwards.

    Its first variable counts the rounds that are left.
    """

    forward: LoopForward

    def __init__(self, outer: Graph, op: Operation, forward: LoopForward) -> None:
        given = [tensor if forward.is_invariant(i) else None for i, tensor in enumerate(op.inputs)]
        super().__init__(outer, forward, given)
        self.loop = op
        self.variables: list[_Variable] = []
        with self.as_default():
            left = self.new_argument("int32", TensorShape([]))
            self.number = subtract(left, 1)
        self.variables.append(_Variable(left, self.rounds, self.number, TensorShape([])))

    def rounds(self) -> Tensor:
        """Number of iterations of the loop, as a tensor outside it."""
        counter = self.forward.counter()
        loop = self.forward.widest()
        difference = subtract(loop.outputs[counter.position], loop.inputs[counter.position])
        return cast(difference if counter.step == 1 else negative(difference), "int32")

    def captured(self, tensor: Tensor) -> Tensor:
        """The tensor of this graph that replaces `tensor`."""
        counter = self.forward.counters.get(tensor)
        if counter is not None and tensor not in self._known:
            self._known[tensor] = self._counted(tensor, counter.position, counter.step)
        return super().captured(tensor)

    def _counted(self, tensor: Tensor, position: int, step: int) -> Tensor:
        """Value of a counting variable in this iteration."""
        start = self.forward.op.inputs[position]
        first = known_value(start)
        with self.unscoped():
            number = cast(self.number, tensor.dtype)
            moved = number if step == 1 else multiply(number, step)
            if first is not None and not first.any():
                rely_on(start)
                return moved
            return add(moved, start)

    def remade_inputs(self, tensor: Tensor) -> Sequence[Tensor] | None:
        """The inputs of an op that is recomputed here from available tensors."""
        if tensor in self._given or not self.forward.follows(tensor):
            return None
        return tensor.op.inputs

    def late_flow(self, flow: Tensor) -> Tensor:
        """A flow of its own: this loop begins when the other one has ended."""
        return constant(0, flow.dtype)

    def handed(self, tensor: Tensor) -> Tensor:
        """Value of a tensor in this iteration, from the list of its values in each."""
        forward = self.forward
        position = forward.list_of(tensor)
        dtype, shape = tensor.dtype.base_dtype, tensor.shape
        kept = self.new_argument("variant", TensorShape([]), HandleData(dtype, shape, shape, None))
        with self.unscoped():
            popped: Any = TENSOR_LIST_POP_BACK(kept, element_shape(shape), element_dtype=dtype)
        rest: Tensor = popped[0]
        item: Tensor = popped[1]
        self.inference.set_content(item, forward.graph.inference.content(tensor))

        def start() -> Tensor:
            return forward.widest().outputs[position]

        self.variables.append(_Variable(kept, start, rest, TensorShape([])))
        return item


def loop_gradient(op: Operation, wanted: Sequence[bool], *gradients: Any) -> list[Any]:
    """The gradients of the first variables of a loop.

    Args:
        op: the loop.
        wanted: for each input whether its gradient is wanted.
        gradients: those of the results.

    Raises:
        LookupError: the loop is inside itself.
    """
    if op.attrs.get("_back_prop") == encode_attr(False, "bool"):
        return [None] * len(op.inputs)
    with differentiating(op, loop_forward(op).name):
        return _LoopGradient(op, wanted, gradients).results()


class _LoopGradient:
    def __init__(self, op: Operation, wanted: Sequence[bool], gradients: Sequence[Any]) -> None:
        self.op = op
        self.gradients = gradients
        self.forward = loop_forward(op)
        self.home = get_default_graph()
        self.live = _live(self.forward.paths(), wanted, gradients)
        self.graph = _LoopGradientGraph(self.home, op, self.forward)
        self.ends: dict[int, Callable[[Sequence[Tensor]], Gradient]] = {}

    def results(self) -> list[Gradient | None]:
        """The gradients of the inputs."""
        if not self.live:
            return [None] * len(self.op.inputs)
        with self.graph.as_default():
            self._differentiate()
        outputs = self._loop()
        found: list[Gradient | None] = []
        for i in range(len(self.op.inputs)):
            end = self.ends.get(i)
            if end is not None:
                found.append(end(outputs))
            else:
                found.append(self.gradients[i] if i in self.live else None)
        return found

    def _differentiate(self) -> None:
        """Builds a round: from the gradients after it those before it."""
        forward, graph = self.forward, self.graph
        seeds: dict[int, Tensor] = {}
        for i in self.live:
            end = forward.outputs[i]
            if not forward.is_invariant(i) or end.dtype.base_dtype.name == "variant":
                content = forward.graph.inference.content(end)
                seeds[i] = graph.new_argument(end.dtype, end.shape, content)
        found = backpropagate(
            [forward.outputs[i] for i in seeds],
            [forward.inputs[i] for i in self.live],
            list(seeds.values()),
        )
        for i, gradient in zip(self.live, found, strict=True):
            if i in seeds:
                self._pass_on(i, seeds[i], gradient)
            elif gradient is not None:
                self._collect(i, gradient)

    def _pass_on(self, i: int, seed: Tensor, gradient: Gradient | None) -> None:
        """The gradient of a variable that a round changes."""
        tensor = self.forward.inputs[i]
        end = zeros_like(tensor) if gradient is None else dense(gradient)
        shape = common_shape(tensor.shape, self.forward.outputs[i].shape)
        self._add(i, seed, lambda: self._start(i), end, shape)

    def _start(self, i: int) -> Tensor:
        given = self.gradients[i]
        return zeros_like(self.op.outputs[i]) if given is None else dense(given)

    def _add(
        self, i: int, argument: Tensor, start: Callable[[], Tensor], end: Tensor, shape: TensorShape
    ) -> None:
        place = len(self.graph.variables)
        self.graph.variables.append(_Variable(argument, start, end, shape))
        self.ends[i] = lambda outputs: outputs[place]

    def _collect(self, i: int, gradient: Gradient) -> None:
        """The gradient of a loop invariant: the sum over all iterations."""
        graph, source = self.graph, self.op.inputs[i]
        given = self.gradients[i]
        if isinstance(gradient, IndexedSlices):
            self._collect_slices(i, gradient)
            return
        gradient = dense(gradient)
        total = graph.new_argument(gradient.dtype, gradient.shape)

        def start() -> Tensor:
            if given is not None:
                return dense(given)
            return zeros_for(source, gradient.dtype)

        self._add(i, total, start, add_n([total, gradient]), gradient.shape)

    def _collect_slices(self, i: int, gradient: IndexedSlices) -> None:
        """Slices are put into lists, to be joined when all are there.

        As in TensorFlow 1.x, whose optimizers treat it like one that was read, the first is a row
        of zeros for index 0.
        """
        graph, source, given = self.graph, self.op.inputs[i], self.gradients[i]
        places = []
        shapes = []
        for part in (gradient.values, gradient.indices):
            part = graph.captured(part)
            dtype = part.dtype.base_dtype
            sizes = part.shape.as_list() if part.shape.rank is not None else None
            shape = TensorShape(None if sizes is None else [None, *sizes[1:]])
            kept = graph.new_argument(
                "variant", TensorShape([]), HandleData(dtype, shape, None, None)
            )
            grown = TENSOR_LIST_PUSH_BACK(kept, part, element_dtype=dtype)

            def start(dtype: Any = dtype, shape: TensorShape = shape) -> Tensor:
                stated, most = element_shape(shape), constant(-1)
                empty = EMPTY_TENSOR_LIST(stated, most, element_dtype=dtype)
                row = row_of_zeros(dtype, shape, source)
                return TENSOR_LIST_PUSH_BACK(empty, row, element_dtype=dtype)

            places.append(len(graph.variables))
            shapes.append((dtype, shape))
            graph.variables.append(_Variable(kept, start, grown, TensorShape([])))

        def joined(outputs: Sequence[Tensor]) -> Gradient:
            parts = [
                TENSOR_LIST_CONCAT_V2(
                    outputs[place], element_shape(shape), constant([], "int64"), element_dtype=dtype
                )[0]
                for place, (dtype, shape) in zip(places, shapes, strict=True)
            ]
            slices = IndexedSlices(parts[0], parts[1], sizes_of(source))
            if given is None:
                return slices
            return add_n([dense(given), dense(slices)])

        self.ends[i] = joined

    def _loop(self) -> list[Tensor]:
        """The loop, outside."""
        graph, home = self.graph, self.home
        outer = list(graph.captures)
        starts = [home.captured(variable.start()) for variable in graph.variables]
        starts += [home.captured(tensor) for tensor in outer]
        kept = [graph.captures[tensor] for tensor in outer]
        shapes = [variable.shape for variable in graph.variables]
        shapes += [tensor.shape for tensor in kept]
        inputs = [*(variable.argument for variable in graph.variables), *kept]
        ends = [*(variable.end for variable in graph.variables), *kept]
        body = graph.as_body(f"{self.forward.name}_grad", inputs, ends)
        cond = _any_left(home, inputs)
        attrs = {
            "T": [tensor.dtype.base_dtype for tensor in starts],
            "cond": func(cond),
            "body": func(body),
            "output_shapes": shapes,
            "parallel_iterations": 10,
            "_lower_using_switch_merge": encode_attr(True, "bool"),
        }
        kind = WHILE if body.effects else STATELESS_WHILE
        loop = home.add(kind, starts, attrs, home.unique_name("While"))
        return loop.outputs


def _any_left(home: Graph, arguments: Sequence[Tensor]) -> Body:
    """The condition of a loop whose first variable counts the remaining iterations."""
    graph = BodyGraph(home)
    for tensor in arguments:
        graph.argument(tensor)
    with graph.as_default():
        left = greater(graph.arguments[0], 0)
    name = function_name(home, f"{graph.get_name_scope() or 'gradients'}_cond")
    body = Body(name, graph, graph.arguments, [left], [])
    register_body(body)
    return body


def _live(paths: Sequence[int], wanted: Sequence[bool], gradients: Sequence[Any]) -> list[int]:
    """The variables whose gradients are carried from iteration to iteration.

    Those are on the way from an input whose gradient is wanted to a result that has one.
    """
    asked = {i for i, gradient in enumerate(gradients) if gradient is not None}
    waiting = list(asked)
    while waiting:
        for j in bits_of(paths[waiting.pop()]):
            if j not in asked:
                asked.add(j)
                waiting.append(j)
    reached = {i for i, wish in enumerate(wanted) if wish}
    size = 0
    while len(reached) != size:
        size = len(reached)
        bits = sum(1 << i for i in reached)
        reached.update(i for i, path in enumerate(paths) if path & bits)
    return sorted(asked & reached)
