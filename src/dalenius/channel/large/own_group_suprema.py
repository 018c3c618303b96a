"""The channel of a person among very many: suprema by their own group alone, wherever the rest cannot add to it.

One group of each type has a law of the part that it adds to the answer, and a channel (Results 20.1 to 20.4). In a
register of 10^6 people in households, a person's household decides their leakage (`GroupsFirst`). A chain of 10^5
days is one group, and its outermost outputs are read (`long_channel.LongSum`).

In a couple both are ill with .2, one or the other with .1 each, none with .6. The ill are counted, with Laplace noise
of scale 2. Outputs say at most 0.770779 nats about one person, whether there is one couple or ten thousand: all others
only blur the couple's part, and at ±∞ they cancel.

>>> import dalenius as dl
>>> couple = {"records": [[0, 0], [0, 1], [1, 0], [1, 1]], "probabilities": [0.6, 0.1, 0.1, 0.2]}
>>> for count in (1, 10_000):
...     couples = dl.Groups(types=[{"count": count, **couple}])
...     found = dl.InferentialPrivacy().leakage(dl.Release(couples, dl.Count(), dl.Laplace(scale=2.0)))
...     print(f"{found.epsilon:.6f}")
0.770779
0.770779
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from math import inf
from typing import Final, TypeAlias, final

from dalenius.bounds import Enclosure
from dalenius.channel.answer_laws import AnswerComponent
from dalenius.channel.channel import Channel
from dalenius.channel.finite_secret_channel import FiniteChannel
from dalenius.channel.large.long_channel import is_long, long_sum
from dalenius.channel.large.long_memory import long_memory
from dalenius.channel.large.own_group import Key, OwnGroup, Pairs, firsts_alike, own_groups_in
from dalenius.channel.large.windowed_chain import windowed_chain
from dalenius.channel.large.windowed_groups import windowed_groups
from dalenius.channel.large.windowed_network import windowed_network
from dalenius.channel.large.world_of_records import WorldOfRecords
from dalenius.channel.leakage import Divergence, Found, Movement, Witness, is_close
from dalenius.channel.likelihoods import with_class_error
from dalenius.channel.limits import MANY_GROUPS
from dalenius.channel.shortcut import Shortcut
from dalenius.fields import RecordValue
from dalenius.laws.laplace_smoothing import at_infinity
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law
from dalenius.noise import BoundingMechanism, Mechanism, Noise, decays_far_out

_Read: TypeAlias = Callable[[Channel], list[Found]]


@final
@dataclass(frozen=True)
class GroupFirst(Channel):
    """The channel of a person by their own group first.

    A supremum is never refused because of the rest: where its law is too large, the enclosure by the other two
    remains.

    Args:
        own_group: The channel of the part that the person's group adds, under the same noise: nothing leaks more
            (Result 20.1).
        limits: The channel of the outputs far out, where the rest cancels: every supremum is at least theirs (Result
            20.2).
        everybody: Makes the channel of the whole answer, for all other quantities, and for suprema that these leave
            open.
        ends: The names of the outputs at both ends, by coordinate; none (the default) where nobody else is alike.
        alike: The channel of a person whose group is the same but for its labels: it is read in place of this one's
            group. None (the default) where no such channel comes first.
    """

    own_group: FiniteChannel
    limits: FiniteChannel
    everybody: Callable[[], Channel]
    ends: tuple[tuple[float, float], ...] = ()
    alike: "GroupFirst | None" = None

    def neighbours(self) -> Found:
        return self.own_group.neighbours()

    def ratio(self) -> Found:
        return self._supremum("ratio", lambda channel: [channel.ratio()])[0]

    def movement(self, lowering: float = 1.0) -> Movement:
        """Encloses how far beliefs move, in nats; from the group where the ends agree. `lowering` as in the base."""

        def read(channel: Channel) -> list[Found]:
            found = channel.movement(lowering)
            return [found.raised, found.lowered]

        raised, lowered = self._supremum(f"movement {lowering!r}", read)
        return Movement.of(raised, lowered, lowering)

    def divergence(self) -> Divergence:
        return Divergence(*self._supremum("divergence", lambda channel: list(channel.divergence())))

    def singly(self, quantity: str) -> Iterator[Channel]:
        """Yields the channel of the whole answer, made now: averages over outputs need it, whatever the `quantity`."""
        yield self.everybody()

    def _supremum(self, name: str, read: _Read) -> list[Found]:
        """Encloses several suprema over the outputs, each by the group where it decides; name: its key."""
        # Because the law of the person's group has a handful of answers, it comes first.
        found = self._of_group(name, read)
        if all(_decided(each.value) for each in found):
            return found
        return [_narrowed(own, each) for own, each in zip(found, read(self.everybody()), strict=True)]

    def _of_group(self, name: str, read: _Read) -> list[Found]:
        """Reads the suprema of the group alone, and keeps them by name."""
        # Because all notions of an audit read the same few suprema.
        if name not in self._read:
            first = self.alike
            # Because a couple of north and south has the numbers of one of east and west: only names are its own.
            self._read[name] = (
                self._enclosed(read)
                if first is None
                else [Found(each.value, self._renamed(first, each.witness)) for each in first._of_group(name, read)]
            )
        return self._read[name]

    def _renamed(self, first: "GroupFirst", witness: Witness | None) -> Witness | None:
        """Returns the `witness` of the channel `first`, which is alike, as this person's own."""
        if witness is None:
            return None
        # Because an output far out is at an end of each coordinate, or not read there ("any").
        ends: list[dict[RecordValue, RecordValue]] = [
            dict(zip(*each, strict=True)) for each in zip(first.ends, self.ends, strict=True)
        ]
        output = tuple(own.get(number, number) for own, number in zip(ends, witness.output or (), strict=True))
        return self.limits.witness(secret=witness.secret, against=witness.against, output=output)

    @cached_property
    def _read(self) -> dict[str, list[Found]]:
        """The suprema that were read from the group, by name."""
        return {}

    def _enclosed(self, read: _Read) -> list[Found]:
        """Encloses suprema: from below by the outputs far out, from above by the group's own channel.

        TooLarge where that is refused, unless outputs far out leak without bound.
        """
        # Because the rest of the population cancels far out, some output does leak this much.
        below = read(self.limits)
        if all(low.value.lower == inf for low in below):
            return below
        above = [each.value.upper for each in read(self.own_group)]
        return [
            Found(Enclosure(min(low.value.lower, high), high), low.witness)
            for low, high in zip(below, above, strict=True)
        ]


