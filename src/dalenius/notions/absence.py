"""What a notion reads where the secret is who is absent (Theory §6), at single outputs without a table."""

from collections.abc import Callable
from math import inf, log1p
from typing import TYPE_CHECKING, Any, Final

from dalenius.bounds import UNIT, Enclosure, around, largest
from dalenius.channel import AbsentChannel, Release
from dalenius.channel.leakage import Leakage, Witness
from dalenius.errors import InputError
from dalenius.laws.absence.exponential_sums import blur
from dalenius.laws.absence.ratios import Curve, Moved, lowered_curve, posterior_of, raised_curve, suspected_curve

if TYPE_CHECKING:
    from dalenius.notions.identifiability import DifferentialIdentifiability
    from dalenius.notions.notion import Notion
    from dalenius.notions.rho import RhoIdentifiability


def absent_leakage(notion: "Notion", channel: AbsentChannel) -> Leakage:
    """What a release tells about who is absent, in nats. InputError for a notion that says nothing of that, and where
    its likelihoods cannot be told; TooLarge for too many of them."""
    if not notion.of_absence:
        wanted = "identifiability, rho, inferential or information where the secret is who is absent"
        raise InputError("notion.kind", notion.kind, wanted)
    if _is_quick(notion, channel):
        return _READINGS[notion.kind](notion, channel)
    return notion.sharp_leakage(channel.table())


def is_quick(notion: "Notion", release: Release) -> bool:
    """Whether the secret is who is absent and no table of likelihoods is needed."""
    return bool(release.absences) and all(_is_quick(notion, channel) for channel in release.absent_channels())


def is_readable(notion: "Notion", release: Release) -> bool:
    """Whether the notion says something of who is absent, and can be told."""
    channels = release.absent_channels()
    return notion.of_absence and all(_is_quick(notion, channel) or channel.tabled for channel in channels)


def curve_of_worst(notion: "Notion", release: Release) -> Curve:
    """What leaks most here, alone, at any scale of the noise; for a notion that is quick."""
    channels = list(release.absent_channels())
    leakages = [_READINGS[notion.kind](notion, channel).lower for channel in channels]
    worst = channels[leakages.index(max(leakages))]
    return _CURVES[notion.kind](notion, worst)


def _is_quick(notion: "Notion", channel: AbsentChannel) -> bool:
    return channel.quick and notion.kind in _READINGS and getattr(notion, "delta", 0.0) == 0


def _identifiability(notion: "DifferentialIdentifiability", channel: AbsentChannel) -> Leakage:
    up, down = channel.raised, channel.lowered
    used = notion.used(up.value, down.value)
    worst = up if notion.may_be_by_raising(up.value, down.value) else down
    return Leakage(used.lower, used.upper, _seen(channel, worst), {"raised": up.value, "lowered": down.value})


def _rho(notion: "RhoIdentifiability", channel: AbsentChannel) -> Leakage:
    found = channel.suspected
    value = found.value
    return Leakage(value.lower, value.upper, _seen(channel, found), {"posterior": posterior_of(value)})


def _information(notion: "Notion", channel: AbsentChannel) -> Leakage:
    up, down = channel.raised.value, channel.lowered.value
    return Leakage(up.lower, up.upper, _seen(channel, channel.raised), {"two_sided": largest(up, down)})


def _inferential(notion: "Notion", channel: AbsentChannel) -> Leakage:
    """Θ/b: the two ends, at either of them."""
    missing = channel.missing
    last = len(missing.offsets) - 1
    if last == 0:
        return notion.nothing()
    value = missing.span / channel.scale if channel.scale > 0 else inf
    error = 16 * UNIT * blur(missing.offsets) * value if channel.scale > 0 else 0.0
    bound: Enclosure = around(value, error)
    ends = {"secret": _named(channel, last), "against": _named(channel, 0)}
    return Leakage(bound.lower, bound.upper, _seen(channel, Moved(bound, last, last), **ends))


def _seen(channel: AbsentChannel, moved: Moved, **ends: int | float) -> Witness:
    missing = channel.missing
    people, answer = int(missing.people[moved.whose]), f"{missing.answer(moved.whose):.12g}"
    number = int(missing.firsts[moved.whose])
    others = f", as that of {people - 1:,} more" if people > 1 else ""
    who = f"whose absence gives {answer}{others}" if number else f"one of {people:,} whose absence gives {answer}"
    output = (missing.answer(moved.seen),)
    return Witness(number, who, output=output, what="absent person", **ends)  # type: ignore[arg-type]


def _named(channel: AbsentChannel, place: int) -> int | float:
    """A class by the number of its first person, or by its answer where the table only told counts."""
    return int(channel.missing.firsts[place]) or channel.missing.answer(place)


_READINGS: Final[dict[str, Callable[[Any, AbsentChannel], Leakage]]] = {
    "identifiability": _identifiability,
    "rho": _rho,
    "information": _information,
    "inferential": _inferential,
    "identity": _inferential,
    "dependent": _inferential,
}


def _identifiability_curve(notion: "DifferentialIdentifiability", channel: AbsentChannel) -> Curve:
    missing, up, down = channel.missing, channel.raised, channel.lowered
    if notion.by_raising(up.value, down.value):
        return raised_curve(missing.prior, missing.offsets, up.whose)
    factor = -log1p(notion.beta) / log1p(-notion.alpha)
    curve = lowered_curve(missing.prior, missing.offsets, down.seen)
    return lambda scale: factor * curve(scale)


def _rho_curve(notion: "RhoIdentifiability", channel: AbsentChannel) -> Curve:
    return suspected_curve(channel.missing.prior, channel.missing.offsets, channel.suspected.whose)


def _information_curve(notion: "Notion", channel: AbsentChannel) -> Curve:
    return raised_curve(channel.missing.prior, channel.missing.offsets, channel.raised.whose)


def _inferential_curve(notion: "Notion", channel: AbsentChannel) -> Curve:
    return lambda scale: channel.missing.span / scale


_CURVES: Final[dict[str, Callable[[Any, AbsentChannel], Curve]]] = {
    "identifiability": _identifiability_curve,
    "rho": _rho_curve,
    "information": _information_curve,
    "inferential": _inferential_curve,
    "identity": _inferential_curve,
    "dependent": _inferential_curve,
}
