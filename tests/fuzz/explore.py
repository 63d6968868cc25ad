"""Runs the property tests again and again, each round with a new seed.

make fuzz ARGS="--minutes 30"
make fuzz ARGS="--seed 1234 tests/shape_inference/test_soundness.py"
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from itertools import count
from pathlib import Path
from random import SystemRandom

TESTS = Path(__file__).resolve().parent.parent


def properties() -> list[str]:
    """The test files that hold property tests: the others need not be collected each round."""
    return [str(p) for p in sorted(TESTS.rglob("test_*.py")) if "from hypothesis" in p.read_text()]


def main() -> int:
    """Returns the exit status: 1 as soon as a round has failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10.0, help="how long, 10 by default")
    parser.add_argument("--seed", type=int, help="of the first round; a new one by default")
    parser.add_argument("tests", nargs="*", help="files of tests; all that hold some by default")
    arguments = parser.parse_args()
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--numprocesses=auto", "--soak"]
    command += ["--dist=worksteal", "-m", "hypothesis", *(arguments.tests or properties())]
    end = time.monotonic() + 60 * arguments.minutes
    first = SystemRandom().randrange(10**9) if arguments.seed is None else arguments.seed
    for seed in count(first):
        left = (end - time.monotonic()) / 60
        if left <= 0:
            print(f"{seed - first} rounds, from seed {first} on: nothing found")
            return 0
        print(f"seed {seed}, {left:.1f} minutes left", flush=True)
        if subprocess.call([*command, f"--hypothesis-seed={seed}", f"--minutes={left}"]):
            print(f'again by: make fuzz ARGS="--seed {seed}"')
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
