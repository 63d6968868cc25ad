"""The flags of a command line, as programs for TensorFlow 1.x define and read them: `td.flags`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

public = {
    "td.flags, td.app.flags": (
        "DEFINE_bool=DEFINE_boolean DEFINE_boolean DEFINE_enum DEFINE_float DEFINE_integer "
        "DEFINE_list DEFINE_string Error FLAGS mark_flag_as_required mark_flags_as_required"
    ),
}

_TRUE, _FALSE = ("true", "t", "1"), ("false", "f", "0")


class Error(ValueError):
    """A flag is defined twice, has a value that is not legal, or is needed and missing.

    Example:
        >>> td.flags.DEFINE_integer("doc_steps", "many", "How many steps.")
        Traceback (most recent call last):
        ...
        tensordraft.tf1.flags.Error: flag --doc_steps=many: it must be an integer
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)


class Flag:
    """One flag: its name, its value, and what is known of it.

    Example:
        >>> td.flags.DEFINE_float("doc_rate", 0.5, "The learning rate.")
        >>> td.flags.FLAGS["doc_rate"].value
        0.5
    """

    def __init__(
        self, name: str, default: Any, docstring: str, parse: Callable[[str], Any]
    ) -> None:
        self.name = name
        self.help = docstring
        self.parse = parse
        self.required = False
        self.present = 0
        self.default = self.value = None if default is None else self.parsed(default)

    @property
    def boolean(self) -> bool:
        """Whether the flag may stand without a value."""
        return self.parse is as_boolean

    def take(self, text: str) -> None:
        """Takes a value of the command line.

        Raises:
            Error: it is not legal.
        """
        self.value = self.parsed(text)
        self.present += 1

    def parsed(self, text: Any) -> Any:
        """The value that a text stands for.

        Raises:
            Error: it stands for none.
        """
        try:
            return self.parse(text)
        except ValueError as error:
            raise Error(f"flag --{self.name}={text}: {error}") from None


