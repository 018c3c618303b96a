"""Inferential privacy: how far an output may tell two values of a record apart (IDP Def 3, DDP Def 4 and 6)."""

from collections.abc import Callable
from math import inf
from typing import Annotated, ClassVar, Literal, final

import numpy as np
from pydantic import Field

from dalenius.bounds import Enclosure, largest
from dalenius.channel import Channel, Release
from dalenius.channel.crossing import least_epsilon
from dalenius.channel.leakage import NOTHING, Largest, Leakage, of_person, pair_at, peak
from dalenius.laws.integrals.functionals import HockeyStick
from dalenius.notions.normal import normal_delta
from dalenius.notions.notion import Linear, Notion, Proof
from dalenius.schema import Probability

Delta = Annotated[Probability, Field(ge=0, lt=1, allow_inf_nan=False)]


@final
class InferentialPrivacy(Notion):
    """log W(y|s)/W(y|s') <= epsilon for all secrets s, s' and outputs y; with delta > 0, every hockey-stick
    sum_y max(W(y|s) - e^epsilon W(y|s'), 0) <= delta. `identity` and `dependent` are other names for it.

    The leakage at delta > 0 is the least epsilon that has this delta.
    """

    implied_by: ClassVar[Proof] = "inferential"
    linear: ClassVar[Linear] = "pairs"

    kind: Literal["inferential", "identity", "dependent"] = "inferential"
    delta: Delta = 0.0

    @property
    def promised_delta(self) -> float:
        return self.delta

    def leakage_of(self, channel: Channel) -> Leakage:
        if len(channel.secrets) < 2 or channel.pairs == ():
            return NOTHING
        pure = _pure(channel)
        return pure if self.delta == 0 else _approximate(channel, self.delta, pure)


def delta_of(release: Release, epsilon: float) -> Enclosure:
    """The least delta at which the release is inferential(epsilon, delta)."""
    total = Enclosure(0.0, 0.0)
    for channel in release.record_channels():
        for pair in _ordered_pairs(channel):
            total = largest(total, channel.integral(HockeyStick(*pair, epsilon)))
    for absent in release.absent_channels():
        table = absent.table()
        for pair in _ordered_pairs(table):
            total = largest(total, table.integral(HockeyStick(*pair, epsilon)))
    for channels in release.normal_channels():
        for normal in channels:
            total = largest(total, normal_delta(normal, epsilon))
    return Enclosure(min(total.lower, 1.0), min(total.upper, 1.0))


def _pure(channel: Channel) -> Leakage:
    logs = channel.relative
    if channel.pairs is None:
        shown = np.where(channel.possible, np.max(logs, axis=0), 0.0) - np.min(logs, axis=0)
        value, _ = peak(shown, channel.possible, 2 * channel.error)
        return _seen(channel, value, *pair_at(logs, channel.possible, channel.error, value.lower))
    found = Largest[tuple[int, int, int]]()
    for secret, against in _ordered_pairs(channel):
        either = np.maximum(logs[secret], logs[against]) > -inf
        with np.errstate(invalid="ignore"):
            value, (output,) = peak(logs[secret] - logs[against], either, 2 * channel.error)
        found.add(value, (secret, against, output))
    return NOTHING if found.first is None else _seen(channel, Enclosure(found.lower, found.upper), *found.first)


def _seen(channel: Channel, value: Enclosure, secret: int, against: int, output: int) -> Leakage:
    where = {"secret": channel.secrets[secret], "against": channel.secrets[against], "output": channel.output(output)}
    return Leakage(value.lower, value.upper, of_person(channel, **where))


def _ordered_pairs(channel: Channel) -> list[tuple[int, int]]:
    """In the order of the secrets, which decides between pairs that leak alike."""
    count = len(channel.secrets)
    pairs = channel.pairs if channel.pairs is not None else [(i, j) for i in range(count) for j in range(i)]
    return sorted({ordered for one, other in pairs for ordered in ((one, other), (other, one))})


def _approximate(channel: Channel, delta: float, pure: Leakage) -> Leakage:
    found = Largest[tuple[int, int]]()
    for pair in _ordered_pairs(channel):
        found.add(least_epsilon(_curve(channel, *pair), delta, pure.upper), pair)
    secret, against = found.first or (0, 1)
    where = {"secret": channel.secrets[secret], "against": channel.secrets[against]}
    return Leakage(found.lower, found.upper, of_person(channel, **where))


def _curve(channel: Channel, secret: int, against: int) -> Callable[[float], Enclosure]:
    return lambda epsilon: channel.integral(HockeyStick(secret, against, epsilon))
