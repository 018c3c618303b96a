"""Differential privacy: neighbouring data sets only, no model of the records."""

from math import inf
from typing import ClassVar, Literal, final

from dalenius.bounds import Enclosure
from dalenius.channel import Channel
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
        neighbours = channel.spread.neighbours
        value = Enclosure(0.0, inf) if neighbours is None else channel.noise.neighbour_loss(neighbours, channel.lattice)
        most, least = channel.spread.values
        return Leakage(value.lower, value.upper, of_person(channel, secret=most, against=least))
