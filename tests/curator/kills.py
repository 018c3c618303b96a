"""Processes of several threads that release from one ledger, and are killed at any time.

A ledger is read without the package; what a client was told is on a pipe, what was drawn in shared memory.
"""

import gc
import mmap
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from random import Random
from secrets import randbelow
from threading import Thread
from typing import Final

from dalenius import InputError, Refused
from dalenius.curator import Attempt, Ledger, Publication, Recorded, Request, ledger
from dalenius.curator.ledger import Order
from tests.curator.asking import COST, asked
from tests.curator.written import ahead, answers_of, key, problems, rows_of

BUDGET: Final = 150.5
"""Of each ledger; each release adds a nat."""
LENGTH: Final = 40
"""Kills of a ledger at most; a new one where its budget is spent."""
WRITERS: Final = 3
LONGEST: Final = 0.04
"""Seconds from the beginning of a writer's first release to its end, at most; more where releases are slow."""
SLOWER: Final = 1.3
"""Times as long live the next writers where some were killed before anybody was told anything: so a slow machine shows
as much as a fast one."""
LONGER: Final = 8.0
"""Times as long as at first, at most: of a ledger that nobody may write to nobody is told anything."""


@dataclass
class Slots:
    """For each writer whether it has begun, and for each of its threads how often it drew."""

    memory: mmap.mmap = field(default_factory=lambda: mmap.mmap(-1, 8 * WRITERS * 4))

    def add(self, place: int) -> None:
        self.memory[8 * place : 8 * place + 8] = (self.get(place) + 1).to_bytes(8, "little")

    def get(self, place: int) -> int:
        return int.from_bytes(self.memory[8 * place : 8 * place + 8], "little")

    @property
    def draws(self) -> int:
        return sum(self.get(4 * writer + thread) for writer in range(WRITERS) for thread in (1, 2, 3))


Draw = Callable[[], Publication]
Tell = Callable[[Publication], None]
Release = Callable[[Ledger, Request, Draw, Tell], None]
"""How a curator answers a request: what draws, and what tells its client."""


def honest(book: Ledger, request: Request, draw: Draw, tell: Tell) -> None:
    tell(book.release(request, COST, draw).published)


def together(book: Ledger, request: Request, draw: Draw, tell: Tell) -> None:
    """Three requests that are paid for at once, of which the second is this one."""
    asks = [replace(request, spec=f"{request.spec}-first"), request, replace(request, spec=f"{request.spec}-last")]

    def hand_on(place: int, found: Attempt[Recorded]) -> None:
        with suppress(Refused):
            done = found.result()
            if place == 1:
                tell(done.published)

    book.release_each([Order(each, COST, draw) for each in asks], hand_on)


def draws_first(book: Ledger, request: Request, draw: Draw, tell: Tell) -> None:
    """A curator that pays after it drew."""
    published = draw()
    honest(book, request, lambda: published, tell)


def tells_first(book: Ledger, request: Request, draw: Draw, tell: Tell) -> None:
    """One that records what it told."""

    def telling() -> Publication:
        published = draw()
        tell(published)
        return published

    book.release(request, COST, telling)


