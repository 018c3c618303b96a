"""How likely a witness is: its output, and all outputs that leak nearly as much."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from dalenius.bounds import Enclosure
from dalenius.channel import Channel, Release
from dalenius.channel.finite.likelihoods import Likelihoods
from dalenius.channel.leakage import Leakage
from dalenius.channel.witness import NEAR, Witness
from dalenius.errors import Meaningless, TooLarge
from dalenius.laws.tails.losses import PointwiseLoss


class Pointwise(Protocol):
    """A notion that may name what one output leaks."""

    @property
    def kind(self) -> str: ...

    def loss(self, channel: Likelihoods) -> PointwiseLoss | None: ...


def with_chances(
    release: Release,
    notions: Sequence[Pointwise],
    found: Sequence[Sequence[Leakage] | None],
    worst: Sequence[Leakage | None],
) -> list[Leakage | None]:
    """The worst leakages, their witnesses with how likely they are. found: by notion, the leakage of nobody and then of
    each channel in order, or one of all; a witness with no output, or not of one channel, is left as it is."""
    wanted: dict[int, list[int]] = {}
    for place, leakage in enumerate(worst):
        own = found[place] or ()
        if leakage is not None and leakage.witness is not None and leakage.witness.output is not None:
            for number, each in enumerate(own[1:]):
                if each.witness is leakage.witness:
                    wanted.setdefault(number, []).append(place)
    done = list(worst)
    if not wanted:
        return done
    for number, channel in enumerate(release.all_channels()):
        for place in wanted.get(number, ()):
            leakage = done[place]
            assert leakage is not None
            assert leakage.witness is not None
            done[place] = replace(leakage, witness=_with_chance(leakage, leakage.witness, notions[place], channel))
    return done


def _with_chance(leakage: Leakage, witness: Witness, notion: Pointwise, channel: Channel) -> Witness:
    """Unchanged where there is no table of likelihoods; no outputs are near a leakage that may be 0."""
    try:
        finite = channel.finite(notion.kind)
    except (Meaningless, TooLarge):
        return witness
    assert witness.output is not None
    loss = notion.loss(finite)
    near = None if loss is None or leakage.lower <= 0 else _near(leakage, finite, loss)
    return replace(witness, log_probability=finite.log_near(witness.output), log_near=near)


def _near(leakage: Leakage, channel: Likelihoods, loss: PointwiseLoss) -> Enclosure:
    """log Pr[loss >= NEAR · the leakage]."""
    tail = channel.tail_of(loss)
    low, high = (
        tail.log_at_least(NEAR * each * (1 + side)) for each, side in ((leakage.lower, -1e-15), (leakage.upper, 1e-15))
    )
    return Enclosure(high.lower, low.upper)
