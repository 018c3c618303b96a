"""Requests of a ledger, each in a forked process that is killed at some time, and what the ledger then holds.

A child says in shared memory how far it is and how often it drew, and on a pipe what its client was told: what is
written there stays when it is killed. The ledger is read without the package.
"""

import json
import mmap
import os
import signal
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import sha256
from random import Random
from secrets import randbelow
from statistics import median
from typing import Final

from dalenius import Refused
from dalenius.curator import Ledger, Publication, Recorded, ledger
from dalenius.curator.chain import Link
from dalenius.curator.storage import Book
from tests.curator.asking import COST, asked

PHASES: Final = (
    "before the debit",
    "debit written, not committed",
    "debit committed, nothing drawn",
    "drawn, nothing recorded",
    "answer written, not committed",
    "answer committed, not told",
    "told",
)
"""How far a request may be when it is killed, in their order."""
BEFORE, DEBITED, PAID, DRAWN, RECORDED, COMMITTED, TOLD = range(len(PHASES))
SHARE: Final = 0.02
"""Of a run's duration a child does nothing so long at the beginning of each phase: none is too short to be hit."""
BUDGET: Final = 15.5
"""Enough for the first so many: a release of these adds a nat."""
REFUSED: Final = "refused"
Row = tuple[int, str, str, str]
"""An entry as it is in the table: number, kind, body and hash."""
Release = Callable[[Ledger, "Child"], Recorded]


@dataclass
class Shared:
    """What a child says of itself, and what its parent says to it."""

    memory: mmap.mmap = field(default_factory=lambda: mmap.mmap(-1, 16))
    pause: float = 0.0

    def reset(self, stop: int | None) -> None:
        """stop: the phase at whose beginning the child is to wait for its end."""
        self.memory[0], self.memory[1] = BEFORE, len(PHASES) if stop is None else stop

    @property
    def phase(self) -> int:
        return self.memory[0]

    def enter(self, phase: int) -> None:
        self.memory[0] = phase
        time.sleep(60 if phase == self.memory[1] else self.pause)

    @property
    def draws(self) -> int:
        """Of all children so far."""
        return int.from_bytes(self.memory[8:16], "little")

    def draw(self) -> Fraction:
        self.memory[8:16] = (self.draws + 1).to_bytes(8, "little")
        return Fraction(randbelow(2**62))


@dataclass(frozen=True)
class Child:
    """One request, as the process that asks it sees it."""

    shared: Shared
    told: int
    spec: str = ""

    def draw(self) -> Publication:
        self.shared.enter(PAID)
        answer = self.shared.draw()
        self.shared.enter(DRAWN)
        return Publication((answer,), ("",), {}, ())

    def tell(self, answer: object) -> None:
        os.write(self.told, f"{self.spec} {answer}\n".encode())

    def ask(self, address: str, release: Release) -> None:
        self.shared.enter(BEFORE)
        try:
            answer = release(Ledger(address), self).published.answers[0]
        except Refused:
            self.tell(REFUSED)
            return
        self.shared.enter(COMMITTED)
        self.tell(answer)
        self.shared.enter(TOLD)


def honest(book: Ledger, child: Child) -> Recorded:
    return book.release(asked(spec=child.spec, budget=BUDGET), COST, child.draw)


def draws_first(book: Ledger, child: Child) -> Recorded:
    """A curator that pays after it drew."""
    published = child.draw()
    return book.release(asked(spec=child.spec, budget=BUDGET), COST, lambda: published)


def tells_first(book: Ledger, child: Child) -> Recorded:
    """One that records what it told."""

    def draw() -> Publication:
        published = child.draw()
        child.tell(published.answers[0])
        return published

    return book.release(asked(spec=child.spec, budget=BUDGET), COST, draw)


def draws_again(book: Ledger, child: Child) -> Recorded:
    """One that draws again what was lost, for the same debit."""
    request = asked(spec=child.spec, budget=BUDGET)
    if book.earlier(request) is None and book.history().is_pending(request.key):
        child.tell(child.draw().answers[0])
    return book.release(request, COST, child.draw)


