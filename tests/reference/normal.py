"""A normal answer under noise, one record its secret: every number by its definition, in mpmath.

Everything takes the shift c of the answer per unit of the record, the record's variance tau2, the answer's variance v
given the record, and the noise.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from tests.reference.channel import Real, mp, real
from tests.reference.noises import Gaussian, Laplace, NoNoise


class Setting(NamedTuple):
    """One record's channel; what is a secret is measured from the record's mean."""

    shift: float
    variance: float
    residual: float
    noise: Laplace | Gaussian | NoNoise

    @property
    def whole(self) -> Real:
        return mp.mpf(self.residual) + mp.mpf(self.shift) ** 2 * mp.mpf(self.variance)


def density(setting: Setting, y: Any, variance: Any) -> Real:
    """Density at y of N(0, variance) plus the noise."""
    return setting.noise.smoothed(mp.mpf(y), mp.mpf(variance))


def given(setting: Setting, y: Any, secret: Any) -> Real:
    """W(y|s)."""
    return density(setting, mp.mpf(y) - mp.mpf(setting.shift) * mp.mpf(secret), setting.residual)


def mixed(setting: Setting, y: Any) -> Real:
    """W(y)."""
    return density(setting, y, setting.whole)


def reach(setting: Setting, *secrets: float) -> Real:
    """An output beyond which nothing but tails is left."""
    far = max((abs(s) for s in secrets), default=0)
    return 60 * (mp.sqrt(setting.whole) + real(setting.noise.scale)) + abs(mp.mpf(setting.shift)) * far


def edges_of(setting: Setting, *points: Any) -> list[Real]:
    """Where to cut the line for quadrature: at the kinks or bumps, and at each scale around them."""
    end = reach(setting) + max(abs(mp.mpf(p)) for p in points)
    scales = {mp.sqrt(mp.mpf(setting.residual)), mp.sqrt(setting.whole), real(setting.noise.scale)} - {mp.zero}
    cuts = {mp.mpf(p) + sign * k * d for p in points for d in scales for k in (0, 1, 3, 8, 20) for sign in (-1, 1)}
    return [-end, *sorted(cut for cut in cuts if -end < cut < end), end]


def hockey_stick(setting: Setting, secret: float, against: float, epsilon: Any) -> Real:
    """∫ max(W(y|s) - e^ε W(y|s'), 0) dy; the sign of its argument is found by bisection of the log-ratio."""

    def positive(y: Real) -> bool:
        return bool(given(setting, y, secret) > mp.exp(mp.mpf(epsilon)) * given(setting, y, against))

    low, high = -reach(setting, secret, against) * 4, reach(setting, secret, against) * 4
    if positive(low) == positive(high):
        return mp.zero
    rising = positive(high)
    while high - low > mp.eps * (abs(low) + abs(high)) * 4:
        middle = (low + high) / 2
        low, high = (low, middle) if positive(middle) == rising else (middle, high)

    def height(y: Real) -> Real:
        return given(setting, y, secret) - mp.exp(mp.mpf(epsilon)) * given(setting, y, against)

    shifts = [mp.mpf(setting.shift) * mp.mpf(s) for s in (secret, against)]
    cuts = [cut for cut in edges_of(setting, *shifts, low) if (cut > low if rising else cut < low)]
    return mp.quad(height, sorted([low, *cuts]))


def finest(value: Callable[[Real], Real], low: Real, high: Real, rounds: int = 12, points: int = 200) -> Real:
    """The largest value on [low, high]: a fine grid, refined around its largest point."""
    best = value(low)
    for _ in range(rounds):
        places = mp.linspace(low, high, points)
        values = [value(place) for place in places]
        top = max(range(points), key=lambda i: values[i])
        best = max(best, values[top])
        low, high = places[max(top - 1, 0)], places[min(top + 1, points - 1)]
    return best


def _widely(setting: Setting, value: Callable[[Real], Real], secret: float) -> Real:
    """The largest value over windows of several sizes around the centre and around what the secret puts there."""
    end = reach(setting, secret)
    middle = mp.mpf(setting.shift) * mp.mpf(secret)
    windows = [(middle - width, middle + width) for width in (30 * end, end, end / 10, end / 60)]
    return max([value(middle), *(finest(value, *window, rounds=8, points=50) for window in windows)])


def raised(setting: Setting, secret: float) -> Real:
    """sup over y of log W(y|s)/W(y)."""
    return _widely(setting, lambda y: mp.log(given(setting, y, secret) / mixed(setting, y)), secret)


def entropy(setting: Setting, variance: Any) -> Real:
    """-∫ g log g, nats."""

    def height(y: Real) -> Real:
        g = density(setting, y, variance)
        return -g * mp.log(g) if g > 0 else mp.zero

    return mp.quad(height, edges_of(setting, mp.zero))


def mutual_information(setting: Setting) -> Real:
    """h(Y) - h(Y|S)."""
    return entropy(setting, setting.whole) - entropy(setting, setting.residual)


def posterior_divergences(setting: Setting, y: Any) -> tuple[Real, Real]:
    """D(S|Y=y ‖ S) and D(S ‖ S|Y=y)."""
    deviation = mp.sqrt(mp.mpf(setting.variance))
    evidence = mixed(setting, y)
    bump = mp.mpf(y) / mp.mpf(setting.shift)
    shift = abs(mp.mpf(setting.shift))
    width = real(setting.noise.scale) / shift + mp.sqrt(setting.residual) / shift
    cuts = {k * deviation for k in range(-40, 41, 4)} | {bump + k * width for k in (-20, -5, -1, 0, 1, 5, 20)}
    edges = sorted(cut for cut in cuts if abs(cut) <= 40 * deviation)

    def there(s: Real) -> Real:
        ratio = given(setting, y, s) / evidence
        return mp.npdf(s, 0, deviation) * ratio * mp.log(ratio)

    def back(s: Real) -> Real:
        return -mp.npdf(s, 0, deviation) * mp.log(given(setting, y, s) / evidence)

    return mp.quad(there, edges), mp.quad(back, edges)
