"""Bounds, from above, on what any pipeline leaks of the records of a network (Result 13.7).

Messages are as in a row (see `chain_bound`), but from the states of a separator instead of a neighbour's values. Let
P(s, ·) be the law of a clique's other records. Let the separator go from s to s′ and these records from x to y. h(x, y)
is the function of what they and all beyond them can do then. Then, for any μ > 0,

    g(λ) = Σ min(P(s, x), P(s′, x)λ/μ) · h(x, x)(μ) + Σ a⁺(x) a⁻(y)/A⁻ · h(x, y)(μ A⁻/A⁺),   a = P(s, ·) − P(s′, ·)λ/μ.

Forty days that are as the day before with chance 0.7, written as a network, leak 2.0522 nats of a day through a
pipeline of ε = 1, as the row does.
"""

from collections.abc import Mapping
from itertools import permutations
from math import inf
from typing import Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.channel.large.message_bounds import rounded_up
from dalenius.conversion.chain_bound import UP, after, grid_of_nats, one_change
from dalenius.conversion.clique_laws_given_separator import CliqueEdge, CliqueView, CliqueViews
from dalenius.conversion.limits import MOST_CLIQUE_PAIRS
from dalenius.conversion.profile import PrivacyProfile

_HALVES: Final = ((2e4, 240), (6e4, 120), (inf, 60))
"""The points of the grid on either side of ε = 0, up to so many pairs."""
_MOST_PAIRS: Final = (3e4, 1e4, 3e3, 1e3)
"""The most pairs of a clique. Beyond the first with at most MOST_CLIQUE_PAIRS, or the last, records are a group."""
_NATS: Final = 32
"""The number of λ that are tried at once, and how often between two of them."""
_STEEPEST: Final = 600.0
"""The nats beyond which nothing is shipped."""
_Known = dict[tuple[tuple[CliqueEdge | None, int, int], ...], Array]
"""The leakage of pairs of states, by how many of the clique's records differ and what changes beyond it."""


def _most_pairs(views: CliqueViews) -> float:
    """Returns the number of pairs of states beyond which a clique has no message of its own.

    It is the largest of _MOST_PAIRS with which all messages together have MOST_CLIQUE_PAIRS at the most, or else the
    least of them.
    """
    pairs = np.array([view.pairs for _, view in views.edges])
    return next((most for most in _MOST_PAIRS if pairs[pairs <= most].sum() <= MOST_CLIQUE_PAIRS), _MOST_PAIRS[-1])


def bound_of_network(views: CliqueViews, profile: PrivacyProfile, steps: int, reach: float) -> tuple[Array, Array]:
    """Returns ε (points,), and δ′ by record and pair of values, from above (n, k, k, points); 1 for values it has not.

    Args:
        views: The tree of cliques.
        profile: The pipeline's privacy profile.
        steps: How many neighbours further a record with another value is.
        reach: The largest ε of the grid, in nats.
    """
    return _Messages(views, profile, steps, reach).bound()


