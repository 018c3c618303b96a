"""The possible tables, and the largest difference of an answer between two of them (DI Def 2, Def 5)."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Final, Self, final

from pydantic import Field, model_validator

from dalenius.errors import InputError
from dalenius.exact_integers import exact
from dalenius.fields import LARGEST_COUNT, AtMost, Finite, RecordValue
from dalenius.frozen_section import Frozen

_BEYOND: Final = 10**400
"""A number further out than any double."""


@final
class Universe(Frozen):
    """All possible tables of n people, each with any number from lower to upper, or any value of a list.

    Args:
        n: How many people there are, at least 2, the absent person included: the queried table has n - 1 people.
        values: The values that anybody can have, numbers or texts; None (the default) for numbers between the ends.
        lower: The least number that anybody can have; None (the default) for no end, or with `values`.
        upper: The greatest number that anybody can have; None (the default) for no end, or with `values`.

    Example:
        Take ten people, one of whom is absent. The median of the others differs by 600 at most.

        >>> import dalenius as dl
        >>> float(dl.Median().worst_case(dl.Universe(n=10, lower=0, upper=600)).identifiability)
        600.0

    Notes:
        DI Def 2 and Def 5.
    """

    n: Annotated[int, Field(ge=2, strict=True), AtMost(LARGEST_COUNT)]
    values: tuple[RecordValue, ...] | None = Field(default=None, min_length=1)
    lower: Finite | None = None
    upper: Finite | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        # Because a list of values has its own ends.
        if self.values is not None and (self.lower is not None or self.upper is not None):
            raise ValueError("either values, or lower and upper")
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise ValueError(f"lower at most upper (they are {self.lower} and {self.upper})")
        return self

    def ends(self, clipped: Callable[[Fraction], Fraction], kind: str) -> tuple[Fraction, Fraction]:
        """Returns the least and the greatest number that anybody can have after clipping.

        Args:
            clipped: The query's clipping of a number.
            kind: The query's kind, for messages.

        Returns:
            The two ends, exactly, in the records' unit.

        Raises:
            InputError: If somebody can have a text, or if neither the universe nor the clipping has an end.
        """
        if self.values is not None:
            # The case of a sum or a mean over a universe of yes and no: texts can only be counted.
            if any(isinstance(value, str) for value in self.values):
                raise InputError("query.kind", kind, "a universe of numbers (somebody can have a text)")
            numbers = [clipped(exact(value, "universe.values")) for value in self.values]
            return min(numbers), max(numbers)
        return self._end("lower", self.lower, -1, clipped), self._end("upper", self.upper, 1, clipped)

    def _end(self, key: str, end: float | None, sign: int, clipped: Callable[[Fraction], Fraction]) -> Fraction:
        """Returns one end of the universe, or the query's clipping where the universe is open.

        sign: -1 for the lower end.
        """
        if end is not None:
            return clipped(exact(end, f"universe.{key}"))
        # Because anybody may have any number: only a query that clips has an end.
        beyond = clipped(Fraction(sign * _BEYOND))
        if abs(beyond) == _BEYOND:
            raise InputError(f"universe.{key}", "missing", f"a finite number, or a query with a bound {key}")
        return beyond


@final
@dataclass(frozen=True)
class Sensitivities:
    """The worst cases over a universe, exactly, in the query's unit.

    Θ <= 2Δ.

    Attributes:
        identifiability: Θ = max |q(D∖i) - q(D∖j)|, over all tables D of n people and any two of them (DI Def 5). It is
            also how far the answer moves when one record of a table of n - 1 people changes.
        presence: Δ = max |q(D) - q(D∖i)|, how far the answer moves when the absent person joins (DI Def 1, 2).
    """

    identifiability: Fraction
    presence: Fraction
