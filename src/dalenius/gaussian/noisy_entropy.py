"""The differential entropy of a normal answer under Laplace noise, by one integral whose error is bounded.

g_r is the density of a Gaussian variable of deviation r plus Laplace noise of scale 1 (see `density`). The trapezoidal
rule of step h on the whole line is off by at most 2M/(e^{2πa/h} - 1), where the integrand is analytic for |Im y| < a
and the integral of its modulus along every line there is at most M (Trefethen and Weideman 2014, Theorem 5.1).

Here a = r. Given an output y, the noise U is a posteriori more log-concave than N(y, r²): its variance is at most r²
(Brascamp and Lieb 1976). As g_r(y + iτ)/g_r(y) is e^{τ²/2r²} times its characteristic function at τ/r², about its
mean, and as that function is at least 1 - τ²/2r² there, for |τ| <= r

* the quotient has a modulus between .82 and e^{1/2}, and g_r has no zero;
* its argument is at most π/3 + |τ|, as |(log g_r)'| <= 1.

As g_r < 1 everywhere, the integral of g_r |log g_r| is the entropy, which is at most that of a Gaussian variable of the
same variance. So M <= e^{1/2} (½ log 2πe(r² + 2) + ½ + π/3 + r).
"""

from functools import lru_cache
from math import e, exp, expm1, fsum, log, log1p, pi
from typing import Final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.gaussian.density import log_density, log_density_error, log_fall

_NARROW: Final = 1e-3
"""Deviations, in scales of the noise, below which the entropy is bounded and not integrated: to r²/4 nats."""
_STEPS: Final = 8
"""The rule's steps in one deviation; its error is then below e^-50 of M."""


@lru_cache(maxsize=1024)
def noisy_entropy(deviation: float) -> Enclosure:
    """Returns the entropy, in nats, of a normal variable of that deviation plus Laplace noise of scale 1.

    Noise alone has 1 + log 2; a normal variable that is much wider has nearly its own ½ log 2πe r²:

    >>> [round(noisy_entropy(each).middle, 6) for each in (0.0, 1.0, 100.0)]
    [1.693147, 1.951996, 6.024209]
    """
    alone, square = 1 + log(2), deviation**2
    if deviation < _NARROW:
        # De Bruijn: half the integral of the Fisher information, between 1/(t + 2) and 1/(t + 1) at a variance of t.
        most = alone + log1p(square) / 2
        return Enclosure((alone + log1p(square / 2) / 2) * (1 - 8 * UNIT), most * (1 + 8 * UNIT))
    step = deviation / _STEPS
    count = int((12 * deviation + 60) / step) + 1
    places = step * np.arange(count + 1)
    logs, doubt = log_density(places, deviation), log_density_error(places, deviation)
    weights = np.where(np.arange(count + 1) == 0, 1.0, 2.0) * step * np.exp(logs)
    found = fsum((weights * -logs).tolist())
    # Because a place is rounded, too, and log g moves by no more than it does.
    error = fsum((weights * (1 - logs) * (doubt + 4 * UNIT * (1 + places) + 16 * UNIT * (1 - logs))).tolist())
    error += _beyond(float(places[-1]), float(logs[-1]), deviation) + _off(deviation)
    return Enclosure(found - error, found + error)


def _beyond(last: float, log_last: float, deviation: float) -> float:
    """Bounds what the rule has beyond its last place.

    There g falls by a factor e^-s a unit at least, s the slope of its log, and -log g grows by no more than a unit a
    unit.
    """
    odds = exp(float(log_fall(last, deviation)))
    slope = (1 - odds) / (1 + odds) * (1 - 1e-9)
    return 2 * exp(log_last) * (-log_last / slope + 1 / slope**2) * (1 + 1e-6)


def _off(deviation: float) -> float:
    """Returns the rule's own error."""
    most = exp(0.5) * (log(2 * pi * e * (deviation**2 + 2)) / 2 + 0.5 + pi / 3 + deviation)
    return 2 * most / expm1(2 * pi * _STEPS) * (1 + 1e-9)
