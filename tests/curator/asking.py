"""Requests of a ledger, and what it then holds."""

import json
import os
import sqlite3
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple

from dalenius import Release
from dalenius.calibration import Calibration
from dalenius.curator import Budget, Ledger, Publication, Recorded, Request
from dalenius.curator.amounts import NO_GROUPS
from dalenius.curator.certificate import ReleaseTerms
from dalenius.curator.cost_of_releases import Entry
from dalenius.curator.prepared_release import prepared
from dalenius.notions import Notion
from dalenius.spec import Spec


def costing(leakage: float, group_loss: float, notion: str = "information") -> Entry:
    """Of records that are independent: beside others it counts as group_loss."""
    return Entry("{}", notion, leakage, group_loss, group_loss, group_loss, gaussian=0.0, records=1, together=NO_GROUPS)


COST = costing(0.5, 1.0)
Row = tuple[int, str, str, str]
"""An entry as it is in the table: number, kind, body and hash."""


class Clock:
    """Shows what a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def asked(
    fingerprint: str = "bytes", name: str = "people", spec: str = "{}", budget: float = 9.0, **terms: Any
) -> Request:
    return Request(name, fingerprint, spec, budget, **terms)


def drawn(*answers: Fraction | str) -> Callable[[], Publication]:
    return lambda: Publication(answers, ("a",) * len(answers), {"notion": {"epsilon": 0.5}}, [["promise", "kept"]])


def released(path: Path, request: Request, answer: Fraction | str = Fraction(7), cost: Entry = COST) -> Recorded:
    return Ledger(path).release(request, cost, drawn(answer))


def rows_in_sqlite(path: Path | str) -> list[Row]:
    """Read without the package."""
    if not os.path.exists(path):  # SQLite would make an empty one, which is no ledger
        return []
    connection = sqlite3.connect(path)
    there = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'entries'").fetchall()
    rows = (
        connection.execute("SELECT number, kind, body, hash FROM entries ORDER BY number").fetchall() if there else []
    )
    connection.close()
    return rows


def entries(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """The kinds and bodies."""
    return [(kind, json.loads(body)) for _, kind, body, _ in rows_in_sqlite(path)]


def kinds(path: Path) -> list[str]:
    return [kind for kind, _ in entries(path)]


def changed(path: Path, *statements: str) -> None:
    """Somebody else's SQL."""
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


class Released(NamedTuple):
    calibration: Calibration
    answers: tuple[Fraction | str, ...]
    budget: Budget


def release_once(
    release: Release,
    notion: Notion,
    answer: tuple[int, ...],
    path: Path,
    budget: float = 9.0,
    spec: str = "{}",
    allow_exact: bool = False,
    delta: float = 0.0,
) -> Released:
    """Of data named by their bytes, paid for each time."""
    promised = ReleaseTerms((notion,), 4, Spec(model=release.model, query=release.query, notion=notion))
    ready = prepared(release, [notion], spec, promised, allow_exact)
    request = Request("bytes", "bytes", token_hex(8), budget, delta=delta)
    done = Ledger(path).release(request, ready.cost, lambda: ready.drawn(answer))
    return Released(ready.calibration, done.published.answers, done.budget)


def charged(path: Path, budget: float, cost: Entry) -> Budget:
    """After a release that is paid for each time."""
    return Ledger(path).release(asked(budget=budget, spec=token_hex(8)), cost, drawn("a")).budget


def around(answer: Fraction, half: int) -> list[Fraction]:
    """The interval of a count: it ends at 0 unless all of it is below."""
    lower, upper = answer - half, answer + half
    return [Fraction(0) if lower < 0 <= upper else lower, upper]