RELEASES: Final[dict[str, Release]] = {each.__name__: each for each in (honest, draws_first, tells_first, draws_again)}


def instrument(shared: Shared) -> None:
    """So that the ledger of this process says when it has written an entry."""
    add, phases = Book.add, {"debit": DEBITED, "answer": RECORDED}

    def adding(book: Book, kind: str, body: dict[str, object]) -> Link:
        link = add(book, kind, body)
        if kind in phases:
            shared.enter(phases[kind])
        return link

    Book.add = adding  # type: ignore[method-assign, assignment]
    ledger.PATIENCE = 0.01  # type: ignore[misc]  # whoever paid and did not answer was killed


def rows_of(address: str) -> list[Row]:
    return rows_in_postgres(address) if "://" in address else rows_in_sqlite(address)


def rows_in_sqlite(path: str) -> list[Row]:
    if not os.path.exists(path):  # SQLite would make an empty one, which is no ledger
        return []
    connection = sqlite3.connect(path)
    there = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'entries'").fetchall()
    rows = (
        connection.execute("SELECT number, kind, body, hash FROM entries ORDER BY number").fetchall() if there else []
    )
    connection.close()
    return rows


def rows_in_postgres(url: str) -> list[Row]:
    import psycopg

    with psycopg.connect(url) as connection:
        if connection.execute("SELECT to_regclass('dalenius_ledger')").fetchone() == (None,):
            return []
        rows = connection.execute("SELECT number, kind, body, hash FROM dalenius_ledger ORDER BY number")
        return [(number, kind, body, hash_) for number, kind, body, hash_ in rows]


def problems(rows: list[Row], draws: int, budget: float = BUDGET) -> Iterator[str]:
    """What is wrong with a ledger from which so much was drawn."""
    before = sha256(b"dalenius ledger").hexdigest()
    for place, (number, kind, text, hash_) in enumerate(rows, 1):
        whole = json.dumps([before, number, kind, text], separators=(",", ":"))
        if number != place or hash_ != sha256(whole.encode()).hexdigest():
            yield f"entry {place} is not linked to the one before it"
        before = hash_
    debits = {number: json.loads(text) for number, kind, text, _ in rows if kind == "debit"}
    if sum(Fraction(debit["group_loss"], 10**9) for debit in debits.values()) > Fraction(budget):
        yield "the budget is overspent"
    if draws > len(debits):
        yield "drawn without a debit"
    answered = Counter(json.loads(text)["debit"] for _, kind, text, _ in rows if kind == "answer")
    if any(count > 1 or debit not in debits for debit, count in answered.items()):
        yield "an answer without a debit of its own"


def ahead(address: str, rows: list[Row]) -> Iterator[str]:
    """What is wrong with what is beside a ledger's file."""
    with suppress(FileNotFoundError), open(f"{address}.head", encoding="ascii") as file:
        found = json.load(file)
        if found["hash"] not in [hash_ for number, _, _, hash_ in rows if number == found["entries"]]:
            yield "what is beside the ledger is ahead of it"


def key(spec: str) -> str:
    """Of the request in the ledger."""
    return str(asked(spec=spec).key)


def answers_of(rows: list[Row]) -> dict[str, str]:
    """The answers in the ledger, by the key of their request."""
    bodies = [json.loads(text) for _, kind, text, _ in rows if kind == "answer"]
    return {body["request"]: str(Fraction(*body["answers"][0])) for body in bodies}


