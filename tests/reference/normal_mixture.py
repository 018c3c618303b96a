"""The sum of records with a mixture of normal laws, one record its secret: every density by its definition, in mpmath.

A component is a weight, means and covariances; each conditional law is that of the component's own normal law, and the
component is as likely as Bayes' rule says, given the secret.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from tests.reference.channel import Real, mp
from tests.reference.noises import Gaussian, Laplace


class Component(NamedTuple):
    """One normal law of all records, with its probability."""

    weight: float
    mean: Sequence[float]
    covariance: Sequence[Sequence[float]]


def normal(x: Any, mean: Any, variance: Any) -> Real:
    return mp.exp(-((mp.mpf(x) - mean) ** 2) / (2 * mp.mpf(variance))) / mp.sqrt(2 * mp.pi * mp.mpf(variance))


class Answer(NamedTuple):
    """Normal terms of the sum, each with its share, before noise; the noise."""

    terms: Sequence[tuple[Real, Real, Real]]
    noise: Laplace | Gaussian

    def density(self, y: Any) -> Real:
        return mp.fsum(share * self.noise.smoothed(mp.mpf(y) - mean, variance) for share, mean, variance in self.terms)


def mixed(components: Sequence[Component], noise: Any) -> Answer:
    """W(y)."""
    return Answer([(mp.mpf(c.weight), mp.fsum(c.mean), _whole(c)) for c in components], noise)


def given(components: Sequence[Component], person: int, secret: Any, noise: Any) -> Answer:
    """W(y|s)."""
    found = []
    for each in components:
        own, variance = mp.mpf(each.mean[person]), mp.mpf(each.covariance[person][person])
        shift = mp.fsum(map(mp.mpf, each.covariance[person])) / variance
        share = mp.mpf(each.weight) * normal(secret, own, variance)
        mean = mp.fsum(each.mean) + shift * (mp.mpf(secret) - own)
        found.append((share, mean, _whole(each) - shift**2 * variance))
    total = mp.fsum(share for share, _, _ in found)
    return Answer([(share / total, mean, variance) for share, mean, variance in found], noise)


def _whole(component: Component) -> Real:
    return mp.fsum(mp.mpf(each) for row in component.covariance for each in row)


def log_ratio(one: Answer, other: Answer) -> Callable[[Any], Real]:
    return lambda y: mp.log(one.density(y)) - mp.log(other.density(y))


def highest(found: Callable[[Any], Real], end: float, places: int = 300) -> Real:
    """The largest value on a grid, then by golden sections around it: from below, and near."""
    grid = [-end + 2 * end * k / places for k in range(places + 1)]
    best = max(range(places + 1), key=lambda k: found(grid[k]))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, places)]
    ratio = (mp.sqrt(5) - 1) / 2
    for _ in range(60):
        one, other = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, other) if found(one) > found(other) else (one, high)
    return max(found((low + high) / 2), found(grid[best]))


def hockey_stick(one: Answer, other: Answer, epsilon: Any, end: float, places: int = 400) -> Real:
    """∫ max(W(y|s) - e^ε W(y|s'), 0) dy; between places where the sign changes, each found by bisection."""

    def height(y: Any) -> Real:
        return one.density(y) - mp.exp(mp.mpf(epsilon)) * other.density(y)

    grid = [mp.mpf(-end + 2 * end * k / places) for k in range(places + 1)]
    cuts = []
    for low, high in pairwise(grid):
        if (height(low) > 0) == (height(high) > 0):
            continue
        rising = height(high) > 0
        for _ in range(90):
            middle = (low + high) / 2
            low, high = (low, middle) if (height(middle) > 0) == rising else (middle, high)
        cuts.append(low)
    ends = [mp.mpf(-end), *cuts, mp.mpf(end)]
    parts = [(a, b) for a, b in pairwise(ends) if height((a + b) / 2) > 0]
    bumps = [mean for answer in (one, other) for _, mean, _ in answer.terms]
    return mp.fsum(mp.quad(height, [a, *sorted(m for m in bumps if a < m < b), b]) for a, b in parts)


def information(components: Sequence[Component], person: int, noise: Any) -> Real:
    """I(X; Y) by two rules of trapezoids, from which a mixture's analytic densities are off by next to nothing."""
    spreads = [mp.sqrt(mp.mpf(c.covariance[person][person])) for c in components]
    ends = [(c.mean[person] - 9 * d, c.mean[person] + 9 * d) for c, d in zip(components, spreads, strict=True)]
    low, high = min(a for a, _ in ends), max(b for _, b in ends)
    whole = mixed(components, noise)
    far = 9 * max(mp.sqrt(v) + mp.mpf(float(noise.scale)) for _, _, v in whole.terms)
    first, last = min(m for _, m, _ in whole.terms) - far, max(m for _, m, _ in whole.terms) + far

    def entropy(answer: Answer) -> Real:
        step = (last - first) / 300
        places = [first + k * step for k in range(301)]
        return -mp.fsum(d * mp.log(d) for d in map(answer.density, places) if d > 0) * step

    step = (high - low) / 120
    chances = []
    for k in range(121):
        x = low + k * step
        weight = mp.fsum(c.weight * normal(x, c.mean[person], c.covariance[person][person]) for c in components)
        chances.append((weight, entropy(given(components, person, x, noise))))
    return entropy(whole) - mp.fsum(weight * h for weight, h in chances) * step
