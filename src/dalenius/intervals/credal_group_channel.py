"""The channel of groups whose law is known to lie in a box only: each group has some law of a credal set (Theory §21).

Take ten couples, each with both ill with .1 to .3, and one alone with .05 to .15 each. A count with Laplace noise of
scale 2 says at most 0.893453 nats about one person, and some law attains that but for a millionth.

>>> import dalenius as dl
>>> rows, chances = [[0, 0], [0, 1], [1, 0], [1, 1]], [[0.5, 0.7], [0.05, 0.15], [0.05, 0.15], [0.1, 0.3]]
>>> couples = dl.Groups(types=[{"count": 10, "records": rows, "probabilities": chances}])
>>> found = dl.InferentialPrivacy().leakage(dl.Release(couples, dl.Count(), dl.Laplace(scale=2.0)))
>>> f"{found.lower:.5f} {found.upper:.5f}"
'0.89345 0.89345'
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, log, nextafter, sqrt
from typing import ClassVar, NoReturn, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.bounded_channel import BoundedChannel, BoundedWorld
from dalenius.channel.channel import Channel
from dalenius.channel.leakage import NO_LEAK, Found, Witness, worst_of
from dalenius.channel.secrets import Secrets
from dalenius.channel.sensitivity import Spread
from dalenius.errors import Meaningless
from dalenius.intervals.credal_leakage_quotients import CredalGroup, CredalMember
from dalenius.intervals.credal_supremum import largest_over_laws
from dalenius.intervals.groups_with_intervals import CredalGroups
from dalenius.intervals.limits import DEEPEST
from dalenius.joints import group_strata
from dalenius.joints.identical_groups import Member
from dalenius.noise import Noise, rate_of
from dalenius.noise.gaussian import gaussian_delta
from dalenius.queries import Scores


@final
@dataclass(frozen=True, eq=False)
class _GroupChannel(BoundedChannel):
    """The channel of all groups, each under the worst law of the set.

    Every group has a law of its own. No law exceeds an enclosure's upper end, which is that of a group alone (Result
    21.1). Some law comes as close to its lower end as one likes, at an output where the rest cancels (Result 21.2).
    With a delta these bound the leakage from above. Meaningless for averages over outputs.

    Attributes:
        groups: One group of each block.
        spreads: How far a record of each group's members moves the answer.
        scores: The query's scores.
        noise: The noise.
        around: Whether the laws meant may be fewer (see `CredalGroups`); lower ends are 0 then.
    """

    groups: Sequence[CredalGroup]
    spreads: Sequence[Spread]
    scores: Scores
    noise: Noise
    around: bool = False

    def neighbours(self) -> Found:
        """Finds the log-ratio of data sets that differ in one record, in nats; it knows nothing about intervals."""
        members = [(group, member) for group in self.groups for member in group.members]
        found = [NO_LEAK]
        for (group, member), spread in zip(members, self.spreads, strict=True):
            if spread.neighbours is not None:
                subject = group.subject(member)
                value = self.noise.mechanism(self.scores.lattice).neighbour_loss(spread.neighbours)
                witness = Witness(subject.person, subject.who, *spread.values, None, self.scores.names)
                found.append(Found(value, witness if value.upper > 0 else None))
        return worst_of(found)

    def found(self, quantity: str) -> Found:
        if self._rates is None:
            return self._without_noise(quantity)
        found = [NO_LEAK]
        clipped, rates = self._decays
        for group, each in self._leaking(rates):
            # If none of this person's values is in a pair that must stay hidden, nothing is asked.
            if quantity == "ratio" and not each.pairs:
                continue
            quotients = each.problems(quantity)
            # Because lower ends hold only at outputs where all others cancel; upper ends come from any output.
            attained: NDArray[np.bool_] = np.tile(each.attained, len(quotients) // each.outputs)
            best = largest_over_laws(each.box, quotients, attained)
            place = best.problem // each.outputs
            witness = group.witness(each, *(each.pairs[place] if quantity == "ratio" else (place, None)))
            # With next to no noise likelihoods leave the doubles; what more noise leaks is then a lower end only.
            value = self._enclosed(group, best.lower, inf if clipped else best.upper)
            if quantity == "raised":
                value = Enclosure(value.lower, max(min(value.upper, _certainty(group, each.member)), value.lower))
            found.append(Found(value, witness))
        worst = worst_of(found)
        # Because a law that is not among those meant may be what attains the lower end.
        return Found(Enclosure(0.0, worst.value.upper), worst.witness) if self.around else worst

    def _enclosed(self, group: CredalGroup, among: float, upper: float) -> Enclosure:
        """Cuts the enclosure at what the noise allows between the group's ends: no group leaks more."""
        assert self._rates is not None
        most = nextafter(group.depth(self._rates), inf)
        lower = max(among * (1 - 64 * UNIT) - 64 * UNIT, 0.0)
        upper = min(max(upper * (1 + 64 * UNIT) + 64 * UNIT, 0.0), most)
        return Enclosure(min(lower, upper), upper)

    def _without_noise(self, name: str) -> Found:
        """Finds a quantity of exact answers: 0 where no answer moves, else anything, as far as is known.

        It serves Gaussian noise too, whose outputs far away say what the exact answer would.
        """
        # Because any law of the box may be the true one, and an exact answer may be at its end, nothing is promised but
        # that a chance does not rise beyond 1.
        found = [NO_LEAK]
        for group, member in self._telling:
            if name == "ratio" and not group.pairs_of(member):
                continue
            subject, upper = group.subject(member), _certainty(group, member) if name == "raised" else inf
            witness = Witness(subject.person, subject.who, answers=self.scores.names)
            found.append(Found(Enclosure(0.0, upper), witness))
        return worst_of(found)

    @cached_property
    def _rates(self) -> Array | None:
        """Returns the decay of exponential noise a lattice step (axes,); None for Gaussian noise and for none.

        Meaningless for another noise.
        """
        # Ratios settle at ±∞ under exponential noise only; others let some output say what the answer is.
        if self.noise.shape.exponential:
            return np.array([float(step) * rate_of(self.noise) for step in self.scores.lattice.steps])
        if not (self.noise.shape.gaussian or self.noise.shape.adds_nothing):
            raise Meaningless("noise.kind", self.noise.kind, "laplace, geometric or gaussian beside intervals")
        # Because even the δ is not bounded here for several Gaussian answers.
        if self.noise.shape.gaussian and self.scores.lattice.axes > 1:
            raise Meaningless("noise.kind", self.noise.kind, "laplace or geometric beside intervals: several answers")
        return None

    @cached_property
    def _decays(self) -> tuple[bool, Array]:
        """Returns whether likelihoods leave the range of doubles, and the steps over the scale.

        Where they do, the decays are those of a larger scale, which leaks less and so gives a lower bound only.
        """
        rates = self._rates
        assert rates is not None
        depth = max((group.depth(rates) for group in self.groups), default=0.0)
        return (True, rates * (DEEPEST / depth)) if depth > DEEPEST else (False, rates)

    def _leaking(self, rates: Array) -> Iterator[tuple[CredalGroup, CredalMember]]:
        """Yields each class of people whose group moves the answer, at these decays."""
        for group in self.groups:
            for member in group.members:
                found = group.leaking(member, rates)
                if found is not None:
                    yield group, found

    def delta(self, of: str, epsilon: float) -> float:
        """Returns the least δ at `epsilon` of the quantity `of`, over everybody, from above.

        Under one Gaussian answer it is that of a group alone under its worst law; else it follows from how far apart
        likelihoods are at all.
        """
        if self.noise.shape.gaussian and self._rates is None:
            most = 0.0
            for group, member in self._telling:
                most = max(most, self._of_group(group, member, of, epsilon, most))
            return most
        return super().delta(of, epsilon)

    def _of_group(self, group: CredalGroup, member: Member, of: str, epsilon: float, least: float) -> float:
        """Bounds the δ of one group's answer under any law of the box, loosely where it is no more than `least`."""
        # Because all records of one group may change at once, their L2 distance is what Gaussian noise has to hide.
        distance, scale = sqrt(float((group.ranges**2).sum())), self.noise.known_scale()
        # So that the bound exceeds the relative error of a computed Gaussian δ.
        moved = min(gaussian_delta(distance, scale, epsilon) * (1 + 1e-12), 1.0) if distance else 0.0
        compared = group.against(member, of, scale)
        if compared is None:
            return moved
        most = 0.0
        for each in compared:
            most = max(most, each.largest(epsilon, max(most, least)))
        return min(moved, most)

    def largest(self, of: str) -> Found:
        """Finds the largest quantity `of`, and whom it is about, without values: with a delta no output attains it."""
        most = super().largest(of)
        return Found(most.value, most.witness and Witness(most.witness.person, most.witness.who))

    @cached_property
    def _telling(self) -> list[tuple[CredalGroup, Member]]:
        return [(group, member) for group in self.groups for member in group.members if group.tells(member)]

    @property
    def log_ratio_bound(self) -> float:
        depths = [inf if self._rates is None else group.depth(self._rates) for group, _ in self._telling]
        return max(depths, default=0.0) * (1 + 64 * UNIT)

    def unknown(self, quantity: str) -> NoReturn:
        raise Meaningless("model", "probabilities that are intervals", f"a point law for {quantity}")


