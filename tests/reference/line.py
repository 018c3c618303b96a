"""The largest value of a function of the output over the whole line: a scan, then golden sections around its peaks."""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from tests.reference.channel import Channel, Real, Vector, mp, real
from tests.reference.joints import Value

SCAN = 160
GOLDEN = 110


class Valued(Protocol):
    @property
    def value(self) -> Real: ...


Found = TypeVar("Found", bound=Valued)


def steps(low: Real, high: Real, scale: Real) -> list[Real]:
    """From low to high by two deviations at most."""
    count = int(mp.ceil((high - low) / (2 * scale)))
    return [low + (high - low) * k / count for k in range(count + 1)]


def mass(channel: Channel, secret: Value, low: Real, high: Real) -> Real:
    """Pr[low < Y < high | secret]."""
    scale = real(channel.noise.scale)
    parts = [(real(answer[0]), real(p)) for answer, p in channel.laws[secret].items()]
    return mp.fsum(p * _between((low - v) / scale, (high - v) / scale) for v, p in parts)


def _between(low: Real, high: Real) -> Real:
    """Of a standard deviate, read from the nearer tail: far out, what is left of 1 is lost in its digits."""
    return mp.ncdf(-low) - mp.ncdf(-high) if low > 0 else mp.ncdf(high) - mp.ncdf(low)


def peak(channel: Channel, at: Callable[[Vector], Found]) -> Found:
    """Normal noise on one axis: the limits on either side, and every peak that a scan of the answers' range sees. The
    posterior changes over lengths of σ²/(range of the answers) or of σ."""
    axis, scale = channel.axes[0], real(channel.noise.scale)
    away = 6 * scale + 40 * scale**2
    low, high = real(axis[0]) - away, real(axis[-1]) + away
    inner = [real(axis[0]) - scale + (real(axis[-1] - axis[0]) + 2 * scale) * k / SCAN for k in range(SCAN + 1)]
    outer = [low + (high - low) * k / SCAN for k in range(SCAN + 1)]
    outputs = sorted({*inner, *outer})
    seen = [at((output,)) for output in outputs]
    found = [at((-mp.inf,)), at((mp.inf,))]
    order = sorted(range(1, len(seen) - 1), key=lambda i: -seen[i].value)
    tops = [i for i in order if seen[i - 1].value <= seen[i].value >= seen[i + 1].value]
    found += [_climbed(at, outputs[i - 1], outputs[i + 1]) for i in tops[:3]]
    return max([*found, *seen], key=lambda each: each.value)


def _climbed(at: Callable[[Vector], Found], low: Any, high: Any) -> Found:
    share = (mp.sqrt(5) - 1) / 2
    left, right = high - share * (high - low), low + share * (high - low)
    one, other = at((left,)), at((right,))
    for _ in range(GOLDEN):
        if one.value < other.value:
            low, left, one = left, right, other
            right = low + share * (high - low)
            other = at((right,))
        else:
            high, right, other = right, left, one
            left = high - share * (high - low)
            one = at((left,))
    return max(one, other, key=lambda each: each.value)
