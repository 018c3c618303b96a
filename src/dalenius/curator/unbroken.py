"""What would end the process waits between a debit and its answer; Ctrl-C stays what it is, wherever it comes out."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import TracebackType
from typing import Any, Final, final


@contextmanager
def interruptible() -> Iterator[None]:
    """KeyboardInterrupt for what DuckDB and pydantic make of it: they call Python from their own languages."""
    try:
        yield
    except Exception as error:
        if _is_interrupt(error):
            raise KeyboardInterrupt from None
        raise


def _is_interrupt(error: Exception) -> bool:
    if isinstance(error, RuntimeError) and str(error) == "Query interrupted":
        return True
    return type(error).__name__ == "PydanticSerializationError" and "KeyboardInterrupt" in str(error)


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
