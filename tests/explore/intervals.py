"""Laws inside intervals that leak more than is said, looked for at random.

Random sets of laws, whose rows mix numbers, zeros, ones and intervals of any width, of households, groups, chains and
networks; laws inside are enumerated and climbed among without the package, and compared with its upper ends. What is
above one, and an answer that takes longer than 20 s, is wrong.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite
from random import Random
from typing import Final

from dalenius.bounds import Enclosure
from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.models import Chain, Groups, GroupType, Households, Model, Network, Node
from dalenius.noise import Geometric, Laplace, Noise, NoNoise
from dalenius.notions import InferentialPrivacy, InformationPrivacy, Notion, RelativeEntropyPrivacy
from dalenius.queries import Count, Query, Sum
from tests.explore.inside import Inside, climbed
from tests.explore.rows import random_row
from tests.explore.seen import Name, Seen

SLOW: Final = 20.0
"""Seconds of a processor."""
LOOSE: Final = 1e-9
"""Relative: by so much sums here may be off."""
STARTS: Final = 6
FAR: Final = 0.05
"""Relative, and in nats: a lower end that is so far above all that was found deserves a look."""
NOTIONS: Final[dict[Name, Notion]] = {
    "ratio": InferentialPrivacy(),
    "raised": InformationPrivacy(),
    "divergence": RelativeEntropyPrivacy(),
}
DELTAS: Final[dict[Name, Notion]] = {"delta": InferentialPrivacy(), "raised delta": InformationPrivacy()}


@dataclass(frozen=True, eq=False)
class Case:
    """A model, the same laid out for enumeration, and what is asked: the sum of the values, or how many are 1; epsilon:
    where deltas are asked for."""

    model: Model
    inside: Inside
    noise: Noise
    sums: bool = False
    epsilon: float = 0.5

    @property
    def release(self) -> Release:
        query: Query = Sum() if self.sums else Count(values=(1,))
        return Release(self.model, query, self.noise)

    def said(self, name: Name) -> Enclosure:
        if name in NOTIONS:
            found = NOTIONS[name].leakage(self.release)
            return Enclosure(found.lower, found.upper)
        delta = DELTAS[name].least_delta(self.release, self.epsilon)
        assert delta is not None
        return delta

    def climbed(self, name: Name, rng: Random, starts: int = STARTS) -> tuple[float, list[list[float]]]:
        values = self.inside.values
        scores = (values if self.sums else values == 1).sum(axis=1)
        rate = inf if isinstance(self.noise, NoNoise) else 1 / self.noise.known_scale()
        seen = Seen(values, scores, rate, isinstance(self.noise, Laplace), self.epsilon)
        return climbed(self.inside, lambda rows: seen.leaked(self.inside.chances(rows), name), rng, starts)

    def __repr__(self) -> str:
        release = self.release
        return f"{self.model!r}\n    {release.query!r}; {self.noise!r}; ε = {self.epsilon}"


def _noise(rng: Random, none: bool = False) -> Noise:
    if none and rng.random() < 0.25:
        return NoNoise()
    scale = rng.choice([0.02, 0.1, 0.4, 1.0, 3.0])
    return Laplace(scale=scale) if rng.random() < 0.6 else Geometric(scale=max(scale, 0.1))


def _case(rng: Random, model: Model, inside: Inside, none: bool = False) -> Case:
    epsilon = rng.choice([0.0, 0.1, 0.5, 1.0, 3.0])
    return Case(model, inside, _noise(rng, none), rng.random() < 0.5, epsilon)


def household(rng: Random) -> Case:
    size, count = rng.randint(1, 4), rng.choice([1, 1, 2])
    row = random_row(rng, size + 1)
    return _case(rng, Households(count=count, infected=row), Inside.households(row, size, count), none=True)


def group(rng: Random) -> Case:
    records = [(0, 0), (0, 1), (1, 0), (1, 1)]
    rng.shuffle(records)
    kept = records[: rng.randint(3, 4)]
    row = random_row(rng, len(kept))
    kind = GroupType(count=1, records=tuple(kept), probabilities=row)
    return _case(rng, Groups(types=(kind,)), Inside.group(row, kept), none=True)


def chain(rng: Random) -> Case:
    k, n = rng.choice([2, 2, 2, 3]), rng.randint(2, 5)
    n = min(n, 4) if k == 3 else n
    first, rows = random_row(rng, k), tuple(random_row(rng, k) for _ in range(k))
    return _case(rng, Chain(n=n, initial=first, transition=rows), Inside.chain(first, rows, n))


def network(rng: Random) -> Case:
    parents = [tuple(rng.sample(range(i), min(i, rng.choice([0, 1, 1])))) for i in range(rng.randint(2, 4))]
    rows = [tuple(random_row(rng, 2) for _ in range(2 ** len(own))) for own in parents]
    nodes = tuple(
        Node(name=f"n{i}", parents=tuple(f"n{j}" for j in own), probabilities=each if own else each[0])
        for i, (own, each) in enumerate(zip(parents, rows, strict=True))
    )
    return _case(rng, Network(nodes=nodes), Inside.network(parents, rows))


KINDS: Final[tuple[Callable[[Random], Case], ...]] = (household, group, chain, chain, network)


def wrong_of(case: Case, name: Name, rng: Random) -> str | None:
    """What is wrong with the ends that are said of one notion; None where nothing is."""
    start = time.process_time()
    try:
        said = case.said(name)
    except InputError:
        return None
    took = time.process_time() - start
    found, rows = case.climbed(name, rng)
    ends = f"{name}: said {said.lower!r} .. {said.upper!r}"
    if took > SLOW:
        return f"{ends}, in {took:.0f} s"
    if not 0 <= said.lower <= said.upper:
        return ends
    if found > said.upper * (1 + LOOSE) + LOOSE:
        return f"{ends}, a law inside leaks {found!r}: {rows}"
    if _is_far(said, found) and _is_far(said, found := case.climbed(name, rng, 20 * STARTS)[0]):
        return f"{ends}, no law was found to leak more than {found!r}"
    return None


def _is_far(said: Enclosure, found: float) -> bool:
    return isfinite(said.lower) and said.lower > found * (1 + FAR) + FAR


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    warnings.simplefilter("error", RuntimeWarning)
    end, sets, wrong = time.monotonic() + given.seconds, 0, 0
    while time.monotonic() < end:
        rng = Random(f"{given.seed} {sets}")
        case = rng.choice(KINDS)(rng)
        for name in (*NOTIONS, *DELTAS):
            if (found := wrong_of(case, name, rng)) is not None:
                wrong += 1
                print(f"seed {given.seed}, set {sets}: {found}\n    {case!r}", flush=True)
        sets += 1
    print(f"{sets} sets, {wrong} ends that are wrong or far")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
