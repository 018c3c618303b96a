"""Which answers count the same people: the sets behind several counts, as a function of the records.

A record is in a set by its value. People who are in the same sets are a *cell*. Two sets are equal where all cells are
empty that only one of them has, so that the counts of the cells say it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from dalenius.arrays import IntArray
from dalenius.errors import InputError
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law
from dalenius.laws.sums import Combine
from dalenius.noise import Copy, Noise, SetsAtPoints, SharedKeysMechanism, points_with_mass
from dalenius.queries import Scores


@final
@dataclass(frozen=True, eq=False)
class CountedSets:
    """The sets of people that several answers count.

    Attributes:
        cells: The scores of the cells: 1 where a record is in one.
        members: Which answers count the people of each cell (cells, answers).
        lattice: The lattice of the answers.
        copies: How the count of each cell follows from those that have a law; None where all have one.

    The well and the ill of two kinds of people, and the total of all:

    >>> from dalenius.queries import Count, Kind, Several
    >>> wards = [Kind("A", (0, 1), 2), Kind("B", (0, 1), 3)]
    >>> query = Several(queries=[Count(labels=["A"]), Count(labels=["B"]), Count()])
    >>> sets = CountedSets.of(query.scores(wards))
    >>> sets.members.tolist(), sets.at(np.array([[1, 0], [1, 2]])).same.tolist()
    ([[0, 1, 1], [1, 0, 1]], [[0, 1, 1], [0, 1, 2]])
    """

    cells: Scores
    members: IntArray
    lattice: Lattice
    copies: Sequence[Copy] | None = None

    @classmethod
    def of(cls, scores: Scores) -> "CountedSets":
        """Finds the cells of counts by their `scores`.

        InputError where an answer is no count of people.
        """
        for name, how, column in zip(scores.names, scores.combine, zip(*scores.exact, strict=True), strict=True):
            if how != "sum" or not set(column) <= {0, 1}:
                wanted = "counts of people, beside other answers with cell keys"
                raise InputError("query", name or "the answer", wanted)
        patterns = sorted({row for row in scores.exact if any(row)})
        exact = tuple(tuple(Fraction(row == pattern) for pattern in patterns) for row in scores.exact)
        lattice = Lattice((Fraction(1),) * len(patterns))
        names = tuple(f"cell {number}" for number in range(1, len(patterns) + 1))
        sums: list[Combine] = ["sum" for _ in patterns]
        cells = Scores(names, exact, lattice, lattice.indices(exact), tuple(sums))
        members = np.array([[int(each) for each in pattern] for pattern in patterns], dtype=np.int64)
        return cls(cells, members.reshape(len(patterns), len(scores.names)), scores.lattice)

    def at(self, counts: IntArray) -> SetsAtPoints:
        """Returns the sets at points whose cells have these `counts` of people (points, cells)."""
        apart = np.abs(self.members[:, :, None] - self.members[:, None, :])
        differing = np.tensordot(counts, apart, axes=1)
        return SetsAtPoints(counts @ self.members, np.argmax(differing == 0, axis=2))

    def noised(self, law: Law, lattice: Lattice, noise: Noise) -> tuple[SharedKeysMechanism, Law]:
        """Returns the mechanism of the answers, and the law of the cells that it is about.

        Args:
            law: The law of the cells that have one.
            lattice: The lattice of these.
            noise: The noise of the answers.
        """
        rule = noise.by_people
        assert rule is not None
        places = np.array(np.unravel_index(points_with_mass(law), law.box)).T + np.array(law.start)
        return SharedKeysMechanism(noise, self.lattice, rule, self.at(self._counts(places, lattice))), law

    def _counts(self, points: IntArray, lattice: Lattice) -> IntArray:
        """Returns the counts of all cells (points, cells) from `points` of those that have a law."""
        if self.copies is None:
            return points
        found = []
        for copy in self.copies:
            # Because all counts are whole, so are the numbers by which one follows from another.
            multiple, shift = copy.multiple * lattice.steps[copy.axis], copy.shift
            over = np.lcm(multiple.denominator, shift.denominator)
            found.append((points[:, copy.axis] * int(multiple * over) + int(shift * over)) // over)
        return np.stack(found, axis=1)

    def drawn(self, noise: Noise, counts: Sequence[int]) -> tuple[Fraction | str, ...]:
        """Draws one release of `noise` from the exact `counts` of the cells: every set of people is moved once."""
        rule = noise.by_people
        assert rule is not None
        sizes, same = (each[0].tolist() for each in self.at(np.array([counts])))
        moved = {first: rule.drawn(Fraction(sizes[first])) for first in sorted(set(same))}
        return tuple(moved[first] for first in same)


def counted_sets(noise: Noise, scores: Scores | None) -> CountedSets | None:
    """Returns the sets behind several answers, by their `scores`.

    None where each has `noise` of its own, or there is one answer only.
    """
    several = scores is not None and scores.lattice.axes > 1
    return CountedSets.of(scores) if several and scores is not None and noise.by_people is not None else None
