"""Laws of an answer and of known ones jointly, at the known values; and what they are given these."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, prod
from typing import NamedTuple, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.errors import TooLarge
from dalenius.laws.law import Array, Law, log_mix


@final
@dataclass(frozen=True)
class Logs:
    """log Pr[cell | s] = base (cells,) + relative (secrets, cells), each up to `error`."""

    base: Array
    relative: Array
    error: float

    def mixture(self, log_prior: Array) -> "Logs":
        """One row, whatever the secret."""
        mixed = log_mix(log_prior, self.relative)
        depth = float(np.max(np.abs(mixed), where=np.isfinite(mixed), initial=0.0))
        rounding = (2 * len(log_prior) + 4 * depth + 8) * UNIT
        return Logs(self.base, mixed[None], self.error + rounding)

    def times(self, other: "Logs") -> "Logs":
        """Of independent records; the other has one row."""
        return Logs(self.base + other.base, self.relative + other.relative, self.error + other.error + 4 * UNIT)


class Conditioned(NamedTuple):
    """kept: which secrets are possible; log_prior: theirs given the known values; law: of the answer, given these."""

    kept: list[int]
    log_prior: Array
    law: Law


def certain(cells: int) -> Logs:
    """Of no records."""
    return Logs(np.zeros(cells), np.zeros((1, cells)), 0.0)


def conditioned(logs: Logs, log_prior: Array, start: Sequence[int], box: Sequence[int]) -> Conditioned | None:
    """logs: of cells (*box, further), where the answer is in the box and the known values hold. None where no cell can
    occur."""
    base, relative, rounding = _summed(logs, prod(box))
    masses = base + relative
    tops = np.max(masses, axis=1)
    kept = [secret for secret, top in enumerate(tops) if top > -inf]
    if not kept:
        return None
    relative, tops = relative[kept], tops[kept]
    shares = tops + np.log(np.sum(np.exp(masses[kept] - tops[:, None]), axis=1))
    joint = log_prior[kept] + (shares - np.max(shares))
    total = float(np.logaddexp.reduce(joint))
    shifts = (shares - np.max(shares)) - total
    level = float(np.max(shares)) + total
    depth = float(np.max(np.abs(relative), where=np.isfinite(relative), initial=0.0)) + float(np.max(np.abs(shifts)))
    # Of the logs and of the known values' probability; half as much again is for the prior, which has their error too.
    error = 1.5 * (2 * logs.error + (2 * rounding + 2 * len(base) + 8 * depth + 32) * UNIT)
    law = _trimmed(Law(tuple(start), base - level, relative - shifts[:, None], error), tuple(box))
    return Conditioned(kept, np.minimum(joint - total, 0.0), law)


def _summed(logs: Logs, points: int) -> tuple[Array, Array, float]:
    """base (points,) and relative (secrets, points), over the last cells of each point; and how many roundings lie
    behind that."""
    further = len(logs.base) // points
    if further == 1:
        return _finite(logs.base, logs.relative), logs.relative, 0.0
    base, relative = logs.base.reshape(points, further), logs.relative.reshape(-1, points, further)
    masses = base + relative
    level = np.max(masses, axis=(0, 2))
    level = np.where(level > -inf, level, 0.0)
    with np.errstate(divide="ignore"):
        own = np.max(masses, axis=2)
        own = np.where(own > -inf, own, 0.0)
        summed = np.log(np.sum(np.exp(masses - own[..., None]), axis=2)) + (own - level)
    return level, summed, 2.0 * further + 8


def _finite(base: Array, relative: Array) -> Array:
    """The base, 0 where no cell can occur."""
    return np.where(np.max(relative, axis=0) > -inf, base, np.where(np.isfinite(base), base, 0.0))


def _trimmed(law: Law, box: tuple[int, ...]) -> Law:
    """A law of flat points, on the smallest box that holds what can occur."""
    occupied = np.nonzero((np.max(law.relative, axis=0) > -inf).reshape(box))
    low, high = [int(each.min()) for each in occupied], [int(each.max()) for each in occupied]
    place = tuple(slice(first, last + 1) for first, last in zip(low, high, strict=True))
    start = tuple(first + shift for first, shift in zip(law.start, low, strict=True))
    relative = law.relative.reshape(-1, *box)[(slice(None), *place)]
    return Law(start, law.base.reshape(box)[place], relative, law.error)


def too_rare() -> TooLarge:
    """The error for known values that are less probable than what a law resolves."""
    what, size = "the law given adversary.answers", "the accuracy that so improbable a value needs"
    return TooLarge(what, size, "use engine convolution")
