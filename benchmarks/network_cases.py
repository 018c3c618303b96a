"""Graphs of people: dependent sensitivity in an engine beside the bare sums, and the affinity graph of profiles."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import ibis
import numpy as np

from dalenius import dependent_sensitivity
from dalenius.arrays import Array
from papers.dependent.networks import alike_degrees

NUMERIC: Final = (0, 4, 10, 11, 12)
WEIGHT: Final = 2
ATTRIBUTES: Final = 14
BARE: Final = """SELECT max(total) FROM (SELECT person, sum(rho) AS total FROM
(SELECT first AS person, rho FROM edges UNION ALL SELECT second AS person, rho FROM edges) GROUP BY person)"""
ONE_END: Final = "SELECT max(total) FROM (SELECT first, sum(rho) AS total FROM edges GROUP BY first)"
RUNS: Final = 3


def summed(edges: int) -> dict[str, float]:
    """Seconds of each, the least of three runs in turn, over one table of edges drawn at random, ten a person: sums of
    the coefficients by DuckDB alone, at both ends and at one; ours of everybody; and of one call that opens and cleans
    the table too."""
    engine = ibis.duckdb.connect()
    people = edges // 10
    engine.raw_sql("SELECT setseed(.5)")
    engine.raw_sql(
        f"CREATE TABLE edges AS SELECT DISTINCT ON (first, second) least(a, b) AS first, greatest(a, b) AS second, "
        f"random() AS rho FROM (SELECT (random() * {people})::BIGINT a, (random() * {people})::BIGINT b "
        f"FROM range({edges + edges // 50})) WHERE a <> b LIMIT {edges}"
    )
    table = engine.table("edges")
    opened, called = _timed(lambda: dependent_sensitivity(table, "rho"))
    steps: dict[str, Callable[[], Any]] = {
        "bare": lambda: _answer(engine, BARE),
        "one_end": lambda: _answer(engine, ONE_END),
        "ours": lambda: called.per_person.sensitivity.max().to_pyarrow().as_py(),
    }
    seconds = dict.fromkeys(steps, float("inf"))
    found: dict[str, Any] = {}
    for _ in range(RUNS):
        for name, step in steps.items():
            took, found[name] = _timed(step)
            seconds[name] = min(seconds[name], took)
    assert abs(found["ours"] - 1 - found["bare"]) < 1e-6, "the same sums"
    return seconds | {"whole": opened, "edges": float(called.edges), "answer": called.value.upper}


def whole(edges: int) -> float:
    """Dependent sensitivity of an untidy table: with duplicates and self-loops."""
    engine = ibis.duckdb.connect()
    people = edges // 10
    engine.raw_sql("SELECT setseed(.5)")
    engine.raw_sql(
        f"CREATE TABLE edges AS SELECT (random() * {people})::BIGINT AS first, "
        f"(random() * {people})::BIGINT AS second, random() AS rho FROM range({edges})"
    )
    return dependent_sensitivity(engine.table("edges"), "rho").value.upper


def alike(people: int) -> tuple[float, float]:
    """The edges of the affinity graph of Adult's first complete profiles, and the most that anybody has."""
    found = alike_degrees(profiles(people), 0.8)
    return float(found.sum() // 2), float(found.max())


def profiles(people: int) -> Array:
    """Of UCI Adult (in $DALENIUS_DATA): numbers by their greatest, a column for each value of every other attribute."""
    with gzip.open(Path(os.environ["DALENIUS_DATA"]) / "adult/adult.data.gz", "rt", encoding="ascii") as text:
        rows = [line.split(", ") for line in text if "," in line and "?" not in line][:people]
    columns = []
    for place in (place for place in range(ATTRIBUTES) if place != WEIGHT):
        cells = np.array([row[place] for row in rows])
        if place in NUMERIC:
            numbers = cells.astype(np.float64)
            columns.append(numbers[:, None] / numbers.max())
        else:
            columns.append((cells[:, None] == np.unique(cells)).astype(np.float64))
    return np.concatenate(columns, axis=1)


def _answer(engine: Any, question: str) -> float:
    rows = engine.raw_sql(question).fetchall()
    return float(rows[0][0])


def _timed(step: Callable[[], Any]) -> tuple[float, Any]:
    started = perf_counter()
    found = step()
    return perf_counter() - started, found
