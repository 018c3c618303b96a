"""All records of a long chain or a large network at once: suprema from limits at ±∞ and a bound, without a law (§20).

Quantities that are attained at an output are enclosed: at least what the limits leak, at most what any likelihoods leak
of which no two differ by more than `Outermost.most`. `parts_of` finds the chains and networks that the records are made
of; `long_sum` says when they are so large that a sum is served in this way (Theory §20).

A year of minutes from one meter, a street of 10^5 households each infecting the next: a law of the sum for each record
takes too long there, and averages that need it are refused, or bounded. What an output far out says is known from one
recursion, and that no output says much more from another.

>>> import dalenius as dl
>>> days = dl.Chain(n=20000, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
>>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
>>> found = dl.InferentialPrivacy().leakage(release)
>>> f"{found.lower:.5f} {found.upper:.5f}"
'3.11933 3.11933'
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, singledispatch
from math import exp
from typing import Final, NoReturn, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import IntArray
from dalenius.bounds import Enclosure
from dalenius.channel.channel import Channel, ChannelAtOutput
from dalenius.channel.large.outermost_outputs import ChainEnds, NetworkEnds
from dalenius.channel.large.output_limits import Ends, Outermost
from dalenius.channel.large.suprema import Suprema
from dalenius.channel.large.world_of_records import WorldOfRecords
from dalenius.channel.leakage import Divergence, Found, Movement, Witness
from dalenius.channel.leakages_from_likelihoods import Likelihoods
from dalenius.channel.sensitivity import Spread, spread_of
from dalenius.channel.shortcut import Shortcut
from dalenius.errors import Meaningless
from dalenius.fields import RecordValue
from dalenius.joints import Joint, Subject, chains_of
from dalenius.joints.network import NetworkLaw
from dalenius.joints.product_of_joint_laws import ProductLaw
from dalenius.laws.lattice import Lattice
from dalenius.noise import Answer, Noise

_MOST_ENTRIES: Final = 1 << 24
"""Records times pairs of values, at most: some 1 GB of limits at ±∞."""

Named: TypeAlias = tuple[RecordValue, ...]


@final
@dataclass(frozen=True, eq=False)
class LongRecords(Channel):
    """joint: of chains and networks, of which part is one; places (records,): in it, of the records that are secrets,
    from 0, in order; against (records, k, k): the pairs of values that must not be distinguished; outputs: the answers
    at and beyond which nothing changes, None where they are not known; spreads: by stratum; name: the answer's.

    Averages over outputs need the records' own laws, which would take long: of the information only what bounds it is
    known, and all others are Meaningless.
    """

    joint: Joint
    part: Ends
    outermost: Outermost
    places: IntArray
    against: NDArray[np.bool_]
    noise: Noise
    lattice: Lattice
    spreads: Sequence[Spread]
    outputs: tuple[Named, Named] | None
    name: str

    @cached_property
    def _suprema(self) -> Suprema:
        """The limits and the bound of the records that are secrets, and how far the limits may be off."""
        part, places = self.part, self.places
        found = self.outermost
        ends, most = found.ends[:, places], found.most[places]
        error = found.error + self.joint.subject_of(part.people[0], single=True).class_error
        return Suprema(part.log_marginals[places], part.possible[places], ends, most, error)

    def neighbours(self) -> Found:
        """The log-ratio of data sets that differ in one record, in nats: the stratum whose records move the answer
        most. No law is needed."""
        # Strata that move the answer by different amounts, as wards of which only some are counted.
        mechanism = self.noise.mechanism(self.lattice)
        found = [
            (each, mechanism.neighbour_loss(each.neighbours)) for each in self.spreads if each.neighbours is not None
        ]
        spread, value = max(found, key=lambda each: each[1].upper)
        most, least = spread.values
        place = int(np.argmax([self.spreads[kind] is spread for kind in self.part.stratum[self.places].tolist()]))
        return Found(value, self._witness(place, secret=most, against=least))

    def ratio(self) -> Found:
        """log W(y|s)/W(y|s') over all records, pairs and outputs, in nats: from below at ±∞, from above by
        `Outermost.most`."""
        return self._named(*self._suprema.ratio(self.against), "secret", "against")

    def movement(self, lowering: float = 1.0) -> Movement:
        """The largest log of posterior over prior, and of prior over posterior, in nats; from the same two bounds
        and each record's prior."""
        raised, lowered = (self._named(*each, "secret") for each in self._suprema.movement())
        return Movement.of(raised, lowered, lowering)

    def divergence(self) -> Divergence:
        """Both relative entropies at one output, in nats, over all records; an output at ±∞ attains the lower ends."""
        return Divergence(*(self._named(*each) for each in self._suprema.divergence()))

    def _named(self, value: Enclosure, where: tuple[int, ...] | None, *names: str) -> Found:
        """With its witness: the record, the values of these names, and at which end it is attained."""
        if where is None:
            return Found(value)
        place, *states, end = where
        values = self.joint.strata()[int(self.part.stratum[self.places[place]])].values
        named = {name: values[state] for name, state in zip(names, states, strict=True)}
        return Found(value, self._witness(place, output=self.outputs and self.outputs[end], **named))

    def information(self) -> Found:
        """The mean over outputs of what is at most `divergence`."""
        return Found(Enclosure(0.0, self.divergence().forward.value.upper))

    def at(self, output: Sequence[Answer]) -> ChannelAtOutput:
        """Always Meaningless: the posterior at one output in the middle needs the law of all others' sum."""
        self._unknown("posterior")

    def finite(self, quantity: str) -> Likelihoods:
        self._unknown(quantity)

    def singly(self, quantity: str) -> Iterator[Channel]:
        self._unknown(quantity)

    def _unknown(self, quantity: str) -> NoReturn:
        """Meaningless, with how many records there are and which quantities are known of so many."""
        records = f"{len(self.places):,} records of {self.part.what} of {len(self.part):,}"
        wanted = (
            "fewer records (secrets.people) for all but what is attained at one output: differential, inferential, "
        )
        raise Meaningless(quantity, records, f"{wanted}information and relative entropy privacy without delta")

    def _witness(self, place: int, **where: object) -> Witness:
        """Who it is about: the record at that place among the secrets, in the joint law's numbering."""
        subject = self.joint.subject_of(self.part.people[int(self.places[place])], single=True)
        said = {"answers": (self.name,), "chance": self._chance(subject, where)} | where
        return Witness(subject.person, subject.who, **said)  # type: ignore[arg-type]

    @staticmethod
    def _chance(subject: Subject, where: Mapping[str, object]) -> float | None:
        """As a witness has it of one record's channel."""
        logs = dict(zip(subject.secrets, subject.log_prior.tolist(), strict=True))
        own, other = (logs.get(where.get(key)) for key in ("secret", "against"))  # type: ignore[call-overload]
        # Neighbours may differ in a value that the model gives probability 0: of such a witness there is no prior
        # chance.
        if own is None or ("against" in where and other is None):
            return None
        if other is None:
            return exp(min(own, 0.0))
        # Of the two values alone; a value e^700 times as rare as the other would overflow.
        return 1 / (1 + exp(other - own)) if other - own < 700 else 0.0


@singledispatch
def parts_of(joint: Joint, indices: IntArray) -> tuple[Ends, ...]:
    """Independent of each other, for a sum to which each slot adds that much (slots,); none if some records are in
    none. Each is a chain or a network of its own, as independent wards are. Dispatched by the kind of law: another kind
    adds a function here."""
    return tuple(ChainEnds.of(chain, indices[chain.slots]) for chain in chains_of(joint))


@parts_of.register
def _product(joint: ProductLaw, indices: IntArray) -> tuple[Ends, ...]:
    """The parts of all laws of the product, each with its people's numbers in the whole; none if one law has none."""
    parts = [
        [each.within(placed.numbering) for each in parts_of(placed.joint, indices[placed.numbering.slots])]
        for placed in joint.placed
    ]
    return tuple(each for part in parts for each in part) if all(parts) else ()


@parts_of.register
def _network(joint: NetworkLaw, indices: IntArray) -> tuple[Ends, ...]:
    """All components together as one part: each node is looked at within its own component anyway."""
    components, records = [each for own in joint.types for each in own], joint.records
    # Some nodes are in none of these components: what they add would not be counted.
    if sum(len(each.nodes) for each in components) < len(records.names):
        return ()
    kinds = np.array(records.stratum, dtype=np.int64)
    sizes = np.array([len(stratum.values) for stratum in records.strata], dtype=np.int64)
    found = np.zeros((len(sizes), int(sizes.max())), dtype=np.int64)
    for row, first, size in zip(found, records.first_slot, sizes, strict=False):
        own = indices[first : first + size]
        # Nodes with fewer values than others have impossible ones behind: these must not move the range of scores.
        row[:] = own.min()
        row[:size] = own
    return (NetworkEnds(range(1, len(kinds) + 1), kinds, found[kinds], components, sizes[kinds], records.error),)


LONG_FROM: Final = 2000
"""Records, up to which the law of the answer is computed."""
MOST_FREQUENCIES: Final = 1 << 25
"""Records times answers, up to which one law of the answer is computed for advice."""

_Found: TypeAlias = tuple[Ends, IntArray, Outermost]


@final
class LongSum(Shortcut):
    """Chains and networks that are independent of each other, one of more than `LONG_FROM` records, of which one sum is
    asked: what it leaks about a record is what the record's own chain or network would (Result 20.28)."""

    def __init__(self, world: WorldOfRecords, parts: tuple[Ends, ...]) -> None:
        self._world, self._parts = world, parts
        self.parts = parts
        self._joint, self._scores = world.joint, world.scores

    @property
    def engine(self) -> tuple[str, str]:
        """What `audit` says of how the answer is computed; of several parts, that each is looked at alone."""
        kinds = dict.fromkeys(each.what for each in self._parts)
        # What is independent cancels from the likelihood at ±∞: each part is looked at as if the others were not there.
        each = "" if len(self._parts) == 1 else f", of each {' and '.join(kind.split()[-1] for kind in kinds)} alone"
        return "recursion", f"limits at ±∞ by recursion below, the range of the messages' ratios above{each}"

    @property
    def answers(self) -> int:
        """How many there can be."""
        least, most = self._range
        return most - least + 1

    @property
    def is_quick(self) -> bool:
        """Whether one law of the answer takes seconds."""
        return sum(map(len, self._parts)) * self.answers <= MOST_FREQUENCIES

    def _serves(self, noise: Noise) -> bool:
        """Whether no law of the answer is needed: with such noise; or with Gaussian noise or none, where it would take
        too long."""
        return noise.shape.exponential or ((noise.shape.adds_nothing or noise.shape.gaussian) and not self.is_quick)

    def channels(self, noise: Noise) -> Iterator[Channel] | None:
        """Of each part that of all its records that are secrets; none where they do not move the answer."""
        return self._channels(noise) if self._serves(noise) else None

    def _channels(self, noise: Noise) -> Iterator[Channel]:
        """One channel for each part that has secrets and moves the answer."""
        yield from self.records(noise)

    def records(self, noise: Noise, only: int | None = None) -> Iterator[LongRecords]:
        """The limits and bounds of each part that has secrets and moves the answer; only: of the record at one place of
        the only part."""
        for ends, every, found in self._found(noise):
            places = every if only is None else np.array([only])
            yield self._records(noise, ends, places, found)

    def _records(self, noise: Noise, ends: Ends, places: IntArray, found: Outermost) -> LongRecords:
        """Those at some places of a part."""
        return LongRecords(
            self._joint,
            ends,
            found,
            places,
            self._against(ends, places),
            noise,
            self._scores.lattice,
            self.spreads,
            self._outputs(noise),
            self._scores.names[0],
        )

    def neighbours(self, noise: Noise, ends: Ends, places: IntArray) -> Found:
        """The log-ratio of data sets that differ in one of these records of a part: see `LongRecords.neighbours`."""
        return self._records(noise, ends, places, ends.exactly()).neighbours()

    def _found(self, noise: Noise) -> list[_Found]:
        """Those of the last noise are kept: all notions ask for them."""
        # An audit asks six notions of one noise; a search for a scale asks one notion of many noises. One is enough to
        # keep.
        if noise not in self._lately:
            made = [
                (ends, places, self._outermost(ends, noise))
                for ends, places in ((ends, places_of(ends, self._world.firsts)) for ends in self._parts)
                if len(places) and np.ptp(ends.scores, axis=1).any()
            ]
            self._lately.clear()
            self._lately[noise] = made
        return self._lately[noise]

    @cached_property
    def _lately(self) -> dict[Noise, list[_Found]]:
        return {}

    def _outermost(self, ends: Ends, noise: Noise) -> Outermost:
        """The limits of a part under that noise, at the noise's rate in nats per lattice step."""
        # Laplace and geometric noise: likelihood ratios settle at ±∞. Gaussian noise, or none, has none there but 0 and
        # ∞.
        if noise.shape.exponential:
            return ends.outermost(float(self._scores.lattice.steps[0]) / noise.known_scale())
        return ends.exactly()

    def _outputs(self, noise: Noise) -> tuple[Named, Named] | None:
        """See `LongRecords`: of an exact answer only where all records can have their extreme values together."""
        # A chain in which ill days cannot be followed by ill days: the sum of all maxima is no answer that can occur.
        if noise.shape.adds_nothing and not all(each.free for each in self._parts):
            return None
        least, most = (noise.mechanism(self._scores.lattice).output([each]) for each in self._range)
        return least, most

    @cached_property
    def _range(self) -> tuple[int, int]:
        """Sums at and beyond which posteriors do not change."""
        scores = [each.scores for each in self._parts]
        return sum(int(each.min(axis=1).sum()) for each in scores), sum(int(each.max(axis=1).sum()) for each in scores)

    @cached_property
    def spreads(self) -> tuple[Spread, ...]:
        strata = self._joint.strata()
        return tuple(spread_of(strata, self._scores, stratum) for stratum in range(len(strata)))

    def _against(self, ends: Ends, places: IntArray) -> NDArray[np.bool_]:
        """Of each record the pairs of values that must not be distinguished (records, k, k)."""
        states = ends.scores.shape[1]
        # A view, not a copy: the same pairs for each of 10^5 records.
        if self._world.secrets.pairs is None:
            return np.broadcast_to(np.ones((states, states), dtype=np.bool_), (len(places), states, states))
        strata = self._joint.strata()
        found = np.zeros((len(strata), states, states), dtype=np.bool_)
        for kind in np.unique(ends.stratum).tolist():
            values = strata[kind].values
            for one, other in self._world.secrets.pairs:
                # A pair of the spec may be of another stratum's values: nobody here has it to hide.
                if one in values and other in values:
                    first, second = values.index(one), values.index(other)
                    found[kind, first, second] = found[kind, second, first] = True
        return np.asarray(found[ends.stratum[places]])


def places_of(ends: Ends, firsts: frozenset[int] | None) -> IntArray:
    """Of the records that are secrets, from 0, in order."""
    if firsts is None:
        return np.arange(len(ends))
    people = ends.people
    return np.array(sorted(each for each in firsts if each in people), dtype=np.int64) - people[0]


def long_sum(world: WorldOfRecords, engine: str | None) -> LongSum | None:
    """None for other models and several answers, and where a secret is no record, or an engine is asked for."""
    joint, scores, secrets = world.joint, world.scores, world.secrets
    # Who names an engine wants that one; a household's secret, or one stage's, has no limit at ±∞ computed here.
    if engine is not None or not secrets.of_records or secrets.stage is not None:
        return None
    # A histogram has many directions to ±∞, and a maximum has no tails that settle by tilting.
    if scores.lattice.axes > 1 or not scores.additive:
        return None
    parts = parts_of(joint, scores.indices[:, 0])
    cells = sum(each.scores.size * each.scores.shape[1] for each in parts)
    return None if not parts or cells > _MOST_ENTRIES else LongSum(world, parts)


def is_long(found: LongSum) -> bool:
    """Whether no law of the answer is computed, as of few records that depend on each other: few long chains, or many
    short ones, of which laws are quick."""
    if max(each.longest for each in found.parts) <= LONG_FROM:
        return False
    # A network whose clusters are too wide for ranges, or whose laws take seconds: the exact law is better.
    return not any(each.by_law(found.answers) for each in found.parts)
