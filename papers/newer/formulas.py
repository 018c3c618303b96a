"""Formulas of papers whose own numbers we could not read, at settings of ours: each beside what the package computes.

Ghosh and Kleinberg's closed form of what Laplace noise on a count leaks. The Rényi divergence of two Laplace laws
(Mironov 2017), to which Pierquin et al. set the noise, by numerical integration. Bai et al.'s influence curve of a
chain.
"""

from collections.abc import Iterator
from math import comb, exp, inf, log

from scipy.integrate import quad

import dalenius as dl
from papers.numbers import Number, main

HOUSEHOLD = (0.9, 0.04, 0.0, 0.0, 0.06)


def formulas(quick: bool = False) -> Iterator[Number]:
    households = dl.Households(count=1, infected=list(HOUSEHOLD))
    leaked = dl.InferentialPrivacy().leakage(dl.Release(households, dl.Count(), dl.Laplace(scale=1.0))).upper
    what = "leakage of a count with Laplace(1), a household of four"
    yield Number("Ghosh and Kleinberg", what, affiliated(1.0), leaked)
    for alpha in (2.0, 8.0) if quick else (1.5, 2.0, 8.0, 64.0):
        release = dl.Release(households, dl.Count(), dl.Laplace())
        noise = dl.calibrate(release, dl.Renyi(alpha=alpha, epsilon=1.0), "general_wasserstein").noise
        what = f"D_α of Laplace laws 4 apart at the scale for ε = 1, α = {alpha:g}"
        yield Number("Pierquin et al.", what, 1.0, divergence(4 / noise.known_scale(), alpha), "by integration")
    days = dl.Chain(n=100, transition=[[0.8, 0.2], [0.2, 0.8]], initial="stationary")
    release = dl.Release(days, dl.Count(), dl.Laplace())
    theirs, ours = (
        dl.calibrate(release, dl.InferentialPrivacy(epsilon=1.0), method).noise.known_scale()
        for method in ("influence_curve", "composable_chain")
    )
    yield Number("Bai et al.", "scale of a chain's curve from both ends, beside the curve", theirs, ours)


def affiliated(epsilon: float) -> float:
    """ln E[e^{ε#}|1] - ln E[e^{ε#}|0], # the number of ill people of the household, one of whom is given."""
    size = len(HOUSEHOLD) - 1
    each = [mass / comb(size, ill) for ill, mass in enumerate(HOUSEHOLD)]
    sums = []
    for own in (0, 1):
        laws = [comb(size - 1, others) * each[own + others] for others in range(size)]
        sums.append(sum(mass * exp(epsilon * (own + others)) for others, mass in enumerate(laws)) / sum(laws))
    return log(sums[1] / sums[0])


def divergence(width: float, alpha: float) -> float:
    """D_α of two Laplace laws of scale 1, `width` apart, by numerical integration."""

    def power(place: float) -> float:
        return exp(-alpha * abs(place - width) - (1 - alpha) * abs(place)) / 2

    ends = ((-inf, 0.0), (0.0, width), (width, inf))
    return log(sum(quad(power, low, high, epsabs=0)[0] for low, high in ends)) / (alpha - 1)


if __name__ == "__main__":
    main(formulas)
