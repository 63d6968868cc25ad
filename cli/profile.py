"""`tensordraft profile`: where the time and the memory of a run go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph.files.replacement import replacing
from .request import add_request_parser, read_request
from .text import print_json

if TYPE_CHECKING:
    from argparse import Namespace

_EXAMPLES = """\
The ops run one by one: what fusing them and threads save does not show.

examples:
  tensordraft profile model.pb --feed input_0=batch.npz:input
  tensordraft profile sum.pb --feed x='[1, 2, 3]' --runs 100 --trace trace.json
"""


def add_parser(commands: Any) -> None:
    """Adds the command to the command line."""
    parser = add_request_parser(
        commands, "profile", "list the ops of a run by what they cost", _EXAMPLES
    )
    parser.add_argument(
        "--runs", metavar="N", type=int, default=10, help="take medians of N runs; default 10"
    )
    parser.add_argument(
        "--trace", metavar="FILE", help="save the run of median length for chrome://tracing"
    )
    parser.add_argument("--json", action="store_true", help="print one line of JSON instead")
    parser.set_defaults(command=profile)


def profile(arguments: Namespace) -> int:
    """Runs what is asked for, and prints what it costs; returns the exit code."""
    request = read_request(arguments)
    with request.model.session() as session:
        result = session.profile(request.fetches, request.feeds, arguments.runs)
    if arguments.trace:
        with replacing(arguments.trace) as file:
            file.write(result.chrome_trace().encode())
    if arguments.json:
        print_json(
            {
                "seconds": result.seconds,
                "peak_bytes": result.peak_bytes,
                "ops": [cost._asdict() for cost in result.ops],
                "types": [cost._asdict() for cost in result.types],
            }
        )
        return 0
    print(result)
    if arguments.trace:
        print(f"saved in {arguments.trace}")
    return 0
