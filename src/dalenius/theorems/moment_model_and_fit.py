"""Records given by a few moments only: no law, but certificates for their sum (Theory §7).

Moments of a record from past data, each bounded on the side that a certificate needs, with one confidence for all.

The rows are independent draws of one record's law, in a public range [lower, upper] of width R. With m rows and α = 1 -
confidence, shared evenly by four statements that then hold together:

* the mean μ is within R√(ln(8/α)/2m) of the rows' (Hoeffding);
* σ >= √V - R√(2 ln(4/α)/(m-1)), V the rows' variance with divisor m-1 (Maurer and Pontil 2009, Theorem 10);
* E|X-μ|³ <= A + √(2 S ln(8/α)/m) + 7R³ ln(8/α)/3(m-1), the empirical Bernstein bound (Theorem 4 there) for |x-μ|³: A is
  the rows' mean of it and S their variance, at most m/(m-1) times the mean of |x-μ|⁶. Both means are convex in μ, hence
  largest at an end of μ's interval. Likewise E(X-μ)⁴.

The bounds from the range alone (R³/8, R⁴/12), and Jensen's inequality, may be sharper and are then used.

A thousand rows, half of them 1 and half 0: their own variance is .2503, and with confidence .95 that of a record is at
least .1653; its third moment is at most .125 and its fourth .0833, as of any record from 0 to 1.

>>> found = fit_moments([0, 1] * 500, 0, 1).model
>>> [round(each, 4) for each in (found.variance, found.third, found.fourth)]
[0.1653, 0.125, 0.0833]
"""

from dataclasses import dataclass
from fractions import Fraction
from math import floor, isfinite, log, sqrt
from typing import Annotated, Any, Final, Literal, final

import numpy as np
from pydantic import Field, model_validator

from dalenius.errors import InputError
from dalenius.fields_and_plugin_kinds import AnyCount, Count, Positive, Probability
from dalenius.fitting.intervals_and_fit_base import Cells, Fit, as_values
from dalenius.joints.joint import Belief
from dalenius.laws.law_on_lattice import Array
from dalenius.models.model import Given, Model, percent, plural
from dalenius.noise.error_law import missed

_SLACK: Final = 1 + 1e-9
"""A tolerance for rounded numbers that attain an inequality."""


@final
class Moments(Model):
    """n records, each with values in an interval of length `range` (Δ), by moments that bound the law of their sum.

    neighbourhood: D, the most records any one depends on, itself included: sets of records without edges between them
    are independent as vectors (a dependency graph); 1 for independent records. known_fraction: γ, the adversary knows
    at most ⌊γn⌋ records, any of them. For the m remaining records, given these: variance is at most Var(ΣX)/m; third
    and fourth are at least the means of E|X_i - μ_i|³ and E(X_i - μ_i)⁴; by default the most the range allows.
    """

    kind: Literal["moments"] = "moments"
    n: AnyCount
    neighbourhood: Count = 1
    variance: Positive
    third: Positive | None = None
    fourth: Positive | None = None
    range: Positive
    known_fraction: Annotated[Probability, Field(ge=0, lt=1, allow_inf_nan=False)] = 0.0

    @model_validator(mode="after")
    def _check(self) -> "Moments":
        # What no records can have, by a slip: more dependents than people, a deviation for a variance, other units.
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

    def _at_least(self, name: str, given: float | None, least: float, formula: str) -> None:
        """ValueError for a moment below what the variance implies; formula: that bound, in words."""
        # The sum's variance is at most D times the records' mean variance, which Lyapunov's inequality bounds.
        if given is not None and given * _SLACK < least:
            shown = formula.replace("(variance/neighbourhood)", "variance") if self.neighbourhood == 1 else formula
            raise ValueError(f"{name} at least {shown} = {least:.6g} (Lyapunov; it is {given:g})")

    @property
    def words(self) -> str:
        near = (
            "does not depend on another"
            if self.neighbourhood == 1
            else f"depends on at most {self.neighbourhood - 1:,} others"
        )
        known = f"; {percent(self.known_fraction)} of them may be known" if self.known_fraction else ""
        moments = f"of variance {self.variance:g} on average, within a range of {self.range:g}"
        return f"{plural(self.n, 'record')} of unknown law, {moments}; each {near}{known}"

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
        """The least number of records that the adversary does not know, the person's own included."""
        return self.n - floor(Fraction(str(self.known_fraction)) * self.n)

    @property
    def third_moment(self) -> float:
        """An upper bound on the mean of E|X_i - μ_i|³: at most Δ³/8, that of two values at distance Δ with pq = 1/4,
        and the fourth to the power 3/4."""
        # Most specs give the variance only: then the range bounds the rest.
        if self.third is not None:
            return self.third
        most = self.range**3 / 8
        return most if self.fourth is None else min(most, self.fourth**0.75 * _SLACK)

    @property
    def fourth_moment(self) -> float:
        """An upper bound on the mean of E(X_i - μ_i)⁴: at most Δ⁴/12, that of two values at distance Δ with pq = 1/6,
        and Δ times the third."""
        if self.fourth is not None:
            return self.fourth
        most = self.range**4 / 12
        return _SLACK * (most if self.third is None else min(most, self.range * self.third))

    def hypotheses(self, fourth: bool = False) -> tuple[str, ...]:
        """The hypotheses of every certificate from these moments, in words; fourth: with the fourth moments."""
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