def writes(address: str, slots: Slots, writer: int, told: int, known: list[str], name: str, release: Release) -> None:
    """A writer, until it is killed: new requests of its own, and earlier ones that were answered."""
    ledger.OTHERS_MAY_TAKE = 0.01  # type: ignore[misc]  # whoever paid and did not answer was killed
    random, book = Random(name), Ledger(address)
    slots.add(4 * writer)

    def each(thread: int) -> None:
        def draw() -> Publication:
            slots.add(4 * writer + thread)
            return Publication((Fraction(randbelow(2**62)),), ("",), {}, ())

        for number in range(1000):
            old = known and random.random() < 0.2
            spec = random.choice(known) if old else f"{name}-{thread}-{number}"

            def tell(published: Publication, spec: str = spec) -> None:
                os.write(told, f"{spec} {published.answers[0]}\n".encode())

            with suppress(Refused):
                release(book, asked(spec=spec, budget=BUDGET), draw, tell)

    threads = [Thread(target=each, args=(number,)) for number in range(1, 1 + random.choice((1, 1, 2, 3)))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@dataclass
class Round:
    """One ledger and all that is known of it."""

    address: str
    random: Random
    counted: Counter[str]
    longest: float
    most: float
    release: Release
    draws: int = 0
    told: dict[str, str] = field(default_factory=dict)
    hashes: list[str] = field(default_factory=list)

    def kill(self, number: int) -> None:
        """Writers at once, one of which is killed first; the others a little later."""
        slots, (out, told) = Slots(), os.pipe()
        known, children = list(self.told), []
        for writer in range(self.random.randint(1, WRITERS)):
            gc.freeze()  # what others left in this process is no garbage of the child's: their threads are not there
            child = os.fork()
            if not child:
                os.close(out)
                with suppress(BaseException):
                    writes(self.address, slots, writer, told, known, f"{number}-{writer}", self.release)
                    os._exit(0)
                os._exit(1)
            children.append(child)
        os.close(told)
        for writer, child in enumerate(children):
            while not slots.get(4 * writer) and not os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                time.sleep(1e-4)
        before = self.counted["kills"]
        for child in self.random.sample(children, len(children)):
            time.sleep(self.random.uniform(0, self.longest))
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            self.counted["kills"] += status == signal.SIGKILL
            self.counted["failed"] += status not in (0, signal.SIGKILL)
        with os.fdopen(out) as lines:
            said = [line.split() for line in lines if line.endswith("\n")]
        early = not said and self.counted["kills"] > before  # who ended before was refused
        self.longest = max(LONGEST, min(self.longest * SLOWER, self.most) if early else self.longest / SLOWER)
        self.draws += slots.draws
        self.judge(said)

    def judge(self, said: list[list[str]]) -> None:
        rows = rows_of(self.address)
        wrong = [*problems(rows, self.draws, BUDGET), *ahead(self.address, rows)]
        self.counted.update(wrong)
        hashes, kept = [row[3] for row in rows], answers_of(rows)
        self.counted["lost"] += hashes[: len(self.hashes)] != self.hashes
        self.hashes = hashes
        for spec, answer in said:
            self.counted["delivered"] += 1
            self.counted["lost"] += kept.get(key(spec)) != answer or self.told.setdefault(spec, answer) != answer
        self.counted["lost"] += any(kept.get(key(spec)) != answer for spec, answer in self.told.items())

    def ask_again(self) -> None:
        """By one who comes afterwards: each answer that was told, for nothing."""
        found = Ledger(self.address)
        try:
            for spec, answer in self.told.items():
                again = found.earlier(asked(spec=spec, budget=BUDGET))
                self.counted["lost"] += again is None or str(again.published.answers[0]) != answer
                self.counted["asked again"] += 1
        except InputError:
            self.counted["refused"] += 1
        found.close()

    def count(self) -> None:
        """Into the totals."""
        found = Counter(kind for _, kind, _, _ in rows_of(self.address))
        self.counted.update({"debits": found["debit"], "answers": found["answer"]})


def warmed(address: str) -> float:
    """Seconds in which writers are to be killed at first: two releases, each with a connection of its own, on a disk or
    beside others that make them slow. What a first one imports is imported, so that no writer is killed while it
    does."""
    begun = 0.0
    for spec in "ab":
        begun, book = time.monotonic(), Ledger(address)
        book.release(asked(spec=spec, budget=BUDGET), COST, lambda: Publication((Fraction(0),), ("",), {}, ()))
        book.close()
    return max(LONGEST, 2 * (time.monotonic() - begun))


def counted(kills: int, addresses: Iterator[str], release: Release = honest) -> Counter[str]:
    """What so many kills showed, on one new ledger after another; what is lost, overspent or ahead must be 0."""
    longest, found, random = warmed(next(addresses)), Counter[str](), Random(1)
    most = LONGER * longest
    for address in addresses:
        one = Round(address, random, found, longest, most, release)
        for each in range(LENGTH):
            one.kill(each)
            if found["kills"] >= kills or len(one.hashes) > 2 * BUDGET:
                break
        longest = one.longest
        one.count()
        one.ask_again()
        if found["kills"] >= kills:
            break
    return found
