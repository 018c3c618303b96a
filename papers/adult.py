"""UCI Adult, the numeric attributes of 32,561 people of the census of 1994 (DOI 10.24432/C5XW20, CC BY 4.0)."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np

from dalenius.errors import InputError
from dalenius.laws.law import IntArray
from papers.files import unpacked

FILE: Final = "adult/adult.data.gz"
CHECKSUM: Final = "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d"
"""sha256 of adult.data as UCI has it, unpacked."""
COLUMNS: Final = {"age": 0, "education-num": 4, "capital-gain": 10, "capital-loss": 11, "hours-per-week": 12}


def numeric_attributes(data: Path) -> Mapping[str, IntArray]:
    """The numeric attributes but the sampling weight fnlwgt, each (32561,), people in the file's order.

    data: the folder of public data sets. InputError where the file is missing, broken or another.
    """
    rows = people(data)
    return {name: np.array([int(row[place]) for row in rows]) for name, place in COLUMNS.items()}


def people(data: Path) -> list[list[str]]:
    """The rows of adult.data as they are: fourteen attributes, "?" where one is missing, and the class of income.

    InputError where the file is missing, broken or another.
    """
    text = unpacked(data / FILE, "UCI Adult, DOI 10.24432/C5XW20")
    found = hashlib.sha256(text).hexdigest()
    if found != CHECKSUM:
        raise InputError(
            str(data / FILE), f"sha256 {found[:16]}…", f"UCI's adult.data, unpacked sha256 {CHECKSUM[:16]}…"
        )
    return [line.split(", ") for line in text.decode("ascii").splitlines() if line]
