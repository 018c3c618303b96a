"""Brent's root finder. scipy takes a third of a second to import, so it waits for the first root."""

from collections.abc import Callable


def brentq(function: Callable[[float], float], low: float, high: float, *, xtol: float, rtol: float = 2**-50) -> float:
    """Where the function crosses 0 between low and high, at which its signs differ (else ValueError), to within
    xtol + rtol·|root|."""
    from scipy import optimize

    return float(optimize.brentq(function, low, high, xtol=xtol, rtol=rtol))
