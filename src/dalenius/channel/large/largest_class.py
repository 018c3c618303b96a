"""The class of a long chain's records about which an answer says most, without evaluating every class.

A class is passed over where a bound that takes little work is at most the known leakage of another class. So two or
three of 137 classes of 10⁵ days are evaluated, where the first or the last day is the most exposed.

Days whose chances an output multiplies by .8 to 1.25 differ from their prior by at most .025 nats:

>>> forward, reverse = _chords(0.22314, 0.22314)
>>> round(forward, 4), round(reverse, 4)
(0.0248, 0.0248)
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import exp, expm1, inf
from typing import Final, TypeAlias

import numpy as np

from dalenius.bounds import UNIT
from dalenius.channel.answer_window_channel import WindowChannel
from dalenius.channel.leakage import Found, worst_of
from dalenius.channel.likelihoods import with_class_error
from dalenius.laws.integrals.convex_functionals import Information
from dalenius.laws.integrals.functionals_over_outputs import over_points

AtMost: TypeAlias = Callable[[WindowChannel], tuple[float, ...]]
"""Returns upper bounds of several quantities of one class, in nats."""
_MOST_RANKED: Final = 1 << 22
"""Least number of likelihoods of classes, or masses, that are held before they are ranked: 32 MB."""
_STEEPEST: Final = 600.0
"""Nats beyond which chances are not bounded by chords, because their ratios may overflow."""
_FAINTEST: Final = 1e-290
"""Nats that secrets which sums in doubles do not resolve add to the information."""


def largest_of(
    channels: Iterable[WindowChannel], at_most: AtMost, read: Callable[[WindowChannel], list[Found]]
) -> list[Found]:
    """Encloses the largest of several quantities over all classes.

    Args:
        channels: One for each class.
        at_most: Bounds the quantities of a class from above.
        read: Encloses the quantities of one class from its window.
    """
    found: list[list[Found]] = []
    best: list[float] = []
    for several in _held(channels):
        for tops, channel in sorted(((at_most(each), each) for each in several), key=lambda pair: -sum(pair[0])):
            # Because the truth of this class is no more than its bounds, and that of the largest no less than the best.
            if found and all(top <= low for top, low in zip(tops, best, strict=True)):
                continue
            found.append(read(channel))
            lowers = [each.value.lower for each in found[-1]]
            best = [max(pair) for pair in zip(best, lowers, strict=True)] if best else lowers
    return [worst_of(every) for every in zip(*found, strict=True)]


def unbounded(channel: WindowChannel) -> tuple[float, ...]:
    """Bounds nothing of a `channel`, for quantities that take no more work than a bound."""
    return (inf,)


def divergence_at_most(channel: WindowChannel) -> tuple[float, ...]:
    """Bounds the relative entropy of posterior and prior of a `channel`, and its reverse, by belief moves."""
    moved = channel.movement()
    return _chords(moved.raised.value.upper, moved.lowered.value.upper)


def information_at_most(channel: WindowChannel) -> tuple[float, ...]:
    """Bounds I(S; Y) of a `channel` by the exact answer's information about the secret: noise takes from it."""
    window, functional = channel.window(), Information(channel.log_prior)
    answers = over_points(functional, with_class_error(window.law, channel.subject))
    # Because the part outside the window may say all there is to know.
    return (answers.upper + functional.without(np.array(window.lost))[1] + _FAINTEST,)


def _chords(raised: float, lowered: float) -> tuple[float, float]:
    """Bounds E[r log r] and E[-log r], for r of mean 1 between e^-lowered and e^raised.

    Both are convex in r, so at most their chords at the mean.
    """
    if not max(raised, lowered) < _STEEPEST:
        return inf, inf
    above, below = expm1(raised), -expm1(-lowered)
    if above + below <= 0:
        return 0.0, 0.0
    high = below / (above + below)
    low = above / (above + below)
    rounding = 64 * UNIT * (raised * exp(raised) + lowered)
    forward = high * exp(raised) * raised - low * exp(-lowered) * lowered
    return forward + rounding, low * lowered - high * raised + rounding


def _held(channels: Iterable[WindowChannel]) -> Iterator[Sequence[WindowChannel]]:
    """Yields as many of the channels at once as are ranked together."""
    several: list[WindowChannel] = []
    held = 0
    for channel in channels:
        several.append(channel)
        # Because there is no law of all outputs under Gaussian noise.
        law = channel.window().law if channel.everybody is None else channel.likelihood
        held += law.relative.size
        if held >= _MOST_RANKED:
            yield several
            several, held = [], 0
    if several:
        yield several
