"""The adversary's prior on who is absent: a known prior, or every prior within bounds on each person's probability.

Within bounds, a leakage reads a function linear in the prior (the inverse of a ratio), or the posterior of one person,
which rises with their own prior. Each is worst where as much mass as the bounds allow is as far away, or as near, as
possible. Which people are furthest depends on distances only, not on the noise.

Take three people without whom the answer is 0, 1 or 2, each absent with a chance of .1 to .5. Then .7 is left to give,
at most .4 to each, so to 1.75 people. The prior with the least mass near the first gives the last .5 and the second .4.
With noise of scale 1 an output may raise the first by 1.156 nats, where a uniform prior allows .691.

>>> from dalenius.absent.posterior_prior_ratios import largest_raise
>>> answers = np.array([0.0, 1.0, 2.0])
>>> prior = bounded_prior(answers, np.array([1, 1, 1]), Fraction(1, 10), Fraction(1, 2))
>>> float(prior.spare), round(largest_raise(prior, answers, 1.0).value.upper, 4)
(1.75, 1.1558)
"""

import abc
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import fsum
from typing import Final, final

import numpy as np

from dalenius.absent.limits import MOST_ANSWERS
from dalenius.absent.streams import Fading
from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.errors import TooLarge

_MANY: Final = 64
"""The most terms that are added without `fsum`."""


class Prior(abc.ABC):
    """A prior on people in classes with different answers; everybody has a positive probability.

    Attributes:
        total: The sum of all masses, 1 up to rounding.
        error: The relative error of each mass.
        least: The least probability of any person.
        greatest: The greatest probability of any person.
    """

    total: float
    error: float
    least: Fraction
    greatest: Fraction

    @abc.abstractmethod
    def mixtures(self, fading: Fading) -> tuple[Array, Array]:
        """Returns the whole prior's kernel sum at each class (m,), and its relative error beside `fading.error`.

        Among several priors, the one with the least mass near each class is taken.

        Args:
            fading: The kernel, with the classes' answers and the noise scale.
        """

    @abc.abstractmethod
    def others(self, fading: Fading) -> tuple[Array, Array, Array]:
        """Returns what the posterior of each class's likeliest person is made of, for the prior that makes it largest.

        Args:
            fading: The kernel, with the classes' answers and the noise scale.

        Returns:
            Three arrays (m,): the person's own probability, the kernel sum of everybody else's, and its relative error.
        """

    @abc.abstractmethod
    def nearest(self, first: bool) -> Array:
        """Returns the masses (m,) of the prior with the most mass near the `first` class, or else near the last."""


@final
@dataclass(frozen=True)
class KnownPrior(Prior):
    """A prior that is known.

    Attributes:
        masses: The probability of each class (m,).
        likeliest: The probability of each class's likeliest person (m,).
        rest: The probability of all others in the class (m,).
        least: The least probability of any person.
        greatest: The greatest probability of any person.
        total: The sum of all masses, 1 up to rounding.
        error: The relative error of each mass.
    """

    masses: Array
    likeliest: Array
    rest: Array
    least: Fraction
    greatest: Fraction
    total: float = 1.0
    error: float = 4 * UNIT

    def mixtures(self, fading: Fading) -> tuple[Array, Array]:
        own = fading.at(self.masses, np.zeros(len(self.masses)))
        return own + fading.elsewhere(self.masses), np.full(len(own), self.error)

    def others(self, fading: Fading) -> tuple[Array, Array, Array]:
        others = fading.at(self.rest, np.zeros(len(self.rest))) + fading.elsewhere(self.masses)
        return self.likeliest, others, np.full(len(self.rest), self.error)

    def nearest(self, first: bool) -> Array:
        return self.masses


