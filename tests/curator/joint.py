"""What several answers about a few people leak together, by enumeration of all records: no part of it is the package's.

The people are independent, or live in homes whose number of infected has a given law. Each answer is a weighted count
of those with value 1 and noise of a law on the line.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import comb, exp, inf, prod
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

State: TypeAlias = tuple[int, ...]
Law: TypeAlias = Mapping[State, float]
Array: TypeAlias = NDArray[np.float64]
# Standard deviations on either side of an output of Gaussian noise, and points in all: by how many answers there are.
WIDTH: Final = 9.0
POINTS: Final[Mapping[int, int]] = {1: 6000, 2: 600}
# Scales of geometric noise on either side: beyond them its mass is below 1e-10.
FAR: Final = 24


def independent(chances: list[float]) -> Law:
    """Of each person the chance of a 1."""
    states = product((0, 1), repeat=len(chances))
    return {state: prod(c if x else 1 - c for x, c in zip(state, chances, strict=True)) for state in states}


def in_homes(homes: list[list[float]]) -> Law:
    """Of each home the chances of 0, 1, .. infected, of whom any are as likely as any others."""
    sizes = [len(home) - 1 for home in homes]
    found: dict[State, float] = {}
    for state in product((0, 1), repeat=sum(sizes)):
        mass, at = 1.0, 0
        for home, size in zip(homes, sizes, strict=True):
            ill = sum(state[at : at + size])
            mass, at = mass * home[ill] / comb(size, ill), at + size
        found[state] = mass
    return found


@dataclass(frozen=True)
class Answer:
    """One answer: the weight of each person with a 1, where it begins, the noise's kind and its scale."""

    weight: float
    start: float
    noise: str
    scale: float

    def exact(self, ill: int) -> float:
        return self.start + self.weight * ill

    def extreme(self, people: int) -> tuple[Array, Array]:
        """The outputs at which ratios of exponential noise are extreme, which are the answers that there can be; each
        counts once."""
        return np.array([self.exact(ill) for ill in range(people + 1)]), np.ones(people + 1)

    def outputs(self, people: int, points: int) -> tuple[Array, Array]:
        """Outputs, and how much each counts in an integral, or a sum: of Gaussian and of geometric noise."""
        ends = sorted((self.exact(0), self.exact(people)))
        if self.noise != "gaussian":
            assert self.noise == "geometric"
            far, decay = int(FAR * self.scale), exp(-1 / self.scale)
            found = np.arange(ends[0] - far, ends[1] + far + 1, dtype=np.float64)
            return found, np.full(len(found), (1 - decay) / (1 + decay))
        low, high = ends[0] - WIDTH * self.scale, ends[1] + WIDTH * self.scale
        step = (high - low) / points
        return low + step * (np.arange(points, dtype=np.float64) + 0.5), np.full(points, step)

    def likelihood(self, outputs: Array, ill: int) -> Array:
        """Up to a factor that is the same for all states."""
        off = np.abs(outputs - self.exact(ill))
        if self.noise == "gaussian":
            return np.asarray(np.exp(-((off / self.scale) ** 2) / 2) / (self.scale * np.sqrt(2 * np.pi)))
        return np.asarray(np.exp(-off / self.scale))


def _given(law: Law, people: int, known: Mapping[int, int]) -> dict[tuple[int, int], dict[int, float]]:
    """By person and value, which has a chance, the law of how many have a 1."""
    left = {state: mass for state, mass in law.items() if mass and all(state[i] == v for i, v in known.items())}
    found: dict[tuple[int, int], dict[int, float]] = {}
    for person, value in product(range(people), (0, 1)):
        counts: dict[int, float] = {}
        for state, mass in left.items():
            if state[person] == value:
                counts[sum(state)] = counts.get(sum(state), 0.0) + mass
        if counts:
            total = sum(counts.values())
            found[person, value] = {ill: mass / total for ill, mass in counts.items()}
    return found


def _densities(
    law: Law, answers: list[Answer], known: Mapping[int, int], extreme: bool
) -> tuple[list[tuple[Array, Array]], Array]:
    """For each person with two values, how likely each output is given either; and what outputs count."""
    people = len(next(iter(law)))
    each = [answer.extreme(people) if extreme else answer.outputs(people, POINTS[len(answers)]) for answer in answers]
    weights = np.ones(())
    for _, weight in each:
        weights = np.multiply.outer(weights, weight)
    of_count = {}
    for ill in range(people + 1):
        joint = np.ones(())
        for answer, (outputs, _) in zip(answers, each, strict=True):
            joint = np.multiply.outer(joint, answer.likelihood(outputs, ill))
        of_count[ill] = joint
    given = _given(law, people, known)
    mixed = {key: sum(mass * of_count[ill] for ill, mass in counts.items()) for key, counts in given.items()}
    both = [
        (np.asarray(mixed[i, 0]), np.asarray(mixed[i, 1])) for i in range(people) if {(i, 0), (i, 1)} <= mixed.keys()
    ]
    return both, weights


def leakage(law: Law, answers: list[Answer], known: Mapping[int, int] | None = None) -> float:
    """The largest log-ratio of likelihoods, of any two values of anybody; infinite of Gaussian noise."""
    if any(answer.noise == "gaussian" for answer in answers):
        return inf
    both, _ = _densities(law, answers, known or {}, True)
    return max((float(np.abs(np.log(one / other)).max()) for one, other in both), default=0.0)


def delta_at(epsilon: float, law: Law, answers: list[Answer], known: Mapping[int, int] | None = None) -> float:
    """By how much the chance of some set of outputs given one value is above e^epsilon times that given another."""
    both, weights = _densities(law, answers, known or {}, False)
    worst = 0.0
    for one, other in both:
        for above, below in ((one, other), (other, one)):
            worst = max(worst, float((weights * np.maximum(0.0, above - exp(epsilon) * below)).sum()))
    return worst
