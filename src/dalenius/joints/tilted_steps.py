"""The steps of a long chain under a tilt: the chain that weighs every path by e^{θ·sum}.

Tilted steps are P(x, x')·e^{θ·score(x')}. Divided by their Perron vectors on either side they are probabilities again,
which a million steps do not lead out of the range of numbers. If steps never repeat, they are divided by the average of
all that follows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any, Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.joints.doubled_precision import Doubled, exponential, rounded
from dalenius.joints.extended_precision import ROUNDING, Long, long, power
from dalenius.joints.repeating_chain import RepeatingChain, only

_MOST_UNEVEN: Final = 1e-3
"""Largest relative distance from 1 of all rows' sums together; beyond it the vectors are no Perron vectors."""
_FAINTEST: Final = 1e-290
"""The smallest entry of a Perron vector next to its largest: another is next to leaving the doubles."""
_TOGETHER: Final = 1 << 17
"""Numbers of all steps at all tilts that are there at once."""


@final
@dataclass(frozen=True, eq=False)
class TiltedSteps:
    """The steps of one chain at T tilts.

    The mean of e^{sum} over two independent fair bits is ((1 + e)/2)²:

    >>> half, scores, possible = np.full(2, 0.5), np.array([[0, 1]]), np.ones((2, 2), dtype=np.bool_)
    >>> bits = RepeatingChain(2, half, np.full((1, 2, 2), 0.5), scores, 0, 1, possible)
    >>> print(f"{float(tilted_steps(bits, np.array([1.0])).log_mass[0]):.9f} {2 * np.log((1 + np.e) / 2):.9f}")
    1.240229014 1.240229014

    Args:
        chain: The chain and its scores.
        tilts: θ for each step of the sum (T,).
        steps: The steps of each phase (T, k, k), rows of sum 1.
        first: The vector of the first record (T, k).
        last: What each value of the last record counts (T, k).
        total: first · all steps · last (T,), along paths that have the known records.
        log_mass: log E[e^{θ·sum}; the known records] (T,).
        sound: Whether vectors keep the steps within the range of numbers.
        doubled: The steps in doubled precision, for products of very many; None where `steps` are as good.
        length: How many steps of any product count with their roundings.
    """

    chain: RepeatingChain
    tilts: Array
    steps: tuple[Long, ...]
    first: Long
    last: Long
    total: Long
    log_mass: Long
    sound: bool
    doubled: tuple[Doubled, ...] | None
    length: int

    @cached_property
    def log_room(self) -> Array:
        """The nats by which bounds of both sides of a record may exceed the total (T,)."""
        return np.asarray(np.log(self.first.sum(axis=1) * self.last.max(axis=1) / self.total) + 1e-9, dtype=np.float64)

    @property
    def mass_error(self) -> float:
        """The nats by which each log_mass may be off."""
        deepest = float(np.max(np.abs(self.log_mass))) + float(np.max(np.abs(self.tilts))) * self.chain.most
        return rounded_steps(self.chain, self.length) + 16 * ROUNDING * deepest

    def block(self, phase: int, steps: tuple[Long, ...] | None = None) -> Long:
        """Returns the product of one period of `steps` (None: its own), from `phase` on."""
        own = self.steps if steps is None else steps
        found = own[phase % len(own)]
        for more in range(1, len(own)):
            found = found @ own[(phase + more) % len(own)]
        return found


