"""Averages over a chain given several of its records: between two of them, each stretch is independent of all others.

Given X_i = s and X_j = t, E[prod factor(X_k); i < k < j] obeys the recurrence of the chain itself: with
w_u = Pr[X_j = u | X_i = s, X_{j+1} = t],

    C_{i,j+1}(s, t) = sum_u w_u C_ij(s, u) factor_j(u).
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Generic, TypeAlias, final

import numpy as np

from dalenius.joints.chain.chain import MarkovChain
from dalenius.laws.law import Array, IntArray
from dalenius.laws.transform import Element, Transform
from dalenius.schema import RecordValue

Ends: TypeAlias = dict[tuple[int, int], Element | None]
"""By the states at both ends; None where nothing lies between."""


@final
class _Segments(Generic[Element]):
    """The stretches of a chain between records; factors (n, k): of each record and state."""

    def __init__(self, chain: MarkovChain, transform: Transform[Element], factors: Sequence[Sequence[Element]]) -> None:
        self._chain = chain
        self._transform = transform
        self._factors = factors
        self._even = len(chain.matrices) <= 1 and len(chain.strata) == 1
        self._steps = chain.log_backward, chain.log_matrices[chain.which]
        self._between: dict[int, list[tuple[Array, Ends[Element]]]] = {}
        self._sides: tuple[dict[int, list[Element]], dict[int, list[Element]]] = ({}, {})

    def between(self, one: int, other: int) -> tuple[Array, Ends[Element]]:
        """log Pr[X_other | X_one] (k, k), and the averages given both."""
        rows = self._between.setdefault(0 if self._even else one, [])
        while len(rows) < other - one:
            rows.append(self._further(one + len(rows) + 1, rows[-1] if rows else None))
        return rows[other - one - 1]

    def _further(self, place: int, known: tuple[Array, Ends[Element]] | None) -> tuple[Array, Ends[Element]]:
        step = self._chain.log_matrices[self._chain.which[place - 1]]
        if known is None:
            return step, dict.fromkeys(map(_pair, np.argwhere(step > -np.inf)))
        before, ends = known
        paths = before[:, :, None] + step[None]
        logs = np.logaddexp.reduce(paths, axis=1)
        products = {key: self._times(place - 1, key[1], own) for key, own in ends.items()}
        found: Ends[Element] = {}
        for s, t in np.argwhere(logs > -np.inf).tolist():
            through = np.flatnonzero(paths[s, :, t] > -np.inf).tolist()
            weights = np.minimum(paths[s, through, t] - logs[s, t], 0.0)
            found[s, t] = self._transform.mix(weights, [products[s, u] for u in through])
        return logs, found

    def _times(self, place: int, state: int, own: Element | None) -> Element:
        factor = self._factors[place][state]
        return factor if own is None else self._transform.product([own, factor], [1, 1])

    def factor(self, place: int, state: int) -> Element:
        """Of one record."""
        return self._factors[place][state]

    @property
    def last(self) -> int:
        """The last place."""
        return len(self._chain) - 1

    def before(self, place: int) -> list[Element]:
        """E[all earlier records | X_place = state], for a place that is not the first."""
        return self._side(0, place, range(1, place + 1), -1)

    def after(self, place: int) -> list[Element]:
        """E[all later records | X_place = state], for a place that is not the last."""
        return self._side(1, place, range(self.last - 1, place - 1, -1), 1)

    def _side(self, side: int, place: int, places: range, towards: int) -> list[Element]:
        found, steps = self._sides[side], self._steps[side]
        for here in places:
            if here not in found:
                other = here + towards
                known = found.get(other)
                further = [self._times(other, u, None if known is None else known[u]) for u in range(steps.shape[1])]
                found[here] = [self._transform.mix(row, further) for row in steps[min(here, other)]]
        return found[place]


def _pair(row: IntArray) -> tuple[int, int]:
    return int(row[0]), int(row[1])


def given_records(
    chain: MarkovChain,
    values: Sequence[RecordValue],
    transform: Transform[Element],
    factors: Sequence[Sequence[Element]],
    wanted: Sequence[tuple[int, ...]],
) -> Iterator[list[tuple[tuple[RecordValue, ...], float, Element]]]:
    """For every group of people, in rising order: the values their records can have together, the log of their
    probability, and the average given them."""
    segments = _Segments(chain, transform, factors)
    for people in wanted:
        places = [person - 1 - chain.before for person in people]
        yield [
            (tuple(values[state] for state in states), log, _average(segments, transform, places, states))
            for states, log in _states(chain, segments, places)
        ]


def _states(
    chain: MarkovChain, segments: _Segments[Element], places: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], float]]:
    found: list[tuple[tuple[int, ...], float]] = [
        ((state,), float(log)) for state, log in enumerate(chain.log_marginals[places[0]])
    ]
    for one, other in pairwise(places):
        steps = segments.between(one, other)[0].tolist()
        found = [((*states, t), log + further) for states, log in found for t, further in enumerate(steps[states[-1]])]
    yield from ((states, log) for states, log in found if log > -np.inf)


def _average(
    segments: _Segments[Element], transform: Transform[Element], places: Sequence[int], states: Sequence[int]
) -> Element:
    parts = [segments.factor(place, state) for place, state in zip(places, states, strict=True)]
    for (one, s), (other, t) in pairwise(zip(places, states, strict=True)):
        inner = segments.between(one, other)[1][s, t]
        parts += [] if inner is None else [inner]
    parts += [segments.before(places[0])[states[0]]] if places[0] > 0 else []
    parts += [segments.after(places[-1])[states[-1]]] if places[-1] < segments.last else []
    return transform.product(parts, [1] * len(parts))
