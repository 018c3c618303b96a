"""UCI Adult as profiles for learning: people without a missing attribute, as vectors of norm 1 at most (DDP §VII-B)."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

import numpy as np

from dalenius.laws.law import Array, IntArray
from papers.adult import people

MISSING: Final = "?"
NUMERIC: Final = {0: (17, 90), 4: (1, 16), 10: (0, 99_999), 11: (0, 4356), 12: (1, 99)}
"""Range of each numeric attribute, from the data set's public description: fixed, so that a range leaks nothing."""
WEIGHT: Final = 2
"""fnlwgt, a weight of the census, no attribute of a person."""
ATTRIBUTES: Final = 14


@final
@dataclass(frozen=True)
class Profiles:
    """points: (n, d), each of Euclidean norm 1; labels: (n,), +1 for an income above 50,000 dollars, else -1."""

    points: Array
    labels: IntArray
    names: tuple[str, ...]


def adult_profiles(data: Path) -> Profiles:
    """30,162 people of adult.data. Numbers lie in [0, 1] by their public range, every other attribute has a column for
    each of its values; then each vector is divided by its norm. InputError as `adult.people`."""
    rows = [row for row in people(data) if MISSING not in row]
    columns: list[Array] = []
    names: list[str] = []
    for place in range(ATTRIBUTES):
        if place == WEIGHT:
            continue
        cells = [row[place] for row in rows]
        if place in NUMERIC:
            low, high = NUMERIC[place]
            columns.append(np.clip((np.array(cells, dtype=float) - low) / (high - low), 0, 1)[:, None])
            names.append(str(place))
            continue
        values = sorted(set(cells))
        columns.append((np.array(cells)[:, None] == np.array(values)).astype(float))
        names.extend(f"{place}={value}" for value in values)
    points = np.hstack(columns)
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    labels = np.array([1 if row[ATTRIBUTES].startswith(">") else -1 for row in rows])
    return Profiles(points, labels, tuple(names))
