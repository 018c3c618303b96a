"""The laws of the exact answer of a release, given every secret.

Take the number of ill people in two households of four, ill as [0.9, 0.04, 0, 0, 0.06]. These are the chances of the
counts 0 to 4, given that one member is well, and given that they are ill.

    >>> from dalenius import Count, Households, NoNoise
    >>> laws = laws_of(Release(Households(count=2, infected=[0.9, 0.04, 0.0, 0.0, 0.06]), Count(), NoNoise()))
    >>> np.exp(laws.each[0].logs[:, :5]).round(4).tolist()
    [[0.871, 0.0677, 0.0013, 0.0, 0.0581], [0.0, 0.1286, 0.0057, 0.0, 0.7714]]
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import inf, log

import numpy as np

from dalenius.arrays import Array
from dalenius.channel import RecordChannel, Release
from dalenius.errors import InputError, Meaningless, TooLarge
from dalenius.joints.joint import WITHIN
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Window
from dalenius.laws.leakage_tail import WIDENED
from dalenius.optimum.absence_laws import laws_of_absence
from dalenius.optimum.answer_laws import AnswerLaws, PersonLaws
from dalenius.optimum.limits import MOST_NUMBERS


def check_law(release: Release) -> None:
    """Raises Meaningless where probabilities of `release` are intervals: a set of laws has no expected error."""
    if WITHIN in release.worlds.over:
        wanted = "one law for this method: numbers for all probabilities, or method exact"
        raise Meaningless("model", "probabilities that are intervals", wanted)


def laws_of(release: Release) -> AnswerLaws | None:
    """Returns the laws of the answer of `release`; None where no secret touches it.

    Raises:
        InputError: For several answers, or one on a line.
        TooLarge: If the laws are, or models of which only windows are known put the answer too far apart.
    """
    if release.lattice.axes > 1:
        raise InputError(
            "query", f"{release.lattice.axes} answers", "a single answer (each on its own, or method exact)"
        )
    # Because the secret who is absent decides the answer, its laws are points.
    if release.secret == "absence":
        return laws_of_absence(release)
    classes = _few_enough(release.worlds.exact_answers())
    # Nobody has a secret that the query reads: the exact answer says nothing of anybody.
    if not classes:
        return None
    laws = _side_by_side(classes, release.lattice)
    ends = laws.likely_ends
    if max(window.doubt(*ends) for _, window in classes) <= WIDENED:
        return laws
    # Several models, `any`, of very many people: what is likely under one is in no window of another.
    complete = [channel.complete for channel in release.worlds.exact_answers()]
    if any(channel.likelihood.line is not None for channel in complete):
        raise TooLarge("the laws of the answer", f"{release.model.kind}: models that lie far apart", "use method exact")
    return _side_by_side(_few_enough(complete), release.lattice)


def _few_enough(each: Iterable[RecordChannel]) -> list[tuple[RecordChannel, Window]]:
    """Returns the channels of exact answers, each with its law on a window.

    InputError for answers on a line; TooLarge where the laws are more than _MOST numbers, or no window of them is
    known.
    """
    found, points = [], 0
    for channel in each:
        law = channel.inside.law
        # Sums of real numbers, such as incomes, that lie on no lattice.
        if law.points is not None:
            raise InputError("model", "answers on a line", "answers on a lattice (or method exact)")
        if law.line is not None:  # a group's part alone
            raise TooLarge("the laws of the answer", "even a window of them", "use method exact")
        found.append((channel, channel.inside))
        points += law.relative.size
        if points > MOST_NUMBERS:
            raise TooLarge("the laws of the answer", f"{points:,} numbers or more", "use method exact", MOST_NUMBERS)
    return found


def _side_by_side(classes: Sequence[tuple[RecordChannel, Window]], lattice: Lattice) -> AnswerLaws:
    """Returns all laws on one range of lattice points; what a window has lost is missing at its ends."""
    windows = [window for _, window in classes]
    start, stop = min(window.ends[0] for window in windows), max(window.ends[1] for window in windows) + 1
    reach = max(max(start - window.extent[0], window.extent[1] - stop + 1) for window in windows)
    missing = np.full(stop - start, -inf)
    each: list[PersonLaws] = []
    models: list[Array] = []
    for channel, window in classes:
        law = window.law
        place = slice(law.start[0] - start, law.start[0] - start + law.box[0])
        logs = np.full((law.secrets, stop - start), -inf)
        logs[:, place] = law.log_mass()
        if law.floor is not None:
            missing[place] = np.maximum(missing[place], law.base + law.floor)
        if (most := max(window.lost)) > 0:
            ends = [place.start, place.stop - 1]
            missing[ends] = np.maximum(missing[ends], log(most))
        subject = PersonLaws(channel.subject.person, logs, channel.log_prior, channel.pairs)
        # All classes of people see one law of the answer, unless there are several models.
        # Two models whose probabilities of all answers differ by less in sum count as one.
        if not any(np.sum(np.abs(np.exp(subject.mixture) - np.exp(other))) < 1e-9 for other in models):
            models.append(subject.mixture)
        if law.secrets > 1:
            each.append(subject)
    error, lost = max(window.law.error for window in windows), max(max(window.lost) for window in windows)
    found = AnswerLaws(start, lattice, tuple(each), np.array(models), error, missing)
    return replace(found, lost=lost, reach=max(reach, 0), complete=lost == 0)
