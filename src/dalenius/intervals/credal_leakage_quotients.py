"""One type of group under a query whose law lies in a box: its answers, and what each class of its members can leak.

The outputs at which a leakage can be largest are the kinks of exponential noise. At each, what one class of
exchangeable people can leak is made of linear functions of the group's law.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.channel.leakage import Witness
from dalenius.channel.secrets import Secrets
from dalenius.errors import TooLarge
from dalenius.intervals.credal_supremum import Quotients
from dalenius.intervals.groups_with_intervals import CredalBlock, CredalGroups
from dalenius.intervals.limits import MOST_OUTPUTS
from dalenius.intervals.worst_gaussian_delta import Against, Segments
from dalenius.joints import Subject
from dalenius.joints.identical_groups import Member
from dalenius.laws.box import Box
from dalenius.queries import Scores


@final
class GroupOutputs:
    """The outputs of exponential noise at which what one group leaks can be largest.

    Between neighbouring answers, coordinate by coordinate, every likelihood is A e^{-y/b} + B e^{y/b}: quotients of
    them are monotone there, and posteriors move along a line. So every supremum sits at an answer's coordinates, and
    beyond the first and the last one nothing changes.

    Args:
        answers: The answers of the group's rows (rows, axes), in lattice steps.
        shared: The coordinates (axes,) that other groups move too, whose law cancels only at the two ends.

    Raises:
        TooLarge: If the coordinates have too many combinations.

    A couple is counted beside many others. Among the outputs 0, 1 and 2 that their own answer can be, the largest
    leakage is at one; only at the ends is it known to be attained beside all others.

    >>> outputs = GroupOutputs(np.array([[0], [1], [2]]), np.array([True]))
    >>> outputs.points.ravel().tolist(), outputs.attained.tolist()
    ([0, 1, 2], [True, False, True])
    >>> outputs.likelihoods(np.array([1.0]))[0].round(4).tolist()
    [1.0, 0.3679, 0.1353]
    """

    def __init__(self, answers: IntArray, shared: NDArray[np.bool_]) -> None:
        self._answers = answers
        kinks = [np.unique(column) for column in answers.T]
        count = int(np.prod([len(each) for each in kinks], dtype=np.float64))
        # Households of five asked for a histogram of ages: kinks multiply over coordinates.
        if count > MOST_OUTPUTS:
            size = f"{count} combinations of coordinates"
            raise TooLarge("outputs of one group", size, "ask fewer answers at once", MOST_OUTPUTS)
        grid = np.meshgrid(*kinks, indexing="ij")
        self.points = np.stack([each.ravel() for each in grid], axis=1)
        ends = [(column == each[0]) | (column == each[-1]) for column, each in zip(self.points.T, kinks, strict=True)]
        # Where nobody else moves a coordinate, as a ward with one household, every answer is seen as it is.
        private = ~np.asarray(shared)
        self.attained = np.all([end | is_private for end, is_private in zip(ends, private, strict=True)], axis=0)

    def likelihoods(self, decays: Array) -> Array:
        """Returns the likelihood of each output given each row (outputs, rows), the largest of each output being 1.

        Args:
            decays: A lattice step over the noise's scale, by coordinate (axes,).
        """
        logs = -(np.abs(self.points[:, None, :] - self._answers[None, :, :]) * decays).sum(axis=-1)
        return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)))


@final
class CredalMember:
    """One class of a group's members, and what outputs say of them under the group's law alone.

    Under its law p, W(y|s) = masses_s(y)·p / chance_s·p and Pr[s] = chance_s·p.

    Attributes:
        likelihoods: How likely every output that matters is given a row (outputs, rows), up to a factor of the output.
        attained: The outputs (outputs,) at which the rest of the population cannot make less of what leaks.
    """

    def __init__(
        self,
        block: CredalBlock,
        member: Member,
        subject: Subject,
        likelihoods: Array,
        attained: NDArray[np.bool_],
        pairs: Sequence[tuple[int, int]],
    ) -> None:
        self.subject, self.member = subject, member
        self.box: Box = block.box
        self.attained = attained
        self.pairs = tuple(pairs)
        given = block.given(member)
        self.chance = block.by_entry(given)
        self.masses = block.by_entry(likelihoods[:, None, :] * given)
        self.secrets = len(given)

    @cached_property
    def outputs(self) -> int:
        """The number of outputs that matter."""
        return len(self.attained)

    def problems(self, name: str) -> Quotients:
        """Returns the quotients of a quantity, by output.

        Args:
            name: `ratio`, log W(y|s)/W(y|s') pair by pair; or, secret by secret, `raised`, log W(y|s)/W(y), or
                `lowered`, log W(y)/W(y|s).
        """
        # A ratio is of two secrets; what is raised, or lowered, is of one against the average over all.
        if name == "ratio":
            return Quotients.joined([self._problem(s, self.masses[:, t], self.chance[t]) for s, t in self.pairs])
        raised = Quotients.joined([self._problem(s, self._any, np.ones(len(self.box))) for s in range(self.secrets)])
        # The reverse quotient is the same four functions, exchanged.
        return raised if name == "raised" else Quotients(raised.loss, raised.gain, raised.below, raised.above)

    def _problem(self, s: int, against: Array, chance: Array) -> Quotients:
        """Returns log of (masses_s/chance_s)/(against/chance), by output, as products of two quotients in the law."""
        shape = against.shape
        own, other = np.broadcast_to(self.chance[s], shape), np.broadcast_to(chance, shape)
        return Quotients(self.masses[:, s], own, other, against)

    @property
    def _any(self) -> Array:
        """The masses of all secrets together (outputs, m): W(y) is their product with p."""
        return np.asarray(self.masses.sum(axis=1))


@final
class CredalGroup:
    """One type of group, such as couples, under the query: its answers, and each class of its members.

    Args:
        law: The set of laws of all groups.
        place: The place of the group's block in the law.
        scores: The query's scores.
        secrets: The secrets that the spec names.
        chosen: The first numbers of the classes whose records are secrets; None for all.
        shared: The coordinates (axes,) that other groups move too.
    """

    def __init__(
        self,
        law: CredalGroups,
        place: int,
        scores: Scores,
        secrets: Secrets,
        chosen: frozenset[int] | None,
        shared: NDArray[np.bool_],
    ) -> None:
        self._law, self._scores, self._secrets = law, scores, secrets
        self._block, self._factor, self._shared = law.blocks[place], law.factors[place], shared
        numbers = [self._factor.numbers[member.positions[0]] for member in self._block.reference.members]
        self.members: tuple[Member, ...] = tuple(
            member
            for member, number in zip(self._block.reference.members, numbers, strict=True)
            if chosen is None or number in chosen
        )

    def stratum(self, member: Member) -> int:
        """Returns the stratum of the `member` in the whole law."""
        return int(self._factor.places[member.stratum])

    def subject(self, member: Member) -> Subject:
        """Returns the class of people that the `member` stands for."""
        return self._law.subject_of(self._factor.numbers[member.positions[0]])

    @cached_property
    def answers(self) -> IntArray:
        """The answer's part from the group's rows (rows, axes), in lattice steps."""
        return np.asarray(self._block.counts @ self._scores.indices[self._factor.slots])

    @cached_property
    def outputs(self) -> GroupOutputs:
        """The outputs at which what the group leaks can be largest."""
        return GroupOutputs(self.answers, self._shared)

    @cached_property
    def ranges(self) -> Array:
        """The most that the group moves each coordinate of the answer, in the query's unit (axes,)."""
        return np.asarray(np.ptp(self.answers, axis=0) * np.array([float(step) for step in self.steps]))

    @property
    def steps(self) -> tuple[Fraction, ...]:
        """The lattice's step of each coordinate, in the query's unit."""
        return self._scores.lattice.steps

    def depth(self, decays: Array) -> float:
        """Returns how far, in nats, the group's answers are apart at most.

        Args:
            decays: A lattice step over the noise's scale, by coordinate (axes,).
        """
        return float((np.ptp(self.answers, axis=0) * decays).sum())

    def pairs_of(self, member: Member) -> list[tuple[int, int]]:
        """Returns the places of the `member`'s secrets that must not be distinguished, both ways.

        Where the spec names no pairs, these are all pairs.
        """
        subject = self.subject(member)
        named = self._secrets.pairs_of(subject)
        pairs = list(permutations(range(len(subject.secrets)), 2)) if named is None else named
        return list(dict.fromkeys([*pairs, *((t, s) for s, t in pairs)]))

    def tells(self, member: Member) -> bool:
        """Says whether the answer depends on the group, and the `member`'s record is not known already.

        Pairs of values do not matter here: chances move whatever the pairs are.
        """
        return bool(len(member.slots) > 1 and self.ranges.any())

    def leaking(self, member: Member, decays: Array) -> CredalMember | None:
        """Returns what leaks about a member, as suprema over a box of laws; None where the member tells nothing.

        Args:
            member: The class of the group's members.
            decays: A lattice step over the noise's scale, by coordinate (axes,).
        """
        if not self.tells(member):
            return None
        subject, outputs = self.subject(member), self.outputs
        likelihoods = outputs.likelihoods(decays)
        return CredalMember(self._block, member, subject, likelihoods, outputs.attained, self.pairs_of(member))

    def rarest(self, member: Member) -> float:
        """Bounds from below the chance of any value that the `member`'s record can have, under any law of the box."""
        chances = self._block.by_entry(self._block.given(member))
        possible = chances[np.max(chances, axis=1, initial=0.0) > 0]
        least = (possible * self._block.box.best(-possible)).sum(axis=1)
        return max(float(least.min(initial=1.0)) * (1 - 64 * UNIT), 0.0)

    @cached_property
    def _segments(self) -> Segments | None:
        """The edges of the box, if they are few."""
        return Segments.of(self._block.box)

    def against(self, member: Member, of: str, scale: float) -> list[Against] | None:
        """Returns the comparisons that Gaussian noise allows.

        None where no more is known than how far the group moves the answer: for several coordinates, for a box with
        many edges, and for two values among more.

        Args:
            member: The class of the group's members.
            of: `ratio`, `raised` or `lowered`.
            scale: The noise's deviation, in the query's unit.
        """
        given = self._block.given(member)
        if self._segments is None or len(self.steps) > 1 or (of == "ratio" and len(given) > 2):
            return None
        places, rows = np.unique(self.answers[:, 0], return_inverse=True)
        weights = np.eye(len(places))[rows.ravel()].T
        masses = [self._block.by_entry(weights * each) for each in given]
        every = np.sum(masses, axis=0)
        answers = np.asarray(places, dtype=np.float64) * (float(self.steps[0]) / scale)
        pairs = [(masses[s], masses[t]) for s, t in self.pairs_of(member)] if of == "ratio" else []
        pairs += [(each, every) for each in masses] if of != "ratio" else []
        return [Against(answers, self._segments, np.stack(pair), of) for pair in pairs]

    def witness(self, leaking: CredalMember, secret: int, against: int | None) -> Witness:
        """Returns the witness for a leakage about two values, or about one and all others.

        Args:
            leaking: The class of people.
            secret: The place of the value among its secrets.
            against: The place of the other value; None for all others.
        """
        subject = leaking.subject
        other = None if against is None else subject.secrets[against]
        return Witness(subject.person, subject.who, subject.secrets[secret], other, None, self._scores.names)
