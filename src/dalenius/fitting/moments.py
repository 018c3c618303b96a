"""Fits moments of a record to past data, each bounded on the side that a certificate needs, with one confidence.

The rows are independent draws of one record's law, in a public range [lower, upper] of width R. With m rows and α = 1 -
confidence, shared evenly by four statements that then hold together:

* the mean μ is within R√(ln(8/α)/2m) of the rows' (Hoeffding);
* σ >= √V - R√(2 ln(4/α)/(m-1)), V the rows' variance with divisor m-1 (Maurer and Pontil 2009, Theorem 10);
* E|X-μ|³ <= A + √(2 S ln(8/α)/m) + 7R³ ln(8/α)/3(m-1), the empirical Bernstein bound (Theorem 4 there) for |x-μ|³: A is
  the rows' mean of it and S their variance, at most m/(m-1) times the mean of |x-μ|⁶. Both means are convex in μ, hence
  largest at an end of μ's interval. Likewise E(X-μ)⁴.

The bounds from the range alone (R³/8, R⁴/12), and Jensen's inequality, may be sharper and are then used.

Take a thousand rows, half of them 1 and half 0. Their own variance is .2503, and with confidence .95 that of a record
is at least .1653; its third moment is at most .125 and its fourth .0833, as for any record from 0 to 1.

>>> found = fit_moments([0, 1] * 500, 0, 1).model
>>> [round(each, 4) for each in (found.variance, found.third, found.fourth)]
[0.1653, 0.125, 0.0833]
"""

from dataclasses import dataclass
from math import isfinite, log, sqrt
from typing import Any, Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.errors import InputError
from dalenius.fitting.fit import Cells, Fit, as_values
from dalenius.noise.error_law import missed
from dalenius.theorems.moment_model import Moments

_BOUNDS: Final = "mean Hoeffding, variance Maurer-Pontil, third and fourth empirical Bernstein"


@final
@dataclass(frozen=True)
class MomentsFit(Fit):
    """Fitted moments: bounds that hold together with that confidence; estimates: the rows' own moments, by name."""

    model: Moments
    confidence: float
    estimates: dict[str, float]

    @property
    def in_words(self) -> str:
        return f"no law is fitted: the bounds hold with {100 * self.confidence:g} % if rows are independent draws"

    def measures(self) -> dict[str, Any]:
        return {"confidence": self.confidence, "bounds": _BOUNDS, "estimates": dict(self.estimates)}


def fit_moments(cells: Cells, lower: float, upper: float, n: int | None = None, confidence: float = 0.95) -> MomentsFit:
    """Fits moments of a record to rows that are independent draws of it.

    Args:
        cells: The rows (m,), numbers between `lower` and `upper`.
        lower: The lower end of the public range, in the records' unit.
        upper: The upper end.
        n: How many such records, independent of each other, the sum is of; None for as many as there are rows.
        confidence: The confidence with which all bounds hold, between 0 and 1.

    Raises:
        InputError: If a cell is no number of the range, or the rows are too few to bound the variance above 0.
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
    """Bounds E|X-μ|^power from above, if μ is between the ends."""
    rows, share = len(data), log(8 / alpha)
    first = max(float((np.abs(data - end) ** power).mean()) for end in ends)
    square = max(float((np.abs(data - end) ** (2 * power)).mean()) for end in ends) * rows / (rows - 1)
    doubt = sqrt(2 * square * share / rows) + 7 * width**power * share / (3 * (rows - 1))
    return (first + doubt) * (1 + 1e-12)


def _checked(cells: Cells, lower: float, upper: float, confidence: float) -> Array:
    """Returns the rows as numbers (m,); InputError for a range without width, a cell outside, or one row."""
    if not (isfinite(lower) and isfinite(upper) and lower < upper):
        raise InputError("range", (lower, upper), "two finite ends, the lower before the upper")
    missed(confidence)
    values = as_values(cells, "value")
    for row, value in enumerate(values, 1):
        # Because a range looked up in the data is not public; a declared one may be wrong.
        if isinstance(value, str) or not lower <= value <= upper:
            wanted = f"a number from {lower:g} to {upper:g}, the public range, in every row"
            raise InputError("value", f"another cell in row {row}", wanted)
    if len(values) < 2:
        raise InputError("rows", len(values), "at least 2 rows")
    return np.array(values, dtype=np.float64)