def _decided(value: Enclosure) -> bool:
    """Says whether nothing is left to learn from the law of the whole answer."""
    return value.lower == value.upper or is_close(value)


def _narrowed(own: Found, of_answer: Found) -> Found:
    """Returns the intersection of two enclosures of the truth.

    It is the group's where that decides already, so that witnesses stay those of the limits.
    """
    if _decided(own.value):
        return own
    value = Enclosure(max(own.value.lower, of_answer.value.lower), min(own.value.upper, of_answer.value.upper))
    return Found(value, of_answer.witness or own.witness)


_HEAVY: Final = 40_000_000
"""Points of the laws given every secret: 320 MB of doubles, more than are kept from one notion to the next."""


def is_heavy(component: AnswerComponent) -> bool:
    """Says whether the laws of a `component` of the answer given everybody's secrets have too many points to keep.

    The case of hundreds of pedigrees: few groups, but thousands of people of whom no two are alike.
    """
    # Because a network too wide for messages has no law of anybody's secret.
    if not component.bounded or component.joint.refusal is not None:
        return False
    secrets = sum(len(subject.secrets) for subject in component.joint.subjects())
    return component.extent.points * secrets > _HEAVY


def is_many(component: AnswerComponent, least: int = MANY_GROUPS) -> bool:
    """Says whether one group is read first: `component` has one secret, and `least` or more independent groups."""
    return component.bounded and sum(factor.count for factor in component.joint.factors()) >= least


def known_far_out(noise: Noise, lattice: Lattice) -> bool:
    """Says whether the outputs of `noise` on `lattice` have known limits: exponential, Gaussian, or none."""
    return noise.shape.additive and decays_far_out(noise.mechanism(lattice)) is not None


def group_first(
    part: OwnGroup,
    noise: Noise,
    pairs: Pairs,
    full: Callable[[FiniteChannel], Channel],
    alike: GroupFirst | None = None,
) -> GroupFirst:
    """Makes the channel of a person by their group first.

    The upper ends are those under the noise alone, the lower those of the outermost outputs.

    Args:
        part: The person's group.
        noise: The noise of the whole answer.
        pairs: The pairs of secrets, as indices, that must not be distinguished; None for all.
        full: Makes the channel of the whole answer, from that of the group's part alone and its bounds.
        alike: The channel of a group of the same `kind`; None (the default) for the first of its kind.
    """
    answer = part.answer
    own, law = answer.noised(noise, True)
    # The case of copies of each other, as the ill and the well of a fixed number: one axis or several.
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
    return GroupFirst(own_group, channel(far_out, bounding), lambda: full(bounded), ends, alike)


