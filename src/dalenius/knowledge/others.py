"""What the groups beside one may add to an answer that is a sum: where noise depends on the answer, all that can be
known of them (Result 7.12)."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from dalenius.errors import TooLarge
from dalenius.joints import Joint
from dalenius.laws.law import IntArray, Law
from dalenius.laws.sumsets import attained
from dalenius.queries import Scores

MOST_OUTCOMES: Final = 1 << 17
MOST_CELLS: Final = 1 << 22
"""Of the laws that are sent through the noise at a time."""


def totals_beside(joint: Joint, scores: Scores, place: int) -> IntArray | None:
    """All that the records other than those of the first group of that factor may add to the answer, in lattice steps,
    ascending. None where it is no single sum, or they are too many to list."""
    if not scores.additive or scores.indices.shape[1] != 1:
        return None
    choices = []
    for number, factor in enumerate(joint.factors()):
        times = factor.count - (number == place)
        if times:
            alone = joint.one_of(number)
            if alone.outcome_count() > MOST_OUTCOMES:
                return None
            slots, logs = alone.outcomes()
            choices.append((np.unique(scores.indices[slots[logs > -np.inf], 0].sum(axis=1)), times))
    # Sets of integers have at least |A| + |B| - 1 sums.
    if sum(times * (len(numbers) - 1) for numbers, times in choices) >= MOST_OUTCOMES:
        return None
    found = attained(choices, "sum")
    if found is None or len(found) > MOST_OUTCOMES:
        return None
    return np.array(found, dtype=np.int64)


def shifted(law: Law, totals: IntArray) -> Iterator[tuple[int, Law]]:
    """The laws of one axis moved by each of these totals, several at a time: the number of the first total, and the
    laws, total by total."""
    width = law.box[0]
    span = int(totals[-1] - totals[0]) + width
    at_once = max(1, MOST_CELLS // (law.secrets * span))
    logs = law.log_mass()
    for first in range(0, len(totals), at_once):
        some = totals[first : first + at_once]
        box = int(some[-1] - some[0]) + width
        moved = np.full((len(some), law.secrets, box), -np.inf)
        for place, offset in enumerate((some - some[0]).tolist()):
            moved[place, :, offset : offset + width] = logs
        start = (law.start[0] + int(some[0]),)
        yield first, Law(start, np.zeros(box), moved.reshape(-1, box), law.error)


def check_cells(law: Law, totals: IntArray, most: int) -> None:
    """TooLarge where all laws together have more than that many numbers."""
    cells = len(totals) * law.secrets * (int(totals[-1] - totals[0]) + law.box[0])
    if cells > most:
        size = f"{len(totals):,} sums of the other groups, {law.secrets:,} known sets of the own one"
        raise TooLarge("all background knowledge", size, "use a noise that is added, or make the groups smaller")
