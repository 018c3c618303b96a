"""The cheapest step that makes a certificate of intervals one of all events: release the rounded answer (Result 7.5).

A rounded answer takes K + 1 values, separated by K thresholds that are chosen without looking at the data. For any set
of them, the answers that round into it are a union of intervals with at most K ends, and the bound of `approximation`
holds with k = K: for independent records δ = δ_N(ε) + K(1 + e^ε)d. Thresholds may be anywhere: a wrong guess of where
the answer lies costs accuracy, not privacy.

*Why rounding.* A noise of density f, independent of the records, turns the error F_Y - Φ into a density error of at
most d·V, V the total variation of f; over a range L of outputs, and as half of it counts, that is (1 + e^ε)d·V·L/2. Of
unimodal densities V = 2 max f, and of all densities of standard deviation r, max f >= 1/(r√12), with equality for the
uniform. So the cost is at least (1 + e^ε)d·L/(r√12), Gaussian noise has 1.38 times that and Laplace noise 2.45 times.
Rounding to cells of width w costs (1 + e^ε)d·L/w, and errs like the uniform, by r = w/√12 and never by more than w/2:
no such noise is cheaper by this argument, and rounding needs none."""

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isfinite, nextafter
from typing import Final, final

from dalenius.bounds import Enclosure
from dalenius.certificates.certificate import Certificate, check_delta, check_epsilon
from dalenius.certificates.model import Moments
from dalenius.certificates.theorems import Approximation, dependent_approximation, independent_approximation
from dalenius.errors import InputError

MOST: Final = 1_000_000

INTERVALS_ONLY: Final = (
    "intervals only: of other events a Kolmogorov distance says nothing (docs/reference/errata.md, E6). Round the "
    "answer to a grid, and it holds for all (section [rounding])"
)
"""Why a certificate from a Kolmogorov distance does not cover all events."""


@final
@dataclass(frozen=True)
class Rounding:
    """lower, upper: the lowest and the highest threshold; thresholds: how many, evenly spaced; what is certified."""

    lower: float
    upper: float
    thresholds: int
    certificate: Certificate

    @property
    def width(self) -> float:
        """Of a cell; an answer from lower - width to upper + width is released at most half of it off."""
        return (self.upper - self.lower) / max(self.thresholds - 1, 1)

    def released(self, answer: float | Fraction) -> float:
        """The middle of the answer's cell; the cells beyond the thresholds are as wide as the others."""
        if not isfinite(answer):
            raise InputError("answer", answer, "a finite number")
        below = sum(answer >= place for place in self.places())
        first = self.lower if self.thresholds > 1 else (self.lower + self.upper) / 2
        return first + (below - 0.5) * self.width

    def cell(self, answer: float | Fraction) -> Enclosure:
        """The answers that are released as this one is: from the threshold below it to the one above, if there are."""
        places = self.places()
        below = sum(answer >= place for place in places)
        return Enclosure(places[below - 1] if below else -inf, places[below] if below < len(places) else inf)

    def places(self) -> tuple[float, ...]:
        """The thresholds; the middle where there is one only."""
        if self.thresholds == 1:
            return ((self.lower + self.upper) / 2,)
        return tuple(self.lower + each * self.width for each in range(self.thresholds))


def rounding(moments: Moments, epsilon: float, delta: float, lower: float, upper: float) -> Rounding:
    """The finest even grid from lower to upper, in the query's unit, on which the sum keeps (epsilon, delta) for all
    events.

    InputError where not even one threshold keeps them, or none of the certificates' hypotheses holds.
    """
    check_epsilon(epsilon), check_delta(delta)
    if not (isfinite(lower) and isfinite(upper) and lower < upper):
        raise InputError("lower", (lower, upper), "finite ends of which the first is the lower")
    approximation = approximation_of(moments)
    most = most_thresholds(approximation, epsilon, delta)
    if most == 0:
        least = approximation.delta(epsilon, 1)
        raise InputError("delta", delta, f"at least {nextafter(least, inf):.6g}, that of a single threshold")
    cuts = f"what is released is which of {most + 1:,} cells the sum is in, cut without looking at the data"
    hypotheses = (*moments.hypotheses(moments.neighbourhood > 1)[:-1], f"{cuts}; it is released once")
    spent = approximation.delta(epsilon, most)
    source = "ours: a union of intervals with one end per threshold"
    return Rounding(lower, upper, most, Certificate("rounded_sum", epsilon, spent, "all", hypotheses, source))


def most_thresholds(approximation: Approximation, epsilon: float, delta: float) -> int:
    """How many thresholds keep (epsilon, delta), at most a million: δ grows with their number."""
    return bisect_right(range(1, MOST + 1), delta, key=lambda ends: approximation.delta(epsilon, ends))


def approximation_of(moments: Moments) -> Approximation:
    """By independence where the records are independent, else by local dependence."""
    return independent_approximation(moments) if moments.neighbourhood == 1 else dependent_approximation(moments)
