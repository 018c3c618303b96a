"""Finds the δ down to which the ends of an answer agree; below, a number is a bound, maybe far above the truth.

Take Gaussian noise of μ = 1 and the households of four of `Conversion`. At δ = 1e-12 both ends are 28.3 nats, at 1e-60
they are 32.2 and 57.7. An answer at 1e-60 says that nothing is resolved below 1e-17.
"""

from math import floor, inf, log10, sqrt
from typing import Final

from dalenius.bounds import Enclosure, up_to_digits
from dalenius.conversion.conversion import Conversion

SHARE: Final = 0.1
"""The share of the upper end within which two ends agree."""
_LARGEST: Final = (-2, -6, -10)
"""The log10 of the largest deltas that are tried, one after another: for a zero-concentrated pipeline the ends differ
most where δ is large."""
_TRIES: Final = 4
"""How many deltas are tried between the one asked and the largest. Each costs as much time as the answer did."""
_FAINT: Final = Enclosure(1e-290, 1e-6)
"""The deltas between which both ends are compared: above, they stand in the answer, which says enough; below, doubles
end."""


def not_resolved_below(conversion: Conversion, delta: float, value: Enclosure) -> float | None:
    """Returns a δ from which on both ends of ε′ agree; None where they do at the delta asked, infinite where nowhere.

    If the lower end is 0 by the nature of a bound, as for long chains and events that are bounded from above, it counts
    whether the upper end says more than that all records may change at once.

    Args:
        conversion: The conversion.
        delta: δ′, a probability.
        value: ε′ at that δ′, in nats.
    """
    if not delta or conversion.resolves(delta, value, SHARE):
        return None

    def agree(exponent: int) -> bool:
        at = 10.0**exponent
        return conversion.resolves(at, conversion.epsilon(at).value, SHARE)

    # Because the ends do not agree at the first of these exponents of 10.
    low = floor(log10(delta))
    high = next((each for each in _LARGEST if each > low and agree(each)), None)
    if high is None:
        return inf
    for _ in range(_TRIES):
        middle = -round(sqrt(low * high))
        if not low < middle < high:
            break
        low, high = (low, middle) if agree(middle) else (middle, high)
    return float(10.0**high)


def delta_not_resolved_below(value: Enclosure) -> float | None:
    """Returns the upper end of `value`, a δ′, if the lower one says next to nothing; None where they agree."""
    faint = value.lower < value.upper * SHARE and _FAINT.lower < value.upper < _FAINT.upper
    return up_to_digits(value.upper, 2) if faint else None
