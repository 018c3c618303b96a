"""The joint law that leaks most of all that have given pair laws, for few records: a linear program (Result 15.5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import Final, NamedTuple, final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.errors import InputError, TooLarge
from dalenius.laws.coupled.attained import attained
from dalenius.laws.coupled.comonotone import comonotone_bound
from dalenius.laws.coupled.neighbourhood import Neighbourhood
from dalenius.laws.law import Array, IntArray

MOST: Final = 20_000
SUPPORT: Final = 1e-11
WIDE: Final = 1e-10
SMALLEST: Final = 1e-9
AGREES: Final = 1e-9
"""How far the pair laws of a law may be from those given, in all, which its leakage accounts for."""


@final
@dataclass(frozen=True, eq=False)
class Tie:
    """The law (v, w) of two of the neighbours, by their places where each of `times` records has its own."""

    first: int
    second: int
    law: Array


@final
@dataclass(frozen=True, eq=False)
class Adversarial:
    """leakage: of the law that leaks most, in nats; secret, against, output: about what and where. rows (n, records):
    places of the neighbours' scores; joint (s, n): a law of them given each value (of positive probability) that leaks
    as much, up to rounding, where no law of `attained` leaks more."""

    leakage: Enclosure
    secret: int
    against: int
    output: float
    rows: IntArray
    joint: Array


def most_leaking(neighbourhood: Neighbourhood, scale: float, ties: Sequence[Tie] = ()) -> Adversarial:
    """Over all joint laws with the pairs of the record and each neighbour, and those of the ties. TooLarge for more
    than MOST assignments; InputError where no joint law has these pairs, up to the solver's tolerance."""
    return _Program.of(neighbourhood, tuple(ties)).solved(neighbourhood, scale)


class _Found(NamedTuple):
    leakage: Enclosure
    joint: Array


