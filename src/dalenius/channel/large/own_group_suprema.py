"""The channel of a person among very many: suprema by their own group alone, wherever the rest cannot add to it.

What one group of each type adds to an answer of very many groups, and its channels (Results 20.1 to 20.4). In a
register of 10^6 people in households, what leaks of a person is decided by the household first (`GroupsFirst`); a chain
of 10^5 days is one group, and its outermost outputs are looked at (`long_channel.LongSum`).

Couples of whom both are ill with .2, one or the other with .1 each, none with .6; the ill are counted, with Laplace
noise of scale 2. What outputs say of one person is at most 0.770779 nats, whether there is one couple or ten thousand:
all others only blur what the couple adds, and at ±∞ they cancel.

>>> import dalenius as dl
>>> couple = {"records": [[0, 0], [0, 1], [1, 0], [1, 1]], "probabilities": [0.6, 0.1, 0.1, 0.2]}
>>> for count in (1, 10_000):
...     couples = dl.Groups(types=[{"count": count, **couple}])
...     found = dl.InferentialPrivacy().leakage(dl.Release(couples, dl.Count(), dl.Laplace(scale=2.0)))
...     print(f"{found.epsilon:.6f}")
0.770779
0.770779
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import inf
from typing import Final, TypeAlias, final

from dalenius.bounds import Enclosure
from dalenius.channel.answer_laws import AnswerComponent, Answers, components
from dalenius.channel.channel import Channel
from dalenius.channel.finite_secret_channel import FiniteChannel
from dalenius.channel.large.long_channel import is_long, long_sum
from dalenius.channel.large.windowed_chain import windowed_chain
from dalenius.channel.large.windowed_network import windowed_network
from dalenius.channel.large.world_of_records import WorldOfRecords
from dalenius.channel.leakage import Divergence, Found, Movement, is_close
from dalenius.channel.leakages_from_likelihoods import with_class_error
from dalenius.channel.sensitivity import spread_of
from dalenius.channel.shortcut import Shortcut
from dalenius.joints import one_group
from dalenius.laws.generating_function_algebra import Extents
from dalenius.laws.laplace_smoothing import at_infinity
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law
from dalenius.noise import BoundingMechanism, Mechanism, Noise, decays_far_out

_Read: TypeAlias = Callable[[Channel], list[Found]]


@final
@dataclass(frozen=True)
class GroupFirst(Channel):
    """own_group: the channel of what the person's group adds, under the same noise: nothing leaks more (Result 20.1).
    limits: the outputs far out, where the rest cancels: every supremum is at least theirs (Result 20.2). everybody:
    makes the channel of the whole answer, which all other quantities are read from, and suprema that these leave open.

    A supremum is never refused because of the rest: where its law is too large, the enclosure of the two remains.
    """

    own_group: FiniteChannel
    limits: FiniteChannel
    everybody: Callable[[], Channel]

    def neighbours(self) -> Found:
        return self.own_group.neighbours()

    def ratio(self) -> Found:
        return self._supremum("ratio", lambda channel: [channel.ratio()])[0]

    def movement(self, lowering: float = 1.0) -> Movement:
        """How far beliefs move, in nats; both sides from the group where the ends agree."""

        def read(channel: Channel) -> list[Found]:
            found = channel.movement(lowering)
            return [found.raised, found.lowered]

        raised, lowered = self._supremum(f"movement {lowering!r}", read)
        return Movement.of(raised, lowered, lowering)

    def divergence(self) -> Divergence:
        return Divergence(*self._supremum("divergence", lambda channel: list(channel.divergence())))

    def singly(self, quantity: str) -> Iterator[Channel]:
        """The channel of the whole answer, made now: averages over outputs need it."""
        yield self.everybody()

    def _supremum(self, name: str, read: _Read) -> list[Found]:
        """Several suprema over the outputs, each decided by the group where it can be; name: of what is read."""
        # First of the person's group alone, whose law has a handful of answers.
        found = self._of_group(name, read)
        if all(_decided(each.value) for each in found):
            return found
        return [_narrowed(own, each) for own, each in zip(found, read(self.everybody()), strict=True)]

    def _of_group(self, name: str, read: _Read) -> list[Found]:
        """The same from the group alone; kept by name."""
        # All notions of an audit read the same few suprema.
        if name not in self._read:
            self._read[name] = self._enclosed(read)
        return self._read[name]

    @cached_property
    def _read(self) -> dict[str, list[Found]]:
        """By name, what was read of the group."""
        return {}

    def _enclosed(self, read: _Read) -> list[Found]:
        """From below what outputs far out leak, from above what the group's own channel does. TooLarge where that is
        refused, unless outputs far out leak without bound."""
        # Far out the rest of the population cancels: some output does leak this much.
        below = read(self.limits)
        if all(low.value.lower == inf for low in below):
            return below
        above = [each.value.upper for each in read(self.own_group)]
        return [
            Found(Enclosure(min(low.value.lower, high), high), low.witness)
            for low, high in zip(below, above, strict=True)
        ]


def _decided(value: Enclosure) -> bool:
    """Whether nothing is left to learn from the law of the whole answer."""
    return value.lower == value.upper or is_close(value)


def _narrowed(own: Found, of_answer: Found) -> Found:
    """Both enclose the truth. The group's where it decides already, so that witnesses stay those of the limits."""
    if _decided(own.value):
        return own
    value = Enclosure(max(own.value.lower, of_answer.value.lower), min(own.value.upper, of_answer.value.upper))
    return Found(value, of_answer.witness or own.witness)


