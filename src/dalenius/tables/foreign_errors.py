"""Turns an error that an engine raises while a table is read into one of our errors, in fixed words.

Engines quote what they could not read: a row of a CSV, a cell that is no number. So nothing of a foreign error's text
is ever shown, and it is not kept as the cause of ours. Its class alone chooses the words:

>>> engine_fault(UnicodeDecodeError("utf-8", b"ann;\\xe4", 4, 5, "invalid"))
'its text is in another encoding'
>>> engine_fault(FileNotFoundError(2, "No such file or directory"))
'No such file or directory'
"""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from warnings import catch_warnings, filterwarnings

from dalenius.errors import DaleniusError, InputError, Unreachable, place

_NO_CELL: Final = "a cell cannot be read as its column's type"

_WORDS: Final = (
    ("OutOfMemory|MemoryError|Capacity", "there is not enough memory"),
    ("Unicode", "its text is in another encoding"),
    ("OutOfRange|Overflow|Arithmetic|FloatingPoint", "a number is too large for the type of its column"),
    (
        "Conversion|TypeMismatch|ArrowType|Cast|NumberFormat|DateTime|Parse",
        _NO_CELL,
    ),
    ("BadGzip|EOF|zlib|Zip|Xml|Serialization|Corrupt", "it is damaged, cut off or of another format"),
    ("InvalidOperation|Compute|Schema|Panic|Duplicate", "the computation that makes the frame fails"),
    ("ArrowInvalid", "a column has cells of several types"),
    ("InvalidInput|DataError", "it is damaged, or of another format"),
    ("Password", "it is protected by a password"),
    ("Permission", "it may not be read"),
    ("TableNotFound|Catalog|NoSuchTable", "no such table"),
    ("Binder|ColumnNotFound|Analysis|ArrowKey", "no such column, or one of a type that this needs otherwise"),
    ("NotImplemented|Unsupported|NotSupported|OperationNotDefined", "a column is of a type that cannot be read"),
    ("Interrupt|Cancel", "it was stopped"),
    ("Transaction|Serializable|Deadlock", "somebody else writes to it"),
)
"""A part of an error class's name, and the words for it. The first that fits counts."""

_STATES: Final = (
    ("42501", "it may not be read by this user"),
    ("42P01|3F000", "no such table"),
    ("42", "no such column, or one of a type that this needs otherwise"),
    ("55P03", "somebody has locked it"),
    ("57014", "no answer in time"),
    ("57|08", "the connection broke"),
    ("53|54", "the server has not enough room"),
    ("22003", "a number is too large for the type of its column"),
    ("22021|22P05", "its text is in another encoding"),
    ("22", _NO_CELL),
    ("25|40", "somebody else writes to it"),
)
"""The beginning of a state of PostgreSQL's (SQLSTATE), and the words for it."""

_FILES: Final = (
    ("lock", "another program has it open"),
    ("not a valid duckdb", "it is no DuckDB file, or is damaged"),
    ("newer version|older version|storage version", "another version of DuckDB has written it"),
)
"""A part of DuckDB's message about a file as a whole, which quotes no cell, and the words in its place."""


@contextmanager
def engine_errors(key: str, value: object, wanted: str) -> Iterator[None]:
    """Turns any error that is raised inside into one line that names the spec's key, unless it is one of ours.

    Args:
        key: The spec's key.
        value: What the spec says there.
        wanted: What should have been there.

    Raises:
        InputError: In place of any other error.
        Unreachable: Where the connection to a database broke.
    """
    try:
        with catch_warnings():
            # Ibis 12 calls DuckDB 2 by this old name; not ours to mend, nor the user's to read.
            filterwarnings("ignore", message="fetch_arrow_table", category=DeprecationWarning)
            filterwarnings("ignore", message="The copy keyword is deprecated")  # Ibis 12 and Spark of pandas 3.1
            yield
        return
    except (DaleniusError, AssertionError):
        raise
    except BaseException as error:
        # A panic of polars is no Exception; Ctrl-C is none either, and stays what it is.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        kind, problem = Unreachable if is_lost(error) else InputError, engine_fault(error)
    raise_bare(kind(key, value, f"{wanted} ({problem})"))


def raise_bare(error: InputError) -> None:
    """Raises the error without the one that is being handled: a log that prints causes would print its text.

    Args:
        error: The error to raise.

    Raises:
        InputError: Always.
    """
    try:
        raise error from None
    finally:
        error.__context__ = None


def engine_fault(error: BaseException) -> str:
    """Returns the fault in fixed words that the class of `error` chooses, without any part of its text.

    For a class that says nothing, the words are its name, and the line of ours at which it was raised.
    """
    if isinstance(error, OSError) and error.strerror:
        return os.strerror(error.errno) if error.errno else "it cannot be read"
    kind = type(error)
    state = getattr(error, "sqlstate", None)
    if isinstance(state, str):
        return next((words for start, words in _STATES if re.match(start, state)), "the server refuses the question")
    if kind.__name__ == "IOException":
        said = str(error).lower()
        return next((words for part, words in _FILES if re.search(part, said)), "it cannot be read, or is damaged")
    names = " ".join(each.__name__ for each in kind.__mro__[:3])
    said = next((words for part, words in _WORDS if re.search(part, names)), "")
    return said or _unknown(error)


def _unknown(error: BaseException) -> str:
    """Returns the class's name and library; for Python's own errors also where they were raised."""
    kind = type(error)
    library = kind.__module__.partition(".")[0].lstrip("_")
    return f"{kind.__name__} in {place(error)}" if library == "builtins" else f"{kind.__name__} of {library}"


def is_lost(error: BaseException) -> bool:
    """Says whether `error` means that the connection to a database broke."""
    psycopg = sys.modules.get("psycopg")
    return psycopg is not None and isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError))