class FlagValues:
    """All flags of the program, with their values as attributes: `td.flags.FLAGS`.

    The command line is read when a value is first asked for, or by `td.app.run`.

    Example:
        >>> td.flags.DEFINE_integer("doc_batch", 32, "The batch size.")
        >>> td.flags.DEFINE_boolean("doc_shuffle", True, "Whether to shuffle.")
        >>> flags = td.flags.FLAGS
        >>> flags(["train.py", "--doc_batch=64", "--nodoc_shuffle", "data.csv"])
        ['train.py', 'data.csv']
        >>> flags.doc_batch, flags.doc_shuffle
        (64, False)
    """

    def __init__(self) -> None:
        vars(self)["_known"] = {}
        vars(self)["_parsed"] = False
        vars(self)["_checks"] = []

    def define(self, flag: Flag) -> None:
        """Adds a flag.

        Raises:
            Error: there is another one of that name.
        """
        known = self._known.get(flag.name)
        if known is not None and (known.default, known.help) != (flag.default, flag.help):
            raise Error(f"flag --{flag.name} is defined twice, with default {known.default!r}")
        self._known.setdefault(flag.name, flag)

    def __call__(self, argv: Sequence[str] | None = None, known_only: bool = True) -> list[str]:
        """Reads a command line.

        Args:
            argv: the name of the program and its arguments; by default those of this program.
            known_only: whether arguments that look like flags, but are none, are kept.

        Returns:
            The name of the program, and the arguments that are no flags.

        Raises:
            Error: a value is not legal, a flag is needed and missing, or not known.
        """
        given = list(sys.argv if argv is None else argv)
        rest, arguments = given[:1], given[1:]
        while arguments:
            argument = arguments.pop(0)
            if argument == "--":
                rest += arguments
                break
            flag, text = self._found(argument)
            if flag is None:
                if argument.startswith("--") and not known_only:
                    raise Error(f"there is no flag {argument.partition('=')[0]}")
                rest.append(argument)
                continue
            if text is None:
                if not arguments:
                    raise Error(f"flag --{flag.name} needs a value")
                text = arguments.pop(0)
            flag.take(text)
        rest = _read_by_absl(rest)
        vars(self)["_parsed"] = True
        for flag in self._known.values():
            if flag.required and flag.value is None:
                raise Error(f"flag --{flag.name} must have a value")
        for check in self._checks:
            check()
        return rest

    def check(self, check: Callable[[], None]) -> None:
        """Adds what is checked whenever a command line has been read: it raises an Error."""
        self._checks.append(check)

    def _found(self, argument: str) -> tuple[Flag | None, str | None]:
        """The flag that an argument names, and the value in it; a boolean has one in any case."""
        name, equals, text = argument.lstrip("-").partition("=")
        if not argument.startswith("-"):
            return None, None
        if name in self._known:
            flag = self._known[name]
            return flag, text if equals else ("true" if flag.boolean else None)
        without = self._known.get(name.removeprefix("no")) if name.startswith("no") else None
        if without is not None and without.boolean and not equals:
            return without, "false"
        return None, None

    def _parse_flags(self, args: Sequence[str] | None = None) -> list[str]:
        """What TensorFlow before 1.5 calls reading the command line: `args` has no program name."""
        return self([sys.argv[0], *(sys.argv[1:] if args is None else args)])[1:]

    def is_parsed(self) -> bool:
        """Whether the command line has been read."""
        return bool(self._parsed)

    def mark_as_parsed(self) -> None:
        """Takes the defaults without reading the command line."""
        vars(self)["_parsed"] = True

    def flag_values_dict(self) -> dict[str, Any]:
        """The values of all flags, by name."""
        if not self._parsed:
            self()
        return {name: flag.value for name, flag in self._known.items()}

    def __getattr__(self, name: str) -> Any:
        if name == "__flags":
            return self.flag_values_dict()
        elsewhere = _flags_of_absl()
        if name not in self._known and (elsewhere is None or name not in elsewhere):
            raise AttributeError(f"there is no flag {name!r}")
        if not self._parsed:
            self()
        return self._known[name].value if name in self._known else elsewhere[name].value

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._known:
            raise AttributeError(f"there is no flag {name!r}")
        self._known[name].value = value

    def __delattr__(self, name: str) -> None:
        if name not in self._known:
            raise AttributeError(f"there is no flag {name!r}")
        del self._known[name]

    def __getitem__(self, name: str) -> Flag:
        return self._known[name]

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._known))

    def __len__(self) -> int:
        return len(self._known)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._known]

    def get_help(self) -> str:
        """All flags with their help and defaults, one on a line."""
        known = sorted(self._known.items())
        return "\n".join(f"  --{n}: {flag.help} (default: {flag.default!r})" for n, flag in known)


FLAGS = FlagValues()


def _flags_of_absl() -> Any:
    """What a program defines by absl, whose flags are TensorFlow's; None if it has not used it."""
    module = sys.modules.get("absl.flags")
    return None if module is None else module.FLAGS


def _read_by_absl(argv: list[str]) -> list[str]:
    """Has absl read its flags, too: what is left of a command line."""
    flags = _flags_of_absl()
    if flags is None:
        return argv
    try:
        rest: list[str] = flags(argv, known_only=True)
    except sys.modules["absl.flags"].Error as error:
        raise Error(str(error)) from None
    return rest


def as_string(text: Any) -> str:
    """The text itself."""
    return str(text)


def as_integer(text: Any) -> int:
    """An integer, as Python writes them."""
    try:
        return int(text, 0) if isinstance(text, str) else int(text)
    except ValueError:
        raise ValueError("it must be an integer") from None


def as_float(text: Any) -> float:
    """A number."""
    try:
        return float(text)
    except ValueError:
        raise ValueError("it must be a number") from None


