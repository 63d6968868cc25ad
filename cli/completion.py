"""`tensordraft completion`: scripts that complete commands, flags and files in a shell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .command_parser import CommandParser, add_command
from .completion_scripts import SCRIPTS
from .output import Answer

if TYPE_CHECKING:
    from argparse import Namespace


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = add_command(
        commands,
        completion,
        "print a script that completes commands, flags and files in a shell",
        "Prints a script for a shell. Nothing is installed: load it when the shell starts.",
        ["bash >> ~/.bashrc", "zsh >> ~/.zshrc", "fish > tensordraft.fish"],
        "For fish, save the file in ~/.config/fish/completions.",
    )
    parser.add_argument("shell", choices=list(SCRIPTS), help="the shell")


def completion(arguments: Namespace) -> Answer:
    """The script for a shell."""
    parser: CommandParser = arguments.parser
    text = SCRIPTS[arguments.shell](parser)
    return Answer(lambda: text, lambda: {"shell": arguments.shell, "script": text})
