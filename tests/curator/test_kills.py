"""Several processes of several threads killed at once: nothing is lost, overspent or ahead."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from dalenius.curator.chain import Link
from dalenius.curator.database import Head, Rows
from dalenius.curator.sqlite import SQLite
from tests.curator import kills

WRONG = (
    "lost",
    "failed",
    "refused",
    "the budget is overspent",
    "drawn without a debit",
    "an answer without a debit of its own",
    "what is beside the ledger is ahead of it",
)


def counted(capsys: pytest.CaptureFixture[str], count: int, folder: Path) -> Any:
    kills.main([str(count), str(folder)])
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("count", [40, pytest.param(2000, marks=pytest.mark.slow)])
def test_nothing_is_lost(count: int, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = counted(capsys, count, tmp_path)
    assert found["kills"] >= count
    assert found["debits"] >= found["answers"] > count / 4
    assert found["asked again"] > count / 8
    assert {each: found[each] for each in found if each in WRONG or "entry" in each} == {"lost": 0, "failed": 0}


def test_a_head_that_is_written_before_its_entry_is_caught(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write, begun, opened = Rows.write, SQLite._begun, list[SQLite]()

    def seen(database: SQLite, write: bool) -> Any:
        opened.append(database)
        return begun(database, write)

    def early(rows: Rows, links: Sequence[Link]) -> None:
        write(rows, links)
        Head(opened[-1].path).write(links[-1])

    monkeypatch.setattr(SQLite, "_begun", seen)
    monkeypatch.setattr(SQLite, "remember", lambda *_: None)
    monkeypatch.setattr(Rows, "write", early)
    assert counted(capsys, 40, tmp_path)["what is beside the ledger is ahead of it"] > 0