def as_boolean(text: Any) -> bool:
    """True or false."""
    if str(text).lower() not in (*_TRUE, *_FALSE):
        raise ValueError("it must be true or false")
    return str(text).lower() in _TRUE


def as_list(text: Any) -> list[str]:
    """The texts between commas."""
    if not isinstance(text, str):
        return list(text)
    return [item.strip() for item in text.split(",")] if text else []


def DEFINE_string(flag_name: str, default_value: str | None, docstring: str) -> None:
    """Defines a flag whose value is a text.

    Args:
        flag_name: the name.
        default_value: the value where the command line has none; None for no value.
        docstring: what it is for.

    Raises:
        Error: the name is taken.

    Example:
        >>> td.flags.DEFINE_string("doc_folder", "data", "Where the data are.")
        >>> td.flags.FLAGS["doc_folder"].value
        'data'
    """
    FLAGS.define(Flag(flag_name, default_value, docstring, as_string))


def DEFINE_integer(flag_name: str, default_value: int | None, docstring: str) -> None:
    """Defines a flag whose value is an integer: see `DEFINE_string`.

    Example:
        >>> td.flags.DEFINE_integer("doc_epochs", 10, "How many epochs.")
        >>> td.flags.FLAGS["doc_epochs"].value
        10
    """
    FLAGS.define(Flag(flag_name, default_value, docstring, as_integer))


def DEFINE_float(flag_name: str, default_value: float | None, docstring: str) -> None:
    """Defines a flag whose value is a number: see `DEFINE_string`.

    Example:
        >>> td.flags.DEFINE_float("doc_momentum", 1, "The momentum.")
        >>> td.flags.FLAGS["doc_momentum"].value
        1.0
    """
    FLAGS.define(Flag(flag_name, default_value, docstring, as_float))


def DEFINE_boolean(flag_name: str, default_value: bool | None, docstring: str) -> None:
    """Defines a flag that is true or false: `--name`, `--noname` or `--name=false`.

    Example:
        >>> td.flags.DEFINE_bool("doc_verbose", False, "Whether to tell more.")
        >>> td.flags.FLAGS["doc_verbose"].value
        False
    """
    FLAGS.define(Flag(flag_name, default_value, docstring, as_boolean))


def DEFINE_enum(
    flag_name: str, default_value: str | None, enum_values: Sequence[str], docstring: str
) -> None:
    """Defines a flag whose value is one of several texts: see `DEFINE_string`.

    Example:
        >>> td.flags.DEFINE_enum("doc_mode", "train", ["train", "test"], "What to do.")
        >>> td.flags.FLAGS["doc_mode"].value
        'train'
    """
    values = list(enum_values)

    def parse(text: Any) -> str:
        if text not in values:
            raise ValueError(f"it must be one of {', '.join(values)}")
        return str(text)

    FLAGS.define(Flag(flag_name, default_value, docstring, parse))


def DEFINE_list(flag_name: str, default_value: Any, docstring: str) -> None:
    """Defines a flag whose value is a list of texts, with commas between them on the command line.

    Example:
        >>> td.flags.DEFINE_list("doc_layers", "256,10", "The sizes of the layers.")
        >>> td.flags.FLAGS["doc_layers"].value
        ['256', '10']
    """
    FLAGS.define(Flag(flag_name, default_value, docstring, as_list))


def mark_flag_as_required(flag_name: str) -> None:
    """Has the command line refused where a flag without default is not in it.

    Raises:
        KeyError: there is no such flag.

    Example:
        >>> td.flags.DEFINE_string("doc_input", "in.csv", "The input.")
        >>> td.flags.mark_flag_as_required("doc_input")
        >>> td.flags.FLAGS["doc_input"].required
        True
    """
    FLAGS[flag_name].required = True


def mark_flags_as_required(flag_names: Sequence[str]) -> None:
    """`mark_flag_as_required` for each of several flags.

    Example:
        >>> td.flags.mark_flags_as_required([])
    """
    for name in flag_names:
        mark_flag_as_required(name)
