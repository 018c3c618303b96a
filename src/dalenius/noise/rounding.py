"""Rounding: the answer goes out as a multiple of a base near it, at random or always the nearest."""

from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import floor
from typing import Annotated, Literal, final

from pydantic import Field, ValidationInfo, field_validator, model_validator

from dalenius.fields import Finite, Whole
from dalenius.laws.lattice import Lattice
from dalenius.noise.rule import OutputChances, Repeats, Rule, common_period, common_unit
from dalenius.noise.rule_error import RuleError
from dalenius.noise.rule_mechanism import RuleMechanism
from dalenius.sentences.sentence import Figure, commas, said

_Base = Annotated[Whole, Field(ge=1)]


@final
class Rounding(Rule):
    """Publishes a multiple of the base near the answer: one of the two around it, or the nearest.

    Args:
        base: The base, a whole number of at least 1. None (the default) where bands say it.
        how: `unbiased` (the default) takes one of the two multiples around the answer, with the probabilities that
            keep the mean, which offices call random rounding (RR3 for base 3). `nearest` takes the nearest.
        ties: Which multiple an answer in the middle of two becomes with `nearest`: `up` (the default), `down`, or
            `even`. None, always, with `unbiased`, which draws one of both.
        bands: Pairs of a count and a base: from that count on, answers become the nearest multiple of that base. The
            first count is 0 and counts rise; a negative answer has the band of its absolute value. None (the default)
            where one base serves all answers.
        scale: None, always: a rule has no scale to choose.

    Example:
        >>> import dalenius as dl
        >>> [dl.Rounding(base=5, how="nearest").drawn(Fraction(count)) for count in (0, 2, 3)]
        [Fraction(0, 1), Fraction(0, 1), Fraction(5, 1)]
        >>> census = dl.Rounding(how="nearest", bands=[[0, 1], [15, 10], [100, 50], [1000, 100]])
        >>> [int(census.drawn(Fraction(count))) for count in (14, 15, 124, 1049)]
        [14, 20, 100, 1000]

    Notes:
        A multiple of the base goes out as it is, so that an output may rule out an answer, and every log-ratio that
        such an answer has is infinite. Choose a promise with a delta, or one about averages.
    """

    kind: Literal["rounding"] = "rounding"
    base: _Base | None = None
    how: Literal["unbiased", "nearest"] = "unbiased"
    ties: Literal["up", "down", "even"] | None = None
    bands: tuple[tuple[Finite, _Base], ...] | None = Field(default=None, min_length=1)

    @field_validator("ties")
    @classmethod
    def _of_nearest(cls, ties: str | None, info: ValidationInfo) -> str | None:
        """Returns the default for `nearest`; ValueError for ties beside `unbiased`, which would have no effect."""
        if info.data.get("how") == "nearest":
            return ties or "up"
        if ties is not None and info.data.get("how") == "unbiased":
            raise ValueError('none beside how = "unbiased", which draws one of the two multiples')
        return ties

    @model_validator(mode="after")
    def _check(self) -> "Rounding":
        if self.scale is not None:
            raise ValueError("no scale beside kind = rounding")
        if (self.base is None) == (self.bands is None):
            raise ValueError("either a base or bands")
        if self.bands is not None:
            counts = [count for count, _ in self.bands]
            if self.how != "nearest":
                raise ValueError('how = "nearest" beside bands')
            if counts[0] != 0 or any(one >= other for one, other in pairwise(counts)):
                raise ValueError(f"bands whose counts begin at 0 and rise (they are {counts})")
        return self

    @cached_property
    def _bands(self) -> tuple[tuple[Fraction, int], ...]:
        """The bands, where one base serves all: a single one from 0 on."""
        given = self.bands if self.bands is not None else ((0, self.base or 1),)
        return tuple((Fraction(str(count)), base) for count, base in given)

    def row(self, answer: Fraction) -> OutputChances:
        base = next(base for count, base in reversed(self._bands) if abs(answer) >= count)
        below = floor(answer / base) * Fraction(base)
        above = (answer - below) / base
        if above == 0:
            return {below: Fraction(1)}
        if self.how == "unbiased":
            return {below: 1 - above, below + base: above}
        middle_goes_up = self.ties == "up" or (self.ties == "even" and (below / base) % 2 == 1)
        up = 2 * above > 1 or (2 * above == 1 and middle_goes_up)
        return {below + base if up else below: Fraction(1)}

    def repeats(self, step: Fraction) -> Repeats:
        count, base = self._bands[-1]
        return Repeats(count, common_period(Fraction(2 * base if self.ties == "even" else base), step))

    def unit(self, step: Fraction) -> Fraction:
        return common_unit(*(Fraction(base) for _, base in self._bands))

    @property
    def farthest(self) -> Fraction:
        most = Fraction(max(base for _, base in self._bands))
        return most if self.how == "unbiased" else most / 2

    @property
    def draws(self) -> bool:
        return self.how == "unbiased"

    def mechanism(self, lattice: Lattice) -> RuleMechanism:
        return RuleMechanism(self, lattice, self)

    def error(self, step: Fraction) -> RuleError:
        return RuleError(self, step)

    @property
    def words(self) -> str:
        if self.bands is not None:
            bands = (said("band", base=base, count=Figure(f"{count:,g}")) for count, base in self.bands)
            return said("rounding_bands", bands=commas(bands))
        return said(
            "rounding_unbiased" if self.how == "unbiased" else "rounding_nearest", base=Figure(f"{self.base:,}")
        )
