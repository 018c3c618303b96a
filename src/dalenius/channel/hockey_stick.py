"""Hockey-stick divergences of a channel with finitely many secrets (Theory §7, §14).

Between two secrets, and between a secret and the prior's mixture W(y). Suprema over a line of outputs go by branch and
bound on intervals of it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property, lru_cache, partial
from math import exp, inf
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.bisection import least_epsilon
from dalenius.bounds import Enclosure, largest
from dalenius.channel.channel import RatioName
from dalenius.channel.leakage import NO_LEAK, Found, Largest, Leakage, TestedPair, Witness
from dalenius.channel.likelihoods import Likelihoods
from dalenius.channel.quantities import movement, ordered_pairs, ratio
from dalenius.field_types import RecordValue
from dalenius.laws.integrals.convex_functionals import HockeyStick
from dalenius.laws.integrals.privacy_profile import Profile
from dalenius.laws.law import Law, Piece
from dalenius.noise import Mechanism

_SHARP: Final = 1e-10
"""The relative precision wanted; a thousandth of it is the absolute one."""

_Read: TypeAlias = Callable[[Likelihoods], dict[str, Found]]
"""Maxima over the outputs at which a channel is evaluated, by name."""


def supremum(read: Callable[[Likelihoods], Leakage], channel: Likelihoods) -> Leakage:
    """A leakage that is the supremum over outputs of a quasi-convex function of the posterior, also on a whole line of
    outputs. read: its maximum over the outputs at which the given channel is evaluated."""

    def numbers(seen: Likelihoods) -> dict[str, Found]:
        leakage = read(seen)
        own = Found(Enclosure(leakage.lower, leakage.upper), leakage.witness)
        return {"": own, **{name: Found(value) for name, value in leakage.companions.items()}}

    found = refined(numbers, channel)
    return Leakage.of(found.pop(""), **{name: each.value for name, each in found.items()})


def refined(read: _Read, channel: Likelihoods) -> dict[str, Found]:
    """The quantities of a channel; on a line of outputs, to SHARP where no more than MOST pieces are needed.

    Every quantity that is attained at an output is a quasi-convex function of the posterior: on a piece its supremum
    lies between the maxima over some of its outputs and over its hull, likelihoods of which all of the piece's are
    mixtures. Pieces that cannot hold the largest are dropped, the others cut.
    """
    found = read(channel)
    line = channel.likelihood.line
    # Exponential noise, and kernels: finitely many outputs stand for all. Gaussian noise has a line of them.
    if line is None or all(each.witness is None or each.witness.output is None for each in found.values()):
        return found
    bounds = read(channel.seeing(line.hull))
    search = _Search(read, channel, {name: each.value.upper for name, each in bounds.items()})
    pieces = list(line.pieces())
    # Each round cuts the pieces that are open: more rounds than a double has digits.
    for _ in range(120):
        pieces = search.cut(pieces)
        if not pieces:
            break
    search.close(pieces)
    return search.found()


@final
class _Search:
    """best: attained at outputs so far; above: an upper bound for all dropped pieces; conceded: the same of those that
    rounding alone keeps above the best: what is no higher elsewhere need not be cut; all by name of the quantity. A
    witness is the first of those that may be the worst: pieces from left to right, then their parts."""

    def __init__(self, read: _Read, channel: Likelihoods, bounds: dict[str, float]) -> None:
        self._read, self._channel, self._bounds = read, channel, bounds
        self._first = {name: Largest[Witness | None]() for name in bounds}
        self._best = dict.fromkeys(bounds, 0.0)
        self._above = dict.fromkeys(bounds, 0.0)
        self._conceded = dict.fromkeys(bounds, 0.0)
        self._count = 0

    def cut(self, pieces: Sequence[Piece]) -> list[Piece]:
        """The parts of those pieces that may hold a supremum."""
        doubts = [self._look(piece) for piece in pieces]
        self._count += len(pieces)
        found: list[Piece] = []
        seen = [(piece, self._tops(piece), doubt) for piece, doubt in zip(pieces, doubts, strict=True)]
        for _, tops, doubt in seen:
            for name, top in tops.items():
                # Rounding alone keeps the top above the best: cutting would not end.
                if top <= _enough(self._best[name], doubt):
                    self._conceded[name] = max(self._conceded[name], top)
        for piece, tops, _ in seen:
            is_open = any(top > self._conceded[name] for name, top in tops.items())
            # After so many pieces what is open is given up, and its top counts as an upper end.
            parts = piece.parts() if is_open and self._count < 3000 else ()
            found += parts
            if not parts:
                self._drop(tops)
        return found

    def close(self, pieces: Sequence[Piece]) -> None:
        """Drops the pieces left when the rounds are used up."""
        for piece in pieces:
            self._drop(self._tops(piece))

    def found(self) -> dict[str, Found]:
        """Each quantity with both ends: the best output, and the highest of what was dropped."""
        return {
            name: Found(Enclosure(low, max(low, self._above[name])), self._first[name].first)
            for name, low in self._best.items()
        }

    def _look(self, piece: Piece) -> float:
        """Records the maxima at the piece's outputs; returns how far rounding alone may separate its two bounds."""
        channel = self._channel.seeing(piece.seen)
        for name, each in self._read(channel).items():
            self._first[name].add(each.value, each.witness)
            self._best[name] = max(self._best[name], each.value.lower)
        return 8 * channel.error

    def _tops(self, piece: Piece) -> dict[str, float]:
        most = self._read(self._channel.seeing(piece.hull))
        return {name: min(each.value.upper, self._bounds[name]) for name, each in most.items()}

    def _drop(self, tops: dict[str, float]) -> None:
        for name, top in tops.items():
            self._above[name] = max(self._above[name], top)


