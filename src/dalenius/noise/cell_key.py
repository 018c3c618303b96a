"""Cell keys: counts are moved by whole numbers, with the probabilities of a perturbation table."""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Literal, final

from pydantic import Field, model_validator

from dalenius.errors import InputError
from dalenius.fields import Positive
from dalenius.laws.lattice import Lattice
from dalenius.noise.maximum_entropy import maximum_entropy
from dalenius.noise.rule import OutputChances, Repeats, Rule
from dalenius.noise.rule_error import RuleError
from dalenius.noise.rule_mechanism import RuleMechanism

_TOLERANCE = 5e-4
"""The published tool compares variances by three digits."""


@final
class CellKey(Rule):
    """Moves a count by at most `d`, at random, by the perturbation table of greatest entropy.

    Offices draw the move from a key of the cell's people, so that the same set of people always gets the same move.
    Several answers about people who depend on each other are refused. A negative answer moves as its absolute value
    does, the other way.

    Args:
        d: The most by which a count moves, a whole number of at least 1.
        v: The variance of the moves, above 0. A count whose moves cannot have it is refused.
        js: No positive count of `js` or below goes out; 0 (the default) allows all, and the most is `d`.
        scale: None, always: a rule has no scale to choose.

    Example:
        A count of 1 becomes 0 to 3, a large count moves by -2 to 2, and 0 stays:

        >>> import dalenius as dl
        >>> rule = dl.CellKey(d=2, v=0.9)
        >>> for count in (0, 1, 100):
        ...     print({int(output): round(float(chance), 4) for output, chance in rule.row(Fraction(count)).items()})
        {0: 1.0}
        {0: 0.3625, 1: 0.3625, 2: 0.1875, 3: 0.0875}
        {98: 0.0515, 99: 0.2438, 100: 0.4093, 101: 0.2438, 102: 0.0515}

    Notes:
        The table is that of the R package ptable: mean 0, at most the variance `v`, greatest entropy, the probabilities
        of moves below 0 not falling towards 0, eight digits. The package also returns tables with less variance than
        was asked for. Here they are refused, except for the counts 1 to `js`, where the package does not look at it
        either.
    """

    kind: Literal["cell_key"] = "cell_key"
    d: Annotated[int, Field(ge=1, le=100)]
    v: Positive
    js: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _check(self) -> "CellKey":
        if self.scale is not None:
            raise ValueError("no scale beside kind = cell_key")
        if self.js > self.d:
            raise ValueError(f"js of at most d = {self.d}: no count of 1 could go out as more than {self.js}")
        _table(self.d, self.v, self.js)
        return self

    def row(self, answer: Fraction) -> OutputChances:
        if answer.denominator != 1:
            raise InputError("noise.kind", self.kind, f"whole answers (an answer is {answer})")
        table, side = _table(self.d, self.v, self.js), -1 if answer < 0 else 1
        return {answer + side * move: chance for move, chance in table[min(abs(int(answer)), len(table) - 1)]}

    def repeats(self, step: Fraction) -> Repeats:
        return Repeats(Fraction(_last(self.d, self.js)), step)

    def unit(self, step: Fraction) -> Fraction:
        return Fraction(1)

    @property
    def farthest(self) -> Fraction:
        return Fraction(self.d)

    def mechanism(self, lattice: Lattice) -> RuleMechanism:
        self.row(lattice.steps[0])
        if lattice.axes > 1:
            # Because cells whose people are the same get the same move, their moves are not independent.
            wanted = "one answer, or answers about people who do not depend on each other"
            raise InputError("noise.kind", f"{self.kind} for {lattice.axes} answers", wanted)
        return RuleMechanism(self, lattice, self)

    def error(self, step: Fraction) -> RuleError:
        return RuleError(self, step)

    @property
    def words(self) -> str:
        above = f", no result from 1 to {self.js}" if self.js else ""
        return f"moves by cell keys of at most {self.d}, variance {self.v:g}{above}"


def _last(d: int, js: int) -> int:
    """Returns the count from which on all counts have the same moves."""
    return d + js + 1 if js else d


@lru_cache(maxsize=16)
def _table(d: int, v: float, js: int) -> Sequence[tuple[tuple[int, Fraction], ...]]:
    """Returns the moves of each count up to the last that differs, with their probabilities.

    InputError where a count cannot have moves of this variance.
    """
    rows: list[tuple[tuple[int, Fraction], ...]] = [((0, Fraction(1)),)]
    for count in range(1, _last(d, js) + 1):
        moves = [to - count for to in range(max(count - d, 0), count + d + 1) if to == 0 or to > js]
        found = maximum_entropy(moves, v)
        if found is None:
            raise ValueError(f"a larger v: count {count} has no moves of mean 0 within ±{d} and of variance {v:g}")
        if count > js and found.variance < v - _TOLERANCE:
            most = int(found.variance * 1000) / 1000
            raise ValueError(f"v of at most {most:g}: count {count} has no more variance within ±{d}")
        rows.append(tuple((move, chance) for move, chance in zip(moves, found.chances, strict=True) if chance))
    return rows
