"""Regular expressions: TensorFlow's results, in a time that no pattern can drive up."""

from __future__ import annotations

import pytest

import tensordraft as td


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
        ("aé5 αβ", r"\p{Greek}", "x", "aé5 xx"),
        ("é", r"\C", "x", "xx"),
        ("abAB", r"a(?i)b", "x", "xAB"),
        ("aéa", "z*", "-", "-a-é-a-"),
        ("éé", "é*", "-", "-"),
        ("a\nb", "^b", "x", "a\nb"),
        ("ab ab", r"\bab\b", "x", "x x"),
        ("aaa", "^a", "x", "xaa"),
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
    with td.Graph().as_default(), td.Session() as session:
        for y in (td.regex_replace("a", pattern, ""), td.strings.regex_full_match("a", pattern)):
            with pytest.raises(td.errors.InvalidArgumentError, match=r"pattern = .* is not legal"):
                session.run(y)


# Results of TensorFlow 2.21 for invalid UTF-8.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"\xffa\xff", b"-\xff-a-\xff-"),
        (b"\xed\xa0\x80a", b"-\xed\xa0\x80-a-"),
        (b"a\xe9", b"-a-\xe9-"),
    ],
)
def test_bytes_that_are_no_characters_are_passed_one_by_one(text: bytes, expected: bytes) -> None:
    with td.Graph().as_default(), td.Session() as session:
        assert session.run(td.regex_replace([text], "z*", "-")).tolist() == [expected]
