"""TensorFlow's regular expressions, which are RE2's, as Python's."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from .regex_machine import (
    RAW,
    all_matches,
    check_repeats,
    compiled as program_of,
    parsed,
    run,
    ways,
)
from .unicode_classes import members

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .regex_machine import Spans, Step

# Python's `re`, which is faster where it does not go astray, may try so many ways to match a text.
_MOST_WAYS = 1 << 20

_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7F",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1F\x7F",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
}
_POSIX = re.compile(r"\[:(\^?)(\w+):\]")
_GROUP = re.compile(r"\(\?(?:P<\w+>|:|[imsU]*(?:-[imsU]+)?[:)]|<\w+>)")
_COUNTED = re.compile(r"\{\d+(?:,\d*)?\}\Z")
_BRACED = re.compile(r"\\x\{([0-9A-Fa-f]{1,6})\}")
_CATEGORY = re.compile(r"\\([pP])(?:\{(\^?)(\w+)\}|(\w))", re.ASCII)
_PERL = frozenset("dDwWbB")
_SPACES = r"\t\n\f\r "  # RE2 does not count \v as one
_NO_SPACES = r"\x00-\x08\x0b\x0e-\x1f!-\U0010ffff"
_PUNCTUATION = frozenset("afnrtv")


class Expression:
    """A regular expression on text, which matches in a time that no pattern can drive up.

    Args:
        source: the pattern in Python's syntax.

    Raises:
        re.error: it is not legal, or repeats too often.
    """

    def __init__(self, source: str) -> None:
        self._pattern = re.compile(source, re.ASCII)
        self._tree = parsed(source)
        check_repeats(self._tree)
        self.groups = self._pattern.groups
        self._differs = r"\B" in source  # which in `re` does not match an empty text
        self._ways: dict[int, float] = {}

    @functools.cached_property
    def _program(self) -> list[Step]:
        return program_of(self._tree)

    def matches_all(self, text: str) -> bool:
        """Whether the expression matches all of `text`."""
        if self._is_quick(text, 1):
            return self._pattern.fullmatch(text) is not None
        return run(self._program, self.groups, text, 0, whole=True) is not None

    def matches(self, text: str) -> Iterator[Spans]:
        """Where the expression and its groups match, for each match that RE2 would replace."""
        quick = self._is_quick(text, len(text) + 1)

        def search(start: int) -> Spans | None:
            if not quick:
                return run(self._program, self.groups, text, start, whole=False)
            match = self._pattern.search(text, start)
            return None if match is None else tuple(end for pair in match.regs for end in pair)

        return all_matches(search, len(text))

    def _is_quick(self, text: str, starts: int) -> bool:
        if self._differs or (not text.isascii() and RAW.search(text)):
            return False
        length = 1 << len(text).bit_length()
        if length not in self._ways:
            self._ways[length] = ways(self._tree, length)
        return starts * self._ways[length] <= _MOST_WAYS


@functools.lru_cache(maxsize=256)
def compiled(pattern: bytes) -> Expression:
    """The pattern, as an expression on text that `decoded` makes of bytes.

    Raises:
        ValueError: RE2 does not allow it, or it has something that is not supported here.
    """
    try:
        return Expression(_translated(pattern.decode()))
    except (re.error, OverflowError, RecursionError, UnicodeDecodeError) as error:
        raise ValueError(f"pattern = {pattern[:80]!r} is not legal: {error}") from None


def decoded(text: bytes) -> str:
    """Bytes as text; what is no UTF-8 stays as it is, byte by byte."""
    return text.decode("utf-8", "surrogateescape")


def encoded(text: str) -> bytes:
    """The bytes that `decoded` has made text of."""
    return text.encode("utf-8", "surrogateescape")


def _translated(pattern: str) -> str:
    """`pattern` in Python's syntax."""
    parts: list[str] = []
    at, several_lines = 0, False
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            part, at = _escape(pattern, at, in_class=False)
        elif char == "[":
            part, at = _character_class(pattern, at)
        elif char == "(" and pattern.startswith("(?", at):
            part, at = _group(pattern, at)
            several_lines = several_lines or "m" in part
        elif pattern.startswith("{,", at):
            part, at = r"\{", at + 1  # RE2 takes it as it stands
        elif char == "$" and not several_lines:
            part, at = r"\Z", at + 1  # Python's also matches before a last line feed
        elif pattern.startswith("+", at + 1) and (
            char in "*+?" or _COUNTED.search(pattern, 0, at + 1)
        ):
            raise re.error("repeating twice is not allowed", pattern, at)
        else:
            part, at = char, at + 1
        parts.append(part)
    return "".join(parts)


