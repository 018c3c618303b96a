"""The inference attack of DDP §IV: from noisy centroids of everybody's places to each one's cell."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from math import log
from typing import Any, Final, Self, final

import numpy as np
from scipy.special import log_softmax

from dalenius.dependent.location_beliefs import Known, NoisyCentroids, Prior
from dalenius.dependent.places import City
from dalenius.errors import InputError
from dalenius.laws.law import Array, IntArray

BITS: Final = 1 / log(2)
"""In a nat."""
ROUNDING: Final = 1e-12
"""Nats: less counts as 0."""


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

    @property
    def ruled_out(self) -> int:
        """People whose true cell the prior rules out: nobody known is there."""
        return int(np.count_nonzero(np.isnan(self.surprise)))

    def columns(self) -> dict[str, list[Any]]:
        """As lists, exactly; None for what is not defined."""
        shown = {each.name: getattr(self, each.name).tolist() for each in fields(self)}
        shown["surprise"] = [None if value != value else value for value in shown["surprise"]]
        return shown

    def summary(self) -> dict[str, Any]:
        """Means over people (DDP Eq 10 and 11), ready for JSON; informations in nats and in bits."""

        def mean(column: str) -> float:
            return float(np.mean(getattr(self, column)))

        surprise = self.surprise[~np.isnan(self.surprise)]
        return {
            "people": len(self),
            "leaked": both_units(mean("leaked")),
            "gained": both_units(mean("gained")),
            "surprise": both_units(float(np.mean(surprise))) if len(surprise) else None,
            "entropy": {each: both_units(mean(f"{each}_entropy")) for each in ("prior", "independent")},
            "success": self.success,
            "prior_success": self.prior_success,
            **{each: mean(each) for each in ("error_km", "prior_error_km", "expected_km", "prior_expected_km")},
            "ruled_out": self.ruled_out,
        }


def both_units(value: float) -> dict[str, float]:
    """nats: the unit of every epsilon; bits: the papers'. Roundings of 0 are 0."""
    value = value if abs(value) > ROUNDING else 0.0
    return {"nats": value, "bits": value * BITS}


BLOCK: Final = 64
"""People at a time: 64 × 400 cells × 12 coordinates are 2.5 MB."""


def attack_locations(
    city: City,
    released: NoisyCentroids,
    prior: Prior,
    known: int | None = None,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> LocationAttack:
    """Everybody's cell by Bayes' rule: posterior ∝ exp(-Σ |μ̃ - μ̂(d̂)| / scale) · prior(d̂) (DDP Eq 6).

    known: how many others' patterns the adversary knows, None for all; chosen at random by `seed`. progress:
    told how many people are done. InputError where the arguments are not of the same people.
    """
    released.check(city)
    if prior.edges is not None and prior.edges.people != city.people:
        raise InputError("edges", f"among {prior.edges.people} people", f"those of the city, {city.people}")
    adversary = Known.of(city.people, known, seed)
    blocks = []
    for start in range(0, city.people, BLOCK):
        people = np.arange(start, min(start + BLOCK, city.people))
        blocks.append(_attacked(city, released, prior, adversary, people))
        if progress is not None:
            progress(start + len(people))
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
