"""The inference attack of DDP §IV: from noisy centroids of everybody's places to each one's cell."""

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from dalenius.dependent.locations.centroids import NoisyCentroids
from dalenius.dependent.locations.city import City
from dalenius.dependent.locations.known import Known
from dalenius.dependent.locations.priors import Prior
from dalenius.dependent.locations.results import LocationAttack
from dalenius.dependent.locations.saved import Saved
from dalenius.errors import InputError
from dalenius.laws.law import Array, IntArray

BLOCK: Final = 64
"""People at a time: 64 × 400 cells × 12 coordinates are 2.5 MB."""
SAME: Final = 1e-9
"""Nats: cells whose posteriors differ by less count as equal, and the first is guessed."""


def attack_locations(
    city: City,
    released: NoisyCentroids,
    prior: Prior,
    known: int | None = None,
    seed: int = 0,
    saved: Saved | None = None,
    progress: Callable[[int], None] | None = None,
) -> LocationAttack:
    """Everybody's cell by Bayes' rule: posterior ∝ exp(-Σ |μ̃ - μ̂(d̂)| / scale) · prior(d̂) (DDP Eq 6).

    known: how many others' patterns the adversary knows, None for all; chosen at random by `seed`. saved: where blocks
    of people are kept, so that a run that was stopped goes on. progress: told how many people are done. InputError
    where the arguments are not of the same people.
    """
    released.check(city)
    if prior.edges is not None and prior.edges.people != city.people:
        raise InputError("edges", f"among {prior.edges.people} people", f"those of the city, {city.people}")
    adversary = Known.of(city.people, known, seed)
    blocks = [] if saved is None else saved.blocks()
    done = sum(map(len, blocks))
    for people in _blocks(city.people, done):
        blocks.append(_attacked(city, released, prior, adversary, people))
        if saved is not None:
            saved.add(blocks[-1])
        done += len(people)
        if progress is not None:
            progress(done)
    return LocationAttack.joined(blocks)


def _blocks(people: int, done: int) -> Iterator[IntArray]:
    for start in range(done, people, BLOCK):
        yield np.arange(start, min(start + BLOCK, people))


def _attacked(city: City, released: NoisyCentroids, prior: Prior, known: Known, people: IntArray) -> LocationAttack:
    counts = prior.counts(city, known, people)
    before = prior.log_of(counts, city, known, people)
    after = normalised(before + released.log_likelihood(city, known, people))
    alone = Prior(counted=prior.counted, smoothing=prior.smoothing).log_of(counts, city, known, people)
    guess, blind = _first_largest(after), _first_largest(before)
    own = (np.arange(len(people)), city.home[people])
    possible = before[own] > -np.inf
    surprise = np.where(possible, after[own] - np.where(possible, before[own], 0.0), np.nan)
    errors = city.errors_km(people)
    own_entropy, independent, posterior = entropy(before), entropy(alone), entropy(after)
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


def normalised(logs: Array) -> Array:
    """Rows of logs, each shifted so that the exponentials sum to 1; some entry of each is above -∞."""
    shifted = logs - logs.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))


def entropy(logs: Array) -> Array:
    """In nats, of each row of log-probabilities."""
    shares = np.exp(logs)
    return np.asarray(-np.sum(np.where(shares > 0, shares * np.where(shares > 0, logs, 0.0), 0.0), axis=1))


def _first_largest(logs: Array) -> IntArray:
    return np.asarray(np.argmax(logs >= logs.max(axis=1, keepdims=True) - SAME, axis=1))
