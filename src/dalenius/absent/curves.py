"""By the scale of the noise, what leaks most of who is absent at one scale."""

from functools import singledispatch

from dalenius.absent.channel import AbsentChannel
from dalenius.absent.identifiability import DifferentialIdentifiability
from dalenius.absent.ratios import Curve
from dalenius.absent.rho import RhoIdentifiability
from dalenius.absent.world import absent_channels
from dalenius.channel import Release
from dalenius.notions import InferentialPrivacy, InformationPrivacy, Notion


def worst_curve(notion: Notion, release: Release) -> Curve | None:
    """The leakage by scale of the answer that leaks most at this scale, alone; None where it has no closed form."""
    channels = list(absent_channels(release))
    curves = [curve_of(notion, channel) if channel.quick else None for channel in channels]
    known = [curve for curve in curves if curve is not None]
    if not known or len(known) < len(curves):
        return None
    leakages = [notion.leakage_of(channel).lower for channel in channels]
    return known[leakages.index(max(leakages))]


@singledispatch
def curve_of(notion: Notion, channel: AbsentChannel) -> Curve | None:
    """At any scale of the noise what leaks most at the channel's own: a lower bound of its leakage, attained there.
    None where only `leakage_of` computes it."""
    return None


@curve_of.register
def _inferential(notion: InferentialPrivacy, channel: AbsentChannel) -> Curve | None:
    return channel.ratio_by_scale() if notion.delta == 0 else None


@curve_of.register
def _information(notion: InformationPrivacy, channel: AbsentChannel) -> Curve | None:
    return channel.raised_by_scale() if notion.delta == 0 else None


@curve_of.register
def _identifiability(notion: DifferentialIdentifiability, channel: AbsentChannel) -> Curve:
    movement, weight = channel.movement(notion.lowering), notion.lowering
    if movement.raised.value.lower >= weight * movement.lowered.value.lower:
        return channel.raised_by_scale()
    curve = channel.lowered_by_scale()
    return lambda scale: weight * curve(scale)


@curve_of.register
def _rho(notion: RhoIdentifiability, channel: AbsentChannel) -> Curve:
    return channel.suspected_by_scale()
