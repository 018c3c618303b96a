"""The probability of an output that raises some secret's probability by a given factor."""

from collections.abc import Sequence
from math import expm1, inf, prod, tanh
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.gaussian_noise.exceeding import exceeding_mass
from dalenius.laws.gaussian_noise.line import GaussianLine
from dalenius.laws.integrals.functionals import Functional
from dalenius.laws.integrals.outputs import with_knots
from dalenius.laws.integrals.tails import part_of_cell
from dalenius.laws.law import Array, Law, log_mix

MOST_POINTS = 2_000_000
UNKNOWN = 600.0


@final
class Exceeding(Functional):
    """w̄ where max_s w_s >= e^level w̄, and 0 elsewhere: homogeneous, but not convex. level > 0 and doubt,
    how far any log w may be off where a law does not say so itself, in nats."""

    def __init__(self, log_prior: Array, level: float, doubt: float = 0.0) -> None:
        self.log_prior = log_prior
        self.level = level
        self.doubt = doubt

    def at(self, logs: Array) -> Array:
        return self.at_with_slack(logs, 0.0)[0]

    def slack(self, logs: Array, error: float) -> Array:
        return self.at_with_slack(logs, error)[1]

    def at_with_slack(self, logs: Array, error: float) -> tuple[Array, Array]:
        """Where the error leaves open on which side an output is: half of it, and as much slack."""
        gain, mixed = self._gain(logs)
        doubt = self._doubt(logs, error)
        inner, outer = gain >= self.level + doubt, gain >= self.level - doubt
        mass = np.exp(mixed)
        own = (inner.astype(float) + outer) / 2
        return mass * own, mass * (own * (2 * doubt) + (outer.astype(float) - inner) / 2)

    def over_cell(self, left: Array, right: Array, decay: float) -> tuple[Array, Array]:
        """w_s - e^level w̄ is such a combination too, and has one zero at most: next to either knot the largest reach at
        which it is positive for some secret."""
        ends = self._lead(left), self._lead(right)
        reach = [self._reach(near, far, decay) for near, far in (ends, ends[::-1])]
        whole = reach[0] + reach[1] >= decay
        masses = [np.exp(log_mix(self.log_prior, end)) for end in (left, right)]
        area = np.zeros_like(masses[0])
        for own, (near, far) in zip(reach, (masses, masses[::-1]), strict=True):
            by_far, by_near = part_of_cell(decay, np.minimum(own, decay))
            area = area + by_near * near + by_far * far
        area = np.where(whole, tanh(decay / 2) / 2 * (masses[0] + masses[1]), area)
        return area, 64 * UNIT * area

    def over_knots(self, smooth: Law, decays: Sequence[float]) -> Enclosure:
        doubt = self._doubt(smooth.relative, smooth.error)
        moved = 2 * doubt + 4 * float(np.max(np.abs(smooth.base))) * UNIT
        inner, outer = Exceeding(self.log_prior, self.level + moved), Exceeding(self.log_prior, self.level - moved)
        if len(decays) == 1:
            low, high = inner._over_line(smooth, decays[0]), outer._over_line(smooth, decays[0])
        else:
            low, high = inner._over_boxes(smooth, decays, True), outer._over_boxes(smooth, decays, False)
        relative = expm1(min(2 * moved, UNKNOWN)) + 512 * UNIT
        return Enclosure(max(low * (1 - relative), 0.0), high * (1 + relative))

    def over_line(self, line: GaussianLine) -> Enclosure:
        return exceeding_mass(line.normal, line.reading.y, self.log_prior, self.level, self.doubt)

    @property
    def most(self) -> float:
        return 1.0

    def _gain(self, logs: Array) -> tuple[Array, Array]:
        mixed = log_mix(self.log_prior, logs)
        there = mixed > -inf
        return np.where(there, np.max(logs, axis=0) - np.where(there, mixed, 0.0), -inf), mixed

    def _doubt(self, logs: Array, error: float) -> float:
        top = np.max(logs, axis=0)
        deepest = float(np.max(np.abs(top), where=np.isfinite(top), initial=0.0))
        return 2 * error + (16 + len(logs) + 4 * (deepest + float(np.max(np.abs(self.log_prior))))) * UNIT

    def _lead(self, logs: Array) -> tuple[Array, Array]:
        """w_s - e^level w̄ over e^level w̄, for every secret; and log w̄."""
        mixed = log_mix(self.log_prior, logs)
        with np.errstate(invalid="ignore"):
            above = logs - np.where(mixed > -inf, mixed, 0.0) - self.level
        return np.expm1(np.minimum(above, 700.0)), mixed

    def _reach(self, near: tuple[Array, Array], far: tuple[Array, Array], decay: float) -> Array:
        """How far from the near knot, in units of b, up to the cell's width: the largest over the secrets. With
        ρ = -far/near > 0 the zero is at u = ½ log((ρ + e^d)/(ρ + e^-d))."""
        (lead, mixed), (other, beyond) = near, far
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            apart = np.where((beyond > -inf) & (mixed > -inf), beyond - mixed, 0.0)
            ratio = np.where(lead > 0, -other / lead * np.exp(np.minimum(apart, 700.0)), inf)
            zero = (decay + np.log1p(ratio * np.exp(-decay)) - np.log(ratio + np.exp(-decay))) / 2
        reach = np.where(lead >= 0, np.where(other >= 0, decay, np.where(lead > 0, zero, 0.0)), 0.0)
        return np.asarray(np.max(np.where(np.isfinite(reach), reach, 0.0), axis=0))

    def _over_line(self, smooth: Law, decay: float) -> float:
        logs = smooth.log_mass()
        gain, mixed = self._gain(logs)
        ends = float(np.sum(np.exp(mixed[[0, -1]]) * (gain[[0, -1]] >= self.level))) / 2
        if logs.shape[1] == 1:
            return ends
        return ends + float(np.sum(self.over_cell(logs[:, :-1], logs[:, 1:], decay)[0]))

    def _over_boxes(self, smooth: Law, decays: Sequence[float], surely: bool) -> float:
        """Likelihoods in a cell are combinations of those at its corners: one secret's lead at all of them is a lead
        everywhere (surely), and none of anybody's at any of them is none."""
        room = MOST_POINTS / (smooth.secrets * prod(smooth.box))
        parts = int(np.clip(room ** (1 / len(decays)), 1, 64))
        logs = smooth.log_mass()
        for axis, decay in enumerate(decays):
            logs = with_knots(logs, axis + 1, parts, decay)
        leads = np.where(log_mix(self.log_prior, logs) > -inf, self._lead(logs)[0], -1.0) >= 0
        masses = np.exp(log_mix(self.log_prior, logs))
        for axis, decay in enumerate(decays):
            leads, masses = _ends_joined(leads, axis + 1, surely), _cells(masses, axis, decay / parts)
        return float(np.sum(masses * leads.any(axis=0)))


def _ends_joined(leads: NDArray[np.bool_], axis: int, surely: bool) -> NDArray[np.bool_]:
    """A tail has what its end has, a cell what both its ends have (surely) or one of them."""
    moved = np.moveaxis(leads, axis, -1)
    both = np.logical_and if surely else np.logical_or
    joined = np.concatenate([moved[..., :1], both(moved[..., :-1], moved[..., 1:]), moved[..., -1:]], axis=-1)
    return np.moveaxis(joined, -1, axis)


def _cells(masses: Array, axis: int, decay: float) -> Array:
    moved = np.moveaxis(masses, axis, -1)
    cells = (moved[..., :-1] + moved[..., 1:]) * (tanh(decay / 2) / 2)
    return np.moveaxis(np.concatenate([moved[..., :1] / 2, cells, moved[..., -1:] / 2], axis=-1), -1, axis)
