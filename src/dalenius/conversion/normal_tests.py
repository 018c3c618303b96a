"""The leakage of a group through Gaussian noise, in logs: where the group's linear program is beyond doubles.

Let a test flag with v(c) = Φ(z + s(c)μ) in the state c of the others, s a score that changes by 1 at most where one
record changes. Every such test is feasible (Result 13.2), and what it gains is from below. From above: let shares π of
each gain and w of each cost go from states to states. Then

    δ′(ε′) <= Σ π(c, c′) δ_{1+d(c,c′)}(ε′ + log w(c, c′)/π(c, c′)),    Σ_c′ π(c, c′) = gain(c), Σ_c w(c, c′) = cost(c′),

δ_k being that of k changes: b(s, c) <= f^{1+d}(b(s′, c′)) for every pair. If shares can go between states whose scores
differ as much as their records do, the two are the same: then each term is a tangent at v.

For twins who have the same bit with chance 0.9, and μ = 30, ε′ at δ′ = 1e-6 is 2079.1, and for one record alone 590.0.
"""

from dataclasses import dataclass
from functools import cached_property
from math import inf, log
from typing import Final, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.conversion.conditional_law_of_others import Dependence
from dalenius.conversion.gaussian_profile import gaussian_logs
from dalenius.special_functions import log_ndtr

_PLACES: Final = 160
"""The values of z that are tried first; the best is refined."""
_REFINED: Final = 48
"""The steps of a golden section: as many as doubles have bits."""
_GOLDEN: Final = (5**0.5 - 1) / 2
_DETOUR: Final = 60.0
"""The penalty, in nats, of a share that goes between states whose scores do not differ as their records do."""


