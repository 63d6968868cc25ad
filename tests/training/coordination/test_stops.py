"""Errors in a Coordinator, by the time of their arrival."""

from __future__ import annotations

import pytest

import tensordraft as td


def test_errors_after_a_stop_are_no_failure() -> None:
    coordinator = td.train.Coordinator()
    coordinator.request_stop()
    coordinator.request_stop(td.errors.CancelledError(None, None, "the queue was closed"))
    coordinator.join([])


def test_the_first_error_is_raised() -> None:
    coordinator = td.train.Coordinator()
    coordinator.request_stop(ValueError("first"))
    coordinator.request_stop(ValueError("second"))
    with pytest.raises(ValueError, match="first"):
        coordinator.join([])
