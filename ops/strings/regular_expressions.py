"""Strings matched with, and changed by, regular expressions."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.op_def import OpDef
from .regex_syntax import compiled, decoded, encoded
from .string_arrays import strings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...graph.node import Tensor
    from ...shape_inference.context import KernelContext, ShapeContext
    from ...shape_inference.protocols import Array, Kernel
    from ...shape_inference.tensor_shape import TensorShape

REGEX_REPLACE = OpDef(
    "RegexReplace",
    "input: string, pattern: string, rewrite: string -> output: string",
    "replace_global: bool = true",
)
STATIC_REGEX_REPLACE = OpDef(
    "StaticRegexReplace",
    "input: string -> output: string",
    "pattern: string, rewrite: string, replace_global: bool = true",
)
REGEX_FULL_MATCH = OpDef("RegexFullMatch", "input: string, pattern: string -> output: bool")
STATIC_REGEX_FULL_MATCH = OpDef(
    "StaticRegexFullMatch", "input: string -> output: bool", "pattern: string"
)
_REFERENCE = re.compile(r"\\(.?)", re.DOTALL)


@REGEX_REPLACE.shape
@REGEX_FULL_MATCH.shape
def _regex_shape(c: ShapeContext) -> TensorShape:
    for name in ("pattern", "rewrite"):
        if name in c.node.definition.input_positions(c.node.attrs):
            c.shape(name, rank=0)
    return c.shape("input")


@STATIC_REGEX_REPLACE.shape
@STATIC_REGEX_FULL_MATCH.shape
def _static_regex_shape(c: ShapeContext) -> TensorShape:
    return c.shape("input")


def _text(name: str, value: Array) -> bytes:
    if value.ndim:
        raise ValueError(f"{name} must have rank 0, got shape {list(value.shape)}")
    return value.item()  # type: ignore[no-any-return]


class _Rewrite:
    """What is written for a match.

    As in RE2, a backslash before something else than a digit or a backslash is not refused: what
    stands before it is written for each match, while a single match stays as it is.
    """

    def __init__(self, text: str) -> None:
        self._parts: list[str | int] = []
        self.groups, self.is_legal, at = 0, True, 0
        for reference in _REFERENCE.finditer(text):
            part: str | int = reference[1]
            if reference[1].isascii() and reference[1].isdecimal():
                part = int(reference[1])
                self.groups = max(self.groups, part)
            if self.is_legal:
                self._parts.append(text[at : reference.start()])
                self.is_legal = isinstance(part, int) or part == "\\"
            if self.is_legal:
                self._parts.append(part)
                at = reference.end()
        if self.is_legal:
            self._parts.append(text[at:])

    def of(self, text: str, spans: Sequence[int]) -> str:
        """What is written for the match at `spans`."""
        return "".join(
            part if isinstance(part, str) else _group(text, spans, part) for part in self._parts
        )


def _replacing(pattern: bytes, rewrite: bytes, all_of_them: bool) -> Kernel:
    expression, written = compiled(pattern), _Rewrite(decoded(rewrite))
    most = None if all_of_them else 1
    keeps = written.groups > expression.groups or not (all_of_them or written.is_legal)

    def replaced(text: str) -> str:
        pieces: list[str] = []
        at = 0
        for spans in islice(expression.matches(text), most):
            pieces += [text[at : spans[0]], written.of(text, spans)]
            at = spans[1]
        return "".join([*pieces, text[at:]])

    def replace(texts: Array) -> Array:
        if keeps:
            return texts
        results = [encoded(replaced(decoded(text))) for text in texts.ravel().tolist()]
        return strings(results, texts.shape)

    return replace


def _group(text: str, spans: Sequence[int], number: int) -> str:
    """What a group matched; nothing where it takes no part."""
    start, end = spans[2 * number : 2 * number + 2]
    return text[start:end] if start >= 0 else ""


@REGEX_REPLACE.kernel
def _regex_replace_kernel(c: KernelContext) -> Kernel:
    all_of_them = c.attr("replace_global")

    def replace(texts: Array, pattern: Array, rewrite: Array) -> Array:
        kernel = _replacing(_text("pattern", pattern), _text("rewrite", rewrite), all_of_them)
        return kernel(texts)  # type: ignore[no-any-return]

    return replace


@STATIC_REGEX_REPLACE.kernel
def _static_regex_replace_kernel(c: KernelContext) -> Kernel:
    return _replacing(c.attr("pattern"), c.attr("rewrite"), c.attr("replace_global"))


def _matching(pattern: bytes) -> Kernel:
    expression = compiled(pattern)

    def match(texts: Array) -> Array:
        found = [expression.matches_all(decoded(text)) for text in texts.ravel().tolist()]
        return np.array(found, bool).reshape(texts.shape)

    return match


@REGEX_FULL_MATCH.kernel
def _regex_full_match_kernel(c: KernelContext) -> Kernel:
    del c

    def match(texts: Array, pattern: Array) -> Array:
        return _matching(_text("pattern", pattern))(texts)  # type: ignore[no-any-return]

    return match


@STATIC_REGEX_FULL_MATCH.kernel
def _static_regex_full_match_kernel(c: KernelContext) -> Kernel:
    return _matching(c.attr("pattern"))


def regex_replace(
    input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> Tensor:
    r"""Strings in which what matches a regular expression is replaced.

    Args:
        input: a tensor of strings.
        pattern: a regular expression in RE2's syntax, a scalar string. Scripts such as
            `\p{Greek}`, single bytes `\C`, and flags elsewhere than at the beginning, are not
            supported.
        rewrite: what to put there, a scalar string: `\1` to `\9` stand for what the groups matched,
            `\0` for the whole match, and `\\` for a backslash. With a group that `pattern` does not
            have, nothing is replaced; what stands behind any other backslash is left out.
        replace_global: whether to replace all that matches, or only the first in each string.
        name: a name for the op.

    Returns:
        A Tensor of strings, of the shape of `input`. A pattern that is not legal is an
        InvalidArgumentError at the run.

    Raises:
        ValueError: `pattern` or `rewrite` is no scalar.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.regex_replace(["a1b22"], "([0-9]+)", r"<\1>")))
        [b'a<1>b<22>']
    """
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        return STATIC_REGEX_REPLACE(
            input, pattern=pattern, rewrite=rewrite, replace_global=replace_global, name=name
        )
    return REGEX_REPLACE(input, pattern, rewrite, replace_global=replace_global, name=name)


def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Tensor:
    r"""Which strings a regular expression matches as a whole.

    Args:
        input: a tensor of strings.
        pattern: a regular expression in RE2's syntax, a scalar string. Scripts such as
            `\p{Greek}`, single bytes `\C`, and flags elsewhere than at the beginning, are not
            supported.
        name: a name for the op.

    Returns:
        A bool Tensor of the shape of `input`. A pattern that is not legal is an
        InvalidArgumentError at the run.

    Raises:
        ValueError: `pattern` is no scalar.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.strings.regex_full_match(["a1", "1a"], "[a-z][0-9]")))
        [ True False]
    """
    if isinstance(pattern, (str, bytes)):
        return STATIC_REGEX_FULL_MATCH(input, pattern=pattern, name=name)
    return REGEX_FULL_MATCH(input, pattern, name=name)