def shortcuts(world: WorldOfRecords, engine: str | None) -> tuple[Shortcut, ...]:
    """Returns the shortcuts of `world`, in the order in which they are tried.

    engine: the name of the engine that the user wants, which rules the first out; None: any.
    """
    found: list[Shortcut] = [GroupsFirst(world)]
    long = long_sum(world, engine)
    if long is not None and is_long(long):
        found.insert(0, long)
    remembering = None if long is None else long_memory(world, long)
    if remembering is not None:
        found.insert(0, remembering)
    windowed: Shortcut | None = windowed_groups(world, engine)
    if long is not None:
        windowed = windowed_chain(world, long) or windowed_network(long, world)
    return tuple(found) if windowed is None else (windowed, *found)


@final
class GroupsFirst(Shortcut):
    """Very many independent groups, or people; a person's own group is read first (Results 20.1 to 20.4).

    One person stands for all about whom answers say as much. Where the noise's limits far out are not known, or
    nothing has very many, this does nothing and laws are computed as planned.
    """

    def __init__(self, world: WorldOfRecords) -> None:
        self._world = world

    def more(self, axes: tuple[int, ...]) -> str:
        return "; suprema by the group alone where the rest cannot add to it" if axes in self._own_groups else ""

    def channels(self, noise: Noise) -> Iterator[Channel] | None:
        """Yields the channels under `noise` of the parts of the answer with very many groups, group first.

        None where no part is such, or the noise is not.
        """
        parts = [
            (each, self._own_groups[each.axes]) for each in self._world.components if each.axes in self._own_groups
        ]
        # Because a kernel's noise has no outputs at infinity, there is no lower end then.
        found = {each.axes: own for each, own in parts if known_far_out(noise.on(each.axes), each.all_scores.lattice)}
        return self._by_group(noise, found) if found else None

    def _by_group(self, noise: Noise, found: dict[tuple[int, ...], list[OwnGroup]]) -> Iterator[Channel]:
        """Yields the channels, part by part of the answer: by the group first, or as planned elsewhere."""
        world, firsts = self._world, self._firsts(noise, found)
        kinds: dict[Key, GroupFirst] = {}
        for component in world.components:
            # Because another part of the same answer may be of few groups, and has its law.
            if component.axes not in found:
                yield from world.channels_of(noise, component)
            for part in found.get(component.axes, ()):
                subject = part.answer.subject
                # Because one of ten thousand like couples is read, and named by its first person.
                if subject.person in firsts:
                    full, pairs = partial(world.full_channel_of, component, noise), world.secrets.pairs_of(subject)
                    kind = part.kind(noise, pairs)
                    channel = group_first(part, noise, pairs, full, None if kind is None else kinds.get(kind))
                    if kind is not None:
                        kinds.setdefault(kind, channel)
                    yield channel

    def _firsts(self, noise: Noise, found: dict[tuple[int, ...], list[OwnGroup]]) -> frozenset[int]:
        """Returns the first of all people who are alike, as `firsts_alike`, kept for all scales of a search."""
        noises = [noise.on(axes) for axes in found]
        # Because a noise matters here only by which other parts have the same.
        pattern = tuple((axes, noises.index(own)) for axes, own in zip(found, noises, strict=True))
        if pattern not in self._kept_firsts:
            self._kept_firsts[pattern] = firsts_alike(list(zip(noises, found.values(), strict=True)))
        return self._kept_firsts[pattern]

    @cached_property
    def _kept_firsts(self) -> dict[tuple[tuple[tuple[int, ...], int], ...], frozenset[int]]:
        """The first of all people who are alike, by the parts of the answer and which of them have equal noise."""
        return {}

    @cached_property
    def _own_groups(self) -> dict[tuple[int, ...], list[OwnGroup]]:
        """The part that one group of each type adds, by the coordinates of an answer's part with many groups."""
        found, least = {}, 2 if self._world.groups_first else MANY_GROUPS
        for component in self._world.components if self._world.is_plain else ():
            of_groups = component.of_groups
            if of_groups is not None and (is_many(of_groups, least) or is_heavy(of_groups)):
                own = own_groups_in(of_groups, self._world.firsts)
                # Because no group is first where one group is too large.
                if own is not None:
                    found[component.axes] = own
        return found