@final
@dataclass(frozen=True, eq=False)
class NormalTests:
    """Tests of a question under Gaussian noise.

    Attributes:
        each: A question about a group, with at most MOST_STATES_IN_LOGS states.
        shift: μ where one record changes.
    """

    each: Dependence
    shift: float

    def lower(self, epsilon: float) -> float:
        """Returns log δ′ at ε′ = epsilon (nats), from below."""
        return max((self._best(score, epsilon)[1] for score in self._scores), default=-inf)

    def upper(self, epsilon: float) -> float:
        """Returns log δ′ at ε′ = epsilon (nats), from above."""
        spare = self._log_spare(epsilon, -1)
        if spare == -inf:
            return -inf
        ranked = sorted(((self._best(score, epsilon), place) for place, score in enumerate(self._scores)), key=_by_gain)
        (z, _), place = ranked[-1]
        return min(self._shared(self._scores[place], z, epsilon, spare), self._paired(epsilon, spare), 0.0)

    def _paired(self, epsilon: float, spare: float) -> float:
        """Returns log of the sum where each gain goes to one state, and each cost is shared evenly.

        At most log n nats of ε′ are lost, however small δ′ is.
        """
        gain, cost = self._logs
        kept, paid = gain[:, None] + spare, cost[None] - log(len(cost))
        off = 4 * self.each.error + UNIT * (64 + 16 * (np.abs(kept) + np.abs(np.maximum(paid, -800.0)) + epsilon))
        with np.errstate(invalid="ignore"):
            nats = np.where(np.isfinite(kept) & np.isfinite(paid), epsilon + paid - kept - off, -inf)
        found = np.zeros(nats.shape)
        usable = np.isfinite(nats)
        changes = np.asarray(1 + self.each.distance)[usable]
        found[usable] = self._delta_logs(changes, nats[usable])
        total = float(np.logaddexp.reduce((gain + spare)[:, None] * np.ones(1) + found.min(axis=1)[:, None], axis=0)[0])
        return total + float(off[np.isfinite(off)].max(initial=0.0)) + 64 * UNIT * (1 + len(gain))

    @cached_property
    def _scores(self) -> list[Array]:
        """Returns scores: how many records a state differs from another in, up or down; different scores only."""
        found = [sign * row for row in self.each.distance for sign in (1, -1)]
        alike = {(row - row.min()).tobytes(): row - row.min() for row in found}
        return list(alike.values())

    @cached_property
    def _logs(self) -> tuple[Array, Array]:
        with np.errstate(divide="ignore"):
            return np.log(self.each.gain), np.log(self.each.cost)

    def _log_spare(self, epsilon: float, side: int) -> float:
        """Returns log(1 − e^{ε′}π); side: 1 from below, -1 from above."""
        if not self.each.share:
            return 0.0
        nats = epsilon + log(self.each.share) + side * (self.each.error + 8 * UNIT * (1 + epsilon))
        return log(-np.expm1(nats)) if nats < 0 else -inf

    def _gained(self, score: Array, z: Array, epsilon: float, spare: float) -> Array:
        """Returns log of what tests gain at each z, from below; -inf where nothing."""
        gain, cost = self._logs
        at = z[:, None] + score[None] * self.shift
        one = np.logaddexp.reduce(gain + log_ndtr(at + self.shift), axis=1) + spare
        other = np.logaddexp.reduce(cost + log_ndtr(at), axis=1) + epsilon
        off = 2 * self.each.error + UNIT * (64 + 16 * (np.abs(one) + np.abs(other) + epsilon))
        # Because the place itself is rounded, and the log of its tail moves by as much as the place is far out.
        off += 16 * UNIT * np.square(np.abs(at).max(axis=1) + self.shift)
        gap = np.minimum(other - one + off, 0.0)
        with np.errstate(divide="ignore"):
            return np.asarray(one - off + np.log(-np.expm1(gap)))

    def _best(self, score: Array, epsilon: float) -> tuple[float, float]:
        """Returns the z of the test that gains most, nearly, and the log of what it gains."""
        spare = self._log_spare(epsilon, 1)
        top = int(score.max()) + 1
        # Between flagging only the largest score and all of them, the best test gains at a slope of about e^ε′.
        middle = -epsilon / self.shift
        places = np.linspace(middle - (top + 2) * self.shift - 8.0, middle + 2 * self.shift + 8.0, _PLACES)
        if spare == -inf:
            return middle, -inf
        found = self._gained(score, places, epsilon, spare)
        best = int(np.argmax(found))
        low, high = places[max(best - 1, 0)], places[min(best + 1, len(places) - 1)]
        for _ in range(_REFINED):
            inner = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
            one, other = self._gained(score, np.array(inner), epsilon, spare)
            low, high = (low, inner[1]) if one >= other else (inner[0], high)
        z = (low + high) / 2
        return z, max(float(self._gained(score, np.array([z]), epsilon, spare)[0]), float(found[best]))

    def _shared(self, score: Array, z: float, epsilon: float, spare: float) -> float:
        """Returns log of Σ π δ(ε′ + log w/π), from above, with the shares that suit the test at z."""
        gain, cost = self._logs
        at = z + score * self.shift
        # Supply and demand are the tangents' slopes at v, as shares of all.
        supply, demand = gain - np.square(at + self.shift) / 2, cost - np.square(at) / 2
        flows = _flows(_normalised(supply), _normalised(demand), self._penalty(score))
        with np.errstate(divide="ignore", invalid="ignore"):
            log_flows = np.log(flows)
            kept = log_flows - np.logaddexp.reduce(log_flows, axis=1)[:, None] + gain[:, None] + spare
            paid = log_flows - np.logaddexp.reduce(log_flows, axis=0)[None] + cost[None]
        one, other = np.nonzero(np.isfinite(kept) & np.isfinite(paid))
        kept, paid = kept[one, other], paid[one, other]
        # Because a gain that goes nowhere is not bound, it counts as a whole.
        free = np.setdiff1d(np.flatnonzero(np.isfinite(gain)), one)
        off = 4 * self.each.error + UNIT * (64 + 16 * (np.abs(kept) + np.abs(paid) + epsilon))
        nats, changes = epsilon + paid - kept - off, 1 + self.each.distance[one, other]
        logs = [kept + off + self._delta_logs(changes, nats), gain[free] + spare]
        found = np.logaddexp.reduce(np.concatenate(logs))
        return float(found) + 64 * UNIT * (1 + abs(float(found)) + len(one))

    def _delta_logs(self, changes: IntArray, nats: Array) -> Array:
        found = np.zeros(len(nats))
        for count in np.unique(changes).tolist():
            own = changes == count
            found[own] = gaussian_logs(count * self.shift * (1 + 4 * UNIT), nats[own])[1]
        return found

    def _penalty(self, score: Array) -> Array:
        """Returns the nats by which a share from one state to another is worse than a tangent, about."""
        rises = score[:, None] - score[None]
        return np.asarray(np.where(rises == self.each.distance, 0.0, _DETOUR))


def _by_gain(ranked: tuple[tuple[float, float], int]) -> tuple[float, int]:
    return ranked[0][1], -ranked[1]


def _normalised(logs: Array) -> Array:
    return np.asarray(np.exp(logs - np.logaddexp.reduce(logs)))


def _flows(supply: Array, demand: Array, penalty: Array) -> Array:
    """Returns shares (n, n) from each supply to each demand, as cheap as the solver finds; nothing relies on them."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    n = len(supply)
    places = np.arange(n * n)
    ones = np.ones(2 * n * n)
    rows, columns = np.concatenate([places // n, n + places % n]), np.concatenate([places, places])
    matrix = coo_array((ones, (rows, columns)), shape=(2 * n, n * n)).tocsr()
    done = linprog(  # type: ignore[call-overload]
        penalty.ravel(), A_eq=matrix, b_eq=np.append(supply, demand), bounds=(0, None), method="highs"
    )
    # If the solver gave up, every share goes everywhere.
    if done.x is None:
        return np.outer(supply, demand)
    return np.asarray(np.maximum(done.x.reshape(n, n), 0.0))
