"""Several processes of several threads killed at once: nothing is lost, overspent or ahead."""

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from dalenius.curator.hash_chained_entries import Link
from dalenius.curator.ledger_database import LedgerRows, SQLite
from tests.curator.kills import Release, counted, draws_first, honest, tells_first, together
from tests.curator.written import ahead, problems
from tests.pace import slow
from tests.postgres import Postgres

WRONG = (
    "lost",
    "failed",
    "refused",
    "the budget is overspent",
    "drawn without a debit",
    "an answer without a debit of its own",
    "what is beside the ledger is ahead of it",
)


def check(kills: int, addresses: Any, release: Release = honest) -> None:
    found = counted(kills, addresses, release)
    assert {each: found[each] for each in found if each in WRONG or "entry" in each} == {"lost": 0, "failed": 0}
    # That so much was at stake: what was killed had paid, drawn and told.
    assert found["kills"] >= kills
    assert found["debits"] >= found["answers"] > kills / 4
    assert found["asked again"] > kills / 8


@pytest.mark.lengthy
@pytest.mark.parametrize("kills", [40, slow(2000)])
def test_nothing_is_lost(kills: int, tmp_path: Path) -> None:
    check(kills, (str(tmp_path / f"ledger {number}") for number in count()))


@pytest.mark.lengthy
@pytest.mark.parametrize("kills", [40, slow(600)])
def test_nothing_is_lost_of_releases_that_are_paid_for_at_once(kills: int, tmp_path: Path) -> None:
    check(kills, (str(tmp_path / f"ledger {number}") for number in count()), together)


@pytest.mark.slow
@pytest.mark.parametrize("release", [honest, together])
def test_nothing_is_lost_of_a_postgresql_ledger(release: Release, postgres: Postgres) -> None:
    check(120, (postgres.new() for _ in count()), release)


@pytest.mark.lengthy
@pytest.mark.parametrize(("release", "caught"), [(draws_first, "drawn without a debit"), slow((tells_first, "lost"))])
def test_a_curator_that_pays_late_is_caught(release: Release, caught: str, tmp_path: Path) -> None:
    assert counted(40, (str(tmp_path / f"ledger {number}") for number in count()), release)[caught] > 0


def test_what_would_be_wrong_with_a_ledger(tmp_path: Path) -> None:
    """By hand: the reading that the others rely on."""
    (tmp_path / "book.head").write_text('{"entries": 2, "hash": "another"}', encoding="ascii")
    rows = [(2, "debit", '{"group_loss": 16000000000}', "no hash")]
    assert list(ahead(str(tmp_path / "book"), rows)) == ["what is beside the ledger is ahead of it"]
    wrong = list(problems(rows, draws=2, budget=15.5))
    assert wrong == ["entry 1 is not linked to the one before it", "the budget is overspent", "drawn without a debit"]


@pytest.mark.slow
def test_a_head_that_is_written_before_its_entry_is_caught(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write, prepare, remember, opened = LedgerRows.write, SQLite._prepare, SQLite.remember, list[SQLite]()

    def seen(database: SQLite, write: bool) -> Any:
        opened.append(database)
        return prepare(database, write)

    def early(rows: LedgerRows, links: Sequence[Link]) -> None:
        write(rows, links)
        remember(opened[-1], links[-1])

    monkeypatch.setattr(SQLite, "_prepare", seen)
    monkeypatch.setattr(SQLite, "remember", lambda *_: None)
    monkeypatch.setattr(LedgerRows, "write", early)
    found = counted(40, (str(tmp_path / f"ledger {number}") for number in count()))
    assert found["what is beside the ledger is ahead of it"] > 0
