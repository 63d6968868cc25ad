"""Names of `tensorflow.python.training.monitored_session` that packages import."""

from __future__ import annotations

from collections.abc import Sequence

from ...session.session import Session
from ...training.coordination.coordinator import Coordinator
from ...training.sessions.hooked_session import HookedSession
from ...training.sessions.session_run_hook import SessionRunHook


class _HookedSession(HookedSession):
    """Wraps an existing session with hooks.

    Args:
        sess: the session.
        hooks: called at its runs; `after_create_session` is not called.
    """

    def __init__(self, sess: Session, hooks: Sequence[SessionRunHook]) -> None:
        self._sess, self._hooks = sess, hooks
        self._grace, self._stop_asked = 0.0, False
        self._coordinator = Coordinator(clean_stop_exception_types=())


__all__ = ["_HookedSession"]
