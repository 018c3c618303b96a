"""An upper bound on the leakage along a Markov chain when at most k other records are known (Result 7.8).

Take a record, the nearest known ones at distances a, b on either side (or the chain's ends), and their values. Given
those, it is independent of all records outside. Let v be one of the unknown ones there, and reveal also the two
records next to v: given any values of these, Pr[v = x] >= w·c(x), where w·c(x) is the least of Pr[v = x] over them.
So v is a *coin*, drawn from c, with probability w, whatever the rest is. Of m unknown records outside, every other one
of each run can be such a v without two being neighbours: at least m/2 of them. Reveal everything but the coins' faces:
the answer is the sum of the window around the record, plus B coins and a known number, B ~ Bin(⌈m/2⌉, w) independent
of the record. All that is revealed is independent of the record given a and b, so that nothing is lost, and

    δ(ε) <= Pr[B < β] + δ of the window with β coins,

for every β. m >= n - 1 - a - b - k. On a side with no known record within `reach` the record there is revealed too,
which adds the projective diameter of that many steps to ε (`knowledge.chain.windows`).
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.channel import FiniteChannel, Release
from dalenius.channel.finite.records import RecordWorld
from dalenius.joints import Subject
from dalenius.joints.chain.chain import MarkovChain
from dalenius.knowledge.chain.windows import Batch, Segments, Side
from dalenius.knowledge.groups.rest import Rest, Source, beside, rest_of
from dalenius.knowledge.view import Reading, View
from dalenius.laws.law import Array, IntArray, Law
from dalenius.laws.masses import Masses
from dalenius.special import bdtr

Build: TypeAlias = Callable[[Subject, Law], FiniteChannel]

CLOSE: Final = 2e-3
"""A projective diameter that may be added to ε."""
FURTHEST: Final = 24
FAINTEST: Final = 1e-290
TAILS: Final = (1e-4, 1e-7, 1e-12, 1e-18, 1e-40, 1e-100)
"""Tail probabilities of the number of coins; each gives a bound."""


@final
class Stretches:
    """Every window around a record, with the coins that are left elsewhere."""

    def __init__(self, release: Release, world: RecordWorld, chain: MarkovChain, known: int, build: Build) -> None:
        self._release, self._world, self._known, self._build = release, world, known, build
        initial, step = chain.even or (np.ones(1), np.ones((1, 1)))
        self._n = len(chain)
        self._segments = Segments(self._n, initial, step, world.scores.indices[:, 0], _reach(step))
        coin = _coin(initial, step)
        self._chance = float(coin.sum()) * (1 - 1e-12)
        states = np.arange(len(coin))
        faces = coin / coin.sum() if coin.any() else np.full(len(coin), 1 / len(coin))
        with np.errstate(divide="ignore"):
            self._coin = Source(np.log(faces), states, np.eye(len(coin), dtype=np.int64))
        self._rests: dict[int, Rest] = {}

    @property
    def reach(self) -> int:
        """The largest distance of known records that is enumerated."""
        return self._segments.reach

    @property
    def beyond(self) -> float:
        """What is added to ε, in nats."""
        return self._segments.beyond

    def views(self, tail: float) -> Iterator[View]:
        """tail: a probability of fewer coins than used; it is counted as missing mass."""
        for batch in self._segments.batches():
            for right, rows in zip(batch.rights, batch.rows, strict=True):
                if np.count_nonzero(rows >= 0) > 1 and self._near(batch.left) + self._near(right) <= self._known:
                    yield self._view(batch, right, rows, tail)

    def _near(self, side: Side) -> bool:
        """Whether the record at its end counts as known: at the reach it is revealed."""
        return side.known is not None and side.reach < self._segments.reach

    def _view(self, batch: Batch, right: Side, rows: IntArray, tail: float) -> View:
        possible = np.flatnonzero(rows >= 0)
        coins, missing = self._coins(batch.left.reach + right.reach, tail)
        rest = self._rest(coins)
        own = batch.law.relative[rows[possible]]
        law = beside(rest, np.arange(own.shape[1])[:, None], own)
        values = self._world.joint.strata()[0].values
        subject = self._world.joint.subject_of(self._segments.place(batch.left, right) + 1)
        prior = np.zeros(len(possible))
        secrets = tuple(values[i] for i in possible)
        informed = replace(subject, secrets=secrets, log_prior=prior, class_error=0.0)
        channel = self._build(informed, replace(law, error=law.error + batch.law.error))
        return View(channel, missing=missing + rest.missing)

    def _coins(self, inside: int, tail: float) -> tuple[int, float]:
        """The largest β for which Pr[B < β] is at most `tail`; and a bound on that probability."""
        places = -(-max(self._n - 1 - inside - self._known, 0) // 2)
        low, high = 0, places
        while low < high:
            middle = (low + high + 1) // 2
            if bdtr(middle - 1, places, self._chance) * (1 + 1e-9) <= tail:
                low = middle
            else:
                high = middle - 1
        return low, float(bdtr(low - 1, places, self._chance)) * (1 + 1e-9) if low else 0.0

    def _rest(self, coins: int) -> Rest:
        if coins not in self._rests:
            indices = self._world.scores.indices
            self._rests[coins] = rest_of([self._coin], [coins], indices - indices.min(axis=0))
        return self._rests[coins]


def chain_of(world: RecordWorld) -> MarkovChain | None:
    """The chain, if it is homogeneous with positive transition probabilities and the answer is one sum; else None."""
    chain = world.joint.chain
    if chain is None or chain.even is None or world.scores.indices.shape[1] != 1:
        return None
    initial, step = chain.even
    moved = bool(np.ptp(world.scores.indices[:, 0]))
    return chain if moved and bool((step > 0).all() and (initial > 0).all()) and len(chain) > 2 else None


def bound_along(stretches: Stretches, reading: Reading) -> float:
    """The bound over all windows, at the tail that is best for the first; infinite where no window can be computed."""
    if stretches.reach < 1:
        return inf
    beyond = stretches.beyond
    first = {tail: reading.loosened(next(stretches.views(tail)), beyond, 0.0) for tail in TAILS}
    best = min(TAILS, key=first.__getitem__)
    found = 0.0
    for view in stretches.views(best):
        found = max(found, reading.loosened(view, beyond, found))
    return found


def _reach(step: Array) -> int:
    power = one = Masses.of(step)
    for reach in range(1, FURTHEST):
        logs = power.logs()
        ratios = logs[:, :, None] - logs[:, None, :]
        if np.max(ratios.max(axis=0) - ratios.min(axis=0)) <= CLOSE:
            return reach
        power = power.matmul(one)
    return FURTHEST


def _coin(initial: Array, step: Array) -> Array:
    """w·c: the least probability of each state given any two neighbours, or the one neighbour of an end; 0 where it
    underflows."""
    one, start = Masses.of(step), Masses.of(initial)
    inner = one.with_last_axis().times(one[None])
    inner = inner.over(inner.summed((1,))[:, None, :])
    first = start.with_last_axis().times(one)
    first = first.over(first.summed((0,))[None])
    ends = np.minimum(first.doubles().min(axis=1), step.min(axis=0))
    least = np.minimum(inner.doubles().min(axis=(0, 2)), ends)
    return np.asarray(np.where(least < FAINTEST, 0.0, least * (1 - 1e-12)))
