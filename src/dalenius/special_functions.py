"""Special functions of scipy and Brent's root finder. scipy takes a third of a second to import, and so waits for the
first that is asked. One number or an array of them, and the same shape back; meaning and accuracy are scipy's."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Real = TypeVar("Real", float, NDArray[np.float64])


def ndtr(x: Real) -> Real:
    """Pr[Z <= x] of a standard normal Z."""
    from scipy import special

    return special.ndtr(x)


def log_ndtr(x: Real) -> Real:
    """log Pr[Z <= x], far into the tail too."""
    from scipy import special

    return special.log_ndtr(x)


def ndtri(p: Real) -> Real:
    """The x of Pr[Z <= x] = p."""
    from scipy import special

    return special.ndtri(p)


def erfc(x: Real) -> Real:
    """(2/√π) ∫_x^∞ e^{-t²} dt."""
    from scipy import special

    return special.erfc(x)


def erfcx(x: Real) -> Real:
    """e^{x²} erfc(x)."""
    from scipy import special

    return special.erfcx(x)


def gammaln(x: Real) -> Real:
    """log Γ(x)."""
    from scipy import special

    return special.gammaln(x)


def brentq(function: Callable[[float], float], low: float, high: float, *, xtol: float, rtol: float = 2**-50) -> float:
    """Where the function crosses 0 between low and high, at which its signs differ (else ValueError), to within
    xtol + rtol·|root|."""
    from scipy import optimize

    return float(optimize.brentq(function, low, high, xtol=xtol, rtol=rtol))