def _certainty(group: CredalGroup, member: Member) -> float:
    """Returns how far an output may raise the rarest value's chance, in nats: to 1."""
    rarest = group.rarest(member)
    return -log(rarest) * (1 + 4 * UNIT) if rarest > 0 else inf


@final
class CredalWorld(BoundedWorld[CredalGroups]):
    """The world of a set of laws of groups; InputError where the answer is no sum."""

    engine: ClassVar[str | None] = None

    def __init__(self, law: CredalGroups, scores: Scores, secrets: Secrets, engine: str | None = None) -> None:
        super().__init__(law, scores, secrets, engine)
        self.check_sums()

    @property
    def engines(self) -> list[tuple[str, str]]:
        """Returns the one engine of all groups: the worst law of a group, whatever the laws of the others are."""
        why = "the worst law within the intervals, where every group has a law of its own; other groups add nothing"
        return [("credal", why)]

    def channels(self, noise: Noise) -> Iterator[Channel]:
        """Yields one channel under `noise` for all people whose records are secrets."""
        spreads = [self.by_stratum[group.stratum(member)] for group in self._groups for member in group.members]
        yield _GroupChannel(self._groups, spreads, self.scores, noise, self.law.around)

    @cached_property
    def _groups(self) -> tuple[CredalGroup, ...]:
        """Returns one group for each block of the law, with the coordinates that others move too."""
        chosen = self.secrets.firsts(self.law.reference)
        moved = np.array([self._moved(place) for place in range(len(self.law.blocks))], dtype=bool)
        many = np.array([factor.count > 1 for factor in self.law.factors])
        found = []
        for place in range(len(self.law.blocks)):
            # A block of one group shares a coordinate only with other blocks; a block of many also with its own groups.
            others = np.delete(moved, place, axis=0).any(axis=0) | (moved[place] & many[place])
            found.append(CredalGroup(self.law, place, self.scores, self.secrets, chosen, others))
        return tuple(found)

    def _moved(self, place: int) -> list[bool]:
        """Says which coordinates a group of the block at that place moves."""
        rows = self.scores.indices[self.law.factors[place].slots]
        answers = self.law.blocks[place].counts @ rows
        return [bool(column.min() < column.max()) for column in answers.T]

    @property
    def groups(self) -> Sequence[IntArray]:
        return group_strata(self.law.reference)
