"""Power cuts: what a process asked of its disk, as strace saw it, and what the disk may hold wherever it stops.

What was not synced may be there or not, in any order, a page in part (of 512 bytes); so may names that were made, moved
or taken away, until their folder is synced.

`python -m tests.curator.power LEDGER COUNT TOGETHER`: releases from a ledger, so many paid for at once, each told on
standard error; what is traced.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from dalenius.curator import Attempt, Ledger, Recorded
from dalenius.curator.ledger import Order
from tests.curator.asking import COST, asked, drawn

SECTOR: Final = 512
CALLS: Final = "openat,write,pwrite64,fsync,fdatasync,ftruncate,unlink,link,linkat,rename"
TOLD: Final = b"TOLD "
_TEXT: Final = r'"((?:\\x[0-9a-f]{2})*)"'
_FILE: Final = r"\d+<((?:\\x[0-9a-f]{2})*)>"
_LINES: Final = {
    "open": re.compile(rf"openat\([^\"]*{_TEXT}, ([A-Z_|]+)"),
    "pwrite": re.compile(rf"pwrite64\({_FILE}, {_TEXT}, \d+, (\d+)\)"),
    "write": re.compile(rf"write\({_FILE}, {_TEXT}, \d+\)"),
    "sync": re.compile(rf"(?:fsync|fdatasync)\({_FILE}\)"),
    "cut": re.compile(rf"ftruncate\({_FILE}, (\d+)\)"),
    "unlink": re.compile(rf"unlink\({_TEXT}\)"),
    "link": re.compile(rf"(?:link|linkat)\([^\"]*{_TEXT}, [^\"]*{_TEXT}"),
    "rename": re.compile(rf"rename\({_TEXT}, {_TEXT}\)"),
}


@dataclass(frozen=True)
class Call:
    """kind: make, write, cut, sync, unlink, link, rename or told; at: where it is written, or how long a file is cut;
    to: the new name."""

    kind: str
    name: str = ""
    data: bytes = b""
    at: int | None = None
    to: str = ""


def traced(ledger: Path, count: int, together: int = 1) -> list[Call]:
    """What so many releases asked of the ledger's folder; together: how many are paid for at once. RuntimeError where
    strace may not look."""
    trace = ledger.parent.parent / "trace"
    command = ["strace", "-f", "-xx", "-y", "-s", "1000000", "-e", f"trace={CALLS}", "-o", str(trace)]
    run = [sys.executable, "-m", "tests.curator.power", str(ledger), str(count), str(together)]
    done = subprocess.run([*command, *run], capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-500:])
    return list(calls(trace.read_text(encoding="ascii"), ledger.parent))


def calls(trace: str, folder: Path) -> Iterator[Call]:
    """Those that succeeded, on the folder and the files in it."""
    for line in trace.splitlines():
        call, _, result = line.partition(" ")[2].strip().rpartition(" = ")
        kind, found = next(((kind, match) for kind, each in _LINES.items() if (match := each.match(call))), ("", None))
        if found is None or result.startswith("-1"):
            continue
        path = Path(os.fsdecode(_read(found[1])))
        if kind == "write" and _read(found[2]).startswith(TOLD):
            yield Call("told", data=_read(found[2]).removeprefix(TOLD).strip())
        elif kind == "sync" and path == folder:
            yield Call("sync")
        elif path.parent == folder:
            yield from _of_file(kind, found, path.name)


def _of_file(kind: str, found: re.Match[str], name: str) -> Iterator[Call]:
    match kind:
        case "open" if "O_CREAT" in found[2]:
            yield Call("make", name)
        case "pwrite":
            yield Call("write", name, _read(found[2]), int(found[3]))
        case "write":
            yield Call("write", name, _read(found[2]))
        case "cut":
            yield Call("cut", name, at=int(found[2]))
        case "sync" | "unlink":
            yield Call(kind, name)
        case "link" | "rename":
            yield Call(kind, name, to=Path(_read(found[2]).decode()).name)


def _read(hexadecimal: str) -> bytes:
    return bytes.fromhex(hexadecimal.replace("\\x", ""))


@dataclass
class File:
    """synced: what is on the disk for certain; later: what was asked since; now: what a process reads."""

    synced: bytes = b""
    later: list[Call] = field(default_factory=list)
    now: bytes = b""

    def do(self, call: Call) -> None:
        done = call if call.at is not None else Call("write", call.name, call.data, len(self.now))
        self.later.append(done)
        self.now = _after(self.now, done)

    def sync(self) -> None:
        self.synced, self.later = self.now, []

    def somehow(self, random: Random) -> bytes:
        found, kept = self.synced, random.choice(("all", "none", "first", "some"))
        first = random.randrange(len(self.later) + 1)
        for place, call in enumerate(self.later):
            if kept == "all" or (kept == "first" and place < first) or (kept == "some" and random.random() < 0.5):
                found = _after(found, _torn(call, random) if kept == "some" else call)
        return found


def _after(content: bytes, call: Call) -> bytes:
    assert call.at is not None
    if call.kind == "cut":
        return content[: call.at].ljust(call.at, b"\0")
    return content[: call.at].ljust(call.at, b"\0") + call.data + content[call.at + len(call.data) :]


def _torn(call: Call, random: Random) -> Call:
    if call.kind != "write" or len(call.data) <= SECTOR or random.random() < 0.7:
        return call
    return Call("write", call.name, call.data[: SECTOR * random.randrange(1, len(call.data) // SECTOR + 1)], call.at)


@dataclass
class Disk:
    """names: those that are there for certain; later: what was asked of names since; now: those that a process sees."""

    names: dict[str, File] = field(default_factory=dict)
    later: list[tuple[Call, File]] = field(default_factory=list)
    now: dict[str, File] = field(default_factory=dict)

    def do(self, call: Call, random: Random) -> None:
        if call.kind in ("write", "cut"):
            self.now[call.name].do(call)
        elif call.kind == "sync":
            self._sync(call.name, random)
        elif call.kind != "told" and not (call.kind == "make" and call.name in self.now):
            file = File() if call.kind == "make" else self.now[call.name]
            self.later.append((call, file))
            _rename(self.now, call, file)

    def _sync(self, name: str, random: Random) -> None:
        if not name:
            self.names, self.later = dict(self.now), []
            return
        self.now[name].sync()
        if random.random() < 0.5:  # as ext4 does for a new file
            for call, file in [each for each in self.later if each[0].kind == "make" and each[0].name == name]:
                _rename(self.names, call, file)
                self.later.remove((call, file))

    def somehow(self, random: Random) -> dict[str, bytes]:
        """What may be found when there is power again."""
        found, first, some = dict(self.names), random.randrange(len(self.later) + 1), random.random() < 0.5
        for place, (call, file) in enumerate(self.later):
            if (some and random.random() < 0.5) or (not some and place < first):
                _rename(found, call, file)
        return {name: file.somehow(random) for name, file in found.items()}


def _rename(names: dict[str, File], call: Call, file: File) -> None:
    if call.kind in ("unlink", "rename"):
        names.pop(call.name, None)
    if call.kind != "unlink":
        names[call.to or call.name] = file


def cuts(asked_for: list[Call], times: int, random: Random) -> Iterator[tuple[list[str], Disk]]:
    """After each call so many times: the hashes that were told by then, and the disk."""
    for end in range(1, len(asked_for) + 1):
        for _ in range(times):
            disk = Disk()
            for call in asked_for[:end]:
                disk.do(call, random)
            yield [call.data.decode() for call in asked_for[:end] if call.kind == "told"], disk


def laid(content: dict[str, bytes], folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, each in content.items():
        (folder / name).write_bytes(each)


def main(arguments: list[str]) -> None:
    book, (count, together) = Ledger(Path(arguments[0])), map(int, arguments[1:])
    orders = [Order(asked(spec=str(number)), COST, drawn(f"answer {number} " * 300)) for number in range(count)]
    for first in range(0, count, together):
        book.release_each(orders[first : first + together], _told)


def _told(_: int, found: Attempt[Recorded]) -> None:
    os.write(2, TOLD + found.result().hash.encode() + b"\n")


if __name__ == "__main__":
    main(sys.argv[1:])
