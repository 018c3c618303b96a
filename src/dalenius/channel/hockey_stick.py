"""Hockey-stick divergences of a channel with finitely many secrets (Theory §7, §14).

They are between two secrets, and between a secret and the prior's mixture W(y).
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property, lru_cache, partial
from math import exp, inf
from typing import TypeAlias, final

import numpy as np

from dalenius.bisection import least_epsilon
from dalenius.bounds import Enclosure, largest
from dalenius.channel.channel import RatioName
from dalenius.channel.leakage import NO_LEAK, Found, TestedPair
from dalenius.channel.likelihoods import Likelihoods
from dalenius.channel.quantities import ordered_pairs
from dalenius.fields import RecordValue
from dalenius.laws.integrals.convex_functionals import HockeyStick, Threshold
from dalenius.laws.integrals.privacy_profile import Profile
from dalenius.laws.law import Law
from dalenius.noise import Mechanism


@final
class PairProfile:
    """The profile δ(ε) of row `one` of some likelihoods against row `other`.

    lost: by row, how much of its mass they leave out. That part adds at most its own mass under `one`, and takes away
    at most e^ε times that under `other`: noise keeps both.

    One record under Laplace noise of scale 1: the two laws differ by 1 - e^-1/2 in total variation.

    >>> import dalenius as dl
    >>> one = dl.Chain(n=1, initial=[0.5, 0.5], transition=[[0.5, 0.5], [0.5, 0.5]])
    >>> (channel,) = dl.Release(one, dl.Count(), dl.Laplace(scale=1.0)).all_channels()
    >>> law = channel.finite("delta").likelihood
    >>> round(PairProfile(channel.mechanism, law, (0.0, 0.0), 1, 0).at(0.0).middle, 6)
    0.393469
    """

    def __init__(self, mechanism: Mechanism, law: Law, lost: Sequence[float], one: int, other: int) -> None:
        self._mechanism, self._law = mechanism, law
        self._one, self._other = one, other
        self._more, self._less = lost[one], lost[other]

    def at(self, epsilon: float, compared: Threshold | None = None) -> Enclosure:
        """Encloses δ, a probability, at `epsilon` nats.

        compared: the numbers δ is compared with, where it need not be known more closely than that takes.
        """
        found = self._curve(epsilon, compared)
        # Because past e^700 the part left out may take away anything.
        less = 0.0 if self._less == 0 else exp(epsilon) * self._less if epsilon < 700.0 else inf
        return Enclosure(max(found.lower - less, 0.0), found.upper + self._more)

    @cached_property
    def _curve(self) -> Callable[[float, Threshold | None], Enclosure]:
        """The way from ε to δ; the last ε is kept, because it is often asked for again."""
        return lru_cache(maxsize=1)(self._made())

    def _made(self) -> Callable[[float, Threshold | None], Enclosure]:
        """Chooses the way from ε to δ for this law and noise: sorting, an integral of two rows, or a line's."""
        law, one, other = self._law, self._one, self._other
        # Because outputs are answers here: sorted by their ratio once, every ε is a look-up.
        if self._mechanism.shape.adds_nothing:
            profile = Profile(law, one, other)
            return lambda epsilon, compared: profile.at(epsilon)
        if law.line is None:
            rows = law.of([one, other])
            return lambda epsilon, compared: self._mechanism.integral(HockeyStick(0, 1, epsilon, compared), rows)
        return lambda epsilon, compared: self._mechanism.integral(HockeyStick(one, other, epsilon, compared), law)


_Places: TypeAlias = dict[str, RecordValue]
"""The part of a witness that names the secret and the value it is compared with."""


def least_epsilon_of(channel: Likelihoods, of: RatioName, delta: float, most: Callable[[], Found]) -> Found:
    """Encloses the least ε, in nats, at which no pair's δ exceeds delta.

    The witness is the first pair that may need it.

    Args:
        channel: The likelihoods of every output given each secret.
        of: Which ratio is meant: of two likelihoods, or of posterior and prior, one way or the other.
        delta: The probability to reach.
        most: Computes the leakage without delta. It may take longer than all the rest, and is called only where the
            search from below leaves something open.
    """
    worst = _WorstPair(list(_pairs(channel, of)), delta)
    if not worst.pairs:
        return NO_LEAK
    value = least_epsilon(worst.at, delta, inf)
    # The case in which no ε has this delta: the search goes up to the leakage without delta, where δ is 0.
    if value.upper == inf:
        value = least_epsilon(worst.at, delta, most().value.upper)
    # Because an ε of a smaller relative width is known well enough without the leakage without delta.
    elif value.upper - value.lower > 1e-9 * (1 + value.upper):
        value = Enclosure(value.lower, max(min(value.upper, most().value.upper), value.lower))
    return Found(value, channel.witness(**worst.first(value.lower)))


