"""The law of the answer given each secret of one subject, before noise."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from dalenius.channel.choice_of_engine import AnswerLaw
from dalenius.channel.copies import ProportionalAnswers
from dalenius.channel.sensitivity import Spread
from dalenius.errors import TooLarge
from dalenius.joints import Subject
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law
from dalenius.noise import Mechanism, Noise

if TYPE_CHECKING:
    from dalenius.channel.counted_sets import CountedSets


@final
@dataclass(frozen=True)
class Answers:
    """Law of the distinct coordinates of the answer given each secret of one subject, before noise.

    Attributes:
        subject: Whose secret it is.
        law: The law given each value of the secret.
        lattice: Where the answers lie.
        proportional: How the other coordinates follow from the distinct ones; None where all are distinct.
        spread: How far one record of the subject's can move the answer.
        names: The names of all coordinates that the subject's record can move.
        axes: Which coordinates of the whole answer these are.
        ends: The least and the greatest answer on each axis, in the query's unit, where `law` is only that of the
            subject's own group.
        full_law: The law of the whole answer on a window, where `law` is that of the subject's own group.
        refusal: The error raised where the law of the whole answer is wanted and only its ends are known.
        sets: The sets of people that the answers count, where `law` is that of their cells; None elsewhere.
    """

    subject: Subject
    law: Law
    lattice: Lattice
    proportional: ProportionalAnswers | None
    spread: Spread
    names: tuple[str, ...]
    axes: tuple[int, ...]
    ends: tuple[tuple[float, float], ...] | None = None
    full_law: AnswerLaw | None = None
    refusal: TooLarge | None = None
    sets: "CountedSets | None" = None

    def noised(self, noise: Noise, merge: bool = False) -> tuple[Mechanism, Law]:
        """Returns the mechanism of the whole answer's noise, and the law on its lattice.

        Args:
            noise: The noise of the whole answer.
            merge: Whether copies of an answer become one axis however few their points are.

        Raises:
            TooLarge: Where copies must stay axes.
        """
        own = noise.on(self.axes)
        if self.sets is not None:
            return self.sets.noised(self.law, self.lattice, own)
        if self.proportional is None:
            return own.mechanism(self.lattice), self.law
        return self.proportional.noised(self.law, self.lattice, own, merge)
