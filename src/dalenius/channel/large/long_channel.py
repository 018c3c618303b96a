"""Sums over long chains and large networks, served by limits at ±∞ and a bound (Theory §20).

`parts_of` finds the chains and networks that the records are made of; `long_sum` says when they are so large that a sum
is served by the channels of `long_records`.

Examples are a year of minutes from one meter, or a street of 10^5 households each infecting the next. There a law of
the sum for each record takes too long, and averages that need it are refused, or bounded. One recursion tells what an
output far out says, and that no output says much more.

>>> import dalenius as dl
>>> days = dl.Chain(n=20000, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
>>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
>>> found = dl.InferentialPrivacy().leakage(release)
>>> f"{found.lower:.5f} {found.upper:.5f}"
'3.11933 3.11933'
"""

from collections.abc import Iterator
from functools import cached_property, singledispatch
from typing import TypeAlias, final

import numpy as np

from dalenius.arrays import IntArray
from dalenius.channel.channel import Channel
from dalenius.channel.large.long_records import LongRecords, Named
from dalenius.channel.large.outermost_outputs import ChainEnds, NetworkEnds
from dalenius.channel.large.output_limits import Ends, Outermost
from dalenius.channel.large.secret_values import SecretValues
from dalenius.channel.large.world_of_records import WorldOfRecords
from dalenius.channel.leakage import Found
from dalenius.channel.limits import LONG_FROM, MOST_END_CELLS, MOST_FREQUENCIES
from dalenius.channel.sensitivity import Spread, spread_of
from dalenius.channel.shortcut import Shortcut
from dalenius.joints import Joint, chains_of
from dalenius.joints.network import NetworkLaw
from dalenius.joints.product_of_joint_laws import ProductLaw
from dalenius.memory_budget import allowed
from dalenius.noise import Noise


@singledispatch
def parts_of(joint: Joint, indices: IntArray) -> tuple[Ends, ...]:
    """Returns the chains and networks of `joint`, independent of each other; none if some records are in none.

    `indices` (slots,) has what each slot adds to the sum, in lattice steps. Each part is a chain or a network of its
    own, as independent wards are. It is dispatched by the kind of law: another kind adds a function here.
    """
    return tuple(ChainEnds.of(chain, indices[chain.slots]) for chain in chains_of(joint))


@parts_of.register
def _product(joint: ProductLaw, indices: IntArray) -> tuple[Ends, ...]:
    """Returns the parts of all laws of the product, with their numbers in the whole; none if one law has none."""
    parts = [
        [each.within(placed.numbering) for each in parts_of(placed.joint, indices[placed.numbering.slots])]
        for placed in joint.placed
    ]
    return tuple(each for part in parts for each in part) if all(parts) else ()


@parts_of.register
def _network(joint: NetworkLaw, indices: IntArray) -> tuple[Ends, ...]:
    """Returns all components together as one part: each node is read within its own component anyway."""
    components, records = [each for own in joint.types for each in own], joint.records
    # Because nodes in none of these components would not be counted.
    if sum(len(each.nodes) for each in components) < len(records.names):
        return ()
    kinds = np.array(records.stratum, dtype=np.int64)
    sizes = np.array([len(stratum.values) for stratum in records.strata], dtype=np.int64)
    found = np.zeros((len(sizes), int(sizes.max())), dtype=np.int64)
    for row, first, size in zip(found, records.first_slot, sizes, strict=False):
        own = indices[first : first + size]
        # Because nodes with fewer values than others have impossible ones behind: these must not widen the scores'
        # range.
        row[:] = own.min()
        row[:size] = own
    return (NetworkEnds(range(1, len(kinds) + 1), kinds, found[kinds], components, sizes[kinds], records.error),)


_Found: TypeAlias = tuple[Ends, IntArray, Outermost]


