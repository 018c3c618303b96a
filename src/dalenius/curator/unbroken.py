"""Between a debit and its answer Ctrl-C waits: the answer is paid for."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread


@contextmanager
def unbroken() -> Iterator[None]:
    """An interrupt inside comes when it is left. Threads are not interrupted anyway."""
    before = signal.getsignal(signal.SIGINT)
    if current_thread() is not main_thread() or not callable(before):
        yield
        return
    came = False

    def later(*_: object) -> None:
        nonlocal came
        came = True

    signal.signal(signal.SIGINT, later)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)