@dataclass
class Nursery:
    """One ledger, and the children that ask it one after another."""

    address: str
    release: Release
    shared: Shared
    random: Random
    specs: list[str] = field(default_factory=list)
    told: dict[str, str] = field(default_factory=dict)
    wrong: set[str] = field(default_factory=set)
    draws: int = 0

    def run(self, specs: Sequence[str], stop: int | None = None, after: float | None = None) -> tuple[int, bool]:
        """A child that asks for these, killed at the beginning of phase `stop`, or after so many seconds, or not. In
        which phase it ended, and whether by a kill."""
        self.shared.reset(stop)
        begun, (out, told) = self.shared.draws, os.pipe()
        child = os.fork()
        if not child:
            os.close(out)
            with suppress(Exception):
                instrument(self.shared)
                for spec in specs:
                    Child(self.shared, told, spec).ask(self.address, self.release)
                os._exit(0)
            os._exit(1)
        os.close(told)
        if stop is not None:
            self._reached(child, stop)
        elif after is not None:
            time.sleep(after)
        if stop is not None or after is not None:
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        with os.fdopen(out) as lines:
            said = [line.split() for line in lines.read().splitlines()]
        self.draws += self.shared.draws - begun
        if os.WIFEXITED(status) and os.WEXITSTATUS(status):
            self.wrong.add("a request failed")
        self.judge(specs[-1], said)
        return self.shared.phase, os.WIFSIGNALED(status)

    def _reached(self, child: int, stop: int) -> None:
        """Waits until the child is there, or has ended and waits to be buried."""
        while self.shared.phase != stop and not os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            time.sleep(5e-5)

    def judge(self, last: str, said: list[list[str]]) -> None:
        """last: what was asked for when it ended."""
        rows = rows_of(self.address)
        self.wrong.update((*problems(rows, self.draws), *ahead(self.address, rows)))
        kept, paid = answers_of(rows), sum(kind == "debit" for _, kind, _, _ in rows)
        for spec, answer in said:
            if answer == REFUSED:
                if paid < int(BUDGET) or key(spec) in kept:
                    self.wrong.add("refused what could be paid")
            elif kept.get(key(spec)) != answer or self.told.setdefault(spec, answer) != answer:
                self.wrong.add("told what is not recorded")
        if self.shared.phase >= COMMITTED and key(last) not in kept:
            self.wrong.add("an answer was lost after it was recorded")
        if any(key(spec) not in kept for spec in self.told):
            self.wrong.add("an answer that was told is gone")

    def next(self) -> str:
        """A request: new, or one of those before, most often the last."""
        if self.specs and self.random.random() < 0.5:
            return self.random.choice([self.specs[-1], self.specs[-1], *self.specs])
        return self.new()

    def new(self) -> str:
        self.specs.append(f"r{len(self.specs)}")
        return self.specs[-1]


def main(arguments: list[str]) -> None:
    """RELEASE RUNS LENGTH ADDRESS...: so many runs, so many on each of the ledgers, of the first every other one is
    stopped at a phase, the others killed at any time; the last ledger is measured before. Prints a JSON object: the
    kills at any time and the stops by phase, and what was wrong."""
    release, runs, length = RELEASES[arguments[0]], int(arguments[1]), int(arguments[2])
    *addresses, other = arguments[3:]
    random, shared = Random(1), Shared()
    seconds = measured(other, shared)
    shared.pause = SHARE * seconds
    killed, stopped, wrong = Counter[str](), Counter[str](), set[str]()
    for address, begin in zip(addresses, range(0, runs, length), strict=True):
        nursery = Nursery(address, release, shared, random)
        for number in range(begin, min(begin + length, runs)):
            stop, odd = divmod(number - begin, 2)
            if stop < len(PHASES) and not odd:  # a new request each, which the budget allows: so it comes there
                phase, dead = nursery.run([nursery.new()], stop=stop)
                stopped[PHASES[phase]] += dead
            else:
                phase, dead = nursery.run([nursery.next()], after=random.uniform(0, seconds))
                killed[PHASES[phase]] += dead
        nursery.run(nursery.specs)  # with nobody killed: each has its one answer, or the budget is spent
        wrong |= nursery.wrong
    print(json.dumps({"killed": killed, "stopped": stopped, "wrong": sorted(wrong), "seconds": seconds}))


def measured(address: str, shared: Shared) -> float:
    """Seconds from a child's beginning to its end. What it imports and compiles first is there afterwards for all."""
    shared.reset(None)
    with open(os.devnull, "w") as nobody:
        Child(shared, nobody.fileno()).ask(address, honest)
    nursery = Nursery(address, honest, shared, Random())
    took = []
    for spec in "abcdefgh":
        begun = time.perf_counter()
        nursery.run([spec])
        took.append(time.perf_counter() - begun)
    return median(took)


if __name__ == "__main__":
    main(sys.argv[1:])