MANY_GROUPS: Final = 1 << 12
"""Groups from which on one of them is looked at first. Fewer have their whole law in a fraction of a second."""
_Pairs: TypeAlias = tuple[tuple[int, int], ...] | None
_Key: TypeAlias = tuple[object, ...]


@final
@dataclass(frozen=True)
class OwnGroup:
    """answer: the law of what the first group of a factor adds, on the coordinates that it can move; ends: of the whole
    answer there, per coordinate; count: how many such groups there are; places: of the coordinates in the component. A
    type of 5,000 couples is one of these, with count 5,000."""

    answer: Answers
    ends: tuple[tuple[float, float], ...]
    count: int
    places: tuple[int, ...]

    @property
    def key(self) -> _Key:
        """Of one group's law: equal where two are alike."""
        law, prior = self.answer.law.key, self.answer.subject.log_prior.tobytes()
        copies = self.answer.proportional and self.answer.proportional.copies
        return (law, prior, self.answer.lattice, copies, self.places)


def is_many(component: AnswerComponent, least: int = MANY_GROUPS) -> bool:
    """Whether one group is looked at first: sums over MANY independent groups, of which one has the secret record.
    least: how many groups count as many."""
    return component.bounded and sum(factor.count for factor in component.joint.factors()) >= least


def known_far_out(noise: Noise, lattice: Lattice) -> bool:
    """Whether the limits of the outputs are known: of exponential and Gaussian noise, and of none."""
    return noise.shape.additive and decays_far_out(noise.mechanism(lattice)) is not None


def own_groups_in(component: AnswerComponent, people: Collection[int] | None) -> list[OwnGroup] | None:
    """Of every class of people of the component whose first has one of these numbers; None: of all. None where one
    group's part of the answer has no law that fits, as of a village of one component."""
    joint, scores = component.joint, component.all_scores
    # One group alone may not move all coordinates: of a histogram by ward it moves its own ward's.
    parts = [
        (factor.count, part)
        for place, factor in enumerate(joint.factors())
        for part in components(one_group(joint, place), scores, None)
    ]
    # Whether a group is too large is said of the release, not of whom one asks about.
    if any(part.plan.refusal is not None for _, part in parts):
        return None
    found = _own_groups_in(component, parts)
    return [each for each in found if people is None or each.answer.subject.person in people]


def _own_groups_in(component: AnswerComponent, parts: Sequence[tuple[int, AnswerComponent]]) -> Iterator[OwnGroup]:
    """Type by type of groups what one of them adds: its own law, its lattice, and where the whole answer can lie.
    parts: of one group's answer, each with how many such groups there are."""
    joint, scores = component.joint, component.all_scores
    extent = joint.total(Extents(scores.indices))
    ends = [
        (float(low * step), float(high * step))
        for low, high, step in zip(extent.low, extent.high, scores.lattice.steps, strict=True)
    ]
    for count, part in parts:
        axes, own = tuple(component.axes[axis] for axis in part.axes), tuple(ends[axis] for axis in part.axes)
        for subject, law in part.laws():
            # The error of treating a class as exchangeable is that of one group here.
            whose = replace(joint.subject_of(subject.person), class_error=subject.class_error)
            spread = spread_of(joint.strata(), part.all_scores, whose.stratum)
            names, lattice = part.all_scores.names, part.scores.lattice
            answer = Answers(whose, law, lattice, part.proportional, spread, names, axes)
            yield OwnGroup(answer, own, count, part.axes)


