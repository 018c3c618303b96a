"""Values of records as codes 0..k-1."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.laws.law import Array, IntArray
from dalenius.schema import RecordValue

Cells: TypeAlias = Sequence[Any] | NDArray[Any]
Columns: TypeAlias = Mapping[str, Cells]
"""Cells by the column's name, all of one length."""

MOST_VALUES: Final = 256


def coded(cells: Cells, key: str) -> tuple[tuple[RecordValue, ...], IntArray]:
    """The distinct values in order, numbers before texts, and each cell's place among them."""
    plain = as_values(cells, key)
    universe = tuple(sorted(set(plain), key=_order))
    if len(universe) < 2:
        raise InputError(key, universe[0] if universe else "no cells", "at least two different values")
    if len(universe) > MOST_VALUES:
        raise InputError(key, f"{len(universe)} different values", f"at most {MOST_VALUES}: group them first")
    places = {value: place for place, value in enumerate(universe)}
    return universe, np.array([places[value] for value in plain], dtype=np.int64)


def as_values(cells: Cells, key: str) -> list[RecordValue]:
    """Plain Python values of records: truth values are 0 and 1. InputError where one is missing or of another type."""
    given = [cell.item() if isinstance(cell, np.generic) else cell for cell in cells]
    for cell in given:
        if not isinstance(cell, int | float | str) or (isinstance(cell, float) and not math.isfinite(cell)):
            raise InputError(key, cell, "a finite number or a text in every row")
    return [int(cell) if isinstance(cell, bool) else cell for cell in given]


def check_rows(columns: Columns, fewest_columns: int, fewest_rows: int) -> int:
    """How many rows there are; InputError where columns differ in length, or columns or rows are too few."""
    if len(columns) < fewest_columns:
        raise InputError("columns", ", ".join(columns) or "none", f"at least {fewest_columns} columns")
    lengths = {name: len(cells) for name, cells in columns.items()}
    rows = next(iter(lengths.values()))
    for name, length in lengths.items():
        if length != rows:
            raise InputError(f"column {name}", f"{length} cells", f"{rows}, as many as the first column has")
    if rows < fewest_rows:
        raise InputError("rows", rows, f"at least {fewest_rows} rows")
    return rows


def smoothed(counts: IntArray, smoothing: float) -> Array:
    """The mean of each row's law (..., k): `smoothing` pseudo-counts in all, shared evenly by the k values."""
    share = smoothing / counts.shape[-1]
    return np.asarray((counts + share) / (counts.sum(axis=-1, keepdims=True) + smoothing))


def _order(value: RecordValue) -> tuple[bool, float, str]:
    return (isinstance(value, str), 0.0 if isinstance(value, str) else float(value), str(value))
