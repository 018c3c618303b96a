"""Advice on people in large groups who set the noise for everybody: what it would be without them, computed.

Take 3,000 people in households of one to three, and 22 people in two households of eleven. The 22 set ± 23 for all.
Without them it would be ± 8: their owner may leave them out, and say so.
"""

from collections.abc import Callable
from math import isfinite
from typing import Final

from dalenius.calibration.method_base import Calibration
from dalenius.calibration.precision import half_widths
from dalenius.channel import Adversary, Release, Secrets
from dalenius.errors import DaleniusError
from dalenius.models.largest_groups import Smaller
from dalenius.noise import is_complete

_WORTH: Final = 0.9
"""The share of the distance below which it is worth a sentence that others would have."""


def group_advice(
    release: Release, found: Calibration, confidence: float, again: Callable[[Release], Calibration]
) -> str | None:
    """Returns what the noise would be without the few people in the largest groups, in words.

    None where the model has no such groups, or the noise would hardly be less. Who lives with whom is public, so no
    answer decides this.

    Args:
        release: The release, with its noise before it was calibrated.
        found: The calibration of it.
        confidence: The confidence of the distances.
        again: Calibrates another release in the same way.
    """
    smaller = release.model.without_largest()
    # Because numbers of people, or of known answers, are of everybody, they cannot be taken to fewer people.
    if (
        smaller is None
        or release.adversary != Adversary()
        or release.secrets != Secrets()
        or is_complete(release.noise)
    ):
        return None
    before = widest(release, found, confidence)
    if before is None:
        return None
    try:
        others = Release(smaller.model, release.query, release.noise)
        after = widest(others, again(others), confidence)
    # Because without these people a label, or a value, may be nobody's: then there is nothing to compare.
    except (DaleniusError, ArithmeticError):
        return None
    return group_words(smaller, found, before, after)


def group_words(smaller: Smaller, found: Calibration, before: float | None, after: float | None) -> str | None:
    """Returns what the noise is, and what it would be without the few people, in words; None where it hardly differs.

    Args:
        smaller: The model of the others, and who is left out.
        found: The calibration of everybody's release.
        before: How far an answer about everybody is off at most; None where that is not known.
        after: How far an answer about the others would be off.
    """
    if before is None or after is None or after > _WORTH * before:
        return None
    total, person = sum(smaller.people.values()), _person(found)
    size = None if person is None else smaller.size_of(person)
    if size is None or size <= smaller.most:
        them = f"{smaller.left_out:,} people in households of more than {smaller.most}"
        return f"{them} set ± {before:.6g} for all {total:,}; without them it would be ± {after:.6g}"
    who = f"{smaller.people[size]:,} people in households of {size} set ± {before:.6g} for all {total:,}"
    return (
        f"{who}; without the {smaller.left_out:,} in households of more than {smaller.most} it would be ± {after:.6g}"
    )


def _person(found: Calibration) -> int | None:
    """Returns the number of the person about whom most leaks; None where nobody is named."""
    return None if found.leakage.witness is None else found.leakage.witness.person


def widest(release: Release, found: Calibration, confidence: float) -> float | None:
    """Returns how far an answer is off at most; None where that depends on the answer, or is not bounded.

    Args:
        release: The release.
        found: The calibration, whose noise is added.
        confidence: The confidence of the distance.
    """
    widths = half_widths(release, found.noise, confidence).values()
    known = [float(width) for width in widths if width is not None]
    return max(known) if known and len(known) == len(widths) and isfinite(max(known)) else None
