"""The errors of a run, with TensorFlow's names and codes."""

from __future__ import annotations

from typing import Any, Protocol

public = {
    "td": "OpError",
    "td.errors": (
        "ABORTED ALREADY_EXISTS AbortedError AlreadyExistsError CANCELLED CancelledError "
        "DATA_LOSS DEADLINE_EXCEEDED DataLossError DeadlineExceededError FAILED_PRECONDITION "
        "FailedPreconditionError INTERNAL INVALID_ARGUMENT InternalError InvalidArgumentError "
        "NOT_FOUND NotFoundError OK OUT_OF_RANGE OpError OutOfRangeError PERMISSION_DENIED "
        "PermissionDeniedError RESOURCE_EXHAUSTED ResourceExhaustedError UNAUTHENTICATED "
        "UNAVAILABLE UNIMPLEMENTED UNKNOWN UnauthenticatedError UnavailableError "
        "UnimplementedError UnknownError error_code_from_exception_type "
        "exception_type_from_error_code"
    ),
}

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


class FailedOp(Protocol):
    """The operation that an error is about, as far as errors look at it."""

    @property
    def name(self) -> str:
        """The unique name in the graph."""

    @property
    def type(self) -> str:
        """The op type."""

    @property
    def node_def(self) -> Any:
        """The NodeDef."""


