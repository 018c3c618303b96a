"""One group of records, and the part that it adds to an answer: its law, and who is exposed as much as whom.

One couple of 5,000 is enough. A couple of a northerner and a southerner has the numbers of one of an easterner and a
westerner: another part of a count by district, and the same suprema.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias, final

from dalenius.channel.answer_laws import AnswerComponent, components
from dalenius.channel.answers import Answers
from dalenius.channel.sensitivity import spread_in
from dalenius.joints import one_group
from dalenius.laws.generating_function_algebra import Extents
from dalenius.noise import Noise

Pairs: TypeAlias = tuple[tuple[int, int], ...] | None
"""The pairs of secrets, as indices, that must not be distinguished; None for all."""
Key: TypeAlias = tuple[object, ...]


@final
@dataclass(frozen=True)
class OwnGroup:
    """One group of a type, and the part that it adds to the answer. A type of 5,000 couples is one, with count 5,000.

    answer: the law of that part, on the coordinates that it can move; ends: those of the whole answer there, per
    coordinate; count: how many such groups there are; places: of the coordinates in the component.
    """

    answer: Answers
    ends: tuple[tuple[float, float], ...]
    count: int
    places: tuple[int, ...]

    @property
    def key(self) -> Key:
        """A key of one group's law: equal where two are alike."""
        copies = self.answer.proportional and self.answer.proportional.copies
        return (*self._numbers, self.answer.lattice, copies, self.places)

    def kind(self, noise: Noise, pairs: Pairs) -> Key | None:
        """Returns a key that is equal for two groups with the same suprema, whatever their coordinates are called.

        None where answers are copies of each other, which are named together. `noise` and `pairs` are as in
        `group_first`.
        """
        answer, subject = self.answer, self.answer.subject
        if answer.proportional is not None:
            return None
        return (*self._numbers, subject.secrets, subject.class_error, answer.lattice, noise.on(answer.axes), pairs)

    @cached_property
    def _numbers(self) -> Key:
        """A key of the law's and the prior's numbers: made once, as each scale of a search needs it."""
        return (self.answer.law.key, self.answer.subject.log_prior.tobytes())


def own_groups_in(component: AnswerComponent, people: Collection[int] | None) -> list[OwnGroup] | None:
    """Returns the groups of every class of people of a component whose first has one of these numbers.

    None where one group's part of the answer has no law that fits, as for a village of one component.

    Args:
        component: A part of the answer.
        people: The numbers of the people who are wanted; None: all.
    """
    joint, scores = component.joint, component.all_scores
    # Because one group alone may not move all coordinates: it moves its own ward's in a histogram by ward.
    parts = [
        (factor.count, part)
        for place, factor in enumerate(joint.factors())
        for part in components(one_group(joint, place), scores, None)
    ]
    # Because a group that is too large is a matter of the release, not of the people asked about.
    if any(part.plan.engine == "none" for _, part in parts):
        return None
    found = _own_groups_in(component, parts)
    return [each for each in found if people is None or each.answer.subject.person in people]


def _own_groups_in(component: AnswerComponent, parts: Sequence[tuple[int, AnswerComponent]]) -> Iterator[OwnGroup]:
    """Yields the part that one group adds, type by type: its own law, its lattice, and the range of the whole answer.

    parts: the parts of one group's answer, each with how many such groups there are.
    """
    joint, scores = component.joint, component.all_scores
    extent = joint.total(Extents(scores.indices))
    ends = [
        (float(low * step), float(high * step))
        for low, high, step in zip(extent.low, extent.high, scores.lattice.steps, strict=True)
    ]
    for count, part in parts:
        axes, own = tuple(component.axes[axis] for axis in part.axes), tuple(ends[axis] for axis in part.axes)
        for subject, law in part.laws():
            # Because the error of treating a class as exchangeable is that of one group here.
            whose = replace(joint.subject_of(subject.person), class_error=subject.class_error)
            spread = spread_in(joint, part.all_scores, whose.stratum)
            names, lattice = part.all_scores.names, part.scores.lattice
            answer = Answers(whose, law, lattice, part.proportional, spread, names, axes)
            yield OwnGroup(answer, own, count, part.axes)


def firsts_alike(found: Sequence[tuple[Noise, Sequence[OwnGroup]]]) -> frozenset[int]:
    """Returns the least number among people about whom the answers say equally much.

    Their groups add the same to parts of the answer with the same groups in them.

    Args:
        found: For each part its noise, and the part that one group of each type adds.
    """
    first: dict[Key, int] = {}
    for noise, each in found:
        # Because two people with like groups still differ where one's part of the answer has other groups in it.
        everybody = frozenset(Counter((own.count, own.key) for own in each).items())
        for own in each:
            subject = own.answer.subject
            who = (subject.secrets, subject.who, subject.dependents, subject.class_error)
            key = (own.key, who, own.answer.spread.distances, noise, everybody)
            first[key] = min(first.get(key, subject.person), subject.person)
    return frozenset(first.values())
