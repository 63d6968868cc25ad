"""Matching in a time that grows with the text alone: all ways to match are followed at once.

Python's `re` tries one way after the other, which takes some patterns beyond any time: `(a+)+$` on
forty letters. So where the number of ways could be large, a pattern is made into a program, of
which threads run side by side, in the order in which `re` would try them (Pike's machine, as in
RE2). A thread is the place in the program, and where its groups began and ended.
"""

from __future__ import annotations

import re
from re import _constants as code, _parser as parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Test = Callable[[str], bool]
    Spans = tuple[int, ...]  # where each group begins and ends; -1 where it takes no part

_MOST_REPEATS = 1000
_MOST_INSTRUCTIONS = 1 << 16
RAW = re.compile("[\udc80-\udcff]")  # a byte that is no UTF-8, decoded: nothing matches it
_WORD = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")


class Step(NamedTuple):
    """An instruction: "char" with its test, "at" with its check, "save", "split", "jump", "end"."""

    kind: str
    argument: Any = None
    other: int = 0


def check_repeats(tree: Any, left: int = _MOST_REPEATS) -> None:
    """Checks that nothing is repeated more often than RE2 allows, nested repeats multiplied.

    Raises:
        re.error: something is.
    """
    for kind, argument in tree:
        rest = left
        if kind in (code.MAX_REPEAT, code.MIN_REPEAT):
            least, most, _ = argument
            counted = least if most is code.MAXREPEAT else most
            if counted > _MOST_REPEATS or (counted > 1 and not left // counted):
                raise re.error(f"more than {_MOST_REPEATS} repetitions")
            rest = left // max(counted, 1)
        for part in _parts(kind, argument):
            check_repeats(part, rest)


def ways(tree: Any, length: int) -> float:
    """A bound for the number of ways in which `re` may try to match a text of this length."""
    number = 1.0
    for kind, argument in tree:
        inner = [ways(part, length) for part in _parts(kind, argument)]
        if kind is code.BRANCH:
            number *= sum(inner)
        elif kind in (code.MAX_REPEAT, code.MIN_REPEAT):
            least, most, _ = argument
            most = min(most, max(length, least))
            try:
                number *= (most - least + 1) * inner[0] ** most
            except OverflowError:
                return float("inf")
        elif inner:
            number *= inner[0]
    return number


def _parts(kind: Any, argument: Any) -> list[Any]:
    """The trees inside an element of a tree."""
    if kind is code.BRANCH:
        return list(argument[1])
    return [argument[-1]] if kind in (code.MAX_REPEAT, code.MIN_REPEAT, code.SUBPATTERN) else []


def compiled(tree: Any) -> list[Step]:
    """The program of a tree.

    Raises:
        re.error: it is too long.
    """
    program: list[Step] = [Step("save", 0)]
    _add(program, tree, tree.state.flags)
    return [*program, Step("save", 1), Step("end")]


def _add(program: list[Step], tree: Any, flags: int) -> None:
    for kind, argument in tree:
        if len(program) > _MOST_INSTRUCTIONS:
            raise re.error("the pattern is too large")
        if kind is code.AT:
            program.append(Step("at", _check(argument, flags)))
        elif kind is code.SUBPATTERN:
            group, on, off, inner = argument
            if group is not None:
                program.append(Step("save", 2 * group))
            _add(program, inner, (flags | on) & ~off)
            if group is not None:
                program.append(Step("save", 2 * group + 1))
        elif kind is code.BRANCH:
            _add_branch(program, argument[1], flags)
        elif kind in (code.MAX_REPEAT, code.MIN_REPEAT):
            _add_repeat(program, argument, flags, greedy=kind is code.MAX_REPEAT)
        else:
            program.append(Step("char", _test(kind, argument, flags)))


def _add_branch(program: list[Step], branches: list[Any], flags: int) -> None:
    ends = []
    for branch in branches[:-1]:
        split = len(program)
        program.append(Step("split"))
        _add(program, branch, flags)
        ends.append(len(program))
        program.append(Step("jump"))
        program[split] = Step("split", split + 1, len(program))
    _add(program, branches[-1], flags)
    for end in ends:
        program[end] = Step("jump", len(program))


def _add_repeat(program: list[Step], argument: Any, flags: int, *, greedy: bool) -> None:
    least, most, inner = argument
    for _ in range(least):
        _add(program, inner, flags)
    splits = []
    for _ in range(1 if most is code.MAXREPEAT else most - least):
        splits.append(len(program))
        program.append(Step("split"))
        _add(program, inner, flags)
    if most is code.MAXREPEAT:
        program.append(Step("jump", splits[0]))
    for split in splits:
        ahead = (split + 1, len(program))
        program[split] = Step("split", *(ahead if greedy else ahead[::-1]))


def _test(kind: Any, argument: Any, flags: int) -> Test:
    """Whether a character is one that an element of a tree matches."""
    if kind is code.ANY:
        return (lambda _: True) if flags & re.DOTALL else "\n".__ne__
    items = argument if kind is code.IN else [(code.LITERAL, argument)]
    negated = kind is code.NOT_LITERAL or items[0][0] is code.NEGATE
    tests = [_member(*item) for item in items if item[0] is not code.NEGATE]

    def among(char: str) -> bool:
        forms = (char, char.swapcase()) if flags & re.IGNORECASE and char.isascii() else (char,)
        return any(test(form) for test in tests for form in forms) is not negated

    return among


def _member(kind: Any, argument: Any) -> Test:
    if kind is code.LITERAL:
        return chr(argument).__eq__
    if kind is code.RANGE:
        return lambda char: argument[0] <= ord(char) <= argument[1]
    if argument in (code.CATEGORY_DIGIT, code.CATEGORY_NOT_DIGIT):
        among = frozenset("0123456789")
    else:
        among = _WORD
    inside = argument in (code.CATEGORY_DIGIT, code.CATEGORY_WORD)
    return lambda char: (char in among) is inside


def _check(place: Any, flags: int) -> Callable[[str, int], bool]:
    """Whether a position in a text is what an anchor asks for."""
    if place in (code.AT_BOUNDARY, code.AT_NON_BOUNDARY):
        wanted = place is code.AT_BOUNDARY

        def at_boundary(text: str, at: int) -> bool:
            before = at > 0 and text[at - 1] in _WORD
            return (before is not (at < len(text) and text[at] in _WORD)) is wanted

        return at_boundary
    lines = bool(flags & re.MULTILINE)
    if place in (code.AT_BEGINNING, code.AT_BEGINNING_STRING):
        before = lines and place is code.AT_BEGINNING
        return lambda text, at: not at or (before and text[at - 1] == "\n")
    after = lines and place is code.AT_END
    return lambda text, at: at == len(text) or (after and text[at] == "\n")


def run(program: list[Step], groups: int, text: str, start: int, *, whole: bool) -> Spans | None:
    """The spans of the first match at or behind `start`; of all of the text, if `whole`."""
    found: Spans | None = None
    threads: dict[int, Spans] = {}
    seen: set[int] = set()
    nowhere = (-1,) * (2 * groups + 2)
    for at in range(start, len(text) + 1):
        if found is None and (at == start or not whole):
            _follow(program, threads, seen, 0, nowhere, text, at)
        if not threads:
            if whole or found is not None:
                break
            seen = set()
            continue
        char = text[at] if at < len(text) else None
        readable = char is not None and not RAW.match(char)
        running, threads, seen = threads, {}, set()
        for place, spans in running.items():
            step = program[place]
            if step.kind == "end":
                if not whole or char is None:
                    found = spans
                    break  # whatever comes behind would be tried later
            elif readable and step.argument(char):
                _follow(program, threads, seen, place + 1, spans, text, at + 1)
    return found


def _follow(
    program: list[Step],
    threads: dict[int, Spans],
    seen: set[int],
    place: int,
    spans: Spans,
    text: str,
    at: int,
) -> None:
    """Adds the threads that wait for a character, or are at the end, from `place` on.

    Each place is gone to once: by the thread that comes first.
    """
    pending: list[tuple[int, Spans]] = [(place, spans)]
    while pending:
        place, spans = pending.pop()
        if place in seen:
            continue
        seen.add(place)
        kind, argument, other = program[place]
        if kind in ("char", "end"):
            threads[place] = spans
        elif kind == "jump":
            pending.append((argument, spans))
        elif kind == "split":
            pending += [(other, spans), (argument, spans)]
        elif kind == "save":
            pending.append((place + 1, (*spans[:argument], at, *spans[argument + 1 :])))
        elif argument(text, at):
            pending.append((place + 1, spans))


def parsed(source: str) -> Any:
    """The tree of a pattern in Python's syntax."""
    return parser.parse(source, re.ASCII)


def all_matches(search: Callable[[int], Spans | None], length: int) -> Iterator[Spans]:
    """The matches that RE2 replaces: an empty one not right behind another."""
    at, last = 0, -1
    while at <= length:
        spans = search(at)
        if spans is None:
            return
        if spans[0] == spans[1] == last:
            at += 1
            continue
        yield spans
        at = last = spans[1]
