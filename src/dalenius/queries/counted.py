"""How many people are counted, when one of them is absent."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.queries.query import Kind, check_values
from dalenius.queries.universe import Sensitivities, Universe
from dalenius.schema import RecordValue
from dalenius.tallies.integers import exact
from dalenius.tallies.leave_one_out import LeftOut, of_levels
from dalenius.tallies.tally import Tally


def counted(tally: Tally, who: NDArray[np.bool_]) -> LeftOut:
    """One less where somebody of a kind that counts (kinds,) is absent."""
    people = int(tally.counts[who].sum())
    return of_levels(-who.astype(np.int64), Fraction(1), Fraction(people), tally.counts, tally.whose)


def counted_worst(universe: Universe, values: Sequence[RecordValue], key: str) -> Sensitivities:
    """Θ = 0 where everybody counts, else 1; Δ = 1. InputError for a value that nobody can have."""
    if universe.values is not None:
        check_values([Kind("", universe.values, universe.n)], values, key)
        everybody = set(universe.values) <= set(values)
    else:
        for value in values:
            _check_within(universe, value, key)
        everybody = universe.lower is not None and universe.lower == universe.upper
    return Sensitivities(Fraction(int(not everybody)), Fraction(1))


def _check_within(universe: Universe, value: RecordValue, key: str) -> None:
    low, high = (None if end is None else exact(end, "universe") for end in (universe.lower, universe.upper))
    number = None if isinstance(value, str) else exact(value, key)
    if number is None or (low is not None and number < low) or (high is not None and number > high):
        raise InputError(key, value, "a number that somebody can have")