def firsts_alike(found: Sequence[tuple[Noise, Sequence[OwnGroup]]]) -> frozenset[int]:
    """Of people of whom the answers say as much, as their groups add the same to parts of the answer with the same
    groups in them, the one with the least number. found: of each part its noise, and what one group of each type
    adds."""
    first: dict[_Key, int] = {}
    for noise, each in found:
        # Two people with like groups still differ where one's part of the answer has other groups in it.
        everybody = frozenset(Counter((own.count, own.key) for own in each).items())
        for own in each:
            subject = own.answer.subject
            who = (subject.secrets, subject.who, subject.dependents, subject.class_error)
            key = (own.key, who, own.answer.spread.distances, noise, everybody)
            first[key] = min(first.get(key, subject.person), subject.person)
    return frozenset(first.values())


def group_first(part: OwnGroup, noise: Noise, pairs: _Pairs, full: Callable[[FiniteChannel], Channel]) -> GroupFirst:
    """noise: of the whole answer; full: the channel of all of it, given that of the group's part alone with what it
    bounds.

    The channel of a person by their group first: from above under the noise alone, from below with the outermost
    outputs.
    """
    answer = part.answer
    own, law = answer.noised(noise, True)
    # Answers that are copies of each other, as the ill and the well of a fixed number, were merged into one axis or
    # not.
    copies, merged = answer.proportional, own.lattice is answer.lattice
    ends = part.ends if copies is None or not merged else tuple(part.ends[axis] for axis in copies.axes)
    subject, bounding = answer.subject, BoundingMechanism(own.noise, own.lattice, own, ends)

    def channel(made: Callable[[], Law], mechanism: Mechanism) -> FiniteChannel:
        return FiniteChannel(subject, made, mechanism, answer.spread, answer.names, pairs, answer.axes)

    def far_out() -> Law:
        decays = decays_far_out(own)
        assert decays is not None
        return with_class_error(at_infinity(law, decays, ends), subject)

    own_group = channel(lambda: with_class_error(own.likelihood(law), subject), own)
    bounded = channel(lambda: with_class_error(bounding.likelihood(law), subject), bounding)
    return GroupFirst(own_group, channel(far_out, bounding), lambda: full(bounded))


def shortcuts(world: WorldOfRecords, engine: str | None) -> tuple[Shortcut, ...]:
    """In the order in which they are tried; engine: the one that the user names, which rules the first out."""
    found: list[Shortcut] = [GroupsFirst(world)]
    long = long_sum(world, engine)
    if long is not None and is_long(long):
        found.insert(0, long)
    windowed = None if long is None else windowed_chain(world, long) or windowed_network(long, world)
    return tuple(found) if windowed is None else (windowed, *found)


@final
class GroupsFirst(Shortcut):
    """Of very many independent groups the person's own first; of people of whom answers say as much as of another, only
    that other's (Results 20.1 to 20.4).

    Where the noise's limits far out are not known, or nothing has very many groups, nothing is done here and laws are
    computed as planned.
    """

    def __init__(self, world: WorldOfRecords) -> None:
        self._world = world

    def more(self, axes: tuple[int, ...]) -> str:
        return "; suprema by the group alone where the rest cannot add to it" if axes in self._own_groups else ""

    def channels(self, noise: Noise) -> Iterator[Channel] | None:
        """Of the parts of the answer with very many groups, group first; None where no part is such, or none with
        such noise."""
        parts = [
            (each, self._own_groups[each.axes]) for each in self._world.components if each.axes in self._own_groups
        ]
        # A kernel's noise has no outputs at infinity; then there is no lower end.
        found = {each.axes: own for each, own in parts if known_far_out(noise.on(each.axes), each.all_scores.lattice)}
        return self._by_group(noise, found) if found else None

    def _by_group(self, noise: Noise, found: dict[tuple[int, ...], list[OwnGroup]]) -> Iterator[Channel]:
        """The channels, part by part of the answer: by the group first, or as planned where that is not known."""
        world, firsts = self._world, firsts_alike([(noise.on(axes), own) for axes, own in found.items()])
        for component in world.components:
            # Another part of the same answer may be of few groups, and has its law.
            if component.axes not in found:
                yield from world.channels_of(noise, component)
            for part in found.get(component.axes, ()):
                subject = part.answer.subject
                # Of ten thousand like couples one is looked at, and named by its first person.
                if subject.person in firsts:
                    full = partial(world.full_channel_of, component, noise)
                    yield group_first(part, noise, world.secrets.pairs_of(subject), full)

    @cached_property
    def _own_groups(self) -> dict[tuple[int, ...], list[OwnGroup]]:
        """By the coordinates of a part of the answer what one group of each type adds, where there are very many."""
        found, least = {}, 2 if self._world.groups_first else MANY_GROUPS
        for component in self._world.components if self._world.is_plain else ():
            of_groups = component.of_groups
            if of_groups is not None and is_many(of_groups, least):
                own = own_groups_in(of_groups, self._world.firsts)
                # Where one group is too large no group is first.
                if own is not None:
                    found[component.axes] = own
        return found
