"""What a published experiment done again is: files drawn from public data, and numbers next to the published ones."""

import csv
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Final, TypeAlias, final

from dalenius.bounds import near_to_digits
from dalenius.errors import InputError

Write: TypeAlias = Callable[[Path], None]
"""Writes one file to the path it is given."""
VARIABLE: Final = "DALENIUS_DATA"
DIGITS: Final = 10


@final
@dataclass(frozen=True)
class Number:
    """A published number and ours: where the paper prints it, the quantity, both, and why they differ if they do.

    theirs: None where the paper prints none.
    """

    where: str
    what: str
    theirs: float | None
    ours: float
    why: str


@final
@dataclass(frozen=True)
class Outcome:
    """files: by name, what writes each; numbers: next to the published ones; notes: what else a reader must know."""

    files: Mapping[str, Write]
    numbers: tuple[Number, ...]
    notes: tuple[str, ...] = ()


@final
@dataclass(frozen=True)
class Study:
    """source: the paper; about: what is reproduced; run: from the folder of public data sets to the outcome.

    reads_data: whether it looks into that folder.
    """

    source: str
    about: str
    run: Callable[[Path], Outcome]
    reads_data: bool = True

    def outcome(self) -> Outcome:
        """InputError where data are read and their folder is not given."""
        return self.run(data_folder() if self.reads_data else Path())


def data_folder() -> Path:
    """Where the public data sets are. InputError where it is not given, or is no folder."""
    wanted = "the folder of the public data sets (adult/adult.data.gz …)"
    given = os.environ.get(VARIABLE, "")
    if not given:
        raise InputError(VARIABLE, "missing", wanted)
    if not Path(given).is_dir():
        raise InputError(VARIABLE, given, wanted)
    return Path(given)


def write_all(folder: Path, files: Mapping[str, Write]) -> tuple[Path, ...]:
    """Write every file into the folder, which is made where there is none: all of them, or none if one fails. A figure
    is there as .png and, for print, as .svg.

    InputError for a folder that cannot be written.
    """
    files = dict(_with_vectors(files))
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as drafts:
            for name, write in files.items():
                write(Path(drafts) / name)
            folder.mkdir(exist_ok=True)
            _check_places(folder, files)
            return tuple((Path(drafts) / name).replace(folder / name) for name in files)
    except OSError as error:
        raise InputError("--out", str(folder), f"a folder that can be written ({error.strerror})") from None


def _with_vectors(files: Mapping[str, Write]) -> Iterator[tuple[str, Write]]:
    for name, write in files.items():
        yield name, write
        if name.endswith(".png"):
            yield f"{name.removesuffix('.png')}.svg", write


def write_rows(lines: Iterable[tuple[object, ...]], path: Path) -> None:
    """A CSV; the first line is the header."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(lines)


def write_rounded(lines: Iterable[tuple[object, ...]], path: Path) -> None:
    """The same of numbers that are no ends of enclosures, to DIGITS digits: what is beyond hangs on the processor."""
    write_rows((tuple(map(_rounded, line)) for line in lines), path)


def _rounded(cell: object) -> object:
    return near_to_digits(cell, DIGITS) if isinstance(cell, float) and isfinite(cell) else cell


def beside(numbers: tuple[Number, ...]) -> Iterator[tuple[object, ...]]:
    """The numbers, as the lines of a CSV."""
    yield "where", "what", "paper", "ours", "why"
    for each in numbers:
        yield each.where, each.what, "" if each.theirs is None else each.theirs, each.ours, each.why


def _check_places(folder: Path, files: Mapping[str, Write]) -> None:
    for name in files:
        if (folder / name).is_dir():
            raise InputError("--out", str(folder / name), "no folder of that name")