@final
@dataclass(frozen=True, eq=False)
class ChainTilts:
    """The sum of a chain, as a `TiltedSum`."""

    chain: RepeatingChain

    @property
    def most(self) -> int:
        return self.chain.most

    @property
    def looked_at(self) -> int:
        return 129

    def moments(self, tilts: Array) -> tuple[Array, Array, Array]:
        size = max(1, _TOGETHER // (len(self.chain.steps) * self.chain.states**2))
        nudge = 1e-3 / (sqrt(self.chain.n) * max(1, int(self.chain.scores.max())))
        found = []
        for start in range(0, len(tilts), size):
            own = tilts[start : start + size]
            logs = tilted_steps(self.chain, np.concatenate([own - nudge, own, own + nudge])).log_mass.reshape(3, -1)
            mean, variance = (logs[2] - logs[0]) / (2 * nudge), (logs[2] + logs[0] - 2 * logs[1]) / nudge**2
            found.append(np.stack([mean, np.maximum(variance, 1e-12), logs[1]]).astype(np.float64))
        mean, variance, log_mass = np.concatenate(found, axis=1)
        return mean, variance, log_mass

    def log_masses(self, tilts: Array) -> tuple[Long, float]:
        size = max(1, 8 * _TOGETHER // (len(self.chain.steps) * self.chain.states**2))
        found = [tilted_steps(self.chain, tilts[start : start + size]) for start in range(0, len(tilts), size)]
        return np.concatenate([each.log_mass for each in found]), max(each.mass_error for each in found)


def rounded_steps(chain: RepeatingChain, count: int) -> float:
    """Returns the relative error of a product of `count` steps of `chain`, each entry known to 16 roundings."""
    return (count + 64) * (chain.states + 16) * ROUNDING


def tilted_steps(chain: RepeatingChain, tilts: Array, singly: int | None = None) -> TiltedSteps:
    """Returns the steps of `chain` at `tilts` (T,).

    `sound` is false where no vectors keep them within the range of numbers.

    Args:
        chain: The chain and its scores.
        tilts: θ for each step of the sum (T,), whose products with sums are exact where `singly` is given.
        singly: How many steps of any product are taken one by one, all others by powers in doubled precision; None
            where powers are as precise as steps.
    """
    # Because chains that are never left again have no Perron vectors: the result is not sound, and is not used.
    with np.errstate(all="ignore"):
        return _tilted_steps(chain, tilts, singly)


def _tilted_steps(chain: RepeatingChain, tilts: Array, singly: int | None) -> TiltedSteps:
    """Computes the tilted steps, whatever the numbers are."""
    theta, period = long(tilts), chain.period
    weights = theta[:, None, None] * long(chain.scores)
    top = weights.max(axis=2)
    below = weights - top[:, :, None]
    factors = np.exp(below)
    raw = [long(step) * factors[:, (phase + 1) % period, None, :] for phase, step in enumerate(chain.steps)]
    ahead = _perron(raw) if chain.repeats else np.ones_like(factors[:, 0])
    ends, scales = _divisors(raw, ahead, chain.repeats)
    around = list(zip([*ends[1:], ends[0]], ends, scales, strict=False))
    steps = [
        each * right[:, None, :] / left[:, :, None] / scale[:, None, None]
        for each, (right, left, scale) in zip(raw, around, strict=False)
    ]
    doubled, length = None, chain.n
    if singly is not None:
        doubled = tuple(
            Doubled.of(step)
            .times(exponential(Doubled.of(below[:, (phase + 1) % period, None, :])))
            .times(Doubled.of(right[:, None, :]))
            .over(left[:, :, None] * np.ones(chain.states))
            .over(scale[:, None, None] * np.ones((chain.states, chain.states)))
            for (phase, step), (right, left, scale) in zip(enumerate(chain.steps), around, strict=False)
        )
        steps, length = [each.hi for each in doubled], singly + 2 * (period + 2) * (len(chain.known) + 1)
    first = long(chain.initial) * factors[:, 0] * ends[0]
    last = 1 / ends[(chain.n - 1) % len(ends)]
    # Because steps that never repeat are divided by their own sums.
    uneven = max(float(np.max(np.abs(step.sum(axis=2) - 1))) for step in steps) if chain.repeats else 0.0
    total = np.sum(_through(chain, steps, first, doubled) * last, axis=1)
    how_often = chain.often(chain.n - 1)
    logs = [int(count) * np.log(scale) for count, scale in zip(how_often, scales, strict=False)]
    log_mass = np.log(total) + sum(logs) + top @ long(chain.often(chain.n))
    faint = min(float(np.min(each)) for each in ends) if chain.repeats else 1.0
    sound = bool(np.isfinite(log_mass).all() and uneven * chain.n <= _MOST_UNEVEN and faint >= _FAINTEST)
    return TiltedSteps(chain, tilts, tuple(steps), first, last, total, log_mass, sound, doubled, length)


def _perron(raw: list[Long]) -> Long:
    """Returns the right Perron vector (T, k) of one period, up to a factor."""
    block = raw[0].astype(np.float64)
    for each in raw[1:]:
        block = block @ each.astype(np.float64)
    values, vectors = np.linalg.eig(block)
    order = np.argmax(np.abs(values), axis=1)
    found = long(np.maximum(np.abs(np.take_along_axis(vectors, order[:, None, None], axis=2)[..., 0]), 1e-300))
    # So that vectors from eigenvalues in doubles gain extended digits: three more periods of steps.
    for _ in range(3):
        for each in reversed(raw):
            found = (each @ found[..., None])[..., 0]
            found = found / found.max(axis=1, keepdims=True)
    return found


def _divisors(raw: list[Long], ahead: Long, repeats: bool) -> tuple[list[Long], list[Long]]:
    """Returns the divisor of each phase, and the factor to take off each step, so that rows have the sum 1."""
    ends, scales = [ahead], list[Long]()
    for each in reversed(raw):
        carried = (each @ ends[-1][..., None])[..., 0]
        scales.append(carried.max(axis=1))
        ends.append(carried / scales[-1][:, None])
    ends.reverse()
    scales.reverse()
    # Because one period leads the Perron vector to a multiple of itself, the same vector stands at both ends.
    if repeats:
        scales[0] = scales[0] * (ends[0] * ahead).sum(axis=1) / (ahead * ahead).sum(axis=1)
        ends[0] = ahead
    return ends[:-1] if repeats else ends, scales


def _through(chain: RepeatingChain, steps: list[Long], first: Long, doubled: Sequence[Doubled] | None) -> Long:
    """Returns first · all steps (T, k), along paths that have the known records."""
    found, here = first, 0
    for place, state in chain.known:
        found, here = only(_carried(steps, found, here, place - here, doubled), state), place
    return _carried(steps, found, here, chain.n - 1 - here, doubled)


def _carried(steps: list[Long], vectors: Long, start: int, count: int, doubled: Sequence[Doubled] | None) -> Long:
    """Returns `vectors` (T, k) after so many steps, from the place `start` on."""
    found, (whole, rest) = vectors[:, None, :], divmod(count, len(steps))
    own = [steps[(start + more) % len(steps)] for more in range(min(count, len(steps)))]
    if whole > 1:
        found = found @ product(steps, doubled, start, whole)
    for each in own if whole == 1 else []:
        found = found @ each
    for each in own[:rest]:
        found = found @ each
    return found[:, 0]


def product(steps: Sequence[Any], doubled: Sequence[Doubled] | None, start: int, periods: int) -> Any:
    """Returns the product of the steps of so many periods, from the place `start` on (.., k, k).

    doubled: the steps in doubled precision; None where `steps` (.., k, k) are as good.
    """
    if doubled is None:
        return power(_period(steps, start), periods)
    found = power(_period(doubled, start), periods)
    return rounded(found) if np.iscomplexobj(steps[0]) else found.hi


def _period(steps: Sequence[Any], start: int) -> Any:
    found = steps[start % len(steps)]
    for more in range(1, len(steps)):
        found = found @ steps[(start + more) % len(steps)]
    return found
