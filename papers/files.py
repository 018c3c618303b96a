"""Gzipped text of public data sets, read whole or line by line; one line where a file is missing or broken."""

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

from dalenius.errors import InputError


def unpacked(path: Path, about: str) -> bytes:
    """The whole file. about: what it is and where it is had. InputError where it is missing or broken."""
    try:
        with gzip.open(path) as file:
            return file.read()
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(path, about, error) from None


def lines_of(path: Path, about: str) -> Iterator[str]:
    """The lines of a text, without their ends, one at a time. InputError as `unpacked`, and for text that is none."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                yield line.rstrip("\r\n")
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(path, about, error) from None
    except UnicodeDecodeError as error:
        raise InputError(str(path), f"byte {error.object[error.start]:#x}", "text in UTF-8") from None


def _unreadable(path: Path, about: str, error: OSError | EOFError | zlib.error) -> InputError:
    if isinstance(error, FileNotFoundError):
        return InputError("DALENIUS_DATA", str(path), f"a file that is there ({about})")
    reason = getattr(error, "strerror", None) or str(error)
    return InputError(str(path), reason, "a gzip file that can be read")
