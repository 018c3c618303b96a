"""Bounds of the leakage of all classes of a network's nodes at once, under exponential noise (Result 20.46).

No law is made. Let noise fall by e^{-ρ} for each step of the sum, and tilt the sum by θ, |θ| <= ρ. The smoothed mass at
y is the sum over v of q(v)·e^{θ(y - v) - ρ|y - v|}. It is one product of the transform with a matrix that all classes
share. Beyond the tilts ±ρ outputs leak what they leak at ±∞.
"""

from dataclasses import dataclass
from functools import reduce
from math import expm1, inf, tanh
from typing import Final, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.joints.extended_precision import ROUNDING
from dalenius.joints.loud_frequencies import log_outside
from dalenius.joints.network_window import NetworkWindows, TiltGroup
from dalenius.joints.sum_window import is_rare

Bools: TypeAlias = NDArray[np.bool_]
_TOGETHER: Final = 1 << 19
"""Likelihoods that are there at once: 4 MB an array."""
QUANTITIES: Final = ("ratio", "raised", "lowered", "forward", "reverse", "information")


@final
@dataclass(frozen=True, eq=False)
class Ranked:
    """By quantity an upper bound of what each class leaks (classes,), in nats; doubt (classes,): by how many nats
    likelihoods may be off."""

    most: dict[str, Array]
    doubt: Array


def ranked_nodes(windows: NetworkWindows, rate: float, close: bool = False) -> Ranked | None:
    """Bounds the leakage of every class of nodes.

    Args:
        windows: The windows of the network's sum.
        rate: Nats by which the noise's log falls for each step of the sum.
        close: Whether bounds are to tell classes apart that are nearly alike: it takes several times as long.

    Returns:
        The bounds; None where windows decline.
    """
    groups = windows.inner(rate)
    if groups is None:
        return None
    found = _Sweep(windows, rate)
    kind = np.clongdouble if close else np.complex128
    rounded = windows.total.rounded * (1 if close else UNIT * 2 / ROUNDING)
    for number, group in enumerate(groups):
        outer = (number == 0, number == len(groups) - 1)
        cut = _cut(windows, group, rate).tolist()
        kernels = [_Kernel.of(group, place, rate, cut[place], rounded, outer) for place in range(len(group.at))]
        for some, classes, waves in group.waves(None, kind):
            for place in range(*some.indices(len(group.at))):
                found.add(group, place, kernels[place], classes, waves[:, :, place - some.start])
    return found.ranked()


def _cut(windows: NetworkWindows, group: TiltGroup, rate: float) -> Array:
    """By how much likelihoods are off for sums that are not looked at (T,)."""
    tilts = group.tilted.tilts
    means = np.array([float(each.centre) for each in group.at])
    core = np.array([max(each.centre - each.first, each.end - 1 - each.centre) for each in group.at])
    if group.reach >= windows.total.most:
        return np.zeros(len(tilts))
    outside = log_outside(windows.total, tilts, means, group.variances, group.reach, 1)
    return np.asarray(np.exp(outside - (rate - np.abs(tilts)) * np.maximum(group.reach - core, 0)))


@final
@dataclass(frozen=True, eq=False)
class _Kernel:
    """waves (2 · frequencies, outputs): what cosines and sines add to a likelihood; size: of all that the noise gathers
    for one output; cut: by how much likelihoods are off for sums that are not looked at; phases (frequencies,): with
    weights; rounded: relative error of the transform; base (outputs,): log of what the tilt takes off; outer: whether
    outputs below, and above, are as at ±∞."""

    waves: Array
    size: float
    cut: float
    phases: np.ndarray
    rounded: float
    base: Array
    outer: tuple[bool, bool]

    @classmethod
    def of(
        cls, group: TiltGroup, place: int, rate: float, cut: float, rounded: float, outer: tuple[bool, bool]
    ) -> "_Kernel":
        at, loud = group.at[place], group.loud
        outputs = np.arange(at.first, at.end)
        # Where all sums fit on the circle, it is no longer than these.
        most = group.tilted.total.most
        sums = np.arange(max(0, at.centre - group.reach), min(most, at.centre + group.reach) + 1)
        apart = outputs[None, :] - sums[:, None]
        kernel = np.exp(at.tilt * apart - rate * np.abs(apart))
        angles = 2 * np.pi / loud.points * (loud.places[:, None] * (sums - at.centre) % loud.points)
        turned = np.concatenate([np.cos(angles), np.sin(angles)]) @ kernel
        base = (at.log_mass - np.longdouble(at.tilt) * outputs).astype(np.float64)
        # Phases are counted from the sum 0 in the transform, and from the centre here.
        phases = loud.weights * np.exp(-2j * np.pi / loud.points * (loud.places * at.centre % loud.points))
        gathered = float(kernel.sum(axis=0).max(initial=0.0))
        return cls(turned, gathered, cut, phases, 2 * rounded * float(loud.weights.sum()), base, outer)


