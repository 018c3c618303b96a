"""Between a debit and its answer whatever would end the process waits: the answer is paid for."""

import signal
from collections.abc import Callable
from threading import current_thread, main_thread
from types import TracebackType
from typing import Any, Final, final

ENDS: Final = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


@final
class Unbroken:
    """From `begin` on, Ctrl-C, SIGTERM and the terminal's closing come when it is left. Threads are not interrupted
    anyway: for those of others, and those that others run, it does nothing."""

    def __init__(self) -> None:
        self._mine = current_thread() is main_thread()
        self._before: dict[int, Callable[..., Any] | int] = {}
        self._came: list[int] = []

    def __enter__(self) -> "Unbroken":
        return self

    def begin(self) -> None:
        if not self._mine or current_thread() is not main_thread() or self._before:
            return
        for number in ENDS:
            before = signal.getsignal(number)
            if before is not None and before is not signal.SIG_IGN:
                self._before[number] = before
                signal.signal(number, lambda came, _: self._came.append(came))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)
        for number in self._came:
            signal.raise_signal(number)
