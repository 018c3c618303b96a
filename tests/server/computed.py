"""What processes compute in tests; each says which by the ask's epsilon."""

import os
import signal
import time
from types import SimpleNamespace
from typing import Any, Final

from dalenius.curator import Inquiry
from dalenius.errors import InputError

SLOW: Final = 0.1
LARGE: Final = 0.2
WRONG: Final = 0.3
KILLED: Final = 0.4
BUSY: Final = 0.6
NICENESS: Final = 0.7


def computed(asked: Inquiry) -> Any:
    """Where it was computed."""
    if asked.ask.share == SLOW:
        time.sleep(60)
    if asked.ask.share == BUSY:
        while True:
            pass
    if asked.ask.share == NICENESS:
        return SimpleNamespace(advised=str(os.nice(0)))
    if asked.ask.share == LARGE:
        bytearray(2**33)
    if asked.ask.share == WRONG:
        raise InputError("ask.query", "count", "another")
    if asked.ask.share == KILLED:
        os.kill(os.getpid(), signal.SIGKILL)
    return SimpleNamespace(advised=str(os.getpid()))
