"""`td.raw_ops`: every op by the name of its type, with keyword arguments.

A call states all that the op takes, inputs and attrs alike, under the names that TensorFlow's
`tf.raw_ops` gives them; attrs that follow from the inputs, or have a default, may be left out.

Example:
    >>> with td.Graph().as_default(), td.Session() as session:
    ...     sizes = td.raw_ops.BroadcastArgs(s0=[2, 1], s1=[3])
    ...     print(session.run(sizes))
    [2 3]
"""

from __future__ import annotations

from inspect import Parameter as _Parameter, Signature as _Signature
from typing import TYPE_CHECKING as _TYPE_CHECKING, Any as _Any

from ..graph.api.unsupported_names import missing as _missing
from ..graph.registry import definitions as _definitions, find as _find
from ..graph.signature import REQUIRED as _REQUIRED
from .common.public_function import sign as _sign

if _TYPE_CHECKING:
    from collections.abc import Callable

    from ..graph.graph_protocols import RegisteredOpType

# Where TensorFlow calls an argument otherwise than the op itself does.
_AXIS = {"reduction_indices": "axis"}
_RENAMED: dict[str, dict[str, str]] = {
    **dict.fromkeys(["All", "Any", "EuclideanNorm", "Max", "Mean", "Min", "Prod", "Sum"], _AXIS),
    "ExpandDims": {"dim": "axis"},
    "Select": {"t": "x", "e": "y"},
    "Split": {"split_dim": "axis"},
    "SplitV": {"split_dim": "axis"},
    "Squeeze": {"squeeze_dims": "axis"},
    "Where": {"input": "condition"},
}


def _keyword_only(definition: RegisteredOpType) -> Callable[..., _Any]:
    """A function that makes an op of a type from keyword arguments."""
    renamed = _RENAMED.get(definition.name, {})
    inputs = [renamed.get(spec.name, spec.name) for spec in definition.signature.inputs]
    attrs = {renamed.get(name, name): name for name in definition.signature.attrs}

    def raw_op(*, name: str | None = None, **arguments: _Any) -> _Any:
        lacking = [key for key in inputs if key not in arguments]
        unknown = [key for key in arguments if key not in inputs and key not in attrs]
        if lacking or unknown:
            what = f"lacks {', '.join(lacking)}" if lacking else f"takes no {', '.join(unknown)}"
            taken = ", ".join(parameter.name for parameter in parameters)
            raise TypeError(f"td.raw_ops.{definition.name} {what}; it takes {taken}")
        tensors = [arguments.pop(key) for key in inputs]
        return definition(*tensors, name=name, **{attrs[key]: arguments[key] for key in arguments})

    parameters = [_Parameter(key, _Parameter.KEYWORD_ONLY) for key in inputs]
    for key, attr in attrs.items():
        default = definition.signature.attrs[attr].default
        shown = _Parameter.empty if default is _REQUIRED else default
        parameters.append(_Parameter(key, _Parameter.KEYWORD_ONLY, default=shown))
    parameters.append(_Parameter("name", _Parameter.KEYWORD_ONLY, default=None))
    _sign(raw_op, _Signature(parameters))
    raw_op.__name__ = raw_op.__qualname__ = definition.name
    raw_op.__module__ = __name__
    raw_op.__doc__ = f"Makes an op of type {definition.name}: see `td.raw_ops`."
    return raw_op


def __getattr__(name: str) -> _Any:
    definition = None if name.startswith("_") else _find(name)
    if definition is None:
        raise _missing("tensordraft.raw_ops", name)
    globals()[name] = function = _keyword_only(definition)
    return function


def __dir__() -> list[str]:
    names = [definition.name for definition in _definitions()]
    return [name for name in names if not name.startswith("_")]
