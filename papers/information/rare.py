"""Rare epidemics: what the count of the ill leaks, and the noise it needs, in closed form (Result 14.2)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, exp, expm1, inf, log, log1p
from typing import final

from scipy.optimize import brentq

import dalenius as dl
from dalenius import Enclosure


@final
@dataclass(frozen=True)
class Rare:
    """people: k; with probability `epidemic`, p, all of them are ill, and otherwise each with chance `sporadic`, q,
    independently. q = 0: an epidemic is the only cause."""

    people: int
    epidemic: float
    sporadic: float

    @property
    def model(self) -> dl.Households:
        """Probabilities rounded from the fractions that p and q are."""
        p, q, k = Fraction(self.epidemic), Fraction(self.sporadic), self.people
        independent = [(1 - p) * comb(k, ill) * q**ill * (1 - q) ** (k - ill) for ill in range(k + 1)]
        return dl.Households(count=1, infected=[float(mass + p * (ill == k)) for ill, mass in enumerate(independent)])

    @property
    def chance(self) -> float:
        """Anybody's of being ill."""
        return self.epidemic + (1 - self.epidemic) * self.sporadic

    @property
    def share(self) -> float:
        """Pr[epidemic | a person is ill]: r."""
        return self.epidemic / self.chance

    def log_ratios(self, rate: float) -> tuple[float, float]:
        """log of R₊ and of R₋: of W(y|ill)/W(y|well) as y → ∞, and of its inverse as y → -∞; rate: 1/b."""
        others = self.people - 1
        spread, absent = log(self.share), log1p(-self.share) if self.share < 1 else -inf
        up = _log_sum(absent + rate, spread + self.people * rate - others * self.log_mean(rate))
        down = _log_sum(absent - rate, spread - self.people * rate - others * self.log_mean(-rate))
        return up, -down

    def inferential(self, rate: float) -> float:
        """The leakage in nats, with Laplace noise of scale 1/rate."""
        return max(self.log_ratios(rate))

    def information(self, rate: float) -> float:
        """The leakage in nats, with Laplace noise of scale 1/rate."""
        up, down = self.log_ratios(rate)
        return max(-log(self.chance + (1 - self.chance) * exp(-up)), -log1p(self.chance * expm1(-down)))

    def least_scale(self, notion: str, epsilon: float) -> float:
        """Of the Laplace noise that keeps the promise; 0 where the exact answer does.

        notion: `inferential` or `information`. Noise of scale k/ε is always enough (IDP Prop 3).
        """
        leaks = self.inferential if notion == "inferential" else self.information
        if notion == "information" and -log(self.chance) <= epsilon and -log1p(-self.chance) <= epsilon:
            return 0.0
        low, high = epsilon / self.people * (1 - 1e-9), epsilon
        while leaks(high) < epsilon:
            high *= 2
        found: float = brentq(lambda rate: leaks(rate) - epsilon, low, high, xtol=1e-15 * epsilon, rtol=1e-14)
        return 1 / found

    def log_mean(self, rate: float) -> float:
        """log E[e^{rate X}] of one other person outside an epidemic."""
        q = self.sporadic
        return _log_sum(log1p(-q), log(q) + rate) if q else 0.0


@final
@dataclass(frozen=True)
class RareAt:
    """What Laplace noise leaks, each in nats, and how likely that is.

    above: Pr[posterior > e^ε · prior] over all outputs; farthest: of outputs of k or more, which leak most; ill: the
    δ of information privacy at ε, as whoever is ill has it.
    """

    law: Rare
    inferential: Enclosure
    information: Enclosure
    relative_entropy: Enclosure
    mutual_information: Enclosure
    above: Enclosure
    farthest: float
    ill: Enclosure


def rare_at(law: Rare, scale: float, epsilon: float) -> RareAt:
    """All of them, from the channel."""
    release = dl.Release(law.model, dl.Count(), dl.Laplace(scale=scale))
    notions = (
        *(dl.InferentialPrivacy(), dl.InformationPrivacy()),
        *(dl.RelativeEntropyPrivacy(), dl.MutualInformationPrivacy()),
    )
    inferential, information, entropy, average = (
        Enclosure(found.lower, found.upper) for found in (notion.leakage(release) for notion in notions)
    )
    (channel,) = release.channels()
    above = channel.tail().law.chance(epsilon)
    delta = dl.InformationPrivacy().least_delta(release, epsilon)
    assert delta is not None
    return RareAt(law, inferential, information, entropy, average, above, _farthest(law, 1 / scale), delta)


def rows(points: Sequence[RareAt], scale: float) -> Iterator[tuple[object, ...]]:
    """The lines of a CSV: enclosures by their ends."""
    names = "inferential", "information", "relative_entropy", "mutual_information", "above_epsilon", "delta"
    ends = (f"{name}_{end}" for name in names for end in ("lower", "upper"))
    yield (
        *("people", "sporadic", "epidemic", "scale", *ends),
        *("probability_of_the_worst", "closed_inferential", "closed_information"),
    )
    for at in points:
        law, rate = at.law, 1 / scale
        enclosures = at.inferential, at.information, at.relative_entropy, at.mutual_information, at.above, at.ill
        flat = (end for each in enclosures for end in each)
        yield (
            *(law.people, law.sporadic, law.epidemic, scale, *flat),
            *(at.farthest, law.inferential(rate), law.information(rate)),
        )


def _farthest(law: Rare, rate: float) -> float:
    """Pr[Y >= k]: half of E[e^{-(k - N)/b}]."""
    independent = (1 - law.epidemic) * exp(law.people * (law.log_mean(rate) - rate))
    return (law.epidemic + independent) / 2


def _log_sum(one: float, other: float) -> float:
    high, low = max(one, other), min(one, other)
    return high if low == -inf else high + log1p(exp(low - high))
