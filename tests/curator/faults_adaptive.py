"""Analysts who choose each question by the answers so far until they are refused, and what they then believe.

All that is told to them goes into an exact belief (`tests.reference.transcript`). Data are drawn from the model.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any, Final, TypeAlias

import numpy as np

from dalenius import Ask, Count, Gaussian, Geometric, Laplace, Refused
from dalenius.channel import Release
from dalenius.curator import Curator, Ledger, Publication, Recorded, Request, Session, policy_from
from dalenius.curator.cost_of_releases import Entry
from dalenius.curator.group_commit import Attempt
from dalenius.curator.ledger import Order
from tests.reference.transcript import Array, Belief, LogNoise, normal, two_sided

HOMES: Final = ("x", "y", "z")
SIZE: Final = 3
MEASURES: Final = ("ill", "well")

Question: TypeAlias = tuple[str, tuple[int, ...], float]
"""The measure, the homes that count, and the share of epsilon."""
Read: TypeAlias = Callable[[Release], tuple[int, ...]]
Seen: TypeAlias = Sequence[tuple[Question, Fraction]]
Choice: TypeAlias = tuple[tuple[int, ...], int]
Strategy: TypeAlias = Callable[[Belief, Seen, Random], Choice]
"""By the answers so far: the homes, and from which of the shares on to try."""


def repeating(_: Belief, seen: Seen, random: Random) -> Choice:
    """The same number again and again: it, and how many it leaves out."""
    return (0,), 0


def by_label(_: Belief, seen: Seen, random: Random) -> Choice:
    """One home after another, and all of them."""
    return ((0,), (1,), (2,), (0, 1, 2))[len(seen) % 4], len(seen) % 2


def by_the_last(_: Belief, seen: Seen, random: Random) -> Choice:
    """More, with less noise, of where the last answer was extreme; else elsewhere, with more."""
    if not seen:
        return (0, 1, 2), 1
    (_name, homes, _share), answer = seen[-1]
    return (homes, 0) if not 0 < answer < SIZE * len(homes) else ((random.randrange(len(HOMES)),), 1)


def greedy(belief: Belief, seen: Seen, random: Random) -> Choice:
    """Of the home of which most is known."""
    ratios = np.abs(belief.log_ratios()).reshape(len(HOMES), SIZE).max(axis=1)
    return (int(ratios.argmax()),), 0


STRATEGIES: Final[tuple[Strategy, ...]] = (repeating, by_label, by_the_last, greedy)


@dataclass(frozen=True)
class Promise:
    """What the data set was promised; shares: of epsilon, in nats, that analysts try, from the largest; homes: which
    they ask about together, the first instead of any others; frozen: whether losses may be converted together."""

    notion: Mapping[str, Any]
    noise: Laplace | Geometric | Gaussian
    shares: tuple[float, ...]
    homes: tuple[tuple[int, ...], ...] = ((0,), (1,), (2,), (0, 1, 2))
    infected: tuple[float, ...] = (0.4995, 0.0005, 0.0005, 0.4995)
    frozen: bool = True

    def of(self, scale: float) -> LogNoise:
        return normal(scale) if isinstance(self.noise, Gaussian) else two_sided(scale)

    def policy(self) -> dict[str, Any]:
        model = {"kind": "households", "by": "home", "types": [{"infected": list(self.infected)}]}
        measures = [
            {"name": name, "value": {"column": "ill", "equals": value}, "model": model}
            for name, value in zip(MEASURES, (1, 0), strict=True)
        ]
        source = {"file": "people.csv", "label": "home", "household": "home"}
        analysts = [{"name": "ana"}, {"name": "bob"}]
        found = {"name": "d", "source": source, "notion": self.notion, "measures": measures, "analysts": analysts}
        return found | {"frozen": self.frozen}


@dataclass
class Laboratory:
    """Curators of many data sets under one policy, each run with a new ledger. Noises are found once: nothing of them
    looks at the table."""

    promise: Promise
    folder: Path
    charge: float = 1.0
    curators: dict[tuple[int, ...], Curator] = field(default_factory=dict)
    found: Any = None
    runs: int = 0

    def curator(self, people: tuple[int, ...]) -> Curator:
        if people not in self.curators:
            folder = self.folder / "".join(map(str, people))
            folder.mkdir()
            lines = [f"{home},{ill}" for home, ill in zip(np.repeat(HOMES, SIZE), people, strict=True)]
            (folder / "people.csv").write_text("\n".join(["home,ill", *lines]) + "\n", encoding="utf-8")
            made = Curator(policy_from({"data": [self.promise.policy()]}), folder)
            self.found = made._found if self.found is None else self.found
            made._found = self.found
            _remember(made)
            self.curators[people] = made
        return self.curators[people]

    def run(self, strategy: Strategy, random: Random) -> tuple[tuple[int, ...], Array]:
        """People drawn from the model, and by person how much likelier 1 than 0 makes all that was told of them."""
        belief = Belief(len(HOMES), [Fraction(str(chance)) for chance in self.promise.infected])
        (chosen,) = random.choices(belief.states, weights=list(belief.prior))
        people = tuple(map(int, chosen))
        curator = self.curator(people)
        self.runs += 1
        curator.ledger = Charging(Ledger(self.folder / f"{self.runs}.sqlite"), self.charge)  # type: ignore[assignment]
        sessions = [curator.session(name, "d") for name in ("ana", "bob")]
        seen: list[tuple[Question, Fraction]] = []
        while True:
            homes, first = strategy(belief, seen, random)
            homes = homes if homes in self.promise.homes else self.promise.homes[0]
            told = self.ask(sessions[len(seen) % 2], homes, first, [question for question, _ in seen])
            if told is None:
                return people, belief.log_ratios()
            question, recorded = told
            (answer,) = recorded.published.answers
            assert isinstance(answer, Fraction)
            noise = self.promise.of(recorded.published.certificate["noise"]["scale"])
            ill = answer if question[0] == "ill" else SIZE * len(homes) - answer
            belief.learn(homes, ill, noise)
            seen.append((question, answer))

    def ask(
        self, session: Session, homes: tuple[int, ...], first: int, before: Sequence[Question]
    ) -> tuple[Question, Recorded] | None:
        """The first of these that is new and not refused, in the order of shares; of both measures in turn."""
        query = Count(labels=None if len(homes) == len(HOMES) else tuple(HOMES[home] for home in homes))
        turn = len(before) % 2
        for share in (*self.promise.shares[first:], *self.promise.shares[:first]):
            left = [name for name in (*MEASURES[turn:], *MEASURES[:turn]) if (name, homes, share) not in before]
            if not left:
                continue
            try:
                ask = Ask(measure=left[0], query=query, epsilon=share, noise=self.promise.noise)
                return (left[0], homes, share), session.ask(ask)
            except Refused:
                pass
        return None


def _remember(curator: Curator) -> None:
    """The table is read once for each question: what is asked of it again has the same exact answer."""
    for measure in curator.policy.data[0].measures:
        opened = curator.opened(curator.policy.data[0], measure)
        read, known = opened.answer, dict[str, tuple[int, ...]]()

        def answer(release: Release, read: Read = read, known: dict[str, tuple[int, ...]] = known) -> tuple[int, ...]:
            question = release.query.model_dump_json()
            if question not in known:
                known[question] = read(release)
            return known[question]

        opened.answer = answer  # type: ignore[method-assign]


@dataclass(frozen=True)
class Charging:
    """A ledger that is charged a part of what each answer costs."""

    ledger: Ledger
    part: float

    def earlier(self, request: Request) -> Recorded | None:
        return self.ledger.earlier(request)

    def check_frozen(self, name: str, version: str, fingerprint: str) -> None:
        self.ledger.check_frozen(name, version, fingerprint)

    def afterwards(self, request: Request, cost: Entry) -> object:
        return self.ledger.afterwards(request, self._charged(cost))

    def release(self, request: Request, cost: Entry, draw: Callable[[], Publication]) -> Recorded:
        return self.ledger.release(request, self._charged(cost), draw)

    def release_each(self, orders: Sequence[Order], tell: Callable[[int, Attempt[Recorded]], None]) -> None:
        self.ledger.release_each([self._order(each) for each in orders], tell)

    def refusals(self, orders: Sequence[Order]) -> list[Exception | None]:
        return self.ledger.refusals([self._order(each) for each in orders])

    def _order(self, order: Order) -> Order:
        return replace(order, cost=self._charged(order.cost))

    def _charged(self, cost: Entry) -> Entry:
        if self.part == 1:
            return cost
        losses = ("leakage", "group_loss", "differential", "gaussian", "pure")
        return replace(
            cost, **{name: getattr(cost, name) * self.part for name in losses if getattr(cost, name) is not None}
        )