def _escape(pattern: str, at: int, in_class: bool) -> tuple[str, int]:
    """What a backslash and what follows mean, and where it goes on."""
    following = pattern[at + 1 : at + 2]
    if following == "Q":
        end = pattern.find(r"\E", at)
        end = len(pattern) if end < 0 else end
        return re.escape(pattern[at + 2 : end]), end + 2
    if following == "x":
        braced = _BRACED.match(pattern, at)
        if braced is not None:
            return re.escape(chr(int(braced[1], 16))), braced.end()
        return pattern[at : at + 4], at + 4
    if not in_class and following in ("A", "z"):
        return r"\A" if following == "A" else r"\Z", at + 2
    if following in ("p", "P"):
        return _category(pattern, at, in_class)
    if following in ("s", "S"):
        inside = _SPACES if following == "s" else _NO_SPACES
        return inside if in_class else f"[{inside}]", at + 2
    if not following.isascii() or not following.isalnum():
        return pattern[at : at + 2], at + 2
    if following in _PUNCTUATION or (following in _PERL and not (in_class and following in "bB")):
        return pattern[at : at + 2], at + 2
    raise re.error(f"the escape \\{following} is not supported", pattern, at)


def _category(pattern: str, at: int, in_class: bool) -> tuple[str, int]:
    r"""What `\pL`, `\p{Lu}`, `\p{^L}` or `\P{L}` means, and where it goes on."""
    written = _CATEGORY.match(pattern, at)
    if written is None:
        raise re.error("a category lacks its name", pattern, at)
    kind, caret, long, short = written.groups()
    try:
        inside = members(long or short, negated=(kind == "P") is not bool(caret))
    except KeyError:
        raise re.error(f"the category {written[0]} is not supported", pattern, at) from None
    if not in_class:
        inside = f"[{inside}]" if inside else r"[^\0-\U0010ffff]"
    return inside, written.end()


def _character_class(pattern: str, at: int) -> tuple[str, int]:
    parts = ["["]
    at += 1
    if pattern.startswith("^", at):
        parts.append("^")
        at += 1
    first = True
    while at < len(pattern) and (first or pattern[at] != "]"):
        posix = _POSIX.match(pattern, at)
        if posix is not None:
            if posix[2] not in _CLASSES:
                raise re.error(f"the class {posix[0]} is not supported", pattern, at)
            part, at = _CLASSES[posix[2]], posix.end()
            part = _others(part) if posix[1] else part
        elif pattern[at] == "\\":
            part, at = _escape(pattern, at, in_class=True)
        else:
            part, at = (rf"\{pattern[at]}" if pattern[at] in "[&~|" else pattern[at]), at + 1
        parts.append(part)
        first = False
    if at >= len(pattern):
        raise re.error("a class lacks its ]", pattern, len(pattern))
    return "".join([*parts, "]"]), at + 1


def _others(inside: str) -> str:
    """All that is not in one of the classes, which have ASCII only."""
    among = re.compile(f"[{inside}]")
    others = [rf"\x{code:02x}" for code in range(0x80) if not among.match(chr(code))]
    return "".join([*others, r"\x80-\U0010ffff"])


def _group(pattern: str, at: int) -> tuple[str, int]:
    match = _GROUP.match(pattern, at)
    if match is None or "U" in match[0]:
        raise re.error(f"the group {pattern[at : at + 4]} is not supported", pattern, at)
    opening = match[0].replace("(?<", "(?P<")
    if opening.endswith(")") and at:
        raise re.error("flags are supported at the beginning only", pattern, at)
    return opening, match.end()