@final
@dataclass(frozen=True, eq=False)
class _Program:
    """matrix (m, s·n) and right (m,): of all joint laws, given each value one after the other. sums (s, n); given each
    value (s,) its mean, and the neighbours' mean distances from theirs in all; independent (s, n): the law of
    neighbours that are independent given each value, above 0 where an assignment is possible at all."""

    secrets: tuple[int, ...]
    rows: IntArray
    sums: Array
    means: Array
    spread: Array
    independent: Array
    matrix: Array
    right: Array
    ties: int

    @classmethod
    def of(cls, hood: Neighbourhood, ties: tuple[Tie, ...]) -> "_Program":
        records = [each for each in hood.neighbours for _ in range(each.times)]
        secrets = tuple(int(place) for place in np.flatnonzero(hood.prior > 0))
        size = float(np.prod([float(len(each.points)) for each in records])) * len(secrets)
        if size > MOST:
            raise TooLarge("the program over joint laws", f"{size:.3g} assignments", "use the comonotone bound")
        every = list(product(*(range(len(each.points)) for each in records)))
        rows = np.array(every, dtype=np.int64).reshape(len(every), len(records))
        added = sum((each.points[rows[:, j]] for j, each in enumerate(records)), np.zeros(len(rows)))
        prior = hood.prior[list(secrets)] / hood.prior[list(secrets)].sum()
        blocks, right = [], []
        for place, secret in enumerate(secrets):
            own = np.eye(len(secrets))[place]
            blocks.append(np.kron(own, np.ones(len(rows)))[None])
            right.append(np.ones(1))
            for j, each in enumerate(records):
                held = (rows[:, j] == np.arange(len(each.points))[:, None]).astype(np.float64)
                blocks.append(np.kron(own, held))
                right.append(each.laws[secret] / each.laws[secret].sum())
        for tie in ties:
            shape = tuple(len(records[j].points) for j in (tie.first, tie.second))
            if tie.law.shape != shape or tie.first == tie.second:
                raise InputError("tie", f"an array of shape {tie.law.shape}", f"the law of two neighbours, {shape}")
            place_of = rows[:, tie.first] * shape[1] + rows[:, tie.second]
            held = (place_of == np.arange(shape[0] * shape[1])[:, None]).astype(np.float64)
            blocks.append(np.kron(prior, held))
            right.append((tie.law / tie.law.sum()).ravel())
        sums = hood.own[list(secrets)][:, None] + added
        means, spread = hood.own[list(secrets)].astype(np.float64), np.zeros(len(secrets))
        independent = np.ones((len(secrets), len(rows)))
        for j, each in enumerate(records):
            laws = each.laws[list(secrets)] / each.laws[list(secrets)].sum(axis=1, keepdims=True)
            centres = laws @ each.points
            means = means + centres
            spread = spread + (laws * np.abs(each.points - centres[:, None])).sum(axis=1)
            independent = independent * laws[:, rows[:, j]]
        matrix, wanted = np.concatenate(blocks), np.concatenate(right)
        return cls(secrets, rows, sums, means, spread, independent, matrix, wanted, len(ties))

    def solved(self, hood: Neighbourhood, scale: float) -> Adversarial:
        """One program for each output that may decide (Result 3.1) and each two values."""
        best: tuple[float, int, int, float, Array] | None = None
        upper = 0.0
        for one, other in permutations(range(len(self.secrets)), 2):
            for output in np.unique(self.sums):
                found = self._at(one, other, float(output), scale)
                upper = max(upper, found.leakage.upper)
                if best is None or found.leakage.lower > best[0]:
                    best = found.leakage.lower, one, other, float(output), found.joint
        if best is None:
            raise InputError("prior", hood.prior.tolist(), "at least two values of positive probability")
        lower, one, other, output, joint = best
        if not self.ties:
            lower = max(lower, attained(hood, scale))
        leakage = Enclosure(lower, max(lower, min(upper, comonotone_bound(hood, scale).upper)))
        return Adversarial(leakage, self.secrets[one], self.secrets[other], output, self.rows, joint)

    def _at(self, one: int, other: int, output: float, scale: float) -> _Found:
        """max E[h|one]/E[h|other], h = e^{-|output - S|/scale}, by Charnes and Cooper's program: with q = p·τ,
        max q·h_one over q·h_other = 1, matrix·q = right·τ."""
        n, count = len(self.rows), len(self.secrets)
        logs = -np.abs(output - self.sums) / scale
        possible = self.independent > 0
        top, floor = (
            float(logs[one, possible[one]].max()),
            -float(self.spread[other] + abs(output - self.means[other])) / scale,
        )
        gain, cost = np.zeros((count, n)), np.zeros((count, n))
        gain[one] = np.exp(np.where(possible[one], logs[one] - top, -np.inf))
        cost[other] = np.exp(np.where(possible[other], logs[other] - floor, -np.inf))
        found, ratio = self._enclosed(gain, cost)
        if SMALLEST < ratio < 1 and found.leakage.upper - found.leakage.lower > WIDE:
            # The solver's tolerances are absolute: once more in the unit of what was found.
            again, _ = self._enclosed(gain / ratio, cost)
            more = float(np.log(ratio))
            ends = Enclosure(again.leakage.lower + more, again.leakage.upper + more)
            joint = again.joint if ends.lower > found.leakage.lower else found.joint
            lower, upper = max(ends.lower, found.leakage.lower), min(ends.upper, found.leakage.upper)
            found = _Found(Enclosure(lower, upper), joint)
        return _Found(Enclosure(found.leakage.lower + top - floor, found.leakage.upper + top - floor), found.joint)

    def _enclosed(self, gain: Array, cost: Array) -> tuple[_Found, float]:
        joint, prices, ratio = self._program(gain.ravel(), cost.ravel())
        above = min(self._above(each, ratio, gain.ravel(), cost.ravel()) for each in prices)
        return _Found(Enclosure(self._below(joint, gain, cost), above), joint), ratio

    def _program(self, gain: Array, cost: Array) -> tuple[Array, list[Array], float]:
        """A joint law (s, n), multipliers of its equations (m,), twice, and a ratio; none of them is trusted."""
        from scipy.optimize import linprog

        rows = np.concatenate([self.matrix, -self.right[:, None]], axis=1)
        rows = np.concatenate([rows, np.append(cost, 0.0)[None]])
        tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
        target = np.append(np.zeros(len(self.right)), 1.0)
        limits = np.append(np.where(self.independent.ravel() > 0, np.inf, 0.0), np.inf)
        for method, options in (("highs-ds", tight), ("highs", {}), ("highs-ipm", {})):
            done = linprog(  # type: ignore[call-overload]
                -np.append(gain, 0.0),
                A_eq=rows,
                b_eq=target,
                bounds=np.stack([np.zeros(len(limits)), limits], axis=1),
                method=method,
                options=options,
            )
            if done.x is not None and done.x[-1] > 0:
                break
        else:
            if self.ties:
                raise InputError("ties", f"{self.ties} pair laws of neighbours", "pair laws that some joint law has")
            joint = self.independent.ravel()
            return self.independent, [np.zeros(len(self.right))], float(joint @ gain) / float(joint @ cost)
        joint = self._polished(np.maximum(done.x[:-1], 0.0) / done.x[-1])
        ratio = float(joint @ gain) / float(joint @ cost)
        held = np.flatnonzero(joint > SUPPORT)
        prices = -done.eqlin.marginals[:-1]
        change, *_ = np.linalg.lstsq(
            self.matrix[:, held].T, (gain - ratio * cost)[held] - self.matrix[:, held].T @ prices, rcond=1e-12
        )
        return joint.reshape(len(self.secrets), -1), [prices, prices + change], ratio

    def _polished(self, joint: Array) -> Array:
        """The same law with its last digits: the equations solved on its support."""
        held = np.flatnonzero(joint > SUPPORT)
        found = np.zeros(len(joint))
        change, *_ = np.linalg.lstsq(self.matrix[:, held], self.right - self.matrix[:, held] @ joint[held], rcond=1e-12)
        found[held] = np.maximum(joint[held] + change, 0.0)
        return found

    def _below(self, joint: Array, gain: Array, cost: Array) -> float:
        """What laws with the exact pairs leak: one is as near in total variation as the laws of single neighbours are
        in all, which are coupled with theirs one by one; with ties, a law whose pairs are that near."""
        far = float(np.abs(self.matrix @ joint.ravel() - self.right).sum()) + 64 * len(self.right) * UNIT
        if far > AGREES:
            return -np.inf
        high = float(np.sum(joint * gain)) - far * float(gain.max())
        low = float(np.sum(joint * cost)) + far * float(cost.max())
        return float(np.log(high / low)) if high > 0 else -np.inf

    def _above(self, prices: Array, ratio: float, gain: Array, cost: Array) -> float:
        """By weak duality, whatever the multipliers: E gain - ratio·E cost is at most right·prices and, given each
        value, the most by which a column is violated; and E cost is at least 1 (Jensen's inequality)."""
        terms = np.abs(self.matrix).T @ np.abs(prices)
        slack = 64 * len(self.right) * UNIT * (terms + gain + ratio * cost)
        excess = gain - ratio * cost - self.matrix.T @ prices + slack
        excess[self.independent.ravel() == 0] = 0.0
        worst = np.maximum(excess.reshape(len(self.secrets), -1).max(axis=1), 0.0)
        more = (
            float(self.right @ prices)
            + float(worst.sum())
            + 64 * len(self.right) * UNIT * float(self.right @ np.abs(prices))
        )
        return float(np.log(ratio + max(more, 0.0) * (1 + 1e-9))) + 64 * UNIT