@final
class LongSum(Shortcut):
    """Chains and networks that are independent of each other, one of more than `LONG_FROM` records, under one sum.

    The leakage about a record is that within the record's own chain or network (Result 20.28).
    """

    def __init__(self, world: WorldOfRecords, parts: tuple[Ends, ...]) -> None:
        self._world, self._parts = world, parts
        self.parts = parts
        self._joint, self._scores = world.joint, world.scores

    @property
    def engine(self) -> tuple[str, str]:
        """The engine and its reason as `audit` shows them; with several parts, that each is read alone."""
        kinds = dict.fromkeys(each.what for each in self._parts)
        # Because independent parts cancel from the likelihood at ±∞: each is read as if the others did not exist.
        each = "" if len(self._parts) == 1 else f", of each {' and '.join(kind.split()[-1] for kind in kinds)} alone"
        return "recursion", f"limits at ±∞ by recursion below, the range of the messages' ratios above{each}"

    @property
    def answers(self) -> int:
        """The number of answers that there can be."""
        least, most = self._range
        return most - least + 1

    @property
    def is_quick(self) -> bool:
        """Whether one law of the answer takes seconds."""
        return sum(map(len, self._parts)) * self.answers <= MOST_FREQUENCIES

    def _serves(self, noise: Noise) -> bool:
        """Says whether no law of the answer is needed.

        This is so for exponential noise, and for Gaussian noise or none where the law would take too long.
        """
        return noise.shape.exponential or ((noise.shape.adds_nothing or noise.shape.gaussian) and not self.is_quick)

    def channels(self, noise: Noise) -> Iterator[Channel] | None:
        """Yields the channel under `noise` of each part's secret records; none where they do not move the answer."""
        return self._channels(noise) if self._serves(noise) else None

    def _channels(self, noise: Noise) -> Iterator[Channel]:
        """Yields one channel for each part that has secrets and moves the answer."""
        yield from self.records(noise)

    def records(self, noise: Noise, only: int | None = None) -> Iterator[LongRecords]:
        """Yields the limits and bounds under `noise` of each part that has secrets and moves the answer.

        only: the place of the one record that is wanted, in the only part; None: all.
        """
        for ends, every, found in self._found(noise):
            places = every if only is None else np.array([only])
            yield self._records(noise, ends, places, found)

    def _records(self, noise: Noise, ends: Ends, places: IntArray, found: Outermost) -> LongRecords:
        """Makes the limits and bounds of the records at some places of a part."""
        return LongRecords(
            self._joint,
            ends,
            found,
            places,
            self.secret_values,
            noise,
            self._scores.lattice,
            self.spreads,
            self._outputs(noise),
            self._scores.names[0],
        )

    def neighbours(self, noise: Noise, ends: Ends, places: IntArray) -> Found:
        """Bounds the log-ratio of data sets that differ in one record of a part: see `LongRecords.neighbours`.

        Args:
            noise: The noise of the answer.
            ends: The part, a chain or a network.
            places: The records, by place in the part from 0 (records,).
        """
        return self._records(noise, ends, places, ends.exactly()).neighbours()

    def _found(self, noise: Noise) -> list[_Found]:
        """Returns the limits of all parts, and keeps those of the last noise, because all notions need them."""
        # Because an audit asks six notions of one noise, and a search for a scale one notion of many: one is enough to
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
        """Returns the limits of a part under that noise, at the noise's rate in nats per lattice step."""
        # Because likelihood ratios under Laplace and geometric noise settle at ±∞. Gaussian noise, or none, has only 0
        # and ∞ there.
        if noise.shape.exponential:
            return ends.outermost(float(self._scores.lattice.steps[0]) / noise.known_scale())
        return ends.exactly()

    def _outputs(self, noise: Noise) -> tuple[Named, Named] | None:
        """Returns `LongRecords.outputs`: of an exact answer only where all records can be at their ends together."""
        # The case of a chain in which no ill day follows an ill day: the sum of all maxima is no possible answer.
        if noise.shape.adds_nothing and not all(each.free for each in self._parts):
            return None
        least, most = (noise.mechanism(self._scores.lattice).output([each]) for each in self._range)
        return least, most

    @cached_property
    def _range(self) -> tuple[int, int]:
        """The sums at and beyond which posteriors do not change."""
        scores = [each.scores for each in self._parts]
        return sum(int(each.min(axis=1).sum()) for each in scores), sum(int(each.max(axis=1).sum()) for each in scores)

    @cached_property
    def secret_values(self) -> SecretValues:
        return SecretValues.of(self._joint.strata(), self._world.secrets)

    @cached_property
    def spreads(self) -> tuple[Spread, ...]:
        strata = self._joint.strata()
        return tuple(spread_of(strata, self._scores, stratum) for stratum in range(len(strata)))


def places_of(ends: Ends, firsts: frozenset[int] | None) -> IntArray:
    """Returns the places in `ends` of the records that are secrets, from 0, in order.

    `firsts` has the numbers of the people whose records are secrets; None: everybody's.
    """
    if firsts is None:
        return np.arange(len(ends))
    people = ends.people
    return np.array(sorted(each for each in firsts if each in people), dtype=np.int64) - people[0]


def long_sum(world: WorldOfRecords, engine: str | None) -> LongSum | None:
    """Returns the shortcut of `world` for one sum over chains and networks.

    None for other models and several answers, and where a secret is of several records, or `engine` names one.
    """
    joint, scores, secrets = world.joint, world.scores, world.secrets
    # Because a named engine is wanted; and no limit at ±∞ is computed here for a household's secret.
    if engine is not None or not secrets.of_records:
        return None
    # Because a histogram has many directions to ±∞, and a maximum has no tails that settle by tilting.
    if scores.lattice.axes > 1 or not scores.additive:
        return None
    parts = parts_of(joint, scores.indices[:, 0])
    cells = sum(each.scores.size * each.scores.shape[1] for each in parts)
    return None if not parts or cells > allowed(MOST_END_CELLS) else LongSum(world, parts)


def is_long(found: LongSum) -> bool:
    """Says whether no law of the answer of `found` is computed.

    It is computed for few records that depend on each other: few long chains, or many short ones, have quick laws.
    """
    if max(each.longest for each in found.parts) <= LONG_FROM:
        return False
    # The case of a network whose clusters are too wide for ranges, or whose laws take seconds: the exact law is better.
    return not any(each.by_law(found.answers) for each in found.parts)