@final
@dataclass(frozen=True)
class BoundedPrior(Prior):
    """All priors with least <= everybody's probability <= greatest, both reached by some prior.

    Everybody has `least`. The remaining mass E goes to `spare` = E/(greatest - least) people (fractional), at most
    `room` = greatest - least each.

    Attributes:
        offsets: The classes' answers (m,), in the query's unit.
        people: How many people each class has (m,).
        least: The least probability of any person.
        greatest: The greatest probability of any person.
        error: The relative error of each mass.
        total: The sum of all masses, 1 up to rounding.
    """

    offsets: Array
    people: IntArray
    least: Fraction
    greatest: Fraction
    error: float = 8 * UNIT
    total: float = 1.0

    @property
    def room(self) -> float:
        return float(self.greatest - self.least)

    @cached_property
    def spare(self) -> Fraction:
        """How many people (fractional) may have `greatest` instead of `least`."""
        # min = max, as a uniform prior written as bounds: nothing is left to give.
        left = 1 - int(self.people.sum()) * self.least
        return left / (self.greatest - self.least) if self.greatest > self.least else Fraction(0)

    @cached_property
    def _furthest(self) -> Array:
        return self._taken(float(self.spare))

    @cached_property
    def _furthest_of_others(self) -> Array:
        """Counts as `_taken`, with one person fewer: the one whose posterior is computed has `greatest` already."""
        return self._taken(float(max(self.spare - 1, Fraction(0))))

    @cached_property
    def _distances(self) -> Array:
        """Returns the distances between classes (m, m); TooLarge for too many classes."""
        # Sums of incomes: as many answers as people, and for each of them everybody in the order of distance.
        if len(self.offsets) > MOST_ANSWERS:
            wanted = "uniform, or a probability per person"
            size = f"{len(self.offsets):,} different answers"
            raise TooLarge("every prior within min and max", size, wanted, MOST_ANSWERS)
        return np.asarray(np.abs(self.offsets[:, None] - self.offsets))

    def mixtures(self, fading: Fading) -> tuple[Array, Array]:
        return self._summed(fading, self.people.astype(np.float64), self._furthest)

    def others(self, fading: Fading) -> tuple[Array, Array, Array]:
        people = self.people - np.eye(len(self.people))
        return np.full(len(people), float(self.greatest)), *self._summed(fading, people, self._furthest_of_others)

    def nearest(self, first: bool) -> Array:
        people = (self.people if first else self.people[::-1]).astype(np.float64)
        masses = float(self.least) * people + self.room * _first_of(people, float(self.spare))
        return masses if first else masses[::-1]

    def _taken(self, spare: float) -> Array:
        """Counts the people of each class who have `greatest`, those furthest from class k first (m, m)."""
        order = np.argsort(-self._distances, axis=1, kind="stable")
        taken = np.empty(order.shape)
        np.put_along_axis(taken, order, _first_of(self.people[order].astype(np.float64), spare), axis=1)
        return taken

    def _summed(self, fading: Fading, people: Array, taken: Array) -> tuple[Array, Array]:
        """Returns the kernel sums (m,) and their relative errors, by which rounding of the cut may move them.

        A sum of 0, as without noise, has the error of its terms only.
        """
        sums = np.sum(fading.at(float(self.least) * people + self.room * taken, self._distances), axis=1)
        near = np.max(fading.at((taken > 0).astype(np.float64), self._distances), axis=1)
        doubt = 4 * UNIT * self.room * np.sum(taken, axis=1) * near
        return sums, self.error + np.divide(doubt, sums, out=np.zeros(len(sums)), where=sums > 0)


def _first_of(people: Array, taken: float) -> Array:
    """Counts the people of each class (.., m) who are among the first `taken`."""
    return np.asarray(np.clip(taken - (np.cumsum(people, axis=-1) - people), 0.0, people))


def bounded_prior(offsets: Array, people: IntArray, least: Fraction, greatest: Fraction) -> BoundedPrior:
    """Returns the prior with bounds tightened to those that some prior attains.

    Args:
        offsets: The classes' answers (m,), ascending and distinct, in the query's unit.
        people: How many people each class has (m,).
        least: The least probability of any person, as written.
        greatest: The greatest probability of any person, as written.

    Raises:
        ValueError: If no prior is within the bounds.
    """
    n = int(people.sum())
    # Bounds that were meant for a smaller table, or for a larger one.
    if n * least > 1 or n * greatest < 1:
        raise ValueError(f"min and max that {n} probabilities can keep and sum to 1")
    return BoundedPrior(offsets, people, max(least, 1 - (n - 1) * greatest), min(greatest, 1 - (n - 1) * least))


def uniform_prior(people: IntArray) -> KnownPrior:
    """Returns the prior under which everybody is equally likely; people (m,): how many each class has."""
    n = int(people.sum())
    each = Fraction(1, n)
    return KnownPrior(people / n, np.full(len(people), 1 / n), (people - 1) / n, each, each)


def prior_of_list(probabilities: Array, whose: IntArray, classes: int) -> KnownPrior:
    """Returns the known prior of a probability per person.

    Args:
        probabilities: Every person's probability (n,), all positive.
        whose: Every person's class (n,), from 0.
        classes: How many classes there are, m.
    """
    ordered = probabilities[np.lexsort((probabilities, whose))]
    sizes = np.bincount(whose, minlength=classes)
    ends = np.cumsum(sizes)
    likeliest = ordered[ends - 1]
    ordered[ends - 1] = 0.0
    rest = np.add.reduceat(ordered, ends - sizes)
    # Large classes, as people who all have the same answer: added up exactly, or a thousand roundings would show.
    for place in np.flatnonzero(sizes > _MANY):
        rest[place] = fsum(ordered[ends[place] - sizes[place] : ends[place]])
    near = fsum(probabilities)
    total = Fraction(near) + Fraction(fsum([*probabilities.tolist(), -near]))
    least, greatest = (Fraction(float(each)) / total for each in (probabilities.min(), probabilities.max()))
    rounded = (min(int(sizes.max()), _MANY) + 4) * UNIT
    return KnownPrior(rest + likeliest, likeliest, rest, least, greatest, near, rounded)
