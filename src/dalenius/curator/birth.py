"""How a ledger's file comes to be, and which files are none."""

import os
from collections.abc import Callable
from contextlib import suppress
from errno import EISDIR
from glob import escape
from pathlib import Path
from secrets import token_hex
from stat import S_ISDIR
from typing import Final

from dalenius.errors import InputError

HEADER: Final = 100
"""Bytes that every SQLite file begins with."""
_NEW: Final = ".new"


def born(path: Path, make: Callable[[Path], None]) -> None:
    """A ledger without entries, of mode 600, made under another name: whoever stops meanwhile leaves no half of one.
    Nothing where somebody else made one meanwhile."""
    draft = path.with_name(f"{path.name}.{token_hex(8)}{_NEW}")
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        make(draft)
        with suppress(FileExistsError):
            _named(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _named(draft: Path, path: Path) -> None:
    try:
        os.link(draft, path)  # unlike a renaming, it takes nobody's place
    except FileExistsError:
        raise
    except OSError:  # a disk that knows no second names
        number = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with open(number, "wb") as file:
            file.write(draft.read_bytes())
            file.flush()
            os.fsync(number)


def check_alone(shown: str, path: Path) -> None:
    """InputError where the file has a second name: SQLite finds what it has to undo after a crash by the name, and
    would undo under the one what was paid for under the other."""
    found = path.stat()
    if S_ISDIR(found.st_mode):
        raise IsADirectoryError(EISDIR, "it is a folder")
    if found.st_nlink == 1:
        return
    for draft in path.parent.glob(f"{escape(path.name)}.*{_NEW}"):
        with suppress(FileNotFoundError):  # of a birth that goes on, or was cut off
            if draft.samefile(path):
                draft.unlink()
    names = path.stat().st_nlink
    if names != 1:
        wanted = f"a file with one name; it has {names} (hard links): delete the others, or use a copy of its own"
        raise InputError("ledger", shown, wanted)


def check_size(shown: str, path: Path) -> None:
    """InputError where it is too short for any ledger."""
    if path.stat().st_size < HEADER:
        raise no_ledger(shown, path)


def no_ledger(shown: str, path: Path) -> InputError:
    """Of a file that is there, and is none."""
    wanted = (
        f"a ledger, which this file of {path.stat().st_size:,} bytes is not: put back the one that was there, or, if "
        "there never was any, delete it"
    )
    return InputError("ledger", shown, wanted)
