"""The law of one answer on a window around where it usually lies."""

from dataclasses import dataclass
from typing import final

from dalenius.laws.law import Law


@final
@dataclass(frozen=True)
class Window:
    """log Pr[answer = v | s] for every secret s and every v of a window; nothing but a bound is known outside.

    Not a law: its masses add up to less than 1, and outside of it anything may leak. So it is none of `Law`, and what
    reads one counts `lost`.

    law: on the window, of which the masses are those of the answer's, not divided by their sum.
    lost: by secret, at most so much of its probability is outside.
    """

    law: Law
    lost: tuple[float, ...]
