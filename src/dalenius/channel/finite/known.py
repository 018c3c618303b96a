"""Answers that are known exactly, on the strata of one joint law."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from dalenius.channel.finite.answers import restricted
from dalenius.channel.finite.remaining import Remaining
from dalenius.errors import InputError, TooLarge
from dalenius.joints import Joint
from dalenius.queries import Scores


@final
@dataclass(frozen=True)
class Known:
    """Coordinates that are known: their scores; values, in lattice steps; rows: the number, from 1, of the known answer
    each is of; given: of each of these the value as it was given."""

    scores: Scores
    values: tuple[int, ...]
    rows: tuple[int, ...]
    given: tuple[object, ...]

    def restricted(self, axes: Sequence[int]) -> "Known":
        """Some of them."""
        values, rows = (tuple(each[axis] for axis in axes) for each in (self.values, self.rows))
        return Known(restricted(self.scores, axes), values, rows, self.given)

    @property
    def count(self) -> int:
        """How many known answers they are of."""
        return len(set(self.rows))

    def idle(self, axis: int) -> int:
        """The value of a coordinate that no record moves."""
        return 0 if self.scores.combine[axis] == "sum" else int(self.scores.indices[0, axis])


def check_alone(joint: Joint, known: Known) -> None:
    """InputError where these records cannot have these answers."""
    if not _possible(joint, known):
        raise impossible(joint, known)


def impossible(joint: Joint, known: Known) -> InputError:
    """The error for known answers of probability 0: of the first that cannot occur by itself, if there is one."""
    for row in dict.fromkeys(known.rows):
        alone = known.restricted([axis for axis, of in enumerate(known.rows) if of == row])
        if known.count == 1 or not _possible(joint, alone):
            wanted = "a value the answer can have under the model"
            return InputError(f"adversary.answers row {row}", known.given[row - 1], wanted)
    shown = ", ".join(f"row {row} = {known.given[row - 1]}" for row in dict.fromkeys(known.rows))
    return InputError("adversary.answers", shown, "values that can occur together under the model")


def _possible(joint: Joint, known: Known) -> bool:
    """Whether they can occur, or that is too much to compute."""
    try:
        logs = Remaining(joint, known.scores, None).mixture(np.array([known.values], dtype=np.int64))
    except TooLarge:
        return True
    return bool(np.max(logs.above) > -np.inf)
