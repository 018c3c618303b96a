"""Tells whether anybody has written to a SQLite file, without opening it as a database.

Every transaction that writes adds one to a counter in the file's head (bytes 24 to 27), and the file has its time, size
and number. If all of these are as they were, so is the content. It takes some microseconds, while to open the file and
read one row takes a millisecond.

>>> file_state(Path("no such file")) is None
True
"""

import os
from pathlib import Path
from time import time_ns
from typing import Final, TypeAlias

# Equal where nobody has written meanwhile; its parts mean nothing by themselves.
FileState: TypeAlias = tuple[int, ...]

# Nanoseconds since a file was written before its time is trusted: file systems round times, to some milliseconds.
SETTLED: Final = 100_000_000
_HEAD: Final = 28
# Byte 18 of a file whose writers leave what they commit in a log beside it: then its own head says nothing.
_WITH_LOG: Final = 2


def file_state(path: Path) -> FileState | None:
    """Returns the state of the file `path`; None where it is not there, was written just now, or has a log."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except (OSError, ValueError):  # ValueError: a name with NUL
        return None
    try:
        head, found = os.pread(number, _HEAD, 0), os.fstat(number)
    except OSError:
        return None
    finally:
        os.close(number)
    if len(head) < _HEAD or head[18] == _WITH_LOG or abs(time_ns() - found.st_mtime_ns) < SETTLED:
        return None
    counter = int.from_bytes(head[24:28], "big")
    owner = found.st_mode, found.st_uid, found.st_nlink
    return counter, found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, found.st_dev, *owner
