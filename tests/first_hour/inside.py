"""The command in this process, on what it takes for a terminal, so that thousands of runs take minutes."""

import io
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from time import process_time
from types import FrameType
from typing import Final

from dalenius.cli.main import main
from tests.cli.command import Done

PATIENCE: Final = 20.0
"""Seconds of this process's own time after which a run is a runaway, whatever it answers: the slowest answers to the
bases take two to five on an idle machine, and twice that where another process shares the core."""
REFUSAL: Final = 6.0
"""The same of a run that is refused: what is wrong is said within two seconds, three times that on slow machines."""


class Runaway(BaseException):
    """No Exception, so that nothing on the way takes it for one of its own."""


class Screen(io.TextIOWrapper):
    """Standard output as a terminal is."""

    def isatty(self) -> bool:
        return True


def run(arguments: list[str], screen: bool = True, encoding: str = "utf-8") -> Done:
    """What the command answers; what it raises beside its own exit is raised, so is Runaway, after PATIENCE or, of what
    is refused, REFUSAL. Where the screen is, it is as wide as COLUMNS says; standard error is a pipe."""
    shown, said = io.BytesIO(), io.BytesIO()
    out = (Screen if screen else io.TextIOWrapper)(shown, encoding, write_through=True)
    err = io.TextIOWrapper(said, encoding, write_through=True)
    before, start = sys.argv, process_time()
    interrupt = signal.getsignal(signal.SIGINT)
    sys.argv = ["dalenius", *arguments]
    try:
        with redirect_stdout(out), redirect_stderr(err), _patience():
            main()
    except SystemExit as end:
        code = end.code
    finally:
        sys.argv = before
        signal.signal(signal.SIGINT, interrupt)
    assert isinstance(code, int)
    if code in (1, 2) and (took := process_time() - start) > REFUSAL:
        raise Runaway(f"refused after {took:.1f} s")
    return Done(code, shown.getvalue().decode(encoding), said.getvalue().decode(encoding))


@contextmanager
def _patience() -> Iterator[None]:
    def over(number: int, frame: FrameType | None) -> None:
        raise Runaway

    before = signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
