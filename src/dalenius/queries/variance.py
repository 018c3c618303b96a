"""The variance of the records' values, where the secret is who is absent."""

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from typing import Literal, final

import numpy as np

from dalenius.errors import InputError
from dalenius.laws.law import Array
from dalenius.queries.numeric import NumericQuery
from dalenius.queries.query import Column, Kind
from dalenius.queries.universe import Sensitivities, Universe
from dalenius.tallies.integers import WholeArray, greatest, in_doubles, size, whole
from dalenius.tallies.leave_one_out import LeftOut, of_kinds
from dalenius.tallies.tally import Tally


@final
class Variance(NumericQuery):
    """The sample variance of everybody who is asked and is there: of m values, Σ(x - mean)²/(m - 1).

    No score per record makes it: it is asked only where the secret is who is absent.
    """

    kind: Literal["variance"] = "variance"

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        raise InputError("query.kind", self.kind, "a sum, an extreme or a count, unless the secret is who is absent")

    def left_out(self, tally: Tally) -> LeftOut:
        """Of N people asked, with w = Nv - S and T = NΣv² - S², whoever has v leaves ((N - 1)T - w²)/(N(N - 1)(N - 2));
        whoever is not asked leaves T/(N(N - 1)), as w² = T would."""
        asked = self._asked(tally).at_least(3, self.kind)
        people, total = asked.people, asked.total
        spread = people * asked.squares() - total**2
        unit = asked.unit**2 / (people * (people - 1) * (people - 2))
        away = np.abs(people * whole(asked.shifted, people * size(asked.shifted)) - total)
        furthest = greatest(away[asked.who])
        base = ((people - 1) * spread - furthest**2) * unit
        offsets = _falls(furthest, np.where(asked.who, away, 0), unit)
        if not asked.everybody:
            offsets = np.where(asked.who, offsets, _fall(furthest, spread, unit))
        return of_kinds(base, offsets, tally.counts, tally.whose)

    def worst_case(self, universe: Universe) -> Sensitivities:
        """Both from one value at an end and all others at the other end."""
        low, high = self._ends(universe, 3)
        return Sensitivities((high - low) ** 2 / (universe.n - 1), (high - low) ** 2 / universe.n)


def _falls(furthest: int, away: WholeArray, unit: Fraction) -> Array:
    """furthest² - away² in units, to six roundings: the factors are exact, the squares would not be."""
    return in_doubles(furthest - away, unit) * (furthest + away).astype(np.float64)


def _fall(furthest: int, square: int, unit: Fraction) -> float:
    """furthest² less a square, to the same digit as `_falls` where that is a whole number's."""
    root = isqrt(square)
    if root**2 == square:
        return float(_falls(furthest, np.array([root], dtype=object), unit)[0])
    return float((furthest**2 - square) * unit)