@final
class _Messages:
    """The messages of a network: what the records beyond each separator can do where its state changes.

    They go inwards from the ends, and back.
    """

    def __init__(self, views: CliqueViews, profile: PrivacyProfile, steps: int, reach: float) -> None:
        self.most = _most_pairs(views)
        pairs = sum(view.pairs for _, view in views.edges if view.pairs <= self.most)
        self.views = views
        self.epsilons = grid_of_nats(reach, next(half for most, half in _HALVES if pairs <= most))
        self.half = len(self.epsilons) // 2
        self.folds = np.exp(self.epsilons)
        self.error = views.cliques.error * 6 + 16 * UNIT
        self.same = np.maximum(1 - self.folds, 0.0) * UP
        own = one_change(profile, steps, self.epsilons)
        self.messages: dict[CliqueEdge, Array] = {}
        self.leaked: dict[tuple[object, ...], Array] = {}
        self.different: dict[bytes, Array] = {}
        self.powers = [self.same, own]
        # So that a clique too large for a message of its own is bounded: what a group leaks if so many records change.
        while len(self.powers) <= len(views.cliques.slots):
            self.powers.append(after(own, self.powers[-1], self.epsilons))

    def bound(self) -> tuple[Array, Array]:
        """Returns what `bound_of_network` does."""
        for edge, view in self.views.edges:
            self.messages[edge] = self._message(view)
        n, k = len(self.views.people), max(map(len, self.views.cliques.slots))
        found = np.ones((n, k, k, len(self.epsilons)))
        for place, view in enumerate(self.views.people):
            m = len(view.gain)
            message = self._message(view)
            for one, other in permutations(range(m), 2):
                found[place, one, other] = after(self.powers[1], message[one, other], self.epsilons)
        return self.epsilons, found

    def _message(self, view: CliqueView) -> Array:
        """Returns the message by pairs of the separator's states (m, m, points), rounded up.

        Far from the ends those of equal cliques are the same, and are found once.
        """
        m = len(view.gain)
        found = np.broadcast_to(self.powers[view.beyond], (m, m, len(self.epsilons))).copy()
        found[range(m), range(m)] = self.same
        # A clique of many causes has thousands of pairs of states: its records count as a group that changes at once.
        if view.pairs > self.most or not view.beyond:
            return found
        children = [(id(self.messages[edge]), place.tobytes()) for edge, place in view.children]
        # Because a long network repeats itself, equal cliques with equal cliques beyond them have one message.
        key = view.gain.shape, view.gain.tobytes(), view.cost.tobytes(), view.states.tobytes(), *children
        if key not in self.leaked:
            self.leaked[key] = self._leaked_by_pairs(view)
        # So that messages that hardly differ are one.
        found = np.minimum(rounded_up(np.minimum(found, self.leaked[key]), 36), 1.0)
        return self.different.setdefault(found.tobytes(), found)

    def _leaked_by_pairs(self, view: CliqueView) -> Array:
        """Returns the message by the clique's law; 1 where the separator has no such states."""
        known: _Known = {}
        outer, inner = view.split()
        found = np.ones((len(view.gain), len(view.gain), len(self.epsilons)))
        # Because an impossible state of the separator is never changed to, nor from.
        for one, other in permutations(np.flatnonzero(view.possible.any(axis=1)).tolist(), 2):
            leaked = self._leaked(inner, one, other, known)
            for edge, place in outer:
                if (s := int(place[one])) != (t := int(place[other])):
                    leaked = after(self.messages[edge][s, t], leaked, self.epsilons)
            found[one, other] = leaked
        return found

    def _leaked(self, view: CliqueView, one: int, other: int, known: _Known) -> Array:
        """Returns what the clique's others and all beyond them leak about two states of the separator (points,).

        It is g of the module's head, the others' states being shipped from one law to the other.
        """
        above, below = np.flatnonzero(view.possible[one]), np.flatnonzero(view.possible[other])
        leaked = np.array(
            [[self._both(view, (one, x), (other, y), known) for y in below.tolist()] for x in above.tolist()]
        )
        alike = above[:, None] == below[None]
        # If nothing beyond changes as long as these records keep their values, μ = 1 is the best.
        both = np.intersect1d(above, below)
        free = all((place[one, both] == place[other, both]).all() for _, place in view.children)
        # So that what the same values leave to leak is close, ε is cut into 6 parts.
        values = self._transported(view.gain[one][above], view.cost[other][below], leaked, alike, 0 if free else 6)
        return np.asarray(np.minimum(np.minimum.accumulate(np.minimum(values, 1.0)), 1.0))

    def _both(self, view: CliqueView, one: tuple[int, int], other: tuple[int, int], known: _Known) -> Array:
        """Returns δ where the separator and the clique's others go from one pair of states to another (points,).

        one, other: each a state of the separator and one of the others. known: what was found before, since many pairs
        differ in as many records and change the same beyond them.
        """
        distance = int(view.distance[one[1], other[1]])
        changes = tuple((edge, int(place[one]), int(place[other])) for edge, place in view.children)
        changes = tuple(each for each in changes if each[1] != each[2])
        key = ((None, distance, 0), *changes)
        if key not in known:
            found = self.powers[distance] if distance else None
            for edge, s, t in changes:
                inner = self.messages[edge][s, t]
                found = inner if found is None else after(found, inner, self.epsilons)
            known[key] = self.same if found is None else found
        return known[key]

    def _transported(self, gain: Array, cost: Array, leaked: Array, alike: Array, shares: int) -> Array:
        """Returns the least over μ = λ^{j/shares}, or at μ = 1 alone, where shares is 0 (points,).

        gain (a,), cost (b,): the chances of the states that are possible in the one law and in the other; leaked (a, b,
        points): what each pair of them leaks, h(x, y); alike (a, b): whether the two are the same state.
        """
        away = np.arange(-self.half, self.half + 1)
        parts = np.arange(shares + 1)[:, None] / max(shares, 1)
        same = np.rint(away * parts).astype(np.int64)
        rest = self.folds[self.half + away - same]
        levels = self.folds[self.half + same]
        # Equal values come first; the rest is rounded to more of the first side and less of the second.
        partner = alike @ cost
        own = gain @ alike
        rounding = self.error * (gain[:, None, None] + rest * partner[:, None, None])
        left = gain[:, None, None] - rest * partner[:, None, None] + rounding
        both = np.where(
            left >= 0, rest * partner[:, None, None] * (1 - self.error / 2), gain[:, None, None] * (1 + self.error / 2)
        )
        above = np.maximum(left, 0.0)
        below = np.maximum(
            rest * cost[:, None, None]
            - own[:, None, None]
            - self.error * (own[:, None, None] + rest * cost[:, None, None]),
            0.0,
        )
        total = np.einsum("ajl,ab,abjl->jl", both, alike, leaked[:, :, self.half + same])
        more, less = above.sum(axis=0), below.sum(axis=0)
        two = (more > 0) & (less > 0)
        at = levels * np.where(two, less, 0.0) / np.where(two, more, 1.0) * (1 - 32 * UNIT)
        supply, demand = above / np.where(more > 0, more, 1.0), below / np.where(two, less, 1.0)
        place, share = self._places(at)
        # Because any way to share out what is left is a bound, the nearest values come first.
        near = np.argsort(np.where(alike, inf, leaked.sum(axis=-1)), axis=None, kind="stable")
        for x, y in zip(*np.unravel_index(near[: leaked[..., 0].size - int(alike.sum())], alike.shape), strict=True):
            moved = np.minimum(supply[x], demand[y])
            supply[x] -= moved
            demand[y] -= moved
            known = np.append(1.0, leaked[x, y])
            total += more * moved * (known[place] * (1 - share) + known[place + 1] * share) * (1 + 64 * UNIT)
        total += more * np.maximum(supply, 0.0).sum(axis=0)
        # Because doubles may have let something underflow, 1e-280 is added.
        return np.asarray(total.min(axis=0) * (1 + 64 * (len(gain) + len(cost)) * UNIT) + 1e-280)

    def _places(self, at: Array) -> tuple[IntArray, Array]:
        """Returns the places of other λ among 0 and the grid's: the point before, and how far it is to the next."""
        known = np.append(0.0, self.folds)
        place = np.clip(np.searchsorted(known, at, side="right") - 1, 0, len(known) - 2)
        return place, np.clip((at - known[place]) / (known[place + 1] - known[place]), 0.0, 1.0)


