"""Regular expressions that Python's `re` would take for ever to match, and what RE2 refuses."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

import tensordraft as td
from tensordraft.ops.strings import regex_machine, regex_syntax
from tensordraft.ops.strings.regex_syntax import Expression, compiled


def replaced(text: str, pattern: str, rewrite: str, replace_global: bool = True) -> str:
    with td.Graph().as_default(), td.Session() as session:
        y = td.regex_replace([text], pattern, rewrite, replace_global)
        return str(session.run(y)[0].decode())


LONG = "a" * 1000 + "!"


@pytest.mark.parametrize(
    "pattern",
    [r"^(a+)+$", r"^(a|aa)*$", r"^(a|aa|aaa)+b", r"(a*)*b", r"(a?){30}a{30}b", r"a*a*a*a*b"],
)
def test_no_pattern_goes_astray(pattern: str) -> None:
    assert not compiled(pattern.encode()).matches_all(LONG)
    assert replaced(LONG, pattern, "x") == LONG


def test_a_search_is_steady_too() -> None:
    assert replaced(" " * 20_000 + "x", r"\s+$", "-") == " " * 20_000 + "x"
    assert replaced("x" + " " * 20_000, r"\s+$", "-") == "x-"


@pytest.mark.parametrize(
    ("text", "pattern", "rewrite", "expected"),
    [
        ("abc", "b*", "x", "xaxcx"),  # re.sub gives "xaxxcx"
        ("abc", "", "-", "-a-b-c-"),
        ("aXbX", "(?i)(x)", r"<\1>", "a<X>b<X>"),
        ("ab", "(a)|(b)", r"[\1|\2]", "[a|][|b]"),
        ("x{,2}", "{,2}", "-", "x-"),  # for Python, up to two of nothing
        ("a\v b", r"\s", "_", "a\v_b"),
        ("a\v b", r"[\S]", "_", "__ _"),
        ("", r"\B", "-", "-"),
        ("a}}+", r"}+", "-", "a-+"),
    ],
)
def test_replacing_is_that_of_re2(text: str, pattern: str, rewrite: str, expected: str) -> None:
    assert replaced(text, pattern, rewrite) == expected


@pytest.mark.parametrize(
    "pattern",
    [
        b"a{1001}",
        b"((a{100}){100}){100}",
        b"(a{20}){51}",
        b"(((a{30}){30}){30}){2,}",
        b"\xff",
        b"a{2}+",
    ],
)
def test_what_re2_refuses(pattern: bytes) -> None:
    with pytest.raises(ValueError, match="is not legal"):
        compiled(pattern)


def test_a_program_has_a_size() -> None:
    tree = regex_machine.parsed("(?:" + "abcdefghij" * 10 + "){1000}")
    with pytest.raises(re.error, match="too large"):
        regex_machine.compiled(tree)


def test_repeats_up_to_the_limit_are_taken() -> None:
    assert compiled(b"(a{100}){10}").matches_all("a" * 1000)
    assert compiled(b"a{1000}").matches_all("a" * 1000)
    assert compiled(b"(?:a{10}){2,}").matches_all("a" * 50)


PATTERNS = [
    r"a|ab", r"(a|ab)(c|bcd)", r"(a+?)(a*)", r"^a|b$", r"(?m)^\w+$", r"(?s)a.b", r"(?i)AB[c-e]",
    r"[^a-c\d]+", r"\b\w", r"(a)?(b)?c", r"(?:ab?){2,3}", r"a{2,}?b", r"\D\W*", r"a??b|",
]  # fmt: skip


@given(
    pattern=st.sampled_from(PATTERNS),
    text=st.text(st.sampled_from("aAbBcd1 \n_-é"), max_size=12),
    start=st.integers(0, 12),
)
def test_the_machine_matches_as_re_does(pattern: str, text: str, start: int) -> None:
    expected = re.compile(pattern, re.ASCII)
    tree = regex_machine.parsed(pattern)
    program = regex_machine.compiled(tree)
    start = min(start, len(text))
    match = expected.search(text, start)
    spans = regex_machine.run(program, expected.groups, text, start, whole=False)
    assert spans == (None if match is None else tuple(end for pair in match.regs for end in pair))
    whole = regex_machine.run(program, expected.groups, text, 0, whole=True)
    assert (whole is not None) is (expected.fullmatch(text) is not None)


def test_both_ways_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = Expression(r"(b+)c")
    assert list(quick.matches("abbcbc")) == [(1, 4, 1, 3), (4, 6, 4, 5)]
    monkeypatch.setattr(regex_syntax, "_MOST_WAYS", 0)
    steady = Expression(r"(b+)c")
    assert list(steady.matches("abbcbc")) == [(1, 4, 1, 3), (4, 6, 4, 5)]
