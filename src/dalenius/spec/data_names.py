"""Names of data sets, to which budgets belong.

>>> stem(Path("people.csv.gz")), data_name(Path("people.parquet"))
('people', 'people')
"""

import re
from pathlib import Path
from unicodedata import normalize

from dalenius.errors import InputError


def checked_name(value: str) -> str:
    """Returns a name as it is kept. ValueError for one that would not be seen as it is, or be mistaken for another.

    Args:
        value: The name, as it was typed.
    """
    # Because a name typed on another keyboard would else be another data set: in one form.
    name = normalize("NFC", value)
    if not name or not name.isprintable() or name != name.strip():
        raise ValueError("a name of printable characters, without blanks around it")
    return name


def data_name(file: Path) -> str:
    """Returns the name of a data set by its `file`. InputError where that is no name."""
    try:
        return checked_name(stem(file))
    except ValueError as error:
        raise InputError("data.name", "missing", f"{error} (the file's own, {stem(file)!r}, is none)") from None


def stem(file: Path) -> str:
    """Returns the name of `file` without the suffix of its format.

    >>> stem(Path("people.csv.gz"))
    'people'
    """
    return re.sub(r"\.((csv|tsv|jsonl|ndjson)(\.gz)?|parquet|xlsx|duckdb|db)$", "", file.name, flags=re.IGNORECASE)
