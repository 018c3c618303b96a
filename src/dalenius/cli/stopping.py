"""What becomes of Ctrl-C: one line and exit code 130, wherever it comes."""

# Imported is what every Python has imported before: Ctrl-C may come at the next line, and imports take long.
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

STOPPED = 130
AGAIN = 0.05
"""Seconds after which an interrupt that nobody could be told of comes again."""


def stopped() -> None:
    """Ends the process at once, with its line. What is half-written has been tidied on the way here, and threads of
    libraries are not waited for."""
    try:  # noqa: SIM105 - contextlib is an import
        sys.stdout.flush()
    except (AttributeError, OSError, ValueError):  # closed, or gone, or never there
        pass
    os.write(2, b"dalenius: stopped\n")
    os._exit(STOPPED)


class Interrupts:
    """As long as it lasts, Ctrl-C is remembered, whatever becomes of the KeyboardInterrupt that it raises: in the
    middle of an import, or in a library's own C, it may come out as another error, or as none."""

    def __init__(self) -> None:
        self.came = False

    def __enter__(self) -> "Interrupts":
        import signal
        import threading

        self._ours = threading.current_thread() is threading.main_thread()
        if self._ours:
            signal.signal(signal.SIGINT, self._interrupted)
        self._hook, sys.unraisablehook = sys.unraisablehook, self._unraisable
        return self

    def __exit__(self, *_: object) -> None:
        import signal

        sys.unraisablehook = self._hook
        if self._ours:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # what is left is Python's own tidying

    def _interrupted(self, number: int, frame: "FrameType | None") -> None:
        self.came = True
        raise KeyboardInterrupt

    def _unraisable(self, lost: "sys.UnraisableHookArgs") -> None:
        """In a finaliser the interrupt would be lost."""
        if isinstance(lost.exc_value, KeyboardInterrupt):
            import threading
            from _thread import interrupt_main

            threading.Timer(AGAIN, interrupt_main).start()
        else:
            self._hook(lost)