def pure_nats_of_network(views: CliqueViews, nats: float) -> Array:
    """Returns the most nats that ε-privacy leaks about a record's pairs of values (n, k, k) (Result 13.7).

    For values that it does not have, it is that of all records as a group.

    Args:
        views: The tree of cliques.
        nats: What changing a record is worth.
    """
    error = views.cliques.error * 3 + 8 * UNIT
    messages: dict[CliqueEdge, Array] = {}
    most = _most_pairs(views)
    for edge, view in views.edges:
        messages[edge] = _pure_message(view, messages, nats, error, most)
    k = max(map(len, views.cliques.slots))
    found = np.full((len(views.people), k, k), nats * len(views.people))
    for place, view in enumerate(views.people):
        m = len(view.gain)
        found[place, :m, :m] = nats + _pure_message(view, messages, nats, error, most)
    return found * UP


def _pure_message(
    view: CliqueView, messages: Mapping[CliqueEdge, Array], nats: float, error: float, most: float
) -> Array:
    """Returns the message of a pure profile, in nats (m, m): every record that differs costs `nats`.

    messages: those of the edges beyond; error: relative, of the view's chances; most: pairs of states up to which the
    clique has a message of its own. Never above what all records beyond would leak as a group.
    """
    m, r = view.gain.shape
    found = np.full((m, m), nats * view.beyond)
    found[range(m), range(m)] = 0.0
    if view.pairs > most or not view.beyond:
        return found
    pairs = np.array(list(permutations(np.flatnonzero(view.possible.any(axis=1)).tolist(), 2)), dtype=np.int64)
    # If the separator has a single possible state, it cannot change.
    if not len(pairs):
        return found
    one, other = pairs.T
    log_ratios = np.broadcast_to(nats * view.distance, (len(pairs), r, r))
    for edge, place in view.children:
        log_ratios = log_ratios + messages[edge][place[one][:, :, None], place[other][:, None, :]]
    gain, cost = view.gain[one], np.where(view.possible[other], view.cost[other], 0.0)
    least = _shipped(gain, cost, np.where(view.possible[other][:, None], log_ratios, inf))
    found[one, other] = np.minimum(found[one, other], least + 2 * error + 16 * r * UNIT)
    return found


