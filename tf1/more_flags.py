"""Flags that may be given several times, and what is checked of flags together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .flags import FLAGS, Error, Flag, as_float, as_integer, as_string

public = {
    "td.flags, td.app.flags": (
        "DEFINE_multi_enum DEFINE_multi_float DEFINE_multi_integer DEFINE_multi_string "
        "DEFINE_spaceseplist mark_flags_as_mutual_exclusive register_validator set_default "
        "validator"
    )
}


class MultiFlag(Flag):
    """A flag that may be given several times, whose value is the list of what was given."""

    def parsed(self, text: Any) -> Any:
        """A list of what texts stand for."""
        items = text if isinstance(text, (list, tuple)) else [text]
        return [super(MultiFlag, self).parsed(item) for item in items]

    def take(self, text: str) -> None:
        """Takes one more value of the command line; the first replaces the default."""
        self.value = (self.value if self.present else []) + self.parsed(text)
        self.present += 1


def DEFINE_multi_string(flag_name: str, default_value: Any, docstring: str) -> None:
    """Defines a flag that may be given several times: its value is the list of the texts.

    Args:
        flag_name: the name.
        default_value: a list, or one value; None for no value.
        docstring: what it is for.

    Raises:
        Error: the name is taken.

    Example:
        >>> td.flags.DEFINE_multi_string("doc_file", ["a"], "What to read.")
        >>> td.flags.FLAGS(["train.py", "--doc_file=b", "--doc_file=c"])
        ['train.py']
        >>> td.flags.FLAGS.doc_file
        ['b', 'c']
    """
    FLAGS.define(MultiFlag(flag_name, default_value, docstring, as_string))


def DEFINE_multi_integer(flag_name: str, default_value: Any, docstring: str) -> None:
    """Defines a flag whose value is a list of integers: see `DEFINE_multi_string`.

    Example:
        >>> td.flags.DEFINE_multi_integer("doc_size", [3, 4], "The sizes.")
        >>> td.flags.FLAGS["doc_size"].value
        [3, 4]
    """
    FLAGS.define(MultiFlag(flag_name, default_value, docstring, as_integer))


def DEFINE_multi_float(flag_name: str, default_value: Any, docstring: str) -> None:
    """Defines a flag whose value is a list of numbers: see `DEFINE_multi_string`.

    Example:
        >>> td.flags.DEFINE_multi_float("doc_weight", 0.5, "The weights.")
        >>> td.flags.FLAGS["doc_weight"].value
        [0.5]
    """
    FLAGS.define(MultiFlag(flag_name, default_value, docstring, as_float))


def DEFINE_multi_enum(
    flag_name: str, default_value: Any, enum_values: Sequence[str], docstring: str
) -> None:
    """Defines a flag whose value is a list of some of several texts: see `DEFINE_multi_string`.

    Example:
        >>> td.flags.DEFINE_multi_enum("doc_part", ["train"], ["train", "test"], "Which parts.")
        >>> td.flags.FLAGS["doc_part"].value
        ['train']
    """
    values = list(enum_values)

    def parse(text: Any) -> str:
        if text not in values:
            raise ValueError(f"it must be one of {', '.join(values)}")
        return str(text)

    FLAGS.define(MultiFlag(flag_name, default_value, docstring, parse))


def DEFINE_spaceseplist(flag_name: str, default_value: Any, docstring: str) -> None:
    """Defines a flag whose value is a list of texts, with spaces between them.

    Example:
        >>> td.flags.DEFINE_spaceseplist("doc_words", "red green", "The words.")
        >>> td.flags.FLAGS["doc_words"].value
        ['red', 'green']
    """

    def parse(text: Any) -> list[str]:
        return text.split() if isinstance(text, str) else list(text)

    FLAGS.define(Flag(flag_name, default_value, docstring, parse))


def set_default(flag_name: str, value: Any) -> None:
    """Changes the default of a flag, and its value where the command line gave none.

    Args:
        flag_name: the name.
        value: the default.

    Raises:
        Error: there is no such flag, or the value is not legal.

    Example:
        >>> td.flags.DEFINE_integer("doc_threads", 1, "How many threads.")
        >>> td.flags.set_default("doc_threads", 4)
        >>> td.flags.FLAGS["doc_threads"].value
        4
    """
    flag = _known(flag_name)
    flag.default = None if value is None else flag.parsed(value)
    if not flag.present:
        flag.value = flag.default


def register_validator(
    flag_name: str, checker: Callable[[Any], bool], message: str = "Flag validation failed"
) -> None:
    """Lets a function say whether the value of a flag is legal, after each command line.

    Args:
        flag_name: the name.
        checker: a function of the value, which returns False, or raises a `td.flags.Error`, for
            one that is not legal.
        message: what to say then.

    Raises:
        Error: there is no such flag.

    Example:
        >>> td.flags.DEFINE_integer("doc_even", 2, "An even number.")
        >>> td.flags.register_validator("doc_even", lambda n: n % 2 == 0, "it must be even")
        >>> td.flags.FLAGS(["train.py", "--doc_even=3"])
        Traceback (most recent call last):
        ...
        tensordraft.tf1.flags.Error: flag --doc_even=3: it must be even
        >>> td.flags.FLAGS.doc_even = 2
    """
    flag = _known(flag_name)

    def check() -> None:
        if flag_name in FLAGS and FLAGS[flag_name] is flag and not checker(flag.value):
            raise Error(f"flag --{flag_name}={flag.value}: {message}")

    FLAGS.check(check)


def validator(
    flag_name: str, message: str = "Flag validation failed"
) -> Callable[[Callable[[Any], bool]], Callable[[Any], bool]]:
    """A decorator that does as `register_validator`.

    Args:
        flag_name: the name.
        message: what to say of a value that is not legal.

    Example:
        >>> td.flags.DEFINE_float("doc_share", 0.5, "A share.")
        >>> @td.flags.validator("doc_share", message="it must be in [0, 1]")
        ... def is_share(value):
        ...     return 0 <= value <= 1
    """

    def register(checker: Callable[[Any], bool]) -> Callable[[Any], bool]:
        register_validator(flag_name, checker, message)
        return checker

    return register


def mark_flags_as_mutual_exclusive(flag_names: Sequence[str], required: bool = False) -> None:
    """Lets at most one of several flags have a value.

    Args:
        flag_names: the names.
        required: whether one must.

    Raises:
        Error: there is no such flag.

    Example:
        >>> td.flags.DEFINE_string("doc_this", None, "This.")
        >>> td.flags.DEFINE_string("doc_that", None, "That.")
        >>> td.flags.mark_flags_as_mutual_exclusive(["doc_this", "doc_that"])
    """
    flags = [_known(name) for name in flag_names]

    def check() -> None:
        given = [flag.name for flag in flags if flag.value is not None]
        if len(given) > 1 or (required and not given):
            number = "exactly one" if required else "at most one"
            names = ", ".join(flag_names)
            raise Error(f"{number} of the flags {names} must have a value, got {given}")

    FLAGS.check(check)


def _known(name: str) -> Flag:
    if name not in FLAGS:
        raise Error(f"there is no flag {name!r}")
    return FLAGS[name]
