"""`--shape` and `--size`: shapes and sizes of inputs on the command line."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser


def add_shape_argument(parser: ArgumentParser) -> None:
    """Adds `--shape` to a command."""
    parser.add_argument(
        "--shape",
        metavar="NAME=SIZES",
        action="append",
        default=[],
        type=parse_shape,
        help="the shape of an input, such as x=batch,784, with a number, a name or ? for each "
        "size, and nothing for a scalar; may be repeated",
    )


def add_size_argument(parser: ArgumentParser, use: str) -> None:
    """Adds `--size` to a command that takes numbers there.

    Args:
        parser: of the command.
        use: the use of the number.
    """
    parser.add_argument(
        "--size",
        metavar="NAME=N",
        action="append",
        default=[],
        type=parse_number,
        help=f"a number for a named size, {use}; may be repeated",
    )


def add_positive_argument(parser: ArgumentParser, use: str) -> None:
    """Adds `--positive` to a command.

    Args:
        parser: of the command.
        use: the consequence.
    """
    parser.add_argument(
        "--positive",
        action="store_true",
        help=f"no size of an input is 0: {use}",
    )


def parse_shape(text: str) -> tuple[str, list[int | str | None]]:
    """Parses the name and shape of an input.

    Raises:
        ArgumentTypeError: the text is not of that form.

    Example:
        >>> from tensordraft.cli.shape_options import parse_shape
        >>> parse_shape("x=batch,784")
        ('x', ['batch', 784])
    """
    name, equals, sizes = text.rpartition("=")
    if not equals or not name:
        raise ArgumentTypeError(f"{text!r} is not of the form NAME=SIZES")
    return name, [_size(item.strip()) for item in sizes.split(",")] if sizes.strip() else []


def _size(text: str) -> int | str | None:
    if text == "?":
        return None
    if text.isidentifier():
        return text
    if not _is_number(text):
        raise ArgumentTypeError(f"a size is a number, a name or ?, got {text!r}")
    return int(text)


def parse_size(text: str) -> tuple[str, int | range | None]:
    """Parses the name of a size and its number or range, or None if it is open.

    Raises:
        ArgumentTypeError: the text is not of that form.

    Example:
        >>> from tensordraft.cli.shape_options import parse_size
        >>> parse_size("batch=32"), parse_size("batch=1..64"), parse_size("seq")
        (('batch', 32), ('batch', range(1, 65)), ('seq', None))
    """
    name, equals, value = text.partition("=")
    low, dots, high = value.partition("..")
    numbers = [low, high] if dots else [low]
    if not name or (equals and not all(_is_number(number) for number in numbers)):
        raise ArgumentTypeError(f"{text!r} is not of the form NAME=N, NAME=N..N or NAME")
    if not equals:
        return name, None
    if dots and int(low) > int(high):
        raise ArgumentTypeError(f"the range {value} of {name} ends before it begins")
    return name, range(int(low), int(high) + 1) if dots else int(low)


def parse_number(text: str) -> tuple[str, int]:
    """Parses the name of a size and its number.

    Raises:
        ArgumentTypeError: the text is not of that form.

    Example:
        >>> from tensordraft.cli.shape_options import parse_number
        >>> parse_number("batch=32")
        ('batch', 32)
    """
    name, _, number = text.partition("=")
    if not name or not _is_number(number):
        raise ArgumentTypeError(f"{text!r} is not of the form NAME=N")
    return name, int(number)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 19
