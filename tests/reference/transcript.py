"""What a transcript of noised answers makes of beliefs about people, by enumeration. Imports nothing of ours.

Whoever chooses the next question by the answers so far multiplies every data set's likelihood by the same: what is left
is the product of the noise's own at the answers, up to a factor that all data sets share.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
LogNoise = Callable[[Fraction], Fraction]
"""The log-likelihood of a distance between output and answer, up to a constant."""


def two_sided(scale: float) -> LogNoise:
    """Geometric noise, and Laplace noise drawn on a lattice that holds the answers."""
    return lambda distance: -abs(distance) / Fraction(scale)


def normal(deviation: float) -> LogNoise:
    """Gaussian noise drawn on such a lattice."""
    return lambda distance: -(distance**2) / (2 * Fraction(deviation) ** 2)


class Belief:
    """About households of as many people each, in which so many are 1 with these probabilities, whoever they are."""

    def __init__(self, households: int, infected: Sequence[Fraction]) -> None:
        self.size, self.homes = len(infected) - 1, households
        self.states = np.array(list(product((0, 1), repeat=self.size * households)))
        self.counts = self.states.reshape(len(self.states), households, self.size).sum(axis=2)
        each = [float(chance / comb(self.size, many)) for many, chance in enumerate(infected)]
        self.prior: Array = np.prod(np.array(each)[self.counts], axis=1)
        self.logs: Array = np.zeros(len(self.states))

    def learn(self, homes: Sequence[int], output: Fraction, noise: LogNoise) -> None:
        """That answer to how many people of these households are 1."""
        most = self.size * len(homes)
        table = np.array([float(noise(output - answer)) for answer in range(most + 1)])
        self.logs = self.logs + table[self.counts[:, list(homes)].sum(axis=1)]

    def log_ratios(self) -> Array:
        """By person, the log of how much likelier the transcript is if the person is 1 than if 0."""
        weights = self.prior * np.exp(self.logs - self.logs.max())
        chances = [(self.prior @ (self.states == value), weights @ (self.states == value)) for value in (0, 1)]
        (prior_0, joint_0), (prior_1, joint_1) = chances
        ratios: Array = np.log(joint_1 / prior_1) - np.log(joint_0 / prior_0)
        return ratios


def by_hand(prior: Mapping[tuple[int, ...], Fraction], likelihood: Callable[[tuple[int, ...]], float]) -> list[float]:
    """Likelihood ratios of each person's 1 against 0 by the definition, for few states: what `Belief` is held to."""
    people = len(next(iter(prior)))

    def given(person: int, value: int) -> float:
        states = [state for state in prior if state[person] == value]
        total = sum(prior[state] for state in states)
        return sum(float(prior[state] / total) * likelihood(state) for state in states)

    return [given(person, 1) / given(person, 0) for person in range(people)]
