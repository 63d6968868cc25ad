"""Loops for machine code from functions of Python: constants are put in, and loops unrolled.

A template is a function that uses the words of `Loop`, which this module declares for readers and
tools; it is never called. `loop_source` takes its source and returns that of the loop.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any


def _word(*_: Any) -> Any:
    raise TypeError("this is a word of loops for machine code, and not called by Python")


float32: Any = _word
load: Any = _word
store: Any = _word
spread: Any = _word
fma: Any = _word
greater: Any = _word
equal: Any = _word


def registers() -> Any:
    """Variables of one name that stay in registers: `c[0][1]` is one of them.

    In a template: `c = registers()`. Indices are numbers once loops are unrolled.
    """
    return _word()


def unrolled(_: int | tuple[int, ...]) -> Iterable[int]:
    """Numbers that a `for` of a template goes through when the source is made.

    Args:
        _: how many, from 0 on, or the numbers.
    """
    result: Iterable[int] = _word()
    return result


def loop_source(template: Callable[..., Any], **constants: Any) -> str:
    """Source of a loop.

    It is made line by line, which takes a hundredth of the time that syntax trees would.

    Args:
        template: the function, whose parameters by keyword are constants. Annotations, comments and
            the docstring are left out.
        constants: numbers, or tuples of numbers, for names in it.

    Raises:
        ValueError: an index of `registers` or an argument of `unrolled` is not constant.
    """
    lines = textwrap.dedent(inspect.getsource(template)).splitlines()
    parameters = inspect.signature(template).parameters.values()
    names = [item.name for item in parameters if item.kind is not item.KEYWORD_ONLY]
    start = next(i for i, line in enumerate(lines) if line.endswith(":"))
    body = [_COMMENT.sub("", line) for line in lines[start + 1 :]]
    body = [line for line in body if line.strip() and not line.strip().startswith('"""')]
    groups = [found[1] for line in body if (found := _REGISTERS.match(line))]
    body = [line for line in body if not _REGISTERS.match(line)]
    register = re.compile(rf"\b({'|'.join(groups) or '(?!)'})((?:\[[^\[\]]*\])+)")
    made = [register.sub(_register, line) for line in _unrolled(body, constants)]
    return "\n".join([f"def {template.__name__}({', '.join(names)}):", *made, ""])


_NAME = re.compile(r"\b[^\W\d]\w*")
_COMMENT = re.compile(r"\s+#.*$")
_REGISTERS = re.compile(r"\s*(\w+) = registers\(\)$")
_UNROLLED = re.compile(r"(\s*)for (\w+) in unrolled\((.*)\):$")


def _unrolled(lines: Sequence[str], constants: Mapping[str, Any]) -> Iterator[str]:
    """Lines with constants put in, and loops over constants unrolled."""
    i = 0
    while i < len(lines):
        line = _NAME.sub(lambda found: str(constants.get(found[0], found[0])), lines[i])
        i += 1
        loop = _UNROLLED.match(line)
        if loop is None:
            yield line
            continue
        begin = i
        while i < len(lines) and lines[i].startswith(f"{loop[1]} "):
            i += 1
        block = [text[4:] for text in lines[begin:i]]
        numbers = _constant(loop[3], "unrolled")
        for number in range(numbers) if isinstance(numbers, int) else numbers:
            yield from _unrolled(block, {**constants, loop[2]: number})


def _register(found: re.Match[str]) -> str:
    """Name of a register, from its group and its indices."""
    indices = [_constant(index, found[1]) for index in found[2][1:-1].split("][")]
    return f"{found[1]}{'_'.join(map(str, indices))}"


def _constant(text: str, user: str) -> Any:
    if text.isdecimal():  # as most are
        return int(text)
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise ValueError(f"{user} needs a constant, got {text}") from None
