"""Files that are there whole or not at all."""

import csv
import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from dalenius.drawing import check_picture, check_place, save
from dalenius.errors import InputError


def write_whole(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a temporary file next to `path`, and put it in place only when it is complete."""
    check_place(path)
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=path.suffix)
    except OSError as error:
        raise InputError("file", str(path), f"a place that can be written ({error.strerror})") from None
    os.close(handle)
    draft = Path(name)
    try:
        write(draft)
        draft.chmod(0o644)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def write_both(
    path: Path,
    names: Sequence[str],
    rows: Iterable[Sequence[object]],
    figure: Callable[[], Any],
    key: str = "plot",
) -> tuple[Path, Path]:
    """A picture at `path` (its format from the suffix) and, next to it, a CSV of its numbers; returns both paths.
    InputError, of that key, for a file that is no picture."""
    check_picture(path, key)
    table = path.with_suffix(".csv")

    def write(draft: Path) -> None:
        # The picture while the table is a draft, so that neither stays without the other.
        with draft.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([names, *rows])
        write_whole(path, lambda other: save(figure(), other, bbox_inches="tight"))

    write_whole(table, write)
    return path, table
