"""Likelihoods of all classes of a window's records under exponential noise, from one window of laws.

Many classes are read and smoothed together. The error of the masses is smoothed for one class only: that of another
is at most a multiple of it, value by value (Result 20.44).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, log1p
from typing import Any, Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.joints.sum_window import SumWindow
from dalenius.laws.law import Law, above
from dalenius.noise import Mechanism

_TOGETHER: Final = 1 << 19
"""Values of classes times sums that are read and smoothed at once: 4 MB an array."""
_SMALL: Final = 1e-10
"""Largest doubt, in nats, by a multiple of another class's, that is not computed more closely."""


@final
@dataclass(frozen=True, eq=False)
class WindowLikelihoods:
    """Likelihoods of all outputs by a window; `rate` is the noise's, in nats for each step, at most the window's."""

    window: SumWindow[Any]
    mechanism: Mechanism
    rate: float

    def each(self, rows: Sequence[int]) -> Iterator[Law]:
        """Yields the likelihoods of the classes in these `rows` of the window (from 0), in order."""
        size = max(1, _TOGETHER // (self.window.points * self.window.sums.states))
        for start in range(0, len(rows), size):
            yield from self._of(list(rows[start : start + size]))

    def _of(self, rows: list[int]) -> Iterator[Law]:
        window = self.window
        law = window.laws(rows)
        found, counts = self.mechanism.likelihood(law), window.possible[rows].sum(axis=1)
        ends = np.cumsum(counts)
        for row, first, end in zip(rows, (ends - counts).tolist(), ends.tolist(), strict=True):
            plain = replace(law, relative=law.relative[first:end])
            likely = replace(found, relative=found.relative[first:end])
            beyond = window.beyond(plain, row, self.rate) + float(window.drift[row])
            yield replace(likely, error=found.error + beyond + self._doubt(likely, row))

    def _doubt(self, found: Law, row: int) -> float:
        """Returns by how many nats the error of its masses moves any of a class's log-likelihoods."""
        logs, doubt = self._usual
        times = (self.window.doubts(row) - logs).max(axis=0)[self.window.possible[row]]
        share = float("inf")
        if np.isfinite(times).all():
            over = doubt[self.window.possible[row]] - (found.base + found.relative)
            share = float(np.exp(min(float((over.max(axis=1) + times).max()), 700.0)))
        if share > _SMALL:
            own = self._smoothed(row)
            share = float(np.exp(min(float(np.max(above(own - found.base, found.relative))), 700.0)))
        return -log1p(-share) if share < 1 else inf

    def _smoothed(self, row: int) -> Array:
        """Returns the logs of the masses' errors of a class, put through the noise (values, outputs)."""
        found = self.mechanism.likelihood(self.window.law_of_doubt(row))
        return found.base + found.relative

    @cached_property
    def _usual(self) -> tuple[Array, Array]:
        """The logs of the masses' errors of a record in the middle, by segment and value, and after the noise.

        The first are infinite for impossible values; the second are (k, outputs).
        """
        # Because a record in the middle may be known, and have one value.
        values = self.window.possible.sum(axis=1)
        most = np.flatnonzero(values == values.max())
        row = int(most[len(most) // 2])
        possible = self.window.possible[row]
        smoothed = self._smoothed(row)
        doubt = np.full((len(possible), smoothed.shape[1]), inf)
        doubt[possible] = smoothed
        return np.where(possible, self.window.doubts(row), -inf), doubt
