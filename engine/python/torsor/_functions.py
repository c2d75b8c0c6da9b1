"""Python functions that the library calls, such as control laws and progress functions."""

from __future__ import annotations

import signal
import threading
from typing import Callable

from . import _library as c


class _Interrupt(threading.local):
    """Ctrl+C of this thread, during a call of the library."""

    came = False  # outside of a function of the user
    inside = False  # a function of the user runs


_interrupt = _Interrupt()


def _note(*_) -> None:
    if _interrupt.inside:
        raise KeyboardInterrupt
    _interrupt.came = True


class Functions:
    """Python functions that belong together, and the exception that ended one of them.

    Ctrl+C raises an exception between any two instructions of Python, also before a function can
    catch it. The library would not learn of that one. Therefore call() only notes Ctrl+C while no
    function of the user runs, and the next function ends the call.
    """

    def __init__(self) -> None:
        self.kept: list[object] = []
        self._local = threading.local()  # simulations of a scene may run in several threads

    @property
    def raised(self) -> BaseException | None:
        return getattr(self._local, "raised", None)

    @raised.setter
    def raised(self, exception: BaseException | None) -> None:
        self._local.raised = exception

    def guarded(self, act: Callable[[], object]) -> int:
        """Calls a function of the user for the library. Returns 0, or 1 after an exception."""
        state = _interrupt
        try:
            if state.came:
                raise KeyboardInterrupt
            state.inside = True
            act()
            state.inside = False
            return 0
        except BaseException as exception:  # must not pass through the library
            state.inside = False
            self.raised = exception
            return 1

    def call(self, name: str, *arguments, reports: bool = False) -> None:
        """Calls the library. Raises the exception of a Python function as it was raised.

        reports: the library calls a progress function.
        """
        self.raised = None
        state, handler = _interrupt, None
        inside = state.inside
        if self.kept or reports:  # the change of the handler takes longer than a step
            handler = signal.getsignal(signal.SIGINT)
        notes = (handler is signal.default_int_handler
                 and threading.current_thread() is threading.main_thread())
        try:
            if notes:
                signal.signal(signal.SIGINT, _note)
            state.inside = False
            c.call(name, *arguments)
        except c.Error as error:
            if self.raised is not None:
                raise self.raised from error
            raise
        except KeyboardInterrupt:  # the progress function has stopped the work
            raise self.raised or KeyboardInterrupt() from None
        finally:
            state.inside = inside
            if notes:
                signal.signal(signal.SIGINT, handler)
                came, state.came = state.came, False
                if came:
                    raise KeyboardInterrupt
