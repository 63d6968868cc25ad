"""`tensordraft completion`: what makes a shell complete commands, flags and files."""

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
        "print what makes a shell complete commands, flags and files",
        "Prints a script for a shell. Nothing is installed: have the shell read it when it starts.",
        ["bash >> ~/.bashrc", "zsh >> ~/.zshrc", "fish > tensordraft.fish"],
        "Of fish, the file belongs into ~/.config/fish/completions.",
    )
    parser.add_argument("shell", choices=list(SCRIPTS), help="the shell")


def completion(arguments: Namespace) -> Answer:
    """The script for a shell."""
    parser: CommandParser = arguments.parser
    text = SCRIPTS[arguments.shell](parser)
    return Answer(lambda: text, lambda: {"shell": arguments.shell, "script": text})
