"""How likely outputs are that leak much, by going through all of them, in closed form between knots, or by bisection.

A loss is a function of the likelihoods {secret: W(y|s)} and of the prior.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise, product
from typing import TypeAlias

from tests.reference.channel import Channel, Real, mp, real
from tests.reference.joints import Value

Likelihoods: TypeAlias = dict[Value, Real]
Loss: TypeAlias = Callable[[Channel, Likelihoods], Real]
SAMPLES = 24


def gain(channel: Channel, likelihoods: Likelihoods) -> Real:
    """max_s log W(y|s)/W(y)."""
    return mp.log(max(likelihoods.values()) / channel.mixture(likelihoods))


def divergence(channel: Channel, likelihoods: Likelihoods) -> Real:
    """D(S|Y=y ‖ S)."""
    total = channel.mixture(likelihoods)
    terms = ((channel.weights[s], value / total) for s, value in likelihoods.items() if value > 0)
    return mp.fsum(weight * ratio * mp.log(ratio) for weight, ratio in terms)


def widest(channel: Channel, likelihoods: Likelihoods) -> Real:
    """max log W(y|s)/W(y|s')."""
    low = min(likelihoods.values())
    return mp.inf if low == 0 else mp.log(max(likelihoods.values()) / low)


def points(channel: Channel) -> Iterator[tuple[Real, Likelihoods]]:
    """Each output's probability, and its likelihoods; an end of geometric noise's range with all beyond."""
    if channel.noise.kind != "geometric":
        for output in channel.candidates:
            found = channel.likelihoods(output)
            yield channel.mixture(found), found
        return
    beyond = channel.noise.decay / (1 - channel.noise.decay)
    for output in product(*channel.lattice):
        found = channel.likelihoods(output)
        weight = mp.one
        for value, axis in zip(output, channel.lattice, strict=True):
            weight *= 1 + beyond * ((value == axis[0]) + (value == axis[-1]))
        yield weight * channel.mixture(found), found


def tail(channel: Channel, loss: Loss, level: float) -> Real:
    """Pr[loss > level]."""
    if channel.noise.kind == "laplace":
        return _laplace(channel, loss, real(Fraction(level)))
    if channel.noise.kind == "gaussian":
        return _gaussian(channel, loss, real(Fraction(level)))
    return mp.fsum(mass for mass, found in points(channel) if mass > 0 and loss(channel, found) > level)


def mean(channel: Channel, loss: Loss) -> Real:
    """E[loss], of noise with points."""
    return mp.fsum(mass * loss(channel, found) for mass, found in points(channel) if mass > 0)


def maximal_leakage(channel: Channel) -> Real:
    """log Σ_y max_s W(y|s), of noise with points."""
    return mp.log(
        mp.fsum(mass / channel.mixture(found) * max(found.values()) for mass, found in points(channel) if mass)
    )


def _laplace(channel: Channel, loss: Loss, level: Real) -> Real:
    scale, total = real(channel.noise.scale), mp.zero
    for end in (channel.axes[0][0], channel.axes[0][-1]):
        beyond = channel.likelihoods([end])
        total += scale * channel.mixture(beyond) * (loss(channel, beyond) > level)
    for first, last in pairwise(channel.axes[0]):
        decay = real(last - first) / scale
        start, stop = channel.likelihoods([first]), channel.likelihoods([last])

        def at(u: Real, start=start, stop=stop, decay=decay) -> Likelihoods:  # type: ignore[no-untyped-def]
            return {s: (start[s] * mp.sinh(decay - u) + stop[s] * mp.sinh(u)) / mp.sinh(decay) for s in start}

        def height(u: Real, at=at) -> Real:  # type: ignore[no-untyped-def]
            return loss(channel, at(u)) - level

        low, high = channel.mixture(start), channel.mixture(stop)
        for left, right in _above(height, mp.zero, decay, SAMPLES):
            rising = (mp.cosh(right) - mp.cosh(left)) / mp.sinh(decay)
            falling = (mp.cosh(decay - left) - mp.cosh(decay - right)) / mp.sinh(decay)
            total += scale * (low * falling + high * rising)
    return total


def _gaussian(channel: Channel, loss: Loss, level: Real) -> Real:
    scale = real(channel.noise.scale)
    first, last = real(channel.axes[0][0]) - 14 * scale, real(channel.axes[0][-1]) + 14 * scale
    samples = int((last - first) / scale * 12)
    mixture = [(weight * p, real(v[0])) for s, weight in channel.weights.items() for v, p in _law(channel, s)]
    total = mp.zero
    for left, right in _above(lambda y: loss(channel, channel.likelihoods([y])) - level, first, last, samples):
        for weight, answer in mixture:
            ends = [(y - answer) / scale / mp.sqrt(2) for y in (left, right)]
            total += weight * (mp.erfc(ends[0]) - mp.erfc(ends[1])) / 2
    return total


def _law(channel: Channel, secret: Value) -> list[tuple[tuple[Fraction, ...], Real]]:
    return [(answer, real(p)) for answer, p in channel.laws[secret].items()]


def _above(height: Callable[[Real], Real], first: Real, last: Real, samples: int) -> Iterator[tuple[Real, Real]]:
    """The intervals on which a function is positive, by its changes of sign between samples, to which the
    places where it dips are added."""
    places = [first + (last - first) * k / samples for k in range(samples + 1)]
    heights = [height(place) for place in places]
    dips = [k for k in range(1, samples) if 0 < heights[k] <= min(heights[k - 1], heights[k + 1])]
    places += [_lowest(height, places[k - 1], places[k + 1]) for k in dips]
    places += [_lowest(height, places[0], places[1]), _lowest(height, places[samples - 1], places[samples])]
    places.sort()
    heights = [height(place) for place in places]
    for (left, right), (start, end) in zip(pairwise(places), pairwise(heights), strict=True):
        if start > 0 and end > 0:
            yield left, right
        elif start > 0 or end > 0:
            low, high = left, right
            for _ in range(90):
                middle = (low + high) / 2
                if (height(middle) > 0) == (start > 0):
                    low = middle
                else:
                    high = middle
            yield (left, low) if start > 0 else (high, right)


def _lowest(height: Callable[[Real], Real], low: Real, high: Real) -> Real:
    """Where a function with a single dip is least, by thirds."""
    for _ in range(60):
        one, other = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, other) if height(one) < height(other) else (one, high)
    return (low + high) / 2
