"""The sum of records with a mixture of normal laws, one record its secret: every density by its definition, in mpmath.

A component is a weight, means and covariances; each conditional law is that of the component's own normal law, and the
component is as likely as Bayes' rule says, given the secret.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import log, pi, sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.special import erfc, erfcx, xlogy

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


def conditioned(components: Sequence[Component], place: int, value: float) -> list[Component]:
    """The components given that the record at `place` has the value: it stays in the sum, without variance."""
    found, chances = [], []
    for each in components:
        variance, own = each.covariance[place][place], each.covariance[place]
        chances.append(each.weight * float(normal(value, each.mean[place], variance)))
        mean = [m + c / variance * (value - each.mean[place]) for m, c in zip(each.mean, own, strict=True)]
        rows = [[each.covariance[i][j] - own[i] * own[j] / variance for j in range(len(own))] for i in range(len(own))]
        found.append((mean, rows))
    return [Component(chance / sum(chances), *law) for chance, law in zip(chances, found, strict=True)]


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


def information(components: Sequence[Component], person: int, kind: str, scale: float) -> float:
    """I(X; Y) by two rules of trapezoids in doubles, 800 places for the record and 6000 for the answer.

    Where densities are smooth the rules are off by next to nothing; kinks of Laplace noise cost some 1e-9.
    """
    own = [(c.weight, c.mean[person], c.covariance[person][person]) for c in components]
    whole = [(c.weight, sum(c.mean), sum(map(sum, c.covariance))) for c in components]
    x, dx = _places([(mean, 9 * sqrt(variance)) for _, mean, variance in own], 800)
    far = 40 * scale if kind == "laplace" else 9 * scale
    y, dy = _places([(mean, 9 * sqrt(variance) + far) for _, mean, variance in whole], 6000)

    def noisy(away: Any, variance: float) -> Any:
        """The density of a normal variable with noise, `away` from its mean."""
        if kind == "gaussian":
            return np.exp(-(away**2) / 2 / (variance + scale**2)) / sqrt(2 * pi * (variance + scale**2))
        return np.exp(_log_noisy(away, variance, scale))

    def entropy(density: Any) -> float:
        return -float(xlogy(density, density).sum()) * dy

    prior = [w * np.exp(-((x - mean) ** 2) / 2 / v) / sqrt(2 * pi * v) for w, mean, v in own]
    left = 0.0
    for k, place in enumerate(x):
        density = 0.0
        for each, (_, mean, variance), (_, middle, spread), c in zip(prior, own, whole, components, strict=True):
            shift = sum(c.covariance[person]) / variance
            density = density + each[k] * noisy(y - middle - shift * (place - mean), spread - shift**2 * variance)
        chance = sum(each[k] for each in prior)
        if chance > 1e-300:
            left += float(chance) * entropy(density / chance) * dx
    return entropy(sum(w * noisy(y - mean, variance) for w, mean, variance in whole)) - left


def _log_noisy(away: Any, variance: float, scale: float) -> Any:
    """The log of the density of a normal variable with Laplace noise, `away` from its mean."""
    ratio, place = sqrt(variance) / scale, np.abs(away) / scale
    if ratio == 0:
        return -place - log(2 * scale)
    near, beyond = (ratio - place / ratio) / sqrt(2), (ratio + place / ratio) / sqrt(2)
    bell, past = -((place / ratio) ** 2) / 2, ratio**2 / 2 - place
    inside, tail = bell + np.log(erfcx(np.maximum(near, 0))), past + np.log(erfc(np.minimum(near, 0)))
    return np.logaddexp(np.where(near > 0, inside, tail), bell + np.log(erfcx(beyond))) - log(4 * scale)


def largest_divergences(components: Sequence[Component], person: int, scale: float) -> tuple[float, float]:
    """The largest D(X | Y=y ‖ X) and D(X ‖ X | Y=y) under Laplace noise, over 600 outputs and the limits at ±∞.

    Each by the rule of trapezoids in doubles, 6000 places for the record.
    """
    own = [(c.weight, c.mean[person], c.covariance[person][person]) for c in components]
    slopes = [sum(c.covariance[person]) / variance for c, (_, _, variance) in zip(components, own, strict=True)]
    tilts = [12 * sqrt(v) + abs(slope) * v / scale for slope, (_, _, v) in zip(slopes, own, strict=True)]
    x, dx = _places([(mean, tilt) for tilt, (_, mean, _) in zip(tilts, own, strict=True)], 6000)
    shares = [log(w) - (x - mean) ** 2 / 2 / v - log(2 * pi * v) / 2 for w, mean, v in own]
    centres = [sum(c.mean) + s * (x - mean) for c, s, (_, mean, _) in zip(components, slopes, own, strict=True)]
    left = [
        max(sum(map(sum, c.covariance)) - s**2 * v, 0.0)
        for c, s, (_, _, v) in zip(components, slopes, own, strict=True)
    ]
    prior = np.logaddexp.reduce(shares)

    def both(logs: Sequence[Any]) -> tuple[float, float]:
        whole = np.logaddexp.reduce([a + b for a, b in zip(shares, logs, strict=True)])
        whole = whole - whole.max() - log(np.exp(whole - whole.max()).sum() * dx)
        forward, reverse = np.exp(whole) * (whole - prior), np.exp(prior) * (prior - whole)
        return float(forward.sum() * dx), float(reverse.sum() * dx)

    ends = [
        [sign * centre / scale + v / 2 / scale**2 for centre, v in zip(centres, left, strict=True)] for sign in (1, -1)
    ]
    far = max(float(np.abs(centre).max()) for centre in centres)
    inside = [
        [_log_noisy(y - centre, v, scale) for centre, v in zip(centres, left, strict=True)]
        for y in np.linspace(-far, far, 601)
    ]
    found = [both(logs) for logs in (*ends, *inside)]
    return max(one for one, _ in found), max(other for _, other in found)


def _places(ends: Sequence[tuple[float, float]], count: int) -> tuple[Any, float]:
    found, step = np.linspace(min(m - d for m, d in ends), max(m + d for m, d in ends), count, retstep=True)
    return found, float(step)
