"""The posterior of who is absent, at one output: under Laplace and geometric noise, and none, without any table."""

from collections.abc import Sequence
from fractions import Fraction
from math import inf, log, tanh
from typing import final

import numpy as np

from dalenius.absent.exponential_sums import blur
from dalenius.absent.model import Missing
from dalenius.absent.table import known_prior, subject_of, tabled
from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.finite.channel import FiniteChannel
from dalenius.channel.finite.likelihoods import counted
from dalenius.channel.finite.posterior import FiniteSeen, mixture, update
from dalenius.channel.update import Seen, Update
from dalenius.errors import Meaningless, TooLarge
from dalenius.laws.integrals.sides import Sides
from dalenius.laws.law import Law
from dalenius.noise import Answer, Noise, number_of
from dalenius.noise.output import cannot_occur, on_lattice


@final
class AbsentSeen(Seen):
    """quick: whether the likelihoods of the noise have a closed form. Meaningless where no single prior is known."""

    def __init__(self, missing: Missing, noise: Noise, name: str, quick: bool, output: Sequence[Answer]) -> None:
        self._output = output
        self._table: FiniteChannel | None
        try:
            self._table = tabled(missing, noise, name)
        except (Meaningless, TooLarge):
            if not quick:
                raise
            self._table = None
        subject = subject_of(missing, known_prior(missing))
        if quick:
            law = counted(_law(missing, noise, output[0]), subject)
        else:
            assert self._table is not None
            law = counted(noise.at(self._table.likelihood, self._table.lattice, output), subject)
        self.axes = (0,)
        self.updates = (update(subject, None, law),)
        self.likelihood = mixture(subject.log_prior, law)

    def exceeded(self, update: Update, level: float) -> Enclosure | None:
        return None if self._table is None else FiniteSeen(self._table, self._output).exceeded(update, level)

    def sides(self) -> Sequence[Sides | None]:
        return (None,) if self._table is None else FiniteSeen(self._table, self._output).sides()


def _law(missing: Missing, noise: Noise, answer: Answer) -> Law:
    """One likelihood per class."""
    apart = float(number_of(answer) - missing.everybody.base) - missing.offsets
    if noise.adds_nothing:
        same = np.array([missing.answer(place) == float(number_of(answer)) for place in range(len(apart))])
        if not same.any():
            raise cannot_occur([answer], [missing.answer(int(np.argmin(np.abs(apart))))])
        return _point(np.where(same, 0.0, -inf), 0.0, missing.prior.error)
    scale = noise.known_scale()
    share = -log(2 * scale)
    if noise.needs_lattice and missing.lattice is not None:
        on_lattice([answer], missing.lattice, [None])
        share = log(tanh(float(missing.lattice.steps[0] / Fraction(scale)) / 2))
    falls = np.abs(apart) / scale
    nearest = float(np.min(falls))
    rounding = (8 + 4 * blur(missing.offsets)) * (float(np.max(falls)) + abs(float(number_of(answer))) / scale) * UNIT
    return _point(nearest - falls, share - nearest, missing.prior.error + rounding)


def _point(logs: np.ndarray, base: float, error: float) -> Law:
    return Law((0,), np.array([base]), logs.reshape(-1, 1), error)