class OpError(Exception):
    """An op could not do its work.

    Args:
        node_def: the NodeDef of the op, or None.
        op: the operation, or None where there is none.
        message: what was wrong, the value, and the legal range.
        error_code: one of the codes of this module.

    Example:
        >>> error = td.errors.NotFoundError(None, None, "no such row")
        >>> error.error_code == td.errors.NOT_FOUND, str(error)
        (True, 'no such row')
    """

    error_code = UNKNOWN

    def __init__(
        self,
        node_def: Any = None,
        op: FailedOp | None = None,
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
    """The run was cancelled, such as by closing a session or queue.

    Example:
        >>> td.errors.exception_type_from_error_code(td.errors.CANCELLED).__name__
        'CancelledError'
    """

    error_code = CANCELLED


class UnknownError(OpError):
    """Something failed that has no class of its own.

    Example:
        >>> td.errors.exception_type_from_error_code(td.errors.UNKNOWN).__name__
        'UnknownError'
    """

    error_code = UNKNOWN


class InvalidArgumentError(OpError, ValueError):
    """An op received a value that it cannot accept. It is a ValueError, too.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     number = td.placeholder(td.int32, [])
        ...     try:
        ...         session.run(td.gather([10, 20], number), {number: 2})
        ...     except td.errors.InvalidArgumentError as error:
        ...         print(error.op.type, str(error).splitlines()[0])
        Gather indices = 2 is not in [0, 2)
    """

    error_code = INVALID_ARGUMENT


class DeadlineExceededError(OpError):
    """The run took longer than its options allow.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     slow = td.py_func(lambda: sum(range(1_000_000)), [], td.int64)
        ...     try:
        ...         session.run(slow, options=td.RunOptions(timeout_in_ms=1))
        ...     except td.errors.DeadlineExceededError:
        ...         print("it took too long")
        it took too long
    """

    error_code = DEADLINE_EXCEEDED


class NotFoundError(OpError):
    """A named thing does not exist, such as a file.

    Example:
        >>> try:
        ...     td.load_graph("no_such_file.pb")
        ... except td.errors.NotFoundError as error:
        ...     print(error)
        there is no file 'no_such_file.pb'
    """

    error_code = NOT_FOUND


class AlreadyExistsError(OpError):
    """A thing to be made exists already.

    Example:
        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> try:
        ...     td.gfile.Rename(folder, folder)
        ... except td.errors.AlreadyExistsError:
        ...     print("the name is taken")
        the name is taken
    """

    error_code = ALREADY_EXISTS


class PermissionDeniedError(OpError):
    """The caller may not do this.

    Example:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile() as file, td.gfile.GFile(file.name, "r") as reading:
        ...     try:
        ...         reading.write("text")
        ...     except td.errors.PermissionDeniedError:
        ...         print("it is not open for writing")
        it is not open for writing
    """

    error_code = PERMISSION_DENIED


class UnauthenticatedError(OpError):
    """The caller is not authenticated. tensordraft does not raise it.

    Example:
        >>> td.errors.exception_type_from_error_code(td.errors.UNAUTHENTICATED).__name__
        'UnauthenticatedError'
    """

    error_code = UNAUTHENTICATED


class ResourceExhaustedError(OpError):
    """Memory or another resource ran out, or a size is beyond a limit: see `td.config`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     size = td.placeholder(td.int64, [])
        ...     try:
        ...         session.run(td.zeros([size]), {size: 10**15})
        ...     except td.errors.ResourceExhaustedError:
        ...         print("it is too large")
        it is too large
    """

    error_code = RESOURCE_EXHAUSTED


class FailedPreconditionError(OpError):
    """The state of the session does not allow the op.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable(1, name="v")
        ...     try:
        ...         session.run(v)
        ...     except td.errors.FailedPreconditionError as error:
        ...         print(str(error)[:65] + "...")
        Attempting to use uninitialized value v: run 'v/Assign' first, or...
    """

    error_code = FAILED_PRECONDITION


class AbortedError(OpError):
    """The op was aborted. tensordraft does not raise it.

    Example:
        >>> td.errors.exception_type_from_error_code(td.errors.ABORTED).__name__
        'AbortedError'
    """

    error_code = ABORTED


class OutOfRangeError(OpError):
    """An iteration went past its end.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     count = td.Variable(0)
        ...     step = count.count_up_to(2)
        ...     session.run(count.initializer)
        ...     try:
        ...         while True:
        ...             print(session.run(step))
        ...     except td.errors.OutOfRangeError:
        ...         print("done")
        0
        1
        done
    """

    error_code = OUT_OF_RANGE


class UnimplementedError(OpError):
    """The op exists, but not here, or not for these types or attrs.

    Example:
        >>> graph_def = td.GraphDef()
        >>> _ = graph_def.node.add(name="odd", op="NoSuchOp")
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     td.import_graph_def(graph_def, name="")
        ...     try:
        ...         session.run("odd")
        ...     except td.errors.UnimplementedError as error:
        ...         print(error.message.partition(";")[0])
        not supported: NoSuchOp has no kernel
        >>> td.errors.exception_type_from_error_code(td.errors.UNIMPLEMENTED).__name__
        'UnimplementedError'
    """

    error_code = UNIMPLEMENTED


class InternalError(OpError):
    """A kernel failed because of a defect of its own.

    Example:
        >>> td.errors.exception_type_from_error_code(td.errors.INTERNAL).__name__
        'InternalError'
    """

    error_code = INTERNAL


class UnavailableError(OpError):
    """A service, such as a cluster, is not reachable.

    Example:
        >>> td.errors.exception_type_from_error_code(td.errors.UNAVAILABLE).__name__
        'UnavailableError'
    """

    error_code = UNAVAILABLE


class DataLossError(OpError):
    """Stored data is damaged.

    Example:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile(suffix=".pb") as file:
        ...     _ = file.write(b"no graph")
        ...     file.flush()
        ...     try:
        ...         td.load_graph(file.name)
        ...     except td.errors.DataLossError as error:
        ...         print("is not a graph" in str(error))
        True
    """

    error_code = DATA_LOSS


_BY_CODE = {cls.error_code: cls for cls in OpError.__subclasses__()}


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """The exception class of a code.

    Raises:
        KeyError: there is no such code.

    Example:
        >>> td.errors.exception_type_from_error_code(5).__name__
        'NotFoundError'
    """
    return _BY_CODE[error_code]


def error_code_from_exception_type(cls: type[OpError]) -> int:
    """The code of an exception class.

    Example:
        >>> td.errors.error_code_from_exception_type(td.errors.NotFoundError)
        5
    """
    return cls.error_code
