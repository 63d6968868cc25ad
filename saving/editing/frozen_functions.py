"""Functions that take a variable, as ones that take its value: bodies of loops and branches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ...protos.messages import AttrValue, FunctionDef, FunctionDefLibrary, NodeDef

_PLAIN = {"Enter": 1, "Exit": 1, "Identity": 1, "Merge": 1, "NextIteration": 1, "Switch": 2}
RELAYS = {**_PLAIN, **{f"Ref{op}": number for op, number in _PLAIN.items()}}
"""The ops that pass on their input, with the number of outputs."""
_CONDITIONAL = ("If", "StatelessIf", "Case", "StatelessCase", "While", "StatelessWhile")
_LOOPS = ("While", "StatelessWhile")
_RENAMED = (
    "value",
    "is_initialized",
)  # results of readers, which are "output" of what replaces them
_LISTS = ("T", "Tin")  # the attrs that state the dtypes of what such an op passes on


def called(node: NodeDef) -> Iterator[AttrValue]:
    """The attrs of a node that name functions, each for one."""
    for key in sorted(node.attr):
        attr = node.attr[key]
        if attr.HasField("func") or attr.list.func:
            yield attr


def handed_on(node: NodeDef, dtypes: Mapping[int, AttrValue]) -> Mapping[int, AttrValue]:
    """The dtypes of a node's passed-on outputs, by number."""
    if node.op in RELAYS and dtypes:
        [dtype, *_] = dtypes.values()
        return dict.fromkeys(range(RELAYS[node.op]), dtype)
    return dtypes if node.op in _LOOPS else {}


def relay_of(node: NodeDef, dtype: AttrValue) -> NodeDef:
    """A node that passes on a variable, changed to pass on its value."""
    result = NodeDef()
    result.CopyFrom(node)
    result.op = node.op.removeprefix("Ref")
    result.attr["T"].CopyFrom(dtype)
    result.attr.pop("_output_shapes", None)  # of a handle it is that of a scalar
    return result


class FrozenFunctions:
    """Copies functions so that they take values instead of variables.

    Args:
        library: the functions; copies are added to it.
        read: from a node that takes a variable, the number of that input, the variable's dtype, and
            whether the node runs only if a branch is taken or a loop runs, to the nodes that take
            its value instead.
    """

    def __init__(
        self,
        library: FunctionDefLibrary,
        read: Callable[[NodeDef, int, AttrValue, bool], list[NodeDef]],
    ) -> None:
        self._library = library
        self._functions = {function.signature.name: function for function in library.function}
        self._read = read
        self._made: dict[tuple[str, bool, tuple[tuple[int, int], ...]], str] = {}

    def caller(
        self, node: NodeDef, dtypes: Mapping[int, AttrValue], conditional: bool = False
    ) -> NodeDef:
        """A node that calls functions, with values instead of some variables.

        Args:
            node: the node.
            dtypes: the dtypes of the values, by the numbers of the inputs.
            conditional: whether the node runs only if a branch is taken or a loop runs.
        """
        conditional = conditional or node.op in _CONDITIONAL
        result = NodeDef()
        result.CopyFrom(node)
        before = 0
        for key in _LISTS:
            if key in result.attr:
                stated = result.attr[key].list.type
                before = sum(not text.startswith("^") for text in node.input) - len(stated)
                for number, dtype in dtypes.items():
                    stated[number - before] = dtype.type
        shapes = result.attr["output_shapes"].list.shape if "output_shapes" in node.attr else []
        for number in dtypes:
            if number - before < len(shapes):
                shapes[number - before].Clear()
                shapes[number - before].unknown_rank = True
        result.attr.pop("_output_shapes", None)
        inside = {number - before: dtype for number, dtype in dtypes.items()}
        for attr in called(result):
            for function in [attr.func] if attr.HasField("func") else attr.list.func:
                function.name = self._frozen(function.name, inside, conditional)
        return result

    def _frozen(self, name: str, dtypes: Mapping[int, AttrValue], conditional: bool) -> str:
        """The name of a copy of a function, some of whose arguments are values."""
        key = (
            name,
            conditional,
            tuple(sorted((number, dtype.type) for number, dtype in dtypes.items())),
        )
        if key in self._made or name not in self._functions:
            return self._made.get(key, name)
        copy = FunctionDef()
        copy.CopyFrom(self._functions[name])
        new = f"{name}_frozen"
        while new in self._functions:
            new += "_"
        copy.signature.name = self._made[key] = new
        self._functions[new] = copy
        dtypes_of: dict[str, AttrValue] = {}
        for number, dtype in dtypes.items():
            argument = copy.signature.input_arg[number]
            argument.type = dtype.type
            del argument.handle_data[:]
            copy.arg_attr.pop(number, None)
            dtypes_of[argument.name] = dtype
        self._rewrite(copy, dtypes_of, conditional)
        self._library.function.append(copy)
        return new

    def _rewrite(
        self, function: FunctionDef, known: dict[str, AttrValue], conditional: bool
    ) -> None:
        """Lets the nodes of a function take values for the variables that are `known`."""
        renamed: dict[str, str] = {}
        pending, done = list(function.node_def), []
        while pending:
            waiting = []
            for node in pending:
                dtypes = {i: known[text] for i, text in enumerate(node.input) if text in known}
                if not dtypes:
                    waiting.append(node)
                elif any(True for _ in called(node)):
                    done.append(self.caller(node, dtypes, conditional))
                    passed = handed_on(node, dtypes).items()
                    known |= {f"{node.name}:output:{i}": dtype for i, dtype in passed}
                elif node.op == "Identity":
                    done.append(relay_of(node, dtypes[0]))
                    known[f"{node.name}:output:0"] = dtypes[0]
                else:
                    number, dtype = next(iter(dtypes.items()))
                    nodes = self._read(node, number, dtype, conditional)
                    extra = {item.name for item in nodes[:-1]}
                    for item in nodes:  # inside of functions, outputs go by name
                        item.input[:] = [
                            f"{text}:output:0" if text in extra else text for text in item.input
                        ]
                    done += nodes
                    for result in _RENAMED:
                        renamed[f"{node.name}:{result}:0"] = f"{node.name}:output:0"
            if len(waiting) == len(pending):
                done += waiting
                break
            pending = waiting
        for node in done:
            node.input[:] = [renamed.get(text, text) for text in node.input]
        del function.node_def[:]
        function.node_def.extend(done)
        for output in function.signature.output_arg:
            text = function.ret[output.name]
            function.ret[output.name] = renamed.get(text, text)
            if text in known:
                output.type = known[text].type
                del output.handle_data[:]