@final
class _Sweep:
    """The largest of every quantity so far."""

    def __init__(self, windows: NetworkWindows, rate: float) -> None:
        count = len(windows.possible)
        self._windows, self._rate = windows, rate
        self._most = {name: np.zeros(count) for name in QUANTITIES}
        self._doubt = np.zeros(count)

    def add(self, group: TiltGroup, place: int, kernel: _Kernel, classes: IntArray, waves: np.ndarray) -> None:
        """Takes one tilt of some classes into the largest values so far.

        Args:
            group: The tilts that share a circle with it.
            place: The place of the tilt in the group, from 0.
            kernel: The noise at that tilt.
            classes: The numbers of the classes (classes,).
            waves: The transform joint with their values (classes, k, frequencies).
        """
        size = max(1, _TOGETHER // max(1, waves.shape[1] * kernel.waves.shape[1]))
        for start in range(0, len(classes) if kernel.waves.shape[1] else 0, size):
            own = slice(start, start + size)
            self._add(group, place, kernel, classes[own], waves[own])

    def _add(self, group: TiltGroup, place: int, kernel: _Kernel, classes: IntArray, waves: np.ndarray) -> None:
        k = waves.shape[1]
        logs, shares = group.logs[classes, place, :k], group.shares[classes, place, :k]
        possible = self._windows.possible[classes, :k]
        rare, chance = is_rare(logs), np.exp(np.maximum(logs, -700.0))
        scale = np.where(rare | ~possible, 0.0, 1 / chance)
        shown = waves.astype(np.complex128) * scale[..., None] * kernel.phases
        found = np.concatenate([shown.real, shown.imag], axis=-1) @ kernel.waves
        roundings = len(kernel.phases) + 2 * group.reach + 64
        mass = float(group.loud.missing[place]) / chance + kernel.rounded
        mass = mass + np.abs(shown).sum(axis=-1) * roundings * UNIT
        off = mass * kernel.size + kernel.cut / chance
        least = found.min(axis=-1)
        # By how many nats a likelihood may be off; not at all known where it may be 0.
        known = (least > 2 * off) & ~rare
        each = np.where(known, 1.5 * off / np.where(known, least, 1.0), inf)
        doubt = np.where(possible, each, 0.0).max(axis=1)
        np.maximum.at(self._doubt, classes, doubt)
        if not known.all():
            np.maximum(found, 1e-300, out=found)
        chance = np.where(possible, chance, 0.0)
        mixed = np.einsum("ck,ckl->cl", chance, found)
        found /= mixed[:, None]
        told = self._read(classes, possible, chance, shares, found, doubt)
        # By the likelihoods themselves, not the tilted ones.
        weights = np.exp(np.minimum(kernel.base, 700.0)) * tanh(self._rate / 2)
        share = (told * mixed) @ weights
        for side, at in zip(kernel.outer, (0, -1), strict=True):
            if side:
                last = np.where(possible, found[..., at] * mixed[:, [at]], 1.0)
                ends = self._ends(classes, possible, chance, shares, last)
                share = share + weights[at] / expm1(self._rate) * np.maximum(mixed[:, at], 1.0) * np.maximum(
                    told[:, at], ends
                )
        self._most["information"][classes] += np.maximum(share, 0.0)

    def _read(
        self, classes: IntArray, possible: Bools, chance: Array, shares: Array, relative: Array, doubt: Array
    ) -> Array:
        """Suprema over outputs, and what each tells (classes, outputs): the relative entropy of posterior and prior.
        relative (classes, k, outputs): the tilted likelihoods, next to their mixture."""
        with np.errstate(divide="ignore"):
            gains = np.log(relative)
        gains += shares[..., None]
        if not possible.all():
            gains = np.where(possible[..., None], gains, np.nan)
        rows = [gains[:, value] for value in range(gains.shape[1])]
        top, bottom = reduce(np.fmax, rows), reduce(np.fmin, rows)
        gains = np.nan_to_num(gains, copy=False, nan=0.0, posinf=inf, neginf=-inf)
        # Where a likelihood may be 0, its log is no number: the doubt about it is infinite too.
        with np.errstate(invalid="ignore", over="ignore"):
            told = np.einsum("ck,ckl,ckl->cl", chance, relative, gains)
            reverse = -np.einsum("ck,ckl->cl", np.where(possible, chance * np.exp(-shares), 0.0), gains)
        raised, lowered = top.max(axis=1), -bottom.min(axis=1)
        deepest = np.maximum(np.abs(raised), np.abs(lowered))
        with np.errstate(invalid="ignore", over="ignore"):
            slack = 3 * doubt + 64 * UNIT * (4 + deepest)
        top -= bottom
        self._raise("ratio", classes, top.max(axis=1) + slack)
        self._raise("raised", classes, raised + slack)
        self._raise("lowered", classes, lowered + slack)
        most = told.max(axis=1)
        self._raise("forward", classes, most + _moved(most, slack))
        self._raise("reverse", classes, reverse.max(axis=1) + slack)
        return np.asarray(told)

    def _raise(self, name: str, classes: IntArray, values: Array) -> None:
        found = self._most[name]
        found[classes] = np.maximum(found[classes], np.where(np.isnan(values), inf, values))

    def _ends(self, classes: IntArray, possible: Bools, chance: Array, shares: Array, last: Array) -> Array:
        """Bounds the leakage of an output at ±∞, which is counted among the suprema.

        last (classes, k): the last tilted likelihood, which is 1 there.
        """
        away = np.abs(np.log(last)).max(axis=1)
        ones = np.where(possible, 1.0, 0.0)[..., None]
        told = self._read(classes, possible, chance, np.where(possible, shares, 0.0), ones, away)
        return np.asarray(told[:, 0] + 4 * away)

    def ranked(self) -> Ranked:
        """All bounds. Of the information what is off at an output counts as often as the output."""
        doubt = self._doubt
        most = dict(self._most)
        with np.errstate(invalid="ignore"):
            most["information"] = most["information"] * (1 + 1e-9) + _moved(most["information"], 4 * doubt)
        return Ranked({name: np.where(np.isnan(own), inf, own) for name, own in most.items()}, doubt)


def _moved(told: Array, slack: Array) -> Array:
    """By how much a relative entropy may be off whose log-likelihoods are: E|log r| is at most D + √(2D)."""
    told = np.maximum(told, 0.0)
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray(2 * slack * (told + np.sqrt(2 * told)) + 8 * slack**2)
