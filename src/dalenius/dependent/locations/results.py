"""What an attack on locations found out about each person, and in all."""

from dataclasses import dataclass, fields
from math import log
from typing import Any, Final, Self, final

import numpy as np

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

    @classmethod
    def from_columns(cls, columns: dict[str, list[Any]]) -> Self:
        """The inverse of `columns`."""
        whole = ("person", "cell", "guess", "prior_guess")
        found: dict[str, Any] = {}
        for each in fields(cls):
            values = [np.nan if value is None else value for value in columns[each.name]]
            found[each.name] = np.array(values, dtype=np.int64 if each.name in whole else np.float64)
        return cls(**found)

    def summary(self) -> dict[str, Any]:
        """Means over people (DDP Eq 10 and 11), ready for JSON; informations in nats and in bits."""
        surprise = self.surprise[~np.isnan(self.surprise)]
        return {
            "people": len(self),
            "leaked": both_units(float(np.mean(self.leaked))),
            "gained": both_units(float(np.mean(self.gained))),
            "surprise": both_units(float(np.mean(surprise))) if len(surprise) else None,
            "entropy": {
                "prior": both_units(float(np.mean(self.prior_entropy))),
                "independent": both_units(float(np.mean(self.independent_entropy))),
            },
            "success": self.success,
            "prior_success": self.prior_success,
            "error_km": float(np.mean(self.error_km)),
            "prior_error_km": float(np.mean(self.prior_error_km)),
            "expected_km": float(np.mean(self.expected_km)),
            "prior_expected_km": float(np.mean(self.prior_expected_km)),
            "ruled_out": self.ruled_out,
        }


def both_units(value: float) -> dict[str, float]:
    """nats: the unit of every epsilon; bits: the papers'. Roundings of 0 are 0."""
    value = value if abs(value) > ROUNDING else 0.0
    return {"nats": value, "bits": value * BITS}
