"""What a ledger's file held when it was last written to, in a file beside it: an older or emptied one is noticed."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from dalenius.curator.chain import Broken, Link

SUFFIX: Final = ".head"
LONGEST: Final = 1000
"""Bytes of it that are read at most."""


@final
@dataclass(frozen=True)
class Newest:
    """An entry that was on the disk: its number, and its hash."""

    number: int
    hash: str


@final
class Head:
    """One line of JSON. Each transaction writes down, before it ends, the newest entry of those before it: so it may be
    behind by what the last one wrote, and is never ahead, wherever the process or the power stops.

    OSError where it cannot be written or read; Broken where it holds something else.
    """

    def __init__(self, ledger: Path) -> None:
        self._ledger = ledger
        self.path = ledger.with_name(ledger.name + SUFFIX)

    def read(self) -> Newest | None:
        """None where there is none: of a new ledger, or one of before there were any."""
        try:
            with self.path.open("rb") as file:
                found = json.loads(file.read(LONGEST))
        except FileNotFoundError:
            return None
        except ValueError:
            raise self._spoilt() from None
        number, digest = (found.get("entries"), found.get("hash")) if isinstance(found, dict) else (None, None)
        if type(number) is not int or not isinstance(digest, str) or number < 1:
            raise self._spoilt()
        return Newest(number, digest)

    def write(self, last: Link) -> None:
        """For whoever may write to the ledger now, which nobody else does then. It is of the ledger's user and mode."""
        draft = self.path.with_name(self.path.name + ".new")
        draft.unlink(missing_ok=True)
        line = json.dumps({"entries": last.number, "hash": last.hash}) + "\n"
        number = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with open(number, "w", encoding="ascii") as file:
            file.write(line)
            file.flush()
            _like(number, self._ledger)
            os.fsync(number)
        # It is on the disk once SQLite has synced the folder, before the transaction ends; else the one before is.
        os.replace(draft, self.path)

    def forget(self) -> None:
        self.path.unlink(missing_ok=True)

    def _spoilt(self) -> Broken:
        return Broken(f"{self.path.name} beside it is none of ours: dalenius ledger accept takes what is there")


def _like(number: int, file: Path) -> None:
    """As SQLite does with its journals: whoever may write the one may write the other."""
    if hasattr(os, "fchown"):
        found = file.stat()
        os.fchmod(number, found.st_mode & 0o666)
        if os.geteuid() == 0:
            os.fchown(number, found.st_uid, found.st_gid)
