"""The inference attack of DDP §IV: from noisy centroids of everybody's places to each one's cell."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Final, Self, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.places.beliefs import City, Known, Prior
from dalenius.places.noisy_centroids import NoisyCentroids
from dalenius.progress import steps

_NUMBERS: Final = 2**21
"""People times cells at a time: some ten arrays of 16 MB."""


@final
@dataclass(frozen=True, eq=False)
class Inferred:
    """Inferences of one adversary about each person, in the order of their numbers; informations in nats.

    Attributes:
        person: The number, from 0.
        cell: The true cell, that of the most visited place.
        guess: The cell of the largest posterior (DDP Eq 7), the first of equals.
        prior_guess: The cell of the largest prior.
        error_km: The mean distance of the person's places from the guess, in kilometres (Eq 5).
        prior_error_km: The same for the prior's guess.
        expected_km: The same from a cell drawn by the posterior, on average: the whole belief counts and not its top
            alone (the correctness of Shokri et al. 2011).
        prior_expected_km: The same from a cell drawn by the prior.
        leaked: H of the independent prior (Eq 8) less H of the posterior (Eq 11). It may be anything from -log(cells)
            to log(cells), whatever the noise: where friends are in the prior, entropies of two priors are subtracted.
        gained: H of the adversary's own prior less H of the posterior; 0 where the output says nothing.
        surprise: The log of posterior over prior of the true cell, below 0 where the output misleads; NaN where the
            prior rules the true cell out.
        prior_entropy: H of the adversary's own prior.
        independent_entropy: H of the prior of somebody who knows no friends.
    """

    person: IntArray
    cell: IntArray
    guess: IntArray
    prior_guess: IntArray
    error_km: Array
    prior_error_km: Array
    expected_km: Array
    prior_expected_km: Array
    leaked: Array
    gained: Array
    surprise: Array
    prior_entropy: Array
    independent_entropy: Array

    def __len__(self) -> int:
        """Returns the number of people."""
        return len(self.person)

    @classmethod
    def joined(cls, blocks: list["Inferred"]) -> Self:
        """Puts blocks of people together."""
        columns = {each.name: np.concatenate([getattr(block, each.name) for block in blocks]) for each in fields(cls)}
        return cls(**columns)

    @property
    def success(self) -> float:
        """The share of people whose cell is guessed."""
        return float(np.mean(self.guess == self.cell))

    @property
    def prior_success(self) -> float:
        """The share of people whose cell is guessed without the output."""
        return float(np.mean(self.prior_guess == self.cell))

    def columns(self) -> dict[str, Any]:
        """Returns the numbers by name, each with an entry for each person."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


@final
@dataclass(frozen=True, eq=False)
class Beliefs:
    """An adversary's beliefs about some people, as logs of probabilities of the cells.

    Attributes:
        cells: The cells that may have a probability above 0, in ascending order.
        before: The log of the prior (people, cells).
        after: The log of the posterior (people, cells).
        without_friends: The log of the prior of an adversary who knows no friends (people, cells).
    """

    cells: IntArray
    before: Array
    after: Array
    without_friends: Array


def beliefs(city: City, released: NoisyCentroids, prior: Prior, known: Known, people: IntArray) -> Beliefs:
    """Finds what the adversary believes of some people: posterior ∝ exp(-Σ |μ̃ - μ̂(d̂)| / scale) · prior (DDP Eq 6).

    Args:
        city: Everybody's places.
        released: The centroids.
        prior: What the adversary believes before them.
        known: Whose places the adversary knows.
        people: The people who are looked for, by number from 0.
    """
    cells = prior.support(city, known)
    counts = prior.counts(city, known, people, cells)
    before = prior.log_of(counts, city, known, people, cells)
    after = before + released.log_likelihood(city, known, people, cells)
    after -= after.max(axis=1, keepdims=True)
    after -= np.log(np.exp(after).sum(axis=1, keepdims=True))
    alone = Prior(smoothing=prior.smoothing).log_of(counts, city, known, people, cells)
    return Beliefs(cells, before, after, alone)


def inferred(city: City, released: NoisyCentroids, prior: Prior, known: Known) -> Inferred:
    """Attacks everybody's cell by Bayes' rule.

    Args:
        city: Everybody's places.
        released: The centroids, of the same people.
        prior: What the adversary believes before them.
        known: Whose places the adversary knows.
    """
    blocks = list(_blocks(city, len(prior.support(city, known))))
    return Inferred.joined([_attacked(city, released, prior, known, people) for people in steps("blocks", blocks)])


def _blocks(city: City, cells: int) -> Iterator[IntArray]:
    size = max(1, _NUMBERS // (cells * city.places.shape[1]))
    for start in range(0, city.people, size):
        yield np.arange(start, min(start + size, city.people))


def _attacked(city: City, released: NoisyCentroids, prior: Prior, known: Known, people: IntArray) -> Inferred:
    found = beliefs(city, released, prior, known, people)
    before, after = found.before, found.after
    guess, blind = _first_largest(after), _first_largest(before)
    rows, home = np.arange(len(people)), city.home[people]
    own = rows, np.searchsorted(found.cells, home)
    possible = before[own] > -np.inf
    surprise = np.where(possible, after[own] - np.where(possible, before[own], 0.0), np.nan)
    errors = city.errors_km(people, found.cells)
    own_entropy, independent, posterior = entropy(before), entropy(found.without_friends), entropy(after)
    return Inferred(
        person=people,
        cell=home,
        guess=found.cells[guess],
        prior_guess=found.cells[blind],
        error_km=errors[rows, guess],
        prior_error_km=errors[rows, blind],
        expected_km=np.sum(np.exp(after) * errors, axis=1),
        prior_expected_km=np.sum(np.exp(before) * errors, axis=1),
        leaked=independent - posterior,
        gained=own_entropy - posterior,
        surprise=surprise,
        prior_entropy=own_entropy,
        independent_entropy=independent,
    )


def entropy(logs: Array) -> Array:
    """Returns the entropy of each row of log-probabilities `logs` (rows, cells), in nats (rows,)."""
    return np.asarray(-np.sum(np.exp(logs) * np.where(logs > -np.inf, logs, 0.0), axis=1))


def _first_largest(logs: Array) -> IntArray:
    # Nats: cells whose posteriors differ by less count as equal, and the first is guessed.
    return np.asarray(np.argmax(logs >= logs.max(axis=1, keepdims=True) - 1e-9, axis=1))
