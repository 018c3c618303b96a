"""The output that goes out for a table: noise on the answer, or on each record before it."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from dalenius.channel import Release, counted_sets
from dalenius.curator.limits import MOST_DRAWN_REPORTS
from dalenius.errors import InputError, TooLarge
from dalenius.laws.sums import combined


def check_reportable(release: Release) -> None:
    """Raises InputError where a `release` asks for reports in order, which a table does not have, and TooLarge where
    reports are too many to be drawn one by one."""
    query = release.query
    if query.told_apart is not None:
        wanted = "reports that are shuffled, or an answer made of all of them: the rows of a table have no public order"
        raise InputError("query.kind", query.kind, wanted)
    people = sum(stratum.people for stratum in release.worlds[0].record_strata)
    if release.noise.shape.on_records and people > MOST_DRAWN_REPORTS:
        raise TooLarge("noise on each record", f"{people:,} reports", "noise the answer", MOST_DRAWN_REPORTS)


def drawn_output(release: Release, answer: Sequence[int]) -> tuple[Fraction | str, ...]:
    """Draws what goes out, exactly.

    Args:
        release: The release, with its noise.
        answer: The numbers of `true_answer`: the exact answer in lattice steps, counts of people in the same sets, or,
            where records are noised, how many there are of each label and value.
    """
    sets = counted_sets(release.noise, release.scores)
    if sets is not None:
        return sets.drawn(release.noise, answer)
    if not release.noise.shape.on_records:
        return release.noise.draw(answer, release.lattice)
    scores, told, first, slot = release.scores, list[int](), 0, 0
    for stratum in release.worlds[0].record_strata:
        reports = release.noise.reports(stratum.values)
        assert reports is not None
        for place in range(len(stratum.values)):
            for _ in range(answer[slot]):
                told.append(first + reports.drawn_place(place))
            slot += 1
        first += len(reports.values)
    indices = combined(np.asarray(scores.indices)[None, told], scores.combine)[0]
    return tuple(int(index) * step for index, step in zip(indices, scores.lattice.steps, strict=True))
