"""Where what a group leaks can be largest: the kinks of exponential noise, and how likely they are."""

from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import TooLarge
from dalenius.laws.law import Array, IntArray

MOST: Final = 4096


@final
class GroupOutputs:
    """Answers (rows, axes), in lattice steps, of one group's rows; decays (axes,): steps over the noise's scale.

    Between neighbouring answers, coordinate by coordinate, every likelihood is A e^{-y/b} + B e^{y/b}: quotients of
    them are monotone there, and posteriors move along a line. So every supremum sits at an answer's coordinates, and
    beyond the first and the last one nothing changes. shared (axes,): those that other groups move too, whose law
    cancels only at the two ends. TooLarge where the coordinates have too many combinations.
    """

    def __init__(self, answers: IntArray, shared: NDArray[np.bool_]) -> None:
        self._answers = answers
        kinks = [np.unique(column) for column in answers.T]
        count = int(np.prod([len(each) for each in kinks], dtype=np.float64))
        if count > MOST:
            raise TooLarge("outputs of one group", f"{count} combinations of coordinates", "ask fewer answers at once")
        grid = np.meshgrid(*kinks, indexing="ij")
        self.points = np.stack([each.ravel() for each in grid], axis=1)
        ends = [(column == each[0]) | (column == each[-1]) for column, each in zip(self.points.T, kinks, strict=True)]
        private = ~np.asarray(shared)
        self.attained = np.all([end | alone for end, alone in zip(ends, private, strict=True)], axis=0)
        self.at_ends = np.all(ends, axis=0)

    def likelihoods(self, decays: Array | None) -> Array:
        """(outputs, rows), the largest of each output 1. decays None: of the exact answer, which Gaussian noise leaves
        of outputs far above or below; anywhere its posteriors are between those of the exact answers (Result 21.33)."""
        if decays is None:
            return np.asarray((self.points[:, None, :] == self._answers[None, :, :]).all(axis=-1), dtype=np.float64)
        logs = -(np.abs(self.points[:, None, :] - self._answers[None, :, :]) * decays).sum(axis=-1)
        return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)))
