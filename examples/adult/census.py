"""UCI Adult: the people whose counts are to be published (adult.data), and others, who are the past (adult.test).

The data are read from adult/ in $DALENIUS_DATA.
"""

import gzip
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

COLUMNS = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship"),
    *("race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income"),
)
Person = dict[str, str]


def published() -> list[Person]:
    return _read("adult.data.gz")


def past() -> list[Person]:
    return _read("adult.test.gz")


def chances(people: Sequence[Person], column: str) -> dict[str, float]:
    """Of each value that somebody has, with half a pseudo-count for and half a one against it."""
    counts = Counter(person[column] for person in people)
    return {value: (count + 0.5) / (len(people) + 1) for value, count in counts.items()}


def law(people: Sequence[Person], column: str, universe: Sequence[int]) -> list[float]:
    """Of numbers, with pseudo-counts that add up to 1."""
    counts = Counter(int(person[column]) for person in people)
    return [(counts[value] + 1 / len(universe)) / (len(people) + 1) for value in universe]


def _read(name: str) -> list[Person]:
    if not os.environ.get("DALENIUS_DATA"):
        raise SystemExit("DALENIUS_DATA: missing, wanted the folder of the public data sets")
    file = Path(os.environ["DALENIUS_DATA"]) / "adult" / name
    if not file.is_file():
        raise SystemExit(f"DALENIUS_DATA: {file}, wanted a file that is there")
    with gzip.open(file, "rt", encoding="ascii") as lines:
        rows = [line.strip().rstrip(".").split(", ") for line in lines]
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows if len(row) == len(COLUMNS)]
