"""What outputs of Laplace noise on several axes leak: cells whose likelihoods are mixtures of their corners'."""

from collections.abc import Iterable, Sequence
from itertools import product
from math import prod
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.integrals.outputs import merged_along, with_knots
from dalenius.laws.law import Array, Law
from dalenius.laws.tails.losses import PointwiseLoss
from dalenius.laws.tails.tail import Parts

MOST_POINTS: Final = 400_000
"""Likelihoods at knots, the lattice points and those added between them."""


@final
class Boxes(Parts):
    """Between the lattice points as many knots are added as MOST_POINTS allows. A cell whose corners all leak at most a
    level does so everywhere; one that is cut by the level counts from above only."""

    def __init__(self, law: Law, decays: Sequence[float], loss: PointwiseLoss) -> None:
        self._law, self._decays, self._loss = law, decays, loss
        room = MOST_POINTS / (law.secrets * prod(law.box))
        parts = int(np.clip(room ** (1 / len(decays)), 1, 64))
        logs, deepest = law.relative, float(np.max(np.abs(law.base)))
        logs = law.base + logs
        finer = [decay / parts for decay in decays]
        for axis, decay in enumerate(decays):
            logs = with_knots(logs, axis + 1, parts, decay)
        error = law.error + (64 + 4 * deepest) * UNIT * len(decays)
        corners = _corners(logs)
        at = np.max(np.stack([self._upper(corner, loss, error) for corner in corners]), axis=0)
        least = loss.least_over(np.stack(corners, axis=1))
        self.low = np.maximum(least - loss.doubt(least, error), 0.0).ravel()
        self.high = at.ravel()
        mixed = loss.mixed(logs)
        for axis, decay in enumerate(finer):
            mixed = merged_along(mixed, axis, decay)
        off = error + (64 + 4 * np.abs(mixed)) * UNIT * len(decays)
        self.least, self.most = (mixed - off).ravel(), (mixed + off).ravel()

    def integrated(self) -> Enclosure | None:
        return self._loss.over_boxes(self._law, self._decays)

    def _upper(self, logs: Array, loss: PointwiseLoss, error: float) -> Array:
        found = loss.at(logs)
        return np.asarray(found + loss.doubt(found, error))


def _corners(logs: Array) -> list[Array]:
    """The corners of all cells, the outermost of which lie beyond the box: there the end stands for all."""
    ends: list[Iterable[slice]] = [(slice(0, -1), slice(1, None))] * (logs.ndim - 1)
    padded = np.pad(logs, [(0, 0), *[(1, 1)] * (logs.ndim - 1)], mode="edge")
    return [padded[(slice(None), *chosen)] for chosen in product(*ends)]
