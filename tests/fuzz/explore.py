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
from tempfile import TemporaryDirectory
from xml.etree import ElementTree as ET

TESTS = Path(__file__).resolve().parent.parent
COUNTED = {"tests": 1, "skipped": -1}  # the time is up for those that are skipped


def properties() -> list[str]:
    """The test files that hold property tests: the others need not be collected each round."""
    return [str(p) for p in sorted(TESTS.rglob("test_*.py")) if "from hypothesis" in p.read_text()]


def search(tests: list[str], seed: int, minutes: float) -> tuple[int, int]:
    """Runs the property tests with a seed; returns pytest's exit status, and how many were run."""
    with TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-x", "--numprocesses=auto", "--soak"]
        command += ["--dist=worksteal", "-m", "hypothesis", f"--hypothesis-seed={seed}"]
        command += [f"--minutes={minutes}", f"--junitxml={report}", *tests]
        status = subprocess.call(command)
        suites = ET.parse(report).iter("testsuite") if report.exists() else ()  # noqa: S314 (ours)
        tried = sum(int(suite.get(n, 0)) * s for suite in suites for n, s in COUNTED.items())
    return status, tried


def main() -> int:
    """Returns the exit status: 1 as soon as a round has failed, or if nothing was tried."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10.0, help="how long, 10 by default")
    parser.add_argument("--seed", type=int, help="of the first round; a new one by default")
    parser.add_argument("tests", nargs="*", help="files of tests; all that hold some by default")
    arguments = parser.parse_args()
    tests = arguments.tests or properties()
    end = time.monotonic() + 60 * arguments.minutes
    first = SystemRandom().randrange(10**9) if arguments.seed is None else arguments.seed
    tried = 0
    for seed in count(first):
        left = (end - time.monotonic()) / 60
        if left <= 0:
            break
        print(f"seed {seed}, {left:.1f} minutes left", flush=True)
        status, tests_run = search(tests, seed, left)
        if status:
            print(f'again by: make fuzz ARGS="--seed {seed}"')
            return 1
        tried += tests_run
    if not tried:
        print("nothing was tried: no property test began in the time")
        return 1
    print(f"{tried} runs of property tests, from seed {first} on: nothing found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
