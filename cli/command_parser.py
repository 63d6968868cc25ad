"""Command-line parsing: commands with examples, and suggestions for misspelled flags."""

from __future__ import annotations

import sys
from argparse import PARSER, REMAINDER, Action, ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from ..runtime.suggestions import did_you_mean
from .output import Answer


class CommandParser(ArgumentParser):
    """A parser that suggests commands and flags for misspelled ones."""

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=RawDescriptionHelpFormatter, **options)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Like argparse, but reports unknown flags before missing arguments."""
        words = sys.argv[1:] if args is None else list(args)
        self._check_flags(words)
        return super().parse_known_args(words, namespace)

    def flags(self) -> list[Action]:
        """Returns the optional arguments."""
        return [action for action in self._actions if action.option_strings]

    def positionals(self) -> list[Action]:
        """Returns the positional arguments."""
        return [action for action in self._actions if not action.option_strings]

    def commands(self) -> dict[str, CommandParser]:
        """The parsers of commands, by name."""
        for action in self._actions:
            if action.nargs == PARSER:
                return dict(action.choices or {})
        return {}

    def summaries(self) -> dict[str, str]:
        """The summary of each command, by name."""
        group: Any
        [group] = [action for action in self._actions if action.nargs == PARSER]
        return {item.dest: item.help or "" for item in group._get_subactions()}

    def _check_flags(self, words: Sequence[str]) -> None:
        """Rejects unknown flags and commands before argparse reports missing arguments."""
        commands = self.commands()
        flags = [name for action in self.flags() for name in action.option_strings]
        rest = any(action.nargs == REMAINDER for action in self._actions)
        for text in words:
            if text == "--" or (rest and not text.startswith("-")):
                return  # the rest belongs to the program
            if commands and not text.startswith("-"):
                if text not in commands:
                    self._refuse("command", text, commands)
                return
            name = text.partition("=")[0]
            if _is_flag(name) and not any(flag.startswith(name) for flag in flags):
                self._refuse("flag", name, flags)

    def _refuse(self, what: str, name: str, choices: Any) -> NoReturn:
        hint = did_you_mean(name, choices) or f"; there are {', '.join(choices)}"
        self.error(f"there is no {what} {name!r}{hint}")


def _is_flag(text: str) -> bool:
    return text.startswith("-") and text[1:2] not in ("", *"0123456789.")


def add_command(
    commands: Any,
    command: Callable[[Any], Answer],
    summary: str,
    description: str,
    examples: Sequence[str],
    note: str = "",
    name: str = "",
) -> CommandParser:
    """Adds a command to the command line.

    Args:
        commands: the subparsers to add it to.
        command: its function, from the arguments to the answer.
        summary: what it does, in the list of commands.
        description: what it does.
        examples: the arguments of example calls, without `tensordraft` and the name.
        note: a further paragraph of its help.
        name: the name; by default that of the function.
    """
    name = name or command.__name__
    calls = [f"  tensordraft {name} {example}".rstrip() for example in examples]
    title = "example:" if len(calls) == 1 else "examples:"
    parser: CommandParser = commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog="\n".join([*([note, ""] if note else []), title, *calls]),
    )
    parser.set_defaults(command=command)
    return parser
