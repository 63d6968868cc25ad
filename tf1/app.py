"""The main function of a program, run with its flags read: `td.app.run`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from .flags import FLAGS, Error

public = {"td.app": "run"}

_HELP = ("-h", "--h", "--help", "-help", "--helpfull", "--helpshort")


def run(
    main: Callable[[list[str]], Any] | None = None, argv: Sequence[str] | None = None
) -> NoReturn:
    """Reads the flags, calls the main function, and ends the program with what it returns.

    Args:
        main: called with the name of the program and the arguments that are no flags; by default
            the function `main` of the program.
        argv: the command line; by default that of this program.

    Raises:
        SystemExit: at the end. With `--help` the flags are shown first; a flag that is not legal
            is printed on stderr.

    Example:
        >>> try:
        ...     td.app.run(main=lambda argv: print(argv), argv=["train.py", "data.csv"])
        ... except SystemExit as end:
        ...     print(end.code)
        ['train.py', 'data.csv']
        None
    """
    words = list(sys.argv if argv is None else argv)
    called = main or sys.modules["__main__"].main
    if any(argument in _HELP for argument in words[1:]) and "help" not in FLAGS:
        print(f"{sys.modules['__main__'].__doc__ or ''}\nflags:\n{FLAGS.get_help()}")
        sys.exit(0)
    try:
        rest = FLAGS(words)
    except Error as error:
        print(f"{error}\nPass --help to see the flags.", file=sys.stderr)
        sys.exit(1)
    sys.exit(called(rest))
