"""Differential privacy: neighbouring data sets only, no model of the records."""

from typing import ClassVar, Literal, final

import numpy as np

from dalenius.bounds import UNIT, Enclosure, around
from dalenius.channel import Channel
from dalenius.noise import Clamped, Kernel
from dalenius.notions.leakage import Leakage, of_person
from dalenius.notions.notion import Notion


@final
class DifferentialPrivacy(Notion):
    """log Pr[Y=y | x] / Pr[Y=y | x'] <= epsilon for every y and all data sets x, x' that differ in one record.

    The right promise where records are independent; where they are not, it is what today's libraries report, and
    `inferential` is what the adversary learns.
    """

    of_the_model: ClassVar[bool] = False
    of_absence: ClassVar[bool] = False

    kind: Literal["differential"] = "differential"

    def leakage_of(self, channel: Channel) -> Leakage:
        loss = channel.noise.privacy_loss(channel.spread.distances)
        value = around(loss, 4 * UNIT * loss).clipped(0.0)
        if isinstance(channel.noise, Kernel):
            value = _of_rows(loss, channel.noise.privacy_loss(channel.spread.reach))
        if isinstance(channel.noise, Clamped) and not _is_attained(channel, channel.noise):
            value = Enclosure(0.0, value.upper)
        most, least = channel.spread.values
        return Leakage(value.lower, value.upper, of_person(channel, secret=most, against=least))


def _is_attained(channel: Channel, noise: Clamped) -> bool:
    """Whether answers so far apart do differ by the whole loss: unless one lies beyond each end, they do at an end.
    Without noise they must not all lie beyond the same one."""
    if noise.scale == 0:
        return int(np.count_nonzero(channel.possible)) > 1
    pairs = zip(channel.spread.distances, channel.lattice.steps, strict=True)
    return all(float(distance - step) <= noise.upper - noise.lower for distance, step in pairs)


def _of_rows(loss: float, furthest: float) -> Enclosure:
    """A kernel's losses are not of L1 distances: other values than those furthest apart may do worse. Its logs, which
    are differences of logs of doubles, are off by more than roundings of themselves."""
    rounding = 4096 * UNIT
    lower = around(loss, rounding).clipped(0.0).lower if loss else 0.0
    return Enclosure(lower, around(furthest, rounding).upper if furthest else 0.0)
