"""The possible tables, over which the worst case of a query's sensitivity is taken (DI Def 2, Def 5)."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Self, final

from pydantic import Field, model_validator

from dalenius.errors import InputError
from dalenius.schema import MOST, Finite, Frozen, RecordValue
from dalenius.tallies.integers import exact


@final
class Universe(Frozen):
    """n people, each with any number from lower to upper, or any of the values in a list.

    n counts the absent person: the table that is asked has n - 1 people.
    """

    n: int = Field(ge=2, le=MOST, strict=True)
    values: tuple[RecordValue, ...] | None = Field(default=None, min_length=1)
    lower: Finite | None = None
    upper: Finite | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.values is not None and (self.lower is not None or self.upper is not None):
            raise ValueError("either values, or lower and upper")
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise ValueError(f"lower at most upper (they are {self.lower} and {self.upper})")
        return self

    def ends(self, clipped: Callable[[Fraction], Fraction], kind: str) -> tuple[Fraction, Fraction]:
        """The least and the greatest number that anybody can have once it is clipped. InputError for texts, or where
        neither the universe nor the clipping is bounded."""
        if self.values is not None:
            if any(isinstance(value, str) for value in self.values):
                raise InputError("query.kind", kind, "a universe of numbers (somebody can have a text)")
            numbers = [clipped(exact(value, "universe.values")) for value in self.values]
            return min(numbers), max(numbers)
        return self._end("lower", self.lower, -1, clipped), self._end("upper", self.upper, 1, clipped)

    def _end(self, key: str, end: float | None, sign: int, clipped: Callable[[Fraction], Fraction]) -> Fraction:
        if end is not None:
            return clipped(exact(end, f"universe.{key}"))
        beyond = clipped(Fraction(sign * 10**400))  # further than any double
        if abs(beyond) == 10**400:
            raise InputError(f"universe.{key}", "missing", f"a finite number, or a query with a bound {key}")
        return beyond


@final
@dataclass(frozen=True)
class Sensitivities:
    """The worst cases over a universe, exactly.

    identifiability: Θ = max |q(D∖i) - q(D∖j)|, over all tables D of n people and whoever of them is absent (DI Def 5);
    it is also how far changing one record moves a table of n - 1 people. presence: Δ = max |q(D) - q(D∖i)|, how far the
    answer moves when the absent person joins (DI Def 1, 2). Θ <= 2Δ.
    """

    identifiability: Fraction
    presence: Fraction
