"""`python -m tests.curator.faults LEDGER STEP`: a release that is killed at that step.
`python -m tests.curator.faults LEDGER BUDGET SPEC...`: one after another, of several processes at once."""

import os
import signal
import sys
import time
from fractions import Fraction
from pathlib import Path
from secrets import randbelow

from dalenius import Refused
from dalenius.curator import Ledger, Publication, ledger
from dalenius.curator.hash_chained_entries import Link
from dalenius.curator.ledger_storage import Book
from tests.curator.asking import COST, asked, released

STEPS = ("before the debit", "debit not committed", "before the draw", "after the draw", "record not committed", "told")
"""Where a kill falls, in their order."""


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)


def stopped(path: Path, step: str) -> None:
    """One release of 1/2 nat, killed at the step."""
    add = Book.add

    def adding(book: Book, kind: str, body: dict[str, object]) -> Link:
        if (step, kind) in {("before the debit", "debit"), ("after the draw", "answer")}:
            kill()
        link = add(book, kind, body)
        if (step, kind) in {("debit not committed", "debit"), ("record not committed", "answer")}:
            kill()
        return link

    def draw() -> Publication:
        if step == "before the draw":
            kill()
        return Publication((Fraction(7),), ("",), {}, ())

    Book.add = adding  # type: ignore[method-assign, assignment]
    Ledger(path).release(asked(), COST, draw)
    if step == "told":
        kill()


def asking(path: Path, specs: list[str], budget: float) -> None:
    """Prints what each request gets. Patience without end: a busy machine is no reason to pay twice."""
    ledger.OTHERS_MAY_TAKE = 300.0  # type: ignore[misc]
    for spec in specs:
        try:
            print(
                spec, released(path, asked(spec=spec, budget=budget), Fraction(randbelow(2**64))).published.answers[0]
            )
        except Refused:
            print(spec, "refused")


def main(arguments: list[str]) -> None:
    ledger, *rest = arguments
    if rest[0] in STEPS:
        stopped(Path(ledger), rest[0])
    else:
        asking(Path(ledger), rest[1:], float(rest[0]))


if __name__ == "__main__":
    main(sys.argv[1:])
