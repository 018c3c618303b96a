"""Ledgers of version 0.1.0, where a budget belonged to the bytes of a file."""

import sqlite3
from pathlib import Path

import pytest

from dalenius import InputError, Refused
from dalenius.curator import Budget, Ledger, ledger_beside
from tests.curator.asking import asked, changed, released

TABLES = (
    "CREATE TABLE budgets (data VARCHAR NOT NULL, initial FLOAT NOT NULL, PRIMARY KEY (data))",
    "CREATE TABLE releases (number INTEGER NOT NULL, data VARCHAR NOT NULL, spec VARCHAR NOT NULL, "
    "notion VARCHAR NOT NULL, leakage FLOAT NOT NULL, group_loss FLOAT NOT NULL, PRIMARY KEY (number))",
)
INSERT = "INSERT INTO releases (data, spec, notion, leakage, group_loss) VALUES "


def old(path: Path, **budgets: float) -> Path:
    """A ledger as version 0.1.0 wrote it, with one release of 0.25 nats (group loss 2) of each."""
    changed(path, *TABLES)
    for data, initial in budgets.items():
        changed(path, f"INSERT INTO budgets VALUES ('{data}', {initial})")
        changed(path, f"{INSERT} ('{data}', '{{}}', 'information', 0.25, 2.0)")
    return path


def test_debits_carry_over_to_the_name_of_the_same_bytes(tmp_path: Path) -> None:
    path = old(tmp_path / "ledger", one=3.5, two=7.0)
    done = released(path, asked("one", budget=100.0))
    assert done.budget.initial == 3.5
    assert done.budget.spent == pytest.approx(3.0)
    with pytest.raises(Refused, match=r"after 2 earlier of the same data, would spend 4 of a budget of 3.5"):
        released(path, asked("one", spec="[]"))
    assert released(path, asked("two", name="streets")).budget.spent == pytest.approx(3.0)
    connection = sqlite3.connect(path)  # who looks with SQL finds all of it
    found = connection.execute("SELECT data, notion, leakage, group_loss FROM releases ORDER BY number").fetchall()
    connection.close()
    assert found[:2] == [(None, "information", 0.25, 2.0)] * 2
    assert [row[0] for row in found[2:]] == ["people", "streets"]


def test_other_bytes_are_refused_or_count_all(tmp_path: Path) -> None:
    path = old(tmp_path / "ledger", one=5.5, two=7.0)
    before = path.read_bytes()
    with pytest.raises(Refused, match=r"its bytes \(three\) are not those of earlier releases \(one, two\)"):
        released(path, asked("three"))
    assert path.read_bytes() == before
    done = released(path, asked("three", new_data=True))
    assert done.budget.initial == 5.5
    assert done.budget.spent == pytest.approx(5.0)
    with pytest.raises(Refused, match='knows the same bytes as "people"'):
        released(path, asked("two", name="streets"))


def test_a_ledger_of_the_file_s_own_is_all_of_it(tmp_path: Path) -> None:
    path = old(tmp_path / "people.csv.ledger.sqlite", one=5.5, two=7.0)
    done = released(path, asked("two", file="people.csv"))
    assert done.budget.initial == 5.5
    assert done.budget.spent == pytest.approx(5.0)


def test_it_is_found_by_the_stem(tmp_path: Path) -> None:
    path = old(tmp_path / "people.csv.ledger.sqlite", one=5.5)
    assert ledger_beside(tmp_path / "people.parquet", asked("parquet")) == path
    assert ledger_beside(tmp_path / "copy.csv", asked("one", name="copy")) == path
    assert ledger_beside(tmp_path / "streets.csv", asked("x", name="streets")) != path


def test_its_budget_stands(tmp_path: Path) -> None:
    path = old(tmp_path / "ledger", one=3.5)
    with pytest.raises(InputError, match=r"^budget: 9.0, wanted 3.5, what data set"):
        released(path, asked("one", insisted=True))
    assert released(path, asked("one", budget=3.5, insisted=True)).budget.initial == 3.5


def test_looking_changes_nothing(tmp_path: Path) -> None:
    path = old(tmp_path / "ledger", one=3.5)
    before = path.read_bytes()
    assert Ledger(path).earlier(asked("one")) is None
    assert path.read_bytes() == before
    assert Ledger(tmp_path / "none").earlier(asked()) is None
    assert not (tmp_path / "none").exists()


def test_the_old_version_cannot_write_to_a_new_ledger(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    released(path, asked())
    with pytest.raises(sqlite3.OperationalError, match="cannot modify releases because it is a view"):
        changed(path, f"{INSERT} ('other', '{{}}', 'information', 0.25, 2.0)")


def test_a_name_that_is_its_own_fingerprint(tmp_path: Path) -> None:
    path = old(tmp_path / "ledger", data=5.0)
    assert Ledger(path).earlier(asked("data", name="data")) is None
    assert released(path, asked("data", name="data")).budget == Budget(5.0, 3.0)