@final
class _WorstPair:
    """The largest δ of several pairs, as a curve of ε that is compared with delta.

    A pair that keeps delta at an ε at which another does not cannot be the worst: it is dropped.
    """

    def __init__(self, pairs: Sequence[tuple[_Places, PairProfile]], delta: float) -> None:
        self.pairs, self._delta = pairs, delta
        self._left = list(range(len(pairs)))

    def at(self, epsilon: float) -> Enclosure:
        """Encloses δ, a probability, at `epsilon` nats."""
        total, found = Enclosure(0.0, 0.0), dict[int, Enclosure]()
        for place in self._left:
            # Because a pair that certainly has less than another decides nothing, it is not looked at closely.
            found[place] = self.pairs[place][1].at(epsilon, Threshold(total.lower, self._delta))
            total = largest(total, found[place])
        if total.lower > self._delta:
            self._left = [place for place in self._left if found[place].upper > self._delta]
        # So that the others need not be known closely at the next ε, the largest comes first.
        self._left.sort(key=lambda place: -found[place].middle)
        return total

    def first(self, epsilon: float) -> _Places:
        """Returns the witness's part for the first pair that may need more than `epsilon` nats."""
        for place in sorted(self._left):
            if epsilon == 0 or self.pairs[place][1].at(epsilon, Threshold(bound=self._delta)).upper > self._delta:
                return self.pairs[place][0]
        return self.pairs[self._left[0]][0]


def least_delta_of(
    channel: Likelihoods, of: RatioName, epsilon: float, least: float = 0.0, bound: float | None = None
) -> Enclosure:
    """Encloses δ, a probability, at `epsilon` nats: the largest over the pairs of `channel` that are compared.

    `of` names the likelihoods; least, bound: see `Threshold`.
    """
    total = Enclosure(0.0, 0.0)
    for _, pair in _pairs(channel, of):
        # Because a pair that certainly has less than another decides nothing, it is not looked at closely.
        total = largest(total, pair.at(epsilon, Threshold(max(least, total.lower), bound)))
        if bound is not None and total.lower > bound:
            break
    return Enclosure(min(total.lower, 1.0), min(total.upper, 1.0))


def tradeoffs(channel: Likelihoods) -> Iterator[TestedPair]:
    """Yields the tests of one secret of `channel` against another. Every δ is computed once.

    Without noise this takes one sort of the outputs (Result 7.2).
    """
    inside = channel.inside
    curves = lru_cache(maxsize=4)(lambda *pair: PairProfile(channel.mechanism, inside.law, inside.lost, *pair).at)

    @cache
    def delta(secret: int, against: int, epsilon: float) -> Enclosure:
        found = curves(secret, against)(epsilon)
        return Enclosure(min(found.lower, 1.0), min(found.upper, 1.0))

    for secret, against in ordered_pairs(channel):
        where = {"secret": channel.secrets[secret], "against": channel.secrets[against]}
        yield TestedPair(partial(delta, secret, against), partial(delta, against, secret), channel.witness(**where))


def _pairs(channel: Likelihoods, of: RatioName) -> Iterator[tuple[_Places, PairProfile]]:
    """Yields the profiles that are compared, with the part of a witness that names them.

    They are of secrets, or of each with the prior's mixture, as one more row.
    """
    secrets, prior = channel.secrets, len(channel.secrets)
    pairs = ordered_pairs(channel) if of == "ratio" else [(place, prior) for place in range(prior)]
    # The case of a record that is certain, or of no pair to hide: no law is needed.
    if prior < 2 or not pairs:
        return
    law, lost = channel.inside.law, channel.inside.lost
    if of != "ratio":
        law = law.with_mixture(channel.log_prior)
        lost = (*lost, float(np.exp(channel.log_prior) @ np.array(lost)) * (1 + 1e-9))
    for one, other in pairs:
        named = {"secret": secrets[one]} | ({"against": secrets[other]} if other < prior else {})
        yield named, PairProfile(channel.mechanism, law, lost, *((other, one) if of == "lowered" else (one, other)))