_BOUNDS: Final = "mean Hoeffding, variance Maurer-Pontil, third and fourth empirical Bernstein"


@final
@dataclass(frozen=True)
class MomentsFit(Fit):
    """model: bounds that hold together with that confidence; estimates: the rows' own moments, by name."""

    model: Moments
    confidence: float
    estimates: dict[str, float]

    def measures(self) -> dict[str, Any]:
        return {"confidence": self.confidence, "bounds": _BOUNDS, "estimates": dict(self.estimates)}


def fit_moments(cells: Cells, lower: float, upper: float, n: int | None = None, confidence: float = 0.95) -> MomentsFit:
    """n: how many such records, independent of each other, the sum is of; as many as there are rows where None.

    InputError where a cell is no number of the range, or the rows are too few to bound the variance above 0.
    """
    data = _checked(cells, lower, upper, confidence)
    rows, width, alpha = len(data), upper - lower, 1 - confidence
    mean, deviation = float(data.mean()), float(data.std(ddof=1))
    least = deviation * (1 - 1e-12) - width * sqrt(2 * log(4 / alpha) / (rows - 1))
    if least <= 0:  # fifty rows in a wide range: their spread may be chance
        wanted = f"more, or less range: their deviation {deviation:.6g} may be 0 at that confidence"
        raise InputError("rows", rows, wanted)
    reach = width * sqrt(log(8 / alpha) / (2 * rows))
    ends = (max(mean - reach, lower), min(mean + reach, upper))
    fourth = min(_bernstein(data, ends, 4, width, alpha), width**4 / 12 * (1 + 1e-9))
    third = min(_bernstein(data, ends, 3, width, alpha), width**3 / 8, fourth**0.75)
    model = Moments(n=rows if n is None else n, variance=least**2, third=third, fourth=fourth, range=width)
    centred = np.abs(data - mean)
    own = {"variance": deviation**2, "third": float((centred**3).mean()), "fourth": float((centred**4).mean())}
    return MomentsFit(model, rows, None, confidence, {"mean": mean, **own})


def _bernstein(data: Array, ends: tuple[float, float], power: int, width: float, alpha: float) -> float:
    """At least E|X-μ|^power, if μ is between the ends."""
    rows, share = len(data), log(8 / alpha)
    first = max(float((np.abs(data - end) ** power).mean()) for end in ends)
    square = max(float((np.abs(data - end) ** (2 * power)).mean()) for end in ends) * rows / (rows - 1)
    doubt = sqrt(2 * square * share / rows) + 7 * width**power * share / (3 * (rows - 1))
    return (first + doubt) * (1 + 1e-12)


def _checked(cells: Cells, lower: float, upper: float, confidence: float) -> Array:
    """The rows as numbers (m,). InputError for a range without width, a cell outside it, or fewer than two rows."""
    if not (isfinite(lower) and isfinite(upper) and lower < upper):
        raise InputError("range", (lower, upper), "finite ends of which the first is the lower")
    missed(confidence)
    values = as_values(cells, "value")
    for row, value in enumerate(values, 1):
        # A range looked up in the data has no value outside, and is not public: whoever declares one may be wrong.
        if isinstance(value, str) or not lower <= value <= upper:
            wanted = f"a number from {lower:g} to {upper:g}, the public range, in every row"
            raise InputError("value", f"another cell in row {row}", wanted)
    if len(values) < 2:
        raise InputError("rows", len(values), "at least 2 rows")
    return np.array(values, dtype=np.float64)
