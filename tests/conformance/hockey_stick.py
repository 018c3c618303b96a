"""δ(ε) under Laplace noise on one axis in closed form: the reference's quadrature is exact too, but takes seconds.

Between neighbouring support points W(y|s) - e^ε W(y|t) = P e^u + Q e^{-u}, u = y/b, so that its values at the two
points give P and Q, and it has one zero at most (Result 3.1). `test_hockey_stick.py` holds it to the quadrature.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise, permutations

from tests.reference.channel import Channel, Real, mp, real
from tests.reference.joints import Value
from tests.reference.leakages import Leakage, worst


def laplace_delta(channel: Channel, epsilon: float) -> Leakage:
    """Worst over ordered pairs of secrets of ∫ max(W(y|s) - e^ε W(y|t), 0) dy."""
    pairs = permutations(channel.laws, 2)
    found = (Leakage(laplace_delta_between(channel, *pair, epsilon), *pair) for pair in pairs)
    return worst([Leakage(mp.zero), *found])


def laplace_delta_between(channel: Channel, one: Value, other: Value, epsilon: float | Real) -> Real:
    """The same for one ordered pair, and any ε."""
    factor = mp.exp(mp.mpf(epsilon))
    return _positive_part(channel, lambda w: w[one] - factor * w[other])


def laplace_raising(channel: Channel, epsilon: float) -> Leakage:
    """Worst over secrets of ∫ max(W(y|s) - e^ε W(y), 0) dy."""
    factor = mp.exp(mp.mpf(epsilon))

    def about(secret: Value) -> Leakage:
        return Leakage(_positive_part(channel, lambda w: w[secret] - factor * channel.mixture(w)), secret)

    return worst(map(about, channel.laws))


def _positive_part(channel: Channel, height: Callable[[dict[Value, Real]], Real]) -> Real:
    """∫ max(height, 0) dy of a linear combination of the likelihoods."""
    knots = [real(point) / real(channel.noise.scale) for point in channel.axes[0]]
    heights = [height(channel.likelihoods([point])) for point in channel.axes[0]]
    return real(channel.noise.scale) * mp.fsum(_areas(knots, heights))


def _areas(knots: list[Real], heights: list[Real]) -> Iterator[Real]:
    yield max(heights[0], mp.zero)
    yield max(heights[-1], mp.zero)
    for (start, end), (first, last) in zip(pairwise(knots), pairwise(heights), strict=True):
        grown = mp.exp(end - start)
        rising = (last - first / grown) / (grown - 1 / grown)
        falling = first - rising
        low, high = mp.one, grown
        if (first > 0) != (last > 0):
            zero = mp.sqrt(-falling / rising)
            low, high = (low, zero) if first > 0 else (zero, high)
        if first > 0 or last > 0:
            yield rising * (high - low) - falling * (1 / high - 1 / low)
