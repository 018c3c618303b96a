"""Who is absent, by brute force: the posterior of everybody at every output that matters (DI Def 3, Theory §6).

A prior that is only known to lie within bounds is the worst over the vertices of the set of such priors: what is asked
of it, a posterior or its ratio to the prior, is quasi-convex in it.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product

from tests.reference.channel import Channel, Law, Noise, Real, mp, real
from tests.reference.joints import Value
from tests.reference.noises import laplace


def posterior(answers: Sequence[Fraction], prior: Sequence[Fraction], output: Fraction, noise: Noise) -> list[Real]:
    """Everybody's probability of being the absent one, once the output is seen (DI eq. 1)."""
    weighed = [real(p) * noise.weight(output, answer) for p, answer in zip(prior, answers, strict=True)]
    return [each / mp.fsum(weighed) for each in weighed]


def outputs(answers: Sequence[Fraction]) -> list[Fraction]:
    """Every answer, the middles between them, and some beyond both ends."""
    points = sorted(set(answers))
    middles = [(a + b) / 2 for a, b in pairwise(points)]
    width = points[-1] - points[0] + 1
    return [points[0] - width, *points, *middles, points[-1] + width]


def extremes(answers: Sequence[Fraction], prior: Sequence[Fraction], scale: Fraction) -> tuple[Real, Real, Real]:
    """The largest and the least posterior/prior, and the largest posterior, of anybody whose prior is above 0."""
    noise = laplace(scale)
    ratios, highest = [], mp.zero
    for output in outputs(answers):
        found = posterior(answers, prior, output, noise)
        ratios += [after / real(p) for after, p in zip(found, prior, strict=True) if p > 0]
        highest = max(highest, *found)
    return max(ratios), min(ratios), highest


def vertices(people: int, least: Fraction, greatest: Fraction) -> Iterator[list[Fraction]]:
    """Of the priors with everybody's probability within the bounds: all but one of them at a bound."""
    for free in range(people):
        for ends in product((least, greatest), repeat=people - 1):
            rest = 1 - sum(ends, Fraction(0))
            if least <= rest <= greatest:
                yield [*ends[:free], rest, *ends[free:]]


def bounded_extremes(
    answers: Sequence[Fraction], least: Fraction, greatest: Fraction, scale: Fraction
) -> tuple[Real, Real, Real]:
    """The same over all priors within the bounds, `least` above 0."""
    found = [extremes(answers, prior, scale) for prior in vertices(len(answers), least, greatest)]
    return max(each[0] for each in found), min(each[1] for each in found), max(each[2] for each in found)


def channel(answers: Sequence[Fraction], prior: Sequence[Fraction], noise: Noise) -> Channel:
    """As any other channel: the secret is the absent person's number, from 1."""
    some = [(i, answer, p) for i, (answer, p) in enumerate(zip(answers, prior, strict=True), 1) if p > 0]
    laws: dict[Value, Law] = {i: {(answer,): Fraction(1)} for i, answer, _ in some}
    return Channel({i: p for i, _, p in some}, laws, noise)
