"""What `dalenius fit --model friends` reads: a table of edges and one of positions, on a grid of cells."""

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dalenius.errors import InputError
from dalenius.fitting import FriendsFit, fit_friends
from dalenius.graphs import Edges, Grid, checked_positions, clean_edges
from dalenius.laws.law import Array
from dalenius.schema import RecordValue
from dalenius.tables.columns import read_columns


def friends_of(data: Path, table: str | None, given: Mapping[str, Any], out: Path | None) -> FriendsFit:
    """The fit, with people and edges as a spec at `out` names them. InputError where a table or a position is none."""
    ends = read_columns(data.absolute(), [given["first"], given["second"]], table)
    names, lat, lon = _positions(given["positions"].absolute(), given["person"], given["lat"], given["lon"])
    edges, shown = _edges(names, ends[given["first"]], ends[given["second"]])
    rows, columns = _cells(given.get("grid", "20x20"))
    grid = Grid.around(lat, lon, rows, columns)
    values = grid.cell_of(lat, lon)
    weights = np.bincount(values, minlength=len(grid)).astype(np.float64) if given.get("weighted") else None
    found = fit_friends(edges, values, grid.points_miles(), weights)
    file = os.path.relpath(data.absolute(), Path.cwd() if out is None else out.absolute().parent)
    where = {"file": Path(file).as_posix(), "first": given["first"], "second": given["second"]}
    model = {"kind": "pairwise", "people": names} | dict(found.model) | {"edges": where}
    return replace(found, model={key: part for key, part in model.items() if key != "n"}, dropped=shown)


def _positions(file: Path, person: str, lat: str, lon: str) -> tuple[list[str], Array, Array]:
    cells = read_columns(file, [person, lat, lon])
    names = [str(cell) for cell in cells[person]]
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise InputError(f"--person {person}", twice[0], "each person once")
    places = [_numbers(cells[column], key, column) for key, column in (("lat", lat), ("lon", lon))]
    return names, *checked_positions(*places)


def _numbers(cells: Sequence[RecordValue], key: str, column: str) -> Array:
    text = next((cell for cell in cells if isinstance(cell, str)), None)
    if text is not None:
        raise InputError(f"--{key} {column}", text, "degrees in every row")
    return np.array(cells, dtype=np.float64)


def _edges(
    names: Sequence[str], one: Sequence[RecordValue], other: Sequence[RecordValue]
) -> tuple[Edges, Mapping[str, int]]:
    place = {name: number for number, name in enumerate(names)}
    pairs = [(place.get(str(a), -1), place.get(str(b), -1)) for a, b in zip(one, other, strict=True)]
    edges, dropped = clean_edges(len(names), pairs)
    return edges, dropped.shown()


def _cells(grid: str) -> tuple[int, int]:
    match = re.fullmatch(r"([1-9]\d{0,3})x([1-9]\d{0,3})", grid)
    if match is None:
        raise InputError("--grid", grid, "how many cells there are from south to north and from west to east: 20x20")
    return int(match[1]), int(match[2])
