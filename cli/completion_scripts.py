"""Completion scripts for shells, generated from the parsers."""

from __future__ import annotations

import shlex
from argparse import SUPPRESS
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from .command_parser import CommandParser

if TYPE_CHECKING:
    from argparse import Action


class Flag(NamedTuple):
    """A flag of a command: its names, help, and arguments.

    Attributes:
        names: its spellings.
        help: its help, on one line.
        takes: number of its arguments.
        choices: the allowed values, if they are limited.
    """

    names: list[str]
    help: str
    takes: int
    choices: list[str]


class Completed(NamedTuple):
    """A command: its name, help, flags, and choices of its first argument."""

    name: str
    help: str
    flags: list[Flag]
    choices: list[str]


def _commands(parser: CommandParser) -> list[Completed]:
    helps = parser.summaries()
    return [
        Completed(
            name,
            helps[name],
            _flags(command),
            [str(choice) for action in command.positionals() for choice in action.choices or ()],
        )
        for name, command in parser.commands().items()
    ]


def _flags(parser: CommandParser) -> list[Flag]:
    return [
        Flag(
            list(action.option_strings),
            (action.help or "").replace("\n", " "),
            _words(action),
            [str(choice) for choice in action.choices or ()],
        )
        for action in parser.flags()
        if action.help is not SUPPRESS
    ]


def _words(action: Action) -> int:
    return action.nargs if isinstance(action.nargs, int) else 1


def bash(parser: CommandParser) -> str:
    """The script for bash."""
    commands = _commands(parser)
    flags, after, places = [], [], []
    for command in commands:
        names = [name for flag in command.flags for name in flag.names]
        flags.append(f"    {command.name}) flags={_words_of(names)} ;;")
        if command.choices:
            places.append(f"    {command.name}) words={_words_of(command.choices)} ;;")
        for flag in command.flags:
            if flag.choices:
                patterns = "|".join(f"{command.name},{name}" for name in flag.names)
                after.append(f"    {patterns}) words={_words_of(flag.choices)} ;;")
    top = [name for flag in _flags(parser) for name in flag.names]
    return _BASH.format(
        names=_words_of([command.name for command in commands]),
        top=_words_of(top),
        flags="\n".join(flags),
        after="\n".join(after),
        places="\n".join(places),
    )


_BASH = """\
# Completes tensordraft; written by `tensordraft completion bash`.
_tensordraft() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local command=${{COMP_WORDS[1]}} flags={top} words=
  if ((COMP_CWORD > 1)); then
    case $command in
{flags}
    esac
    case $command,$before in
{after}
    esac
    if [[ -z $words ]] && ((COMP_CWORD == 2)); then
      case $command in
{places}
      esac
    fi
  else
    words={names}
  fi
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _tensordraft tensordraft
"""


def _words_of(words: list[str]) -> str:
    return shlex.quote(" ".join(words))


def zsh(parser: CommandParser) -> str:
    """The script for zsh."""
    lines = [
        "# Completes tensordraft; written by `tensordraft completion zsh`.",
        "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }",
        "_tensordraft() {",
        "  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then",
        "    local -a names=(",
    ]
    commands = _commands(parser)
    lines += [f"      {_zsh(f'{_colons(command.name)}:{command.help}')}" for command in commands]
    lines += ["    )", "    _describe command names", "    return", "  fi", "  case $words[2] in"]
    for command in commands:
        lines.append(f"    {command.name}) shift words; (( CURRENT-- )); _arguments \\")
        lines += [f"      {spec} \\" for flag in command.flags for spec in _zsh_flag(flag)]
        place = f"({' '.join(command.choices)})" if command.choices else "_files"
        lines.append(f"      {_zsh(f'*:file:{place}')} ;;")
    lines.append("    *) _arguments \\")
    lines += [f"      {spec} \\" for flag in _flags(parser) for spec in _zsh_flag(flag)]
    lines += ["      && return ;;", "  esac", "}", "compdef _tensordraft tensordraft", ""]
    return "\n".join(lines)


def _zsh_flag(flag: Flag) -> list[str]:
    summary = flag.help.replace("[", "(").replace("]", ")").replace(":", "\\:")
    action = f"({' '.join(flag.choices)})" if flag.choices else "_files"
    return [_zsh(f"*{name}[{summary}]{f':value:{action}' * flag.takes}") for name in flag.names]


def _zsh(text: str) -> str:
    return shlex.quote(text)


def _colons(text: str) -> str:
    return text.replace(":", "\\:")


def fish(parser: CommandParser) -> str:
    """The script for fish."""
    commands = _commands(parser)
    lines = ["# Completes tensordraft; written by `tensordraft completion fish`."]
    for command in commands:
        lines.append(
            "complete -c tensordraft -n __fish_use_subcommand -f "
            f"-a {command.name} -d {_fish(command.help)}"
        )
        seen = f"-n '__fish_seen_subcommand_from {command.name}'"
        lines += [f"complete -c tensordraft {seen} {_fish_flag(flag)}" for flag in command.flags]
        if command.choices:
            lines.append(f"complete -c tensordraft {seen} -f -a {_fish(' '.join(command.choices))}")
    lines += [
        f"complete -c tensordraft -n __fish_use_subcommand {_fish_flag(flag)}"
        for flag in _flags(parser)
    ]
    return "\n".join([*lines, ""])


def _fish_flag(flag: Flag) -> str:
    names = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in flag.names]
    value = " -r" if flag.takes else ""
    choices = f" -x -a {_fish(' '.join(flag.choices))}" if flag.choices else ""
    return f"{' '.join(names)}{value}{choices} -d {_fish(flag.help)}"


def _fish(text: str) -> str:
    """A quoted word of fish, in which only backslashes and quotes are escaped."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


SCRIPTS: dict[str, Callable[[CommandParser], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
