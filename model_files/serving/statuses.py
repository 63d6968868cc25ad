"""Errors as statuses of gRPC and of HTTP."""

from __future__ import annotations

from typing import NamedTuple

from ...protos.serving_messages import StatusProto
from ...runtime import errors

_MOST_TEXT = 2000  # characters of a message; gRPC sends it in a header
# The codes of HTTP that TensorFlow Serving gives.
_HTTP = {
    errors.OK: 200,
    errors.CANCELLED: 499,
    errors.INVALID_ARGUMENT: 400,
    errors.DEADLINE_EXCEEDED: 504,
    errors.NOT_FOUND: 404,
    errors.ALREADY_EXISTS: 409,
    errors.PERMISSION_DENIED: 403,
    errors.UNAUTHENTICATED: 401,
    errors.RESOURCE_EXHAUSTED: 429,
    errors.FAILED_PRECONDITION: 400,
    errors.ABORTED: 409,
    errors.OUT_OF_RANGE: 400,
    errors.UNIMPLEMENTED: 501,
    errors.UNAVAILABLE: 503,
}
CODE_NAMES = {
    number: name
    for name, number in vars(errors).items()
    if name.isupper() and isinstance(number, int)
}
"""The names of the codes."""


class Status(NamedTuple):
    """An outcome.

    Attributes:
        code: one of the codes of `td.errors`.
        text: what was wrong.
    """

    code: int = errors.OK
    text: str = ""

    @property
    def name(self) -> str:
        """The name of the code."""
        return CODE_NAMES[self.code]

    @property
    def http(self) -> int:
        """The status of HTTP."""
        return _HTTP.get(self.code, 500)

    def as_proto(self) -> StatusProto:
        """The status as a message."""
        return StatusProto(error_code=self.code, error_message=self.text)


def status_of(error: BaseException) -> Status:
    """The status of an error; one that the server should not have is INTERNAL, without details."""
    if isinstance(error, errors.OpError):
        return Status(error.error_code, _text(error))
    if isinstance(error, MemoryError):
        return Status(errors.RESOURCE_EXHAUSTED, "there is not enough memory for the request")
    if isinstance(error, (ValueError, TypeError)):
        return Status(errors.INVALID_ARGUMENT, _text(error))
    return Status(errors.INTERNAL, f"the server failed: {type(error).__name__}")


def _text(error: BaseException) -> str:
    text = str(error) or type(error).__name__
    return text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]}…"


def invalid(text: str) -> errors.InvalidArgumentError:
    """An error of a client's request."""
    return errors.InvalidArgumentError(None, None, text)


def not_found(text: str) -> errors.NotFoundError:
    """An error about a model that is not there."""
    return errors.NotFoundError(None, None, text)


def exhausted(text: str) -> errors.ResourceExhaustedError:
    """An error about a limit."""
    return errors.ResourceExhaustedError(None, None, text)
