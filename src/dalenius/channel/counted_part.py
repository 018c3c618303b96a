"""A part of the answer whose noise belongs to sets of people, so that the law needed is that of the cells."""

from collections.abc import Iterator
from typing import final

from dalenius.channel.answer_laws import AnswerComponent, AnswerPart
from dalenius.channel.choice_of_engine import Plan
from dalenius.channel.counted_sets import CountedSets
from dalenius.channel.marginals import Marginal, copies_of
from dalenius.joints import Subject
from dalenius.laws.law import Law
from dalenius.queries import Scores


@final
class CountedPart(AnswerPart):
    """Coordinates of the answer whose noise belongs to sets of people: the laws are those of the cells.

    Args:
        part: The same coordinates with the laws of their answers.
        engine: The name of the engine; None to choose.
    """

    def __init__(self, part: AnswerPart, engine: str | None) -> None:
        self.joint, self.all_scores, self.axes = part.joint, part.all_scores, part.axes
        self._part, cells = part, CountedSets.of(part.all_scores)
        self._cells = AnswerComponent(part.joint, cells.cells, engine, range(len(cells.members)))
        copies = None if self._cells.proportional is None else self._cells.proportional.copies
        self._sets = CountedSets(cells.cells, cells.members, cells.lattice, copies)

    @property
    def sets(self) -> CountedSets:
        return self._sets

    @property
    def proportional(self) -> None:
        """None: which answers are the same is said by the sets."""
        return None

    @property
    def scores(self) -> Scores:
        return self._cells.scores

    @property
    def plan(self) -> Plan:
        return self._cells.plan

    def laws(self) -> Iterator[tuple[Subject, Law]]:
        # Because the part that one group adds bounds nothing where noise depends on everybody.
        if self.plan.refusal is not None:
            raise self.plan.refusal
        yield from self._cells.laws()

    def marginals(self, known: tuple[Subject, Law] | None, quickly: bool) -> list[Marginal]:
        found, copies = self._part.marginals(None, quickly), self._part.proportional
        return found if copies is None else list(copies_of(found, copies, self.all_scores.names))
