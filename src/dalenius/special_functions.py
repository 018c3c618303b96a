"""Special functions of scipy and Brent's root finder, which take one number or an array and return the same shape.

scipy takes a third of a second to import, and is imported when the first function is called. Meaning and accuracy are
scipy's.
"""

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Real = TypeVar("Real", float, NDArray[np.float64])


def ndtr(x: Real) -> Real:
    """Returns Pr[Z <= x] of a standard normal Z."""
    from scipy import special

    return special.ndtr(x)


def log_ndtr(x: Real) -> Real:
    """Returns log Pr[Z <= x] of a standard normal Z, far into the tail too."""
    from scipy import special

    return special.log_ndtr(x)


def ndtri(p: Real) -> Real:
    """Returns the x at which Pr[Z <= x] of a standard normal Z is the probability p."""
    from scipy import special

    return special.ndtri(p)


def erfc(x: Real) -> Real:
    """Returns (2/√π) ∫ e^{-t²} dt, integrated from `x` to ∞."""
    from scipy import special

    return special.erfc(x)


def erfcx(x: Real) -> Real:
    """Returns e^{x²} erfc(x)."""
    from scipy import special

    return special.erfcx(x)


def gammaln(x: Real) -> Real:
    """Returns log Γ(x)."""
    from scipy import special

    return special.gammaln(x)


def betaincinv(a: NDArray[np.float64], b: NDArray[np.float64], p: float) -> NDArray[np.float64]:
    """Returns the x at which Pr[X <= x] of a beta variable X with parameters `a` and `b` is the probability p."""
    from scipy import special

    return np.asarray(special.betaincinv(a, b, p), dtype=np.float64)


def brentq(function: Callable[[float], float], low: float, high: float, *, xtol: float, rtol: float = 2**-50) -> float:
    """Returns the point at which the function crosses 0, to within xtol + rtol·|root|.

    Args:
        function: A continuous function of one number.
        low: The lower end of the search.
        high: The upper end. ValueError unless the function's signs differ at the two ends.
        xtol: The absolute tolerance, in the unit of the ends.
        rtol: The relative tolerance, as a share of the root.
    """
    from scipy import optimize

    return float(optimize.brentq(function, low, high, xtol=xtol, rtol=rtol))
