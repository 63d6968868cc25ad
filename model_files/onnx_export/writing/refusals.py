"""Refusals: why an op cannot be written in ONNX, and the one error that reports all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ....runtime.errors import UnimplementedError

_MOST_SHOWN = 30


class RefusedError(Exception):
    """An op that has no equivalent in ONNX.

    Args:
        why: the reason, as a clause.
        instead: what the user can do about it.
    """

    def __init__(self, why: str, instead: str = "") -> None:
        super().__init__(why)
        self.why = why
        self.instead = instead


class Refusal(NamedTuple):
    """An op that was refused."""

    op_type: str
    name: str
    why: str
    instead: str

    def __str__(self) -> str:
        instead = f"; {self.instead}" if self.instead else ""
        return f"{self.name!r} ({self.op_type}): {self.why}{instead}"


def refused(refusals: Iterable[Refusal]) -> UnimplementedError:
    """The error that reports all ops that have no equivalent."""
    lines = list(dict.fromkeys(map(str, refusals)))
    shown = lines[:_MOST_SHOWN]
    if len(lines) > len(shown):
        shown.append(f"and {len(lines) - len(shown)} more")
    number = "1 op" if len(lines) == 1 else f"{len(lines)} ops"
    advice = "Choose outputs= before them, or inputs= behind them, and compute the rest outside:"
    message = "\n  ".join([f"{number} cannot be written in ONNX. {advice}", *shown])
    return UnimplementedError(None, None, message)
