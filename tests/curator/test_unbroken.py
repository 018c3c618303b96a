"""Between a debit and its answer whatever would end the process waits, and then comes.

Ctrl-C while something is asked is KeyboardInterrupt, whoever is asked at that moment.
"""

import _thread
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
from pydantic import BaseModel, field_serializer

from dalenius.curator import Ledger, Publication
from dalenius.curator.hash_chained_entries import Link
from dalenius.curator.ledger_database import LedgerRows
from dalenius.curator.ledger_storage import ENDS, Unbroken
from tests.curator.asking import COST, asked, drawn, kinds
from tests.curator.policies import ask, curator

DONE = ["budget", "fingerprint", "debit", "answer"]


def drawing(path: Path, send: Callable[[], None]) -> None:
    def draw() -> Publication:
        send()
        return drawn("a")()

    Ledger(path).release(asked(), COST, draw)


def committing(path: Path, send: Callable[[], None]) -> None:
    """Within the transaction of the debit, and of the answer."""
    write = LedgerRows.write

    def writing(rows: LedgerRows, links: Sequence[Link]) -> None:
        write(rows, links)
        send()

    LedgerRows.write = writing  # type: ignore[method-assign, assignment]
    Ledger(path).release(asked(), COST, drawn("a"))


@pytest.mark.parametrize("release", [drawing, committing])
def test_it_comes_when_the_answer_is_recorded(
    release: Callable[[Path, Callable[[], None]], None], tmp_path: Path
) -> None:
    for number in ENDS:
        path = tmp_path / f"ledger{number}"
        child = os.fork()
        if not child:
            for each in ENDS:
                signal.signal(each, signal.SIG_DFL)
            release(path, lambda: signal.raise_signal(number))  # noqa: B023
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.WTERMSIG(status) == number
        assert kinds(path) == DONE


@pytest.fixture
def heard() -> Iterator[None]:
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


@pytest.mark.usefixtures("heard")
@pytest.mark.parametrize(("where", "use"), [(in_duckdb, "ask"), (in_pydantic, "estimate")])
def test_it_is_an_interrupt(where: Any, use: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = curator(tmp_path)
    monkeypatch.setattr("dalenius.curator.curator.Curator.ready", where)
    with pytest.raises(KeyboardInterrupt):
        getattr(made.session("ana", "measles"), use)(ask())
    monkeypatch.undo()
    assert not made.session("ana", "measles").estimate(ask()).free


@pytest.mark.usefixtures("heard")
def test_ctrl_c_is_an_interrupt_again() -> None:
    reached = []

    def all_of_it() -> None:
        with Unbroken() as end:
            end.begin()
            signal.raise_signal(signal.SIGINT)
            reached.append("the end")

    with pytest.raises(KeyboardInterrupt):
        all_of_it()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert reached == ["the end"]