def _enough(best: float, doubt: float) -> float:
    return best + max(_SHARP * best, _SHARP / 1000) + doubt


@final
class PairProfile:
    """δ(ε) of row `one` of some likelihoods against row `other`; lost: by row, how much of its mass they leave out.

    What is left out adds at most its own mass under `one`, and takes away at most e^ε times that under `other`: noise
    keeps both.

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

    def at(self, epsilon: float) -> Enclosure:
        """δ at that ε, a probability."""
        found = self._curve(epsilon)
        # Past e^700 what is left out may take away anything.
        less = 0.0 if self._less == 0 else exp(epsilon) * self._less if epsilon < 700.0 else inf
        return Enclosure(max(found.lower - less, 0.0), found.upper + self._more)

    @cached_property
    def _curve(self) -> Callable[[float], Enclosure]:
        """The last ε is often asked for again."""
        return lru_cache(maxsize=1)(self._made())

    def _made(self) -> Callable[[float], Enclosure]:
        """The way from ε to δ for this law and this noise: sorting, an integral of two rows, or one along the line."""
        law, one, other = self._law, self._one, self._other
        # Outputs are answers: sorted by their ratio once, every ε is a look-up.
        if self._mechanism.shape.adds_nothing:
            return Profile(law, one, other).at
        if law.line is None:
            rows = replace(law, relative=law.relative[[one, other]])
            return lambda epsilon: self._mechanism.integral(HockeyStick(0, 1, epsilon), rows)
        return lambda epsilon: self._mechanism.integral(HockeyStick(one, other, epsilon), law)


_Places: TypeAlias = dict[str, RecordValue]
"""What a witness names: the secret, and what it is compared with."""


def least_epsilon_of(
    channel: Likelihoods, of: RatioName, delta: float, most: Callable[[], Found] | None = None
) -> Found:
    """most: the leakage without delta, read from the channel where None. The least ε (nats) at which no pair's δ
    exceeds delta."""

    def without_delta() -> Found:
        return ratio(channel) if of == "ratio" else getattr(movement(channel, 1.0), of)

    return _least(channel, _pairs(channel, of), delta, most or without_delta)


def least_delta_of(channel: Likelihoods, of: RatioName, epsilon: float) -> Enclosure:
    """δ at that ε, a probability: the largest over the pairs that are compared."""
    total = Enclosure(0.0, 0.0)
    for _, pair in _pairs(channel, of):
        total = largest(total, pair.at(epsilon))
    return Enclosure(min(total.lower, 1.0), min(total.upper, 1.0))


def tradeoffs(channel: Likelihoods) -> Iterator[TestedPair]:
    """Every δ is computed once; without noise by sorting the outputs once (Result 7.2)."""
    seen = channel.inside
    curves = lru_cache(maxsize=4)(lambda *pair: PairProfile(channel.mechanism, seen.law, seen.lost, *pair).at)

    @cache
    def delta(secret: int, against: int, epsilon: float) -> Enclosure:
        found = curves(secret, against)(epsilon)
        return Enclosure(min(found.lower, 1.0), min(found.upper, 1.0))

    for secret, against in ordered_pairs(channel):
        where = {"secret": channel.secrets[secret], "against": channel.secrets[against]}
        yield TestedPair(partial(delta, secret, against), partial(delta, against, secret), channel.witness(**where))


def _pairs(channel: Likelihoods, of: RatioName) -> Iterator[tuple[_Places, PairProfile]]:
    """What is compared, by what a witness names of it: secrets, or each with the prior's mixture, as one more row."""
    secrets, prior = channel.secrets, len(channel.secrets)
    pairs = ordered_pairs(channel) if of == "ratio" else [(place, prior) for place in range(prior)]
    # A record that is certain, or no pair that is to be hidden: no law is needed.
    if prior < 2 or not pairs:
        return
    law, lost = channel.inside.law, channel.inside.lost
    if of != "ratio":
        law = law.with_mixture(channel.log_prior)
        lost = (*lost, float(np.exp(channel.log_prior) @ np.array(lost)) * (1 + 1e-9))
    for one, other in pairs:
        named = {"secret": secrets[one]} | ({"against": secrets[other]} if other < prior else {})
        yield named, PairProfile(channel.mechanism, law, lost, *((other, one) if of == "lowered" else (one, other)))


def _least(
    channel: Likelihoods, pairs: Iterator[tuple[_Places, PairProfile]], delta: float, most: Callable[[], Found]
) -> Found:
    """The largest of the pairs' least ε. One that keeps delta at the largest so far is not followed further: it cannot
    be larger, and among equals the first is the witness. most: the leakage without delta; it may take longer than all
    the rest, and is asked for only where the search from below leaves something open."""
    found, limit = Largest[_Places](), cache(most)
    for places, pair in pairs:
        # This pair keeps delta at an ε that another pair needs: it cannot be the worst.
        if found.lower > 0 and pair.at(found.lower).upper <= delta:
            continue
        value = least_epsilon(pair.at, delta, inf)
        # No ε was found that has this delta: it is looked for up to the leakage without delta, where δ is 0.
        if value.upper == inf:
            value = least_epsilon(pair.at, delta, limit().value.upper)
        # Relatively: how well an ε is known where no leakage without delta is asked for.
        elif value.upper - value.lower > 1e-9 * (1 + value.upper):
            value = Enclosure(value.lower, max(min(value.upper, limit().value.upper), value.lower))
        found.add(value, places)
    if found.first is None:
        return NO_LEAK
    return Found(Enclosure(found.lower, found.upper), channel.witness(**found.first))
