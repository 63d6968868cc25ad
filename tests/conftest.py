"""Configuration of the tests: deterministic; `--soak` runs everything and new examples."""

from __future__ import annotations

import os
import random
import secrets
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

# Helpers that test modules share: their assertions show values, too.
pytest.register_assert_rewrite(
    *(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem != "conftest")
)

pytest_plugins = ["shared_fixtures"]

# Whether numba is installed decides nothing but in tests of machine code, which turn it on.
os.environ["TENSORDRAFT_ACCELERATOR"] = "off"

# Deadlines would make results depend on the load of the machine.
settings.register_profile("fixed", deadline=None, derandomize=True, print_blob=True)
settings.register_profile(
    "soak", deadline=None, derandomize=False, max_examples=1000, print_blob=True
)

END = pytest.StashKey[float]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("effort")
    group.addoption(
        "--soak",
        action="store_true",
        help="run the tests marked `soak` too, and try many new examples of what is random",
    )
    group.addoption("--minutes", type=float, help="skip what has not begun after so many minutes")


def pytest_configure(config: pytest.Config) -> None:
    # A shell has what it starts in the background ignore interrupts; tests send them to themselves.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    settings.load_profile("soak" if config.getoption("soak") else "fixed")
    minutes = config.getoption("minutes")
    config.stash[END] = float("inf") if minutes is None else time.monotonic() + 60 * minutes


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    later = [item for item in items if item.get_closest_marker("soak")]
    if config.getoption("soak"):  # first what an ordinary run has not tried
        items.sort(key=lambda item: not (item in later or item.get_closest_marker("hypothesis")))
    elif later:
        config.hook.pytest_deselected(items=later)
        items[:] = [item for item in items if not item.get_closest_marker("soak")]


@pytest.fixture(scope="session", autouse=True)
def chains_of_functions() -> Iterator[None]:
    """Lowers plans of more than a few steps to chains of functions, as much longer ones are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tensordraft.session.compiler._MOST_STEPS_OF_A_FUNCTION", 20)
        yield


def pytest_runtest_setup(item: pytest.Item) -> None:
    if time.monotonic() > item.config.stash[END]:
        pytest.skip("the time is up")
    if not item.config.getoption("soak"):  # what has no seed is alike for everybody too
        vars(secrets)["randbits"] = random.Random(0).getrandbits
        random.seed(0)
        np.random.seed(0)  # noqa: NPY002 - what programs and Keras draw from