def _shipped(gain: Array, cost: Array, log_ratios: Array) -> Array:
    """Returns λ, in nats (pairs,), at which λ·cost (pairs, r) pays for all of gain (pairs, r), the nearest first.

    Each of it costs e^{log_ratios} (pairs, r, r). Infinite where none is found.
    """
    count, r = gain.shape
    order = np.argsort(log_ratios.reshape(count, -1), axis=1, kind="stable")
    folds = np.exp(np.minimum(np.take_along_axis(log_ratios.reshape(count, -1), order, axis=1), 700.0)) * UP
    usable = np.take_along_axis(log_ratios.reshape(count, -1), order, axis=1) < _STEEPEST
    high = np.where(np.isfinite(log_ratios), log_ratios, 0.0).max(axis=(1, 2)) * (1 + 1e-12) + 1e-12
    low, rows = np.zeros(count), np.arange(count)
    for _ in range(7):
        nats = low[:, None] + (np.where(np.isfinite(high), high, low) - low)[:, None] * np.linspace(0.0, 1.0, _NATS)
        left = np.repeat(gain[:, :, None], _NATS, axis=2)
        paid = cost[:, :, None] * np.exp(np.minimum(nats, _STEEPEST))[:, None] / UP
        for step in np.flatnonzero(usable.any(axis=0)).tolist():
            x, y, fold = order[:, step] // r, order[:, step] % r, folds[:, step, None]
            moved = np.where(usable[:, step, None], np.minimum(left[rows, x], paid[rows, y] / fold), 0.0)
            left[rows, x] -= moved
            paid[rows, y] = np.maximum(paid[rows, y] - moved * fold * UP, 0.0)
        enough = np.asarray((left <= 0).all(axis=1), dtype=bool)
        first = np.where(enough.any(axis=1), np.argmax(enough, axis=1), _NATS - 1)
        high = np.where(enough.any(axis=1), nats[rows, first], inf)
        low = nats[rows, np.maximum(first - 1, 0)]
    return np.asarray(high + 16 * r * r * UNIT)
