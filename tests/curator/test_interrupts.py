"""Ctrl-C while something is asked is KeyboardInterrupt, whoever is asked at that moment."""

import _thread
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from pydantic import BaseModel, field_serializer

from dalenius.curator import Curator, policy_from
from tests.curator.policies import ask, people, sections


@pytest.fixture(autouse=True)
def _heard() -> Iterator[None]:
    """Who starts the tests in the background has them ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def in_duckdb(*_: Any) -> None:
    with duckdb.connect() as connection:
        _thread.interrupt_main()
        connection.execute("SELECT count(*) FROM range(100000) a, range(100000) b").fetchall()


class Slow(BaseModel):
    word: str = ""

    @field_serializer("word")
    def _interrupted(self, _: str) -> str:
        raise KeyboardInterrupt


def in_pydantic(*_: Any) -> None:
    Slow().model_dump_json()


@pytest.mark.parametrize(("where", "use"), [(in_duckdb, "ask"), (in_pydantic, "estimate")])
def test_it_is_an_interrupt(where: Any, use: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "people.csv").write_text(people(), encoding="utf-8")
    curator = Curator(policy_from(sections()), tmp_path)
    monkeypatch.setattr("dalenius.curator.curator.Curator.ready", where)
    with pytest.raises(KeyboardInterrupt):
        getattr(curator.session("ana", "measles"), use)(ask())
    monkeypatch.undo()
    assert not curator.session("ana", "measles").estimate(ask()).free
