"""UCI Adult, 32,561 people of the census of 1994 (DOI 10.24432/C5XW20, CC BY 4.0), from adult/adult.data.gz."""

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from papers.numbers import Array, IntArray

FILE: Final = "adult/adult.data.gz"
COLUMNS: Final = {"age": 0, "education-num": 4, "capital-gain": 10, "capital-loss": 11, "hours-per-week": 12}
RANGES: Final = {0: (17, 90), 4: (1, 16), 10: (0, 99_999), 11: (0, 4356), 12: (1, 99)}
"""Of each numeric attribute, from the data set's public description: fixed, so that a range leaks nothing."""
WEIGHT: Final = 2
"""fnlwgt, a weight of the census, no attribute of a person."""
ATTRIBUTES: Final = 14


def people(data: Path) -> list[list[str]]:
    """The rows as they are: fourteen attributes, "?" where one is missing, and the class of income."""
    with gzip.open(data / FILE, "rt", encoding="ascii") as file:
        return [line.rstrip("\n").split(", ") for line in file if line.strip()]


def numeric_attributes(data: Path) -> Mapping[str, IntArray]:
    """Each (32561,), people in the file's order."""
    rows = people(data)
    return {name: np.array([int(row[place]) for row in rows]) for name, place in COLUMNS.items()}


@final
@dataclass(frozen=True)
class Profiles:
    """points: (n, d), each of Euclidean norm 1; labels: (n,), +1 for an income above 50,000 dollars, else -1."""

    points: Array
    labels: IntArray
    names: tuple[str, ...]


def profiles(data: Path) -> Profiles:
    """30,162 people without a missing attribute (DDP §VII-B). Numbers lie in [0, 1] by their public range, every other
    attribute has a column for each of its values; then each vector is divided by its norm."""
    rows = [row for row in people(data) if "?" not in row]
    columns: list[NDArray[Any]] = []
    names: list[str] = []
    for place in range(ATTRIBUTES):
        cells = np.array([row[place] for row in rows])
        if place in RANGES:
            low, high = RANGES[place]
            columns.append(np.clip((cells.astype(float) - low) / (high - low), 0, 1)[:, None])
            names.append(str(place))
        elif place != WEIGHT:
            values = sorted(set(cells.tolist()))
            columns.append((cells[:, None] == np.array(values)).astype(float))
            names.extend(f"{place}={value}" for value in values)
    points = np.hstack(columns)
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return Profiles(points, np.array([1 if row[ATTRIBUTES].startswith(">") else -1 for row in rows]), tuple(names))
