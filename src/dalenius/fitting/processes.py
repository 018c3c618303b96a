"""Fits linked data sets to people's processes: a law of the first stage, and a transition for each step (IP Def 5).

Four people are 0, 0, 1 and 1 in spring, and 0, 0, 1 and 0 in autumn. With one pseudo-count a value 0 stays with (2 +
1/2)/3, and a value 1 with (1 + 1/2)/3:

>>> found = fit_linked([[0, 0], [0, 0], [1, 1], [1, 0]])
>>> [[round(each, 4) for each in row] for row in found.model.transition[0]]
[[0.8333, 0.1667], [0.5, 0.5]]
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np

from dalenius.errors import InputError
from dalenius.fitting.fit import (
    Cells,
    Fit,
    Statistic,
    as_values,
    check_smoothing,
    coded,
    crossed,
    judged,
    likelihood_ratio,
    section_rows,
)
from dalenius.linked.limits import MOST_STAGES
from dalenius.linked.linked_data_sets import Linked
from dalenius.models import Independent


@final
@dataclass(frozen=True)
class LinkedFit(Fit):
    """Fitted linked data sets; observations are people.

    Attributes:
        stages: How many data sets there are.
        steps: For each step, the test of whether a value depends on the one before.
        same_steps: The test of whether all steps have one transition; without freedom where there is one step.
    """

    model: Linked
    stages: int
    steps: tuple[Statistic, ...]
    same_steps: Statistic

    @property
    def in_words(self) -> str:
        least = [each.smallest_expected for each in self.steps if each.smallest_expected is not None]
        one = judged(
            Statistic(
                sum(each.statistic for each in self.steps),
                sum(each.degrees_of_freedom for each in self.steps),
                min(least, default=None),
            ),
            "nothing says that a value depends on the one before it: independent data sets fit, too",
            "a value seems to depend on the one before it",
            "a value depends on the one before it",
        )
        if not self.same_steps.degrees_of_freedom:
            return one
        two = judged(
            self.same_steps,
            "all steps seem to have one transition",
            "steps seem to have different transitions",
            "steps have different transitions",
        )
        return f"{one}; {two}"


def fit_linked(people: Sequence[Cells], smoothing: float = 1.0) -> LinkedFit:
    """Fits everybody's process: the first value by one law, each later one by the step's transition.

    The hypothesis is that people are independent of each other and of one law, and that each value depends on the one
    before alone. Where people live together, the law of the first stage (`within`) is to be replaced.

    Args:
        people: For each person the values of all stages, in order.
        smoothing: Pseudo-counts of each distribution in all, shared evenly by the values.

    Raises:
        InputError: There are fewer than two people or stages, a person has another number of them, or there is one
            value only.
    """
    check_smoothing(smoothing)
    plain = [as_values(each, "value") for each in people]
    if len(plain) < 2:
        raise InputError("people", len(plain), "at least 2 people")
    stages = len(plain[0])
    if not 2 <= stages <= MOST_STAGES:
        raise InputError("stages", stages, f"from 2 to {MOST_STAGES} stages (limit {MOST_STAGES.name})")
    if uneven := sum(len(each) != stages for each in plain):
        wanted = f"a value of each person at each of the {stages} stages, {uneven} of {len(plain)} people have others"
        raise InputError("people", uneven, wanted)
    universe, flat = coded([value for each in plain for value in each], "value")
    codes, k = flat.reshape(len(plain), stages), len(universe)
    counts = np.stack([crossed(before, after, (k, k)) for before, after in pairwise(codes.T)])
    first = section_rows(np.bincount(codes[:, 0], minlength=k)[None], smoothing, None)
    within = Independent(n=len(plain), values=universe, probabilities=first)
    transition = [section_rows(each, smoothing, None) for each in counts]
    model = Linked(stages=stages, within=within, coupling="chain", transition=transition)
    tests = tuple(likelihood_ratio(each) for each in counts)
    # Because a transition is the same at every step if, given the value before, the next one does not depend on it.
    rows = [likelihood_ratio(counts[:, value, :]) for value in range(k)]
    least = [each.smallest_expected for each in rows if each.smallest_expected is not None]
    same = Statistic(
        sum(each.statistic for each in rows), sum(each.degrees_of_freedom for each in rows), min(least, default=None)
    )
    return LinkedFit(model, len(plain), smoothing, stages, tests, same)
