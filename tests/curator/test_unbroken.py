"""Between a debit and its answer whatever would end the process waits, and then comes."""

import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from dalenius.curator import Ledger, Publication
from dalenius.curator.hash_chained_entries import Link
from dalenius.curator.ledger_database import LedgerRows
from dalenius.curator.ledger_transactions import ENDS, Unbroken
from tests.curator.asking import COST, asked, drawn, kinds

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


def test_ctrl_c_is_an_interrupt_again() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored
    reached = []

    def all_of_it() -> None:
        with Unbroken() as end:
            end.begin()
            signal.raise_signal(signal.SIGINT)
            reached.append("the end")

    try:
        with pytest.raises(KeyboardInterrupt):
            all_of_it()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert reached == ["the end"]
