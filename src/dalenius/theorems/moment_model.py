"""The model of records given by a few moments: they have no law, but certificates for their sum (Theory §7)."""

from collections.abc import Mapping
from fractions import Fraction
from math import floor
from typing import Annotated, Any, Final, Literal, final

from pydantic import Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from dalenius.errors import InputError
from dalenius.fields import AnyCount, Count, Positive, Probability
from dalenius.joints.joint import Belief
from dalenius.models.model import Given, Model, percent
from dalenius.sentences.sentence import Figure, counted, said, semicolons

_SLACK: Final = 1 + 1e-9
"""A tolerance for rounded numbers that attain an inequality."""


def _moments_of_bits(chance: float) -> dict[str, float]:
    """Returns the moments of a bit that is 1 with probability `chance`.

    >>> _moments_of_bits(0.5)
    {'variance': 0.25, 'third': 0.125, 'fourth': 0.0625, 'range': 1.0}
    """
    other = 1 - chance
    variance = chance * other
    third = variance * (chance**2 + other**2)
    return {"variance": variance, "third": third, "fourth": variance * (chance**3 + other**3), "range": 1.0}


@final
class Moments(Model):
    """n records given by moments that bound the law of their sum; no joint law is known.

    The moments are those of the m records that the adversary does not know, given the known records.

    Args:
        n: How many records there are.
        neighbourhood: D, the most records that any one depends on, itself included; 1 (the default) for independent
            records. Sets of records without edges between them are independent as vectors (a dependency graph).
        variance: At most Var(ΣX)/m, in the square of the records' unit.
        third: At least the mean of E|X_i - μ_i|³; None (the default) for the most that the range and `fourth` allow.
        fourth: At least the mean of E(X_i - μ_i)⁴; None (the default) for the most that the range and `third` allow.
        range: Δ, the length of an interval that has all values of a record, in the records' unit.
        known_fraction: γ, at least 0 and below 1: the adversary knows at most ⌊γn⌋ records, any of them; 0 by default.
        probability: Where records are independent bits, the chance of a 1 that all have, from which all moments
            follow; None (the default) where only moments are known.
        confidence: The confidence that the true law is among the model's, between 0 and 1, where they were fitted to
            other data; None (the default) where the law is assumed.

    Example:
        >>> import dalenius as dl
        >>> bits = dl.Moments(n=1000, variance=0.25, range=1.0, known_fraction=0.1)
        >>> bits.unknown, bits.third_moment
        (900, 0.125)
        >>> rare = dl.Moments(n=1000, probability=0.05)
        >>> round(rare.variance, 6), rare.range
        (0.0475, 1.0)

    Notes:
        Theory §7; NP Thm 1 and 2. The exact sum, or mean, is released once, without noise.
    """

    kind: Literal["moments"] = "moments"
    n: AnyCount
    neighbourhood: Count = 1
    variance: Positive = Field(default=None, validate_default=True)
    third: Positive | None = None
    fourth: Positive | None = None
    range: Positive = Field(default=None, validate_default=True)
    known_fraction: Annotated[Probability, Field(ge=0, lt=1, allow_inf_nan=False)] = 0.0
    probability: Annotated[Probability, Field(gt=0, lt=1, allow_inf_nan=False)] | None = None

    @field_validator("variance", "range", mode="before")
    @classmethod
    def _given(cls, given: Any) -> Any:
        """Refuses a moment that nothing says."""
        if given is None:
            raise PydanticCustomError("missing", "a value")
        return given

    @model_validator(mode="before")
    @classmethod
    def _of_bits(cls, given: Any) -> Any:
        """Fills in the moments of bits, where their probability is given."""
        chance = given.get("probability") if isinstance(given, Mapping) else None
        # Because a text, or a number that is no probability, is refused by its own field.
        if isinstance(chance, bool) or not isinstance(chance, int | float) or not 0 < chance < 1:
            return given
        return _moments_of_bits(float(chance)) | dict(given)

    @model_validator(mode="after")
    def _check(self) -> "Moments":
        if self.probability is not None:
            self._check_bits(_moments_of_bits(self.probability))
        # By a slip there may be more dependents than people, a deviation for a variance, or other units.
        if self.neighbourhood > self.n:
            raise ValueError(f"neighbourhood at most n = {self.n} (it is {self.neighbourhood})")
        if self._each > self.range**2 / 4 * _SLACK:
            most = self.range**2 / 4 * self.neighbourhood
            raise ValueError(
                f"variance at most neighbourhood·range²/4 = {most:.6g} (Popoviciu; it is {self.variance:g})"
            )
        self._at_least("third", self.third, self._each**1.5, "(variance/neighbourhood)^(3/2)")
        self._at_least("fourth", self.fourth, self._each**2, "(variance/neighbourhood)²")
        if self.third is not None and self.fourth is not None and self.third > self.fourth**0.75 * _SLACK:
            raise ValueError(f"third at most fourth^(3/4) = {self.fourth**0.75:.6g} (Jensen; it is {self.third:g})")
        return self

    def _check_bits(self, moments: Mapping[str, float]) -> None:
        """Raises ValueError where other `moments` are given than those of such bits, or bits depend on each other."""
        if self.neighbourhood > 1:
            raise ValueError("neighbourhood 1 beside probability: its theorem is about independent bits")
        for name, moment in moments.items():
            if abs(getattr(self, name) - moment) > 1e-9 * moment:
                raise ValueError(f"no {name} beside probability: that of the bits is {moment:.6g}")

    def _at_least(self, name: str, given: float | None, least: float, formula: str) -> None:
        """Raises ValueError for a moment below the bound that the variance implies; formula: that bound, in words."""
        # Because the sum's variance is at most D times the records' mean variance, which Lyapunov's inequality bounds.
        if given is not None and given * _SLACK < least:
            shown = formula.replace("(variance/neighbourhood)", "variance") if self.neighbourhood == 1 else formula
            raise ValueError(f"{name} at least {shown} = {least:.6g} (Lyapunov; it is {given:g})")

    @property
    def words(self) -> str:
        known = [said("some_known", share=percent(self.known_fraction))] if self.known_fraction else []
        if self.probability is not None:
            return semicolons([counted("bit", "bits", self.n, chance=percent(self.probability)), *known])
        others = self.neighbourhood - 1
        near = said("each_depends", others=others) if others else said("each_apart")
        spread = {"variance": Figure(f"{self.variance:g}"), "range": Figure(f"{self.range:g}")}
        return semicolons([counted("record_of_moments", "records_of_moments", self.n, **spread), near, *known])

    @property
    def gives(self) -> Given:
        return "moments"

    def joints(self) -> tuple[Belief, ...]:
        wanted = (
            "a model that says the records' law; moments have certificates only (dalenius audit, dalenius.theorems)"
        )
        raise InputError("model.kind", "moments", wanted)

    @property
    def unknown(self) -> int:
        """The least number of records that the adversary does not know, the person's record included."""
        return self.n - floor(Fraction(str(self.known_fraction)) * self.n)

    @property
    def third_moment(self) -> float:
        """An upper bound on the mean of E|X_i - μ_i|³.

        It is at most Δ³/8, as for two values at distance Δ with pq = 1/4, and at most the fourth moment to the power
        3/4.
        """
        # Because most specs give the variance only, the range bounds the rest then.
        if self.third is not None:
            return self.third
        most = self.range**3 / 8
        return most if self.fourth is None else min(most, self.fourth**0.75 * _SLACK)

    @property
    def fourth_moment(self) -> float:
        """An upper bound on the mean of E(X_i - μ_i)⁴.

        It is at most Δ⁴/12, as for two values at distance Δ with pq = 1/6, and at most Δ times the third moment.
        """
        if self.fourth is not None:
            return self.fourth
        most = self.range**4 / 12
        return _SLACK * (most if self.third is None else min(most, self.range * self.third))

    def hypotheses(self, fourth: bool = False) -> tuple[str, ...]:
        """Returns the hypotheses of every certificate from these moments, in words.

        Args:
            fourth: Whether to include the fourth moments; by default they are left out.

        Returns:
            One clause for each hypothesis.
        """
        others = self.unknown
        if others == self.n:
            whom = "the adversary knows no record, but the law of all; the records"
        else:
            known = f"the adversary knows at most {self.n - others:,} records, whichever"
            whom = f"{known}; the {others:,} others, given those,"
        depend = "are independent"
        if self.neighbourhood > 1:
            depend = f"have a dependency graph with closed neighbourhoods of at most {self.neighbourhood}"
        moments = (
            f"at least {self.variance:g} of the sum's variance each, third moments of at most {self.third_moment:g}"
        )
        moments += f", fourth of at most {self.fourth_moment:g}" if fourth else ""
        return (
            f"{whom} {depend}",
            f"they have {moments} on average, and a range of at most {self.range:g} each",
            "the exact sum (or mean) is released, once",
        )

    @property
    def _each(self) -> float:
        """A lower bound on the records' mean variance."""
        return self.variance / self.neighbourhood
