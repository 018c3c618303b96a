"""The law of one answer on a window around where it usually lies."""

from dataclasses import dataclass
from math import inf, log1p
from typing import Final, final

import numpy as np

from dalenius.laws.law import Array, Law

ROUNDED: Final = 1e-6
"""Nats: more than sums of a window's logs are off by."""


@final
@dataclass(frozen=True)
class Window:
    """log Pr[answer = v | s] for every secret s and every v of a window; nothing but a bound is known outside.

    Not a law: its masses add up to less than 1, and outside of it anything may leak. So it is none of `Law`, and what
    reads one counts `lost`.

    law: on the window, of which the masses are those of the answer's, not divided by their sum.
    lost: by secret, at most so much of its probability is outside. extent: the least and the greatest lattice index of
    an answer; at a window's end that is the extent's, nothing is.
    """

    law: Law
    lost: tuple[float, ...]
    extent: tuple[int, int]

    @property
    def ends(self) -> tuple[int, int]:
        """Its first and its last lattice index."""
        return self.law.start[0], self.law.start[0] + self.law.box[0] - 1

    @property
    def is_whole(self) -> bool:
        """Whether there is nothing outside."""
        return self.ends == self.extent

    def doubt(self, low: int, high: int) -> float:
        """By how many nats what is outside raises the log-probability of any output, given any secret, under noise for
        which all answers beyond these two are alike (`Noise.alike_beyond`, Result 20.17). Infinite where they are not
        in the window."""
        first, last = self.ends
        logs = self.law.log_mass() - self.law.error
        sides = (
            (first > self.extent[0], logs[:, : max(low - first + 1, 0)]),
            (
                last < self.extent[1],
                logs[:, max(high - first, 0) :],
            ),
        )
        shares = [self._share(tail) for open_, tail in sides if open_]
        return log1p(max(shares, default=0.0) * len(shares))

    def _share(self, tail: Array) -> float:
        """Twice what each secret may have outside, over its probability in part of the window: the most."""
        held = np.exp(np.logaddexp.reduce(tail, axis=1, initial=-inf) - ROUNDED)
        shares = [
            2 * lost / own if own > 0 else inf for own, lost in zip(held.tolist(), self.lost, strict=True) if lost
        ]
        return max(shares, default=0.0)
