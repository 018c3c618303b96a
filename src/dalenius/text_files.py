"""Text as people have it in files: one reader for specs, policies, events, profiles, BIF, edges and tables.

It removes a byte order mark, unpacks gzip, and makes one kind of newline of three. A file without a mark is UTF-8,
unless its encoding is named. A file in another encoding is refused with the line, and the encoding that it seems to
have:

>>> decoded("ort,x\\r\\nKöln,1\\r\\n".encode("cp1252"), "data.file", "x.csv", "cp1252")
'ort,x\\nKöln,1\\n'
>>> decoded("ort,x\\nKöln,1\\n".encode("cp1252"), "data.file", "x.csv")
Traceback (most recent call last):
dalenius.errors.InputError: data.file: x.csv, wanted text in UTF-8 (line 2 is not: it looks like cp1252)
"""

import gzip
import sys
import zlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE, lookup
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Final

from dalenius.errors import InputError, meant
from dalenius.likely_encoding import likely_encoding

STANDARD_INPUT: Final = Path("-")

_MARKS: Final = (
    (BOM_UTF8, "utf-8"),
    (BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (BOM_UTF32_BE, "utf-32-be"),
    (BOM_UTF16_LE, "utf-16-le"),
    (BOM_UTF16_BE, "utf-16-be"),
)
_GZIP: Final = b"\x1f\x8b"
_MOST_NAMES: Final = 10_000
"""Most names in a folder that a misspelt one is compared with: some tenths of a second."""
_KNOWN: Final = ("utf-8", "cp1252", "latin-1", "utf-16", "cp1250", "cp1251", "iso-8859-15", "cp850", "mac_roman")


def read_text(path: Path, key: str = "spec", encoding: str | None = None) -> str:
    """Returns the text of a file, with `\\n` between its lines; "-" is standard input.

    Args:
        path: The file, packed by gzip or not.
        key: The key that messages name.
        encoding: The encoding of a file without a byte order mark; None: UTF-8.

    Raises:
        InputError: If the file cannot be read, or is no text in this encoding.
    """
    return decoded(read_content(path, key), key, str(path), encoding)


def read_content(path: Path, key: str) -> bytes:
    """Returns the bytes of the file `path`, unpacked if gzip packed them. InputError under `key` if it cannot."""
    try:
        content = _standard_input(key) if path == STANDARD_INPUT else path.read_bytes()
    except FileNotFoundError as error:
        wanted = f"a file that can be read ({error.strerror}){meant_file(path)}"
        raise InputError(key, str(path), wanted) from None
    except OSError as error:
        raise InputError(key, str(path), f"a file that can be read ({error.strerror})") from None
    except ValueError:  # a name with NUL
        raise InputError(key, str(path), "a file that is there") from None
    if not content.startswith(_GZIP):
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        raise InputError(key, str(path), "a file that gzip can unpack: it is damaged or cut off") from None


def meant_file(path: Path) -> str:
    """Names the file near `path` that the missing name is likely to mean, in words; "" where none is near."""
    try:
        names = [each.name for each in islice(path.parent.iterdir(), _MOST_NAMES)]
    except (OSError, ValueError):  # no such folder, or a name with NUL
        return ""
    return meant(path.name, names)


def decoded(content: bytes, key: str, name: str, encoding: str | None = None) -> str:
    """Returns the bytes as text. InputError names the first line that is not in this encoding, and shows none of it.

    Args:
        content: The bytes of the whole file, unpacked.
        key: The key that messages name.
        name: The file's name, for messages.
        encoding: The encoding of a file without a byte order mark; None: UTF-8.
    """
    used, start = encoding_of(content, encoding)
    try:
        text = content[start:].decode(used)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, start + error.start) + 1
        label = used.upper() if used.startswith("utf") else used
        guess = "" if start else _guess(content, used)
        fault = f"text in {label} (line {line} is not{guess})"
    else:
        # Because UTF-16 of Latin letters without a mark is UTF-8 with a NUL after each letter.
        if "\0" not in text:
            return text.replace("\r\n", "\n").replace("\r", "\n")
        fault = f"text in {used.upper()} (it has NUL characters{_guess(content, used)})"
    raise InputError(key, name, fault)


def encoding_of(content: bytes, encoding: str | None = None) -> tuple[str, int]:
    """Returns the encoding that the bytes are read in, and how many bytes its mark takes.

    Args:
        content: The bytes, from the file's beginning. Their byte order mark counts more than a name.
        encoding: The encoding that was named; None: UTF-8.
    """
    for mark, name in _MARKS:
        if content.startswith(mark):
            return name, len(mark)
    return encoding or "utf-8", 0


def _guess(content: bytes, used: str) -> str:
    """Names the encoding that the bytes seem to have, in words; "" for none, or only the one that was tried."""
    found = likely_encoding(content)
    return "" if found in (None, used) else f": it looks like {found}"


def known_encoding(name: str) -> str:
    """Returns the `name` of a text encoding as given. ValueError where Python knows no encoding of this name.

    >>> known_encoding("Windows-1252")
    'Windows-1252'
    """
    try:
        found = lookup(name)
        "".encode(found.name)  # LookupError of what is no encoding of text, such as hex
    except (LookupError, ValueError):
        raise ValueError(f"the name of an encoding, as {', '.join(_KNOWN)}{meant(name, _KNOWN)}") from None
    return name


@cache
def _read_standard_input() -> bytes:
    """Reads standard input, which can be done once only."""
    return sys.stdin.buffer.read()


def _standard_input(key: str) -> bytes:
    """Returns the bytes of standard input. InputError where it was closed, as by `<&-`."""
    if sys.stdin is None:
        raise InputError(key, "-", "a standard input that is open")
    return _read_standard_input()
