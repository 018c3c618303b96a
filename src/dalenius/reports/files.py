"""Files that are there whole or not at all."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from dalenius.errors import InputError


def write_whole(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a temporary file next to `path`, and put it in place only when it is complete."""
    if path.is_dir():
        raise InputError("file", str(path), "a place that can be written (it is a folder)")
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
