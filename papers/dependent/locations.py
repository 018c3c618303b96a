"""The inference attack of DDP §IV: from noisy centroids of everybody's places to each one's cell."""

from dataclasses import dataclass, fields
from typing import Final, Self, final

import numpy as np
from scipy.special import log_softmax

from papers.dependent.location_beliefs import City, Known, NoisyCentroids, Prior
from papers.numbers import Array, IntArray


@final
@dataclass(frozen=True, eq=False)
class LocationAttack:
    """By person, in the order of their numbers; informations in nats.

    person: the number; cell: the true one, of the most visited place; guess: the cell of the largest posterior (DDP
    Eq 7), the first of equals; prior_guess: that of the prior. error_km, prior_error_km: mean distance of the person's
    places from the guess (Eq 5). expected_km, prior_expected_km: the same from a cell drawn by the posterior, on
    average: the whole belief counts and not its top alone (the correctness of Shokri et al. 2011).

    leaked: H of the independent prior (Eq 8) - H of the posterior (Eq 11). It may be anything from -log(cells) to
    log(cells), whatever the noise: where the adversary has friends for a prior, entropies of two priors are subtracted.
    gained: H of the adversary's own prior - H of the posterior: what is left of that where the output says nothing is
    0. surprise: log of posterior over prior of the true cell, below 0 where the output misleads; NaN where the prior
    rules the true cell out.
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
        return len(self.person)

    @classmethod
    def joined(cls, blocks: list["LocationAttack"]) -> Self:
        columns = {each.name: np.concatenate([getattr(block, each.name) for block in blocks]) for each in fields(cls)}
        return cls(**columns)

    @property
    def success(self) -> float:
        """The share of people whose cell is guessed."""
        return float(np.mean(self.guess == self.cell))

    @property
    def prior_success(self) -> float:
        """The same without the output."""
        return float(np.mean(self.prior_guess == self.cell))


BLOCK: Final = 64
"""People at a time: 64 × 400 cells × 12 coordinates are 2.5 MB."""


def attack_locations(
    city: City, released: NoisyCentroids, prior: Prior, known: int | None = None, seed: int = 0
) -> LocationAttack:
    """Everybody's cell by Bayes' rule: posterior ∝ exp(-Σ |μ̃ - μ̂(d̂)| / scale) · prior(d̂) (DDP Eq 6).

    known: how many others' patterns the adversary knows, None for all; chosen at random by `seed`. All
    arguments are of the same people.
    """
    adversary = Known.of(city.people, known, seed)
    blocks = []
    for start in range(0, city.people, BLOCK):
        people = np.arange(start, min(start + BLOCK, city.people))
        blocks.append(_attacked(city, released, prior, adversary, people))
    return LocationAttack.joined(blocks)


def _attacked(city: City, released: NoisyCentroids, prior: Prior, known: Known, people: IntArray) -> LocationAttack:
    counts = prior.counts(city, known, people)
    before = prior.log_of(counts, city, known, people)
    after = log_softmax(before + released.log_likelihood(city, known, people), axis=1)
    without_friends = Prior(smoothing=prior.smoothing).log_of(counts, city, known, people)
    guess, blind = _first_largest(after), _first_largest(before)
    own = (np.arange(len(people)), city.home[people])
    possible = before[own] > -np.inf
    surprise = np.where(possible, after[own] - np.where(possible, before[own], 0.0), np.nan)
    errors = city.errors_km(people)
    own_entropy, independent, posterior = entropy(before), entropy(without_friends), entropy(after)
    return LocationAttack(
        person=people,
        cell=city.home[people],
        guess=guess,
        prior_guess=blind,
        error_km=errors[own[0], guess],
        prior_error_km=errors[own[0], blind],
        expected_km=np.sum(np.exp(after) * errors, axis=1),
        prior_expected_km=np.sum(np.exp(before) * errors, axis=1),
        leaked=independent - posterior,
        gained=own_entropy - posterior,
        surprise=surprise,
        prior_entropy=own_entropy,
        independent_entropy=independent,
    )


def entropy(logs: Array) -> Array:
    """In nats, of each row of log-probabilities."""
    return np.asarray(-np.sum(np.exp(logs) * np.where(logs > -np.inf, logs, 0.0), axis=1))


def _first_largest(logs: Array) -> IntArray:
    # Nats: cells whose posteriors differ by less count as equal, and the first is guessed.
    return np.asarray(np.argmax(logs >= logs.max(axis=1, keepdims=True) - 1e-9, axis=1))
