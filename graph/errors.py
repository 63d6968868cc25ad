"""The errors of a run, with TensorFlow's names and codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .node import Operation

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
    """An op could not do its work.

    Args:
        node_def: the NodeDef of the op, or None.
        op: the operation, or None where there is none.
        message: what was wrong, the value, and the legal range.
        error_code: one of the codes of this module.

    Example:
        >>> import tensordraft as td
        >>> error = td.errors.NotFoundError(None, None, "no such row")
        >>> error.error_code == td.errors.NOT_FOUND, str(error)
        (True, 'no such row')
    """

    error_code = UNKNOWN

    def __init__(
        self,
        node_def: Any = None,
        op: Operation | None = None,
        message: str = "",
        error_code: int | None = None,
    ) -> None:
        super().__init__(message)
        self._node_def = node_def
        self.op = op
        self.message = message
        if error_code is not None:
            self.error_code = error_code

    @property
    def node_def(self) -> Any:
        """The NodeDef of the op that failed, or None."""
        return self.op.node_def if self._node_def is None and self.op else self._node_def

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (None, None, self.message)


class CancelledError(OpError):
    """The run was cancelled."""

    error_code = CANCELLED


class UnknownError(OpError):
    """Something failed that has no class of its own."""

    error_code = UNKNOWN


class InvalidArgumentError(OpError, ValueError):
    """An op received a value that it cannot accept."""

    error_code = INVALID_ARGUMENT


class DeadlineExceededError(OpError):
    """The run took longer than its options allow."""

    error_code = DEADLINE_EXCEEDED


class NotFoundError(OpError):
    """A named thing does not exist."""

    error_code = NOT_FOUND


class AlreadyExistsError(OpError):
    """A thing to be made exists already."""

    error_code = ALREADY_EXISTS


class PermissionDeniedError(OpError):
    """The caller may not do this."""

    error_code = PERMISSION_DENIED


class UnauthenticatedError(OpError):
    """The caller is not known."""

    error_code = UNAUTHENTICATED


class ResourceExhaustedError(OpError):
    """Memory or another resource ran out, or a size is beyond a limit."""

    error_code = RESOURCE_EXHAUSTED


class FailedPreconditionError(OpError):
    """The state of the session does not allow the op, such as reading an unset variable."""

    error_code = FAILED_PRECONDITION


class AbortedError(OpError):
    """The op was aborted."""

    error_code = ABORTED


class OutOfRangeError(OpError):
    """An iteration went past its end."""

    error_code = OUT_OF_RANGE


class UnimplementedError(OpError):
    """The op exists but not for these types or attrs."""

    error_code = UNIMPLEMENTED


class InternalError(OpError):
    """A kernel failed in a way that is a defect of the library."""

    error_code = INTERNAL


class UnavailableError(OpError):
    """A service is not reachable."""

    error_code = UNAVAILABLE


class DataLossError(OpError):
    """Stored data is damaged."""

    error_code = DATA_LOSS


_BY_CODE = {cls.error_code: cls for cls in OpError.__subclasses__()}


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """The exception class of a code.

    Raises:
        KeyError: there is no such code.
    """
    return _BY_CODE[error_code]


def error_code_from_exception_type(cls: type[OpError]) -> int:
    """The code of an exception class."""
    return cls.error_code
