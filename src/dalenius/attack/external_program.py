"""A program outside of Python, run on one data set after the other."""

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from typing import final

from dalenius.errors import InputError, visible
from dalenius.fields import RecordValue


@final
@dataclass(frozen=True)
class ExternalProgram:
    """A command that reads a data set from standard input and prints what it releases.

    The input is CSV with the columns `person`, `group` and `record`. The output is numbers or words, with commas or
    white space between.

    Attributes:
        command: The program and its arguments.
        groups: The group of each person.
        limit: The seconds that one run may take.
    """

    command: tuple[str, ...]
    groups: Sequence[int]
    limit: float = 10.0

    def __post_init__(self) -> None:
        if not self.command:
            raise InputError("program", "missing", "a command after --")
        if not (isfinite(self.limit) and self.limit > 0):
            raise InputError("--limit", self.limit, "a finite number of seconds above 0")

    def __call__(self, records: Sequence[RecordValue]) -> tuple[str, ...]:
        rows = enumerate(zip(self.groups, records, strict=True), 1)
        text = "person,group,record\n" + "".join(f"{person},{group},{record}\n" for person, (group, record) in rows)
        out = self._printed(text)
        if not (found := tuple(out.replace(",", " ").split())):
            raise self._refused("a program that prints what it releases (it printed nothing)")
        return found

    def _printed(self, text: str) -> str:
        pipe = subprocess.PIPE
        try:
            # So that what the program started ends with it, it has a session of its own.
            run = subprocess.Popen(
                self.command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, errors="replace", start_new_session=True
            )
        except OSError as error:
            raise self._refused(f"a program that can be run ({error.strerror})") from None
        with run:
            try:
                out, complaint = run.communicate(text, timeout=self.limit)
            except subprocess.TimeoutExpired:
                raise self._refused(f"a program that ends within {self.limit:g} seconds (--limit)") from None
            finally:
                # Because a child may run on after the program itself, and hold what was printed.
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(run.pid, signal.SIGKILL)
        if run.returncode:
            last = complaint.strip().splitlines()[-1:]
            said = f": {visible(last[0][:200])}" if last else ""
            raise self._refused(f"a program that ends with 0 (it ended with {run.returncode}{said})")
        return out

    def _refused(self, wanted: str) -> InputError:
        return InputError("program", " ".join(self.command), wanted)
