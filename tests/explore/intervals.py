"""Laws inside intervals that leak more than is said, looked for at random: `python -m tests.explore.intervals`.

Random sets of laws, whose rows mix numbers, zeros, ones and intervals of any width, of households, groups, chains and
networks; laws inside are enumerated and climbed among without the package, and compared with its upper ends. What is
above one, and an answer that takes longer than 20 s, is printed with what makes it again.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from math import isfinite
from random import Random
from typing import Final

from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.models import Chain, Groups, GroupType, Households, Model, Network, Node
from dalenius.noise import Laplace, Noise, NoNoise
from dalenius.notions import InferentialPrivacy, InformationPrivacy, RelativeEntropyPrivacy
from dalenius.queries import Count
from tests.explore.inside import Inside, climbed
from tests.explore.rows import random_row

SLOW: Final = 20.0
"""Seconds of a processor."""
LOOSE: Final = 1e-9
"""Relative: by so much sums here may be off."""
FAR: Final = 0.05
"""Relative, and in nats: a lower end that is so far above all that was found deserves a look."""
NOTIONS: Final = {
    "ratio": InferentialPrivacy(),
    "raised": InformationPrivacy(),
    "divergence": RelativeEntropyPrivacy(),
}


class Case:
    """A model, the same laid out for enumeration, and what is asked."""

    def __init__(self, model: Model, inside: Inside, noise: Noise) -> None:
        self.model, self.inside, self.noise = model, inside, noise

    @property
    def release(self) -> Release:
        return Release(self.model, Count(values=(1,)), self.noise)

    def __repr__(self) -> str:
        return f"{self.model!r}\n    {self.noise!r}; Count(values=(1,))"


def _noise(rng: Random, none: bool = False) -> tuple[Noise, float]:
    """And what a step of the answer costs, in nats; ∞ for none."""
    if none and rng.random() < 0.25:
        return NoNoise(), float("inf")
    scale = rng.choice([0.02, 0.1, 0.4, 1.0, 3.0])
    return Laplace(scale=scale), 1 / scale


def household(rng: Random) -> Case:
    size = rng.randint(1, 4)
    row = random_row(rng, size + 1)
    noise, rate = _noise(rng, none=True)
    inside = Inside.household(row, size, rate)
    return Case(Households(count=rng.choice([1, 1, 2]), infected=row), inside, noise)


def group(rng: Random) -> Case:
    records = [(0, 0), (0, 1), (1, 0), (1, 1)]
    rng.shuffle(records)
    kept = records[: rng.randint(3, 4)]
    row = random_row(rng, len(kept))
    noise, rate = _noise(rng, none=True)
    kind = GroupType(count=1, records=tuple(kept), probabilities=row)
    return Case(Groups(types=(kind,)), Inside.group(row, kept, rate), noise)


def chain(rng: Random) -> Case:
    k, n = rng.choice([2, 2, 2, 3]), rng.randint(2, 5)
    n = min(n, 4) if k == 3 else n
    first, rows = random_row(rng, k), tuple(random_row(rng, k) for _ in range(k))
    noise, rate = _noise(rng)
    return Case(Chain(n=n, initial=first, transition=rows), Inside.chain(first, rows, n, rate), noise)


def network(rng: Random) -> Case:
    parents = [tuple(rng.sample(range(i), min(i, rng.choice([0, 1, 1, 2])))) for i in range(rng.randint(2, 4))]
    rows = [tuple(random_row(rng, 2) for _ in range(2 ** len(own))) for own in parents]
    nodes = tuple(
        Node(name=f"n{i}", parents=tuple(f"n{j}" for j in own), probabilities=each if own else each[0])
        for i, (own, each) in enumerate(zip(parents, rows, strict=True))
    )
    noise, rate = _noise(rng)
    return Case(Network(nodes=nodes), Inside.network(parents, rows, rate), noise)


KINDS: Final[tuple[Callable[[Random], Case], ...]] = (household, group, chain, chain, network)


def wrong_of(case: Case, name: str, rng: Random) -> str | None:
    """What is wrong with the ends that are said of one notion; None where nothing is."""
    said = NOTIONS[name].leakage(case.release)
    found, rows = climbed(case.inside, name, rng)
    ends = f"{name}: said {said.lower!r} .. {said.upper!r}"
    if not 0 <= said.lower <= said.upper:
        return ends
    if found > said.upper * (1 + LOOSE) + LOOSE:
        return f"{ends}, a law inside leaks {found!r}: {rows}"
    if isfinite(said.lower) and said.lower > found * (1 + FAR) + FAR:
        return f"{ends}, no law was found to leak more than {found!r}"
    return None


def tried(case: Case, rng: Random) -> Iterator[str]:
    """What is wrong, of every notion, or takes long, with what makes it again."""
    for name in NOTIONS:
        start = time.process_time()
        try:
            found = wrong_of(case, name, rng)
        except InputError:
            continue
        except Exception as error:  # whatever it is, it is what is looked for
            found = f"{name}: {error!r}"
        if (took := time.process_time() - start) > SLOW:
            yield f"{name}: {took:.0f} s"
        if found is not None:
            yield f"{found}\n    {case!r}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    warnings.simplefilter("error", RuntimeWarning)
    end, sets, wrong = time.monotonic() + given.seconds, 0, 0
    while time.monotonic() < end:
        rng = Random(f"{given.seed} {sets}")
        for each in tried(rng.choice(KINDS)(rng), rng):
            wrong += 1
            print(f"seed {given.seed}, set {sets}: {each}", flush=True)
        sets += 1
    print(f"{sets} sets, {len(NOTIONS)} notions each, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
