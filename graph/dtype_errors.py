"""Errors for dtype mismatches: the argument, the tensors it clashes with, and a cast that helps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..protos.dtypes import DType
from .api.public_calls import PublicCall, public_call
from .api.source_locations import user_line
from .describe import tensor_type
from .node import Tensor

_MOST_NAMED = 6
_WRITTEN = (str, bytes, bool, int, float, complex, list, tuple)


def wrong_dtype(
    value: Any,
    wanted: Sequence[DType],
    fallback: str,
    called: str = "",
    clash: bool = True,
    given: Any = None,
) -> TypeError:
    """Error for an argument with an unexpected dtype.

    Args:
        value: the value passed, a tensor or one converted to a tensor.
        wanted: the accepted dtypes.
        fallback: the name of the argument in the definition of the op.
        called: the name of the op outside public calls.
        clash: whether the dtype wanted is that of other arguments.
        given: the original argument that `value` was made from.
    """
    call = public_call() or PublicCall(called, {})
    if isinstance(given, _WRITTEN):
        name = _named(call, given) or call.spelled(fallback)
        argument = f"{call.name}: {name}" if call.name else f"{name} of {called}"
        text = f"{argument} must be {_choice(wanted)}, got {given!r}"
        made = _tensor_of(value).dtype.base_dtype
        if made.name != "string":
            text += f", which makes {made.name}{_written(given, wanted)}"
        return TypeError(f"{text}\n  {user_line()}")
    named = call.arguments.get(fallback) is value and fallback
    name = named or _named(call, value) or call.spelled(fallback)
    tensor = _tensor_of(value)
    found = tensor.dtype.base_dtype
    clashing = _tensors_of(call, wanted[0], tensor) if clash else []
    if clashing:
        other, met = clashing[0]
        text = f"{name} is {found.name} and {other} is {wanted[0].name}, and must be of one dtype"
        pairs = [(name, tensor), (other, met)]
        source, target = (name, wanted[0]) if _goes(found, wanted[0]) else (other, found)
        advice = f"write td.cast({_short(source)}, td.{target.name})"
    else:
        text = f"{name} is {found.name}, and must be {_choice(wanted)}"
        pairs = [(name, tensor)]
        advice = _advice(name, found, wanted)
    lines = [f"{call.name or 'this'}: {text}{advice and f': {advice}'}"]
    lines += [f"  {_labelled(label, item)}" for label, item in pairs]
    return TypeError("\n".join([*lines, f"  {user_line()}"]))


def wrong_value(error: Exception, value: Any, wanted: DType | None, fallback: str) -> str:
    """Message for a Python value that does not fit the expected dtype."""
    call = public_call() or PublicCall("", {})
    name = _named(call, value) or call.spelled(fallback)
    text = f"{call.name}: {name}: {error}"
    met = _tensors_of(call, wanted, None) if wanted is not None else []
    number = isinstance(value, (int, float, complex)) and not isinstance(value, bool)
    if met and number and isinstance(error, TypeError):
        other = met[0][0]
        target = "complex64" if isinstance(value, complex) else "float32"
        text += f", as {other} is of {met[0][1].dtype.base_dtype.name}: write "
        text += f"td.cast({other}, td.{target})"
    return text


def _named(call: PublicCall, value: Any) -> str | None:
    name = call.argument(value)
    return name if name is None else _spoken(call, name, value)


def _spoken(call: PublicCall, name: str, value: Any) -> str:
    """Argument as users know it: operators have a left and a right side."""
    if name not in ("self", "other"):
        return name
    if call.name.isidentifier():
        return repr(_tensor_of(value).name)
    return "right" if name == "other" else "left"


def _tensor_of(value: Any) -> Tensor:
    # A class may be passed by mistake, or be the callee.
    stand_in = None if isinstance(value, type) else getattr(value, "_as_graph_element", None)
    return value if stand_in is None else stand_in()


def _tensors_of(call: PublicCall, dtype: DType, but: Tensor | None) -> list[tuple[str, Tensor]]:
    """Arguments of a call that are tensors of a dtype."""
    found: list[tuple[str, Tensor]] = []
    for name, item in call.items():
        if isinstance(item, Tensor) or hasattr(item, "_as_graph_element"):
            try:
                tensor = _tensor_of(item)
            except AttributeError:
                continue  # a variable under construction
            if tensor is not but and getattr(tensor.dtype, "base_dtype", None) is dtype:
                found.append((_spoken(call, name, item), tensor))
    return found


def _goes(source: DType, target: DType) -> bool:
    """Returns whether to cast from `source` to `target` rather than the other way."""
    return _rank(source) <= _rank(target)


def _rank(dtype: DType) -> tuple[bool, bool, int]:
    return dtype.is_complex, dtype.is_floating or dtype.is_complex, dtype.size


def _choice(wanted: Sequence[DType]) -> str:
    if len(wanted) == 1:
        return wanted[0].name
    more = f" or {len(wanted) - _MOST_NAMED} others" if len(wanted) > _MOST_NAMED + 1 else ""
    shown = [dtype.name for dtype in (wanted[:_MOST_NAMED] if more else wanted)]
    return f"{', '.join(shown)}{more}" if more else f"{', '.join(shown[:-1])} or {shown[-1]}"


def _short(name: str) -> str:
    """Name of an argument in suggested code: `t` if it has none."""
    return "t" if name.startswith("'") else name


def _advice(name: str, found: DType, wanted: Sequence[DType]) -> str:
    """Suggested cast from a dtype to an accepted one; "" if no cast helps."""
    name = _short(name)
    target = next((item for item in wanted if item.name in ("float32", "int32")), wanted[0])
    if found.name == "string":
        return f"write td.string_to_number({name})" if target.size else ""
    if not found.is_numpy_compatible or not target.is_numpy_compatible:
        return ""
    if target.name == "string":
        return f"write td.as_string({name})"
    return f"write td.cast({name}, td.{target.name})"


def _written(given: Any, wanted: Sequence[DType]) -> str:
    """Suggested spelling of a number; "" if there is no obvious one."""
    if type(given) is int and any(dtype.is_floating for dtype in wanted):
        return f": write {float(given)}"
    if type(given) is float and given.is_integer() and any(dtype.is_integer for dtype in wanted):
        return f": write {int(given)}"
    return ""


def _labelled(label: str, tensor: Tensor) -> str:
    made = "" if tensor.op.site is None else f", created at {tensor.op.site}"
    own = f"{tensor.name!r} {tensor_type(tensor)}{made}"
    return own if label == repr(tensor.name) else f"{label} is {own}"
