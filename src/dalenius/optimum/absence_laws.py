"""The laws of the exact answer given who is absent: a point for each class of people who give the same answer.

Three people alike, without whom the answer is 0, 1 or 1:

    >>> from dalenius import Absent, NoNoise, Release
    >>> laws = laws_of_absence(Release(Absent(answers=(0, 1, 1)), None, NoNoise()))
    >>> np.exp(laws.each[0].logs).tolist(), np.exp(laws.models).round(4).tolist()
    ([[1.0, 0.0], [0.0, 1.0]], [[0.3333, 0.6667]])
"""

import numpy as np

from dalenius.absent.prior_on_absent_person import KnownPrior
from dalenius.absent.who_is_absent_channel import absences
from dalenius.bounds import UNIT
from dalenius.channel import Release
from dalenius.errors import InputError, Meaningless, TooLarge
from dalenius.optimum.answer_laws import AnswerLaws, PersonLaws
from dalenius.optimum.limits import MOST_ABSENCES


def laws_of_absence(release: Release) -> AnswerLaws | None:
    """Returns the laws of the answer of `release`; None if the answer does not depend on who is absent.

    Raises:
        InputError: If the answers lie on no lattice that is known.
        Meaningless: If only bounds on the prior are known.
        TooLarge: If there are many different answers.
    """
    (missing,) = absences(release)
    if len(missing.offsets) == 1:
        return None
    if not isinstance(missing.prior, KnownPrior):
        raise Meaningless("model.prior", "min and max", "uniform or a list with this method (or exact)")
    if missing.lattice is None:
        raise InputError("model.answers", "on no known lattice", "whole numbers with this method (or method exact)")
    # Because every answer's row is compared with all others, on both sides.
    if len(missing.offsets) > MOST_ABSENCES:
        size = f"{len(missing.offsets):,} different answers"
        raise TooLarge("the optimal kernel", size, "use method exact", MOST_ABSENCES)
    step = missing.lattice.steps[0]
    start = round(missing.answer(0) / float(step))
    places = np.rint((missing.offsets - missing.offsets[0]) / float(step)).astype(np.int64)
    logs = np.full((len(places), int(places[-1]) + 1), -np.inf)
    logs[np.arange(len(places)), places] = 0.0
    log_prior = np.log(missing.prior.masses / missing.prior.total)
    model = np.full((1, logs.shape[1]), -np.inf)
    model[0, places] = log_prior
    person = PersonLaws(0, logs, log_prior, None)
    error = missing.prior.error + 4 * UNIT
    return AnswerLaws(start, missing.lattice, (person,), model, error, np.full(logs.shape[1], -np.inf))
