"""The channel of everybody in groups of which each has some law of a credal set (Theory §21)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, reduce
from math import exp, inf, nextafter
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT, Enclosure, largest
from dalenius.channel.credal.attained import Attained
from dalenius.channel.credal.deltas import Deltas
from dalenius.channel.credal.group import DEEPEST, CredalGroup
from dalenius.channel.credal.member import CredalMember
from dalenius.channel.credal.set_channel import SetChannel
from dalenius.channel.leakage import worst_of
from dalenius.channel.sensitivity.sensitivity import Spread
from dalenius.channel.witness import Divergence, Found, Movement, Witness
from dalenius.errors import Meaningless, TooLarge
from dalenius.laws.credal.box import Box
from dalenius.laws.credal.quotients import Quotients
from dalenius.laws.credal.supremum import Supremum, supremum
from dalenius.laws.credal.unbounded import bounds_of
from dalenius.laws.law import Array
from dalenius.noise import Noise
from dalenius.noise.laplace import decays
from dalenius.queries import Scores

NOTHING: Final = Found(Enclosure(0.0, 0.0))


@final
class CredalChannel(SetChannel):
    """Every enclosure is of the worst law of the set, every group with one of its own: no law exceeds its upper end,
    which is that of a group alone (Result 21.1), and one comes as close to its lower end as one likes, at an output
    where the rest cancels (Result 21.2). spreads: how far a record of each group's members moves the answer;
    attained: what laws of the set leak with a delta."""

    def __init__(
        self,
        groups: Sequence[CredalGroup],
        spreads: Sequence[Spread],
        scores: Scores,
        noise: Noise,
        attained: Attained,
    ) -> None:
        self._attained = attained
        self._groups = groups
        self._spreads = spreads
        self._scores = scores
        self._noise = noise

    def neighbours(self) -> Found:
        members = [(group, member) for group in self._groups for member in group.members]
        found = [NOTHING]
        for (group, member), spread in zip(members, self._spreads, strict=True):
            if spread.neighbours is not None:
                subject = group.subject(member)
                value = self._noise.neighbour_loss(spread.neighbours, self._scores.lattice)
                witness = Witness(subject.person, subject.who, *spread.values, None, self._scores.names)
                found.append(Found(value, witness if value.upper > 0 else None))
        return worst_of(found)

    def ratio(self) -> Found:
        return self._ratio

    @cached_property
    def _ratio(self) -> Found:
        return self._largest(lambda each: each.ratios, lambda each, place: each.pairs[place])

    def movement(self, lowering: float = 1.0) -> Movement:
        return Movement.of(self._raised, self._lowered, lowering)

    def raised_most(self, worth: float) -> float:
        return self._largest(lambda each: each.raised, lambda each, place: (place, None), worth).value.upper

    @cached_property
    def _raised(self) -> Found:
        return self._largest(lambda each: each.raised, lambda each, place: (place, None))

    @cached_property
    def _lowered(self) -> Found:
        return self._largest(lambda each: each.lowered, lambda each, place: (place, None))

    def knowing(self) -> Found:
        """The most that is leaked to whoever knows any other records. TooLarge where that may be more than doubles can
        hold."""
        if self._noise.gaussian_deviation:
            raise Meaningless("noise.kind", self._noise.kind, "laplace or geometric beside intervals")
        if not self._noise.exponential:
            return self._without_noise()
        clipped, rates = self._decays
        if clipped:
            raise TooLarge("notion bayesian", f"a scale of {self._noise.known_scale():g}", "add more noise")
        members = [(group, member) for group in self._groups for member in group.members]
        return worst_of([NOTHING, *(group.knowing(member, rates) for group, member in members)])

    def divergence(self) -> Divergence:
        """Above: log-ratios of posterior and prior between -lowered and raised, of which the mean of e^-x, or e^x, is
        1, have the largest mean where they take the two ends only (Result 21.7); of two secrets, all priors (Result
        21.6). Below: at laws of the set."""
        raised, lowered = self._raised.value.upper, self._lowered.value.upper
        if self._noise.adds_nothing:
            found = Found(self._raised.value, self._raised.witness)
            return Divergence(found, found)
        forward = self._diverging(False, two_points(raised, lowered))
        return Divergence(forward, self._diverging(True, two_points(lowered, raised)))

    def _diverging(self, reverse: bool, most: float) -> Found:
        found = [NOTHING]
        clipped, rates = self._decays
        for group, each in self._leaking(rates):
            _, secret, output, best = each.farthest(reverse, False)
            lower = best if each.attained[output] else each.farthest(reverse, True)[3]
            within = each.secrets == 2 and not clipped and self._lowered.value.upper < inf
            upper = min(most, each.divergence_within(best, reverse)) if within else most
            lower = max(lower * (1 - 64 * UNIT) - 64 * UNIT, 0.0)
            witness = group.witness(each, output, secret, None)
            found.append(Found(Enclosure(min(lower, upper), upper), witness))
        return worst_of(found)

    def _largest(
        self,
        problems: Callable[[CredalMember], Quotients],
        secrets: Callable[[CredalMember, int], tuple[int, int | None]],
        worth: float = 0.0,
    ) -> Found:
        if self._noise.adds_nothing:
            return self._without_noise()
        found = [NOTHING]
        clipped, rates = self._decays
        # Those whose answers are farthest apart first: of the others it is seen that they leak less, no more.
        for group, each in sorted(self._leaking(rates), key=lambda each: -each[0].depth(rates)):
            quotients = problems(each)
            attained: NDArray[np.bool_] = np.tile(each.attained, len(quotients) // each.outputs)
            best, upper = _best(each.box, quotients, attained, rates is None, worth)
            place, output = divmod(best.problem, each.outputs)
            witness = group.witness(each, output, *secrets(each, place))
            found.append(Found(self._enclosed(group, best.among, inf if clipped else upper), witness))
            worth = max(worth, best.among)
        return worst_of(found)

    def _enclosed(self, group: CredalGroup, among: float, upper: float) -> Enclosure:
        """No group leaks more than the noise between its ends."""
        most = nextafter(group.depth(self._rates), inf)
        lower = max(among * (1 - 64 * UNIT) - 64 * UNIT, 0.0)
        upper = min(max(upper * (1 + 64 * UNIT) + 64 * UNIT, 0.0), most)
        return Enclosure(min(lower, upper), upper)

    def _without_noise(self) -> Found:
        """Nothing where no answer moves; else anything, as far as is known."""
        for group in self._groups:
            for member in group.members:
                if group.tells(member):
                    subject = group.subject(member)
                    return Found(Enclosure(0.0, inf), Witness(subject.person, subject.who, answers=self._scores.names))
        return NOTHING

    @cached_property
    def _rates(self) -> Array | None:
        """Of exponential noise; None of Gaussian. Meaningless for another, and for Gaussian on several answers."""
        if self._noise.exponential:
            return np.array(decays(self._scores.lattice, self._noise.known_scale()))
        if not self._noise.gaussian_deviation:
            raise Meaningless("noise.kind", self._noise.kind, "laplace, geometric or gaussian beside intervals")
        if self._scores.lattice.axes > 1:
            raise Meaningless("noise.kind", self._noise.kind, "laplace or geometric beside intervals: several answers")
        return None

    @cached_property
    def _decays(self) -> tuple[bool, Array | None]:
        """Steps over the scale; where likelihoods leave the range of doubles, of a larger scale, which leaks less:
        then a lower bound only."""
        rates = self._rates
        if rates is None:
            return False, None
        depth = max((group.depth(rates) for group in self._groups), default=0.0)
        return (True, rates * (DEEPEST / depth)) if depth > DEEPEST else (False, rates)

    def _leaking(self, rates: Array | None) -> Iterator[tuple[CredalGroup, CredalMember]]:
        for group in self._groups:
            for member in group.members:
                found = group.leaking(member, rates)
                if found is not None:
                    yield group, found

    def ratio_at(self, delta: float) -> Found:
        return self._least("ratio", delta)

    def profile(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        return self._delta("ratio", epsilon, worth)

    def raised_at(self, delta: float) -> Found:
        return self._least("raised", delta)

    def lowered_at(self, delta: float) -> Found:
        return self._least("lowered", delta)

    def raising(self, epsilon: float, worth: float = 0.0) -> Enclosure:
        return self._delta("raised", epsilon, worth)

    def _delta(self, kind: str, epsilon: float, worth: float) -> Enclosure:
        if self._noise.adds_nothing:
            return Enclosure(0.0, 1.0 if self._without_noise().value.upper else 0.0)
        found = [(each.delta(epsilon, worth), each) for each in self._deltas(kind)]
        value = reduce(largest, (each for each, _ in found), Enclosure(0.0, 0.0))
        if value.lower == 0 < value.upper:
            # Of those that may need most.
            _, worst = max(found, key=lambda each: round(each[0].upper, 12))
            return Enclosure(min(worst.attained_delta(epsilon), value.upper), value.upper)
        return value

    def _least(self, kind: str, delta: float) -> Found:
        if self._noise.adds_nothing:
            return self._without_noise()
        found = [(each.epsilon(delta), each) for each in self._deltas(kind)]
        best = worst_of([NOTHING, *(each for each, _ in found)])
        if best.value.lower == 0 < best.value.upper < inf:
            _, worst = max(found, key=lambda each: round(each[0].value.upper, 12))
            lower = worst.attained_epsilon(delta, best.value.upper)
            return Found(Enclosure(min(lower, best.value.upper), best.value.upper), best.witness)
        return best

    @lru_cache(maxsize=4)  # noqa: B019 (of one noise, of which a search asks several epsilons)
    def _deltas(self, kind: str) -> tuple[Deltas, ...]:
        most = inf
        if self._rates is not None:
            most = {"ratio": self._ratio, "raised": self._raised, "lowered": self._lowered}[kind].value.upper
        return tuple(
            Deltas(group, member, self._noise, kind, most, group.depth(self._rates) * (1 + 64 * UNIT), self._attained)
            for group in self._groups
            for member in group.members
            if group.tells(member)
        )


def _best(
    box: Box, problems: Quotients, attained: NDArray[np.bool_], exact: bool, worth: float
) -> tuple[Supremum, float]:
    """The supremum and its upper end; exact: whether the problems are of exact answers, which laws may rule out; worth:
    see `supremum`."""
    if not exact:
        found = supremum(box, problems, attained, worth)
        return found, found.upper
    bounds = bounds_of(box, problems)
    endless = np.flatnonzero(bounds.endless & attained)
    if len(endless):
        return Supremum(inf, inf, box.point, int(endless[0]), inf), inf
    kept = np.flatnonzero(bounds.bounded)
    if not len(kept):
        return Supremum(0.0, inf, box.point, 0, 0.0), inf
    found = supremum(box, problems[kept], attained[kept])
    known = bounds.bounded | (problems.above @ box.upper == 0)
    place = replace(found, problem=int(kept[found.problem]))
    return place, found.upper if known.all() else inf


def two_points(far: float, near: float) -> float:
    """The largest mean of x in [-near, far] with mean of e^-x equal to 1: w far - (1 - w) near, rounded up."""
    if far <= 0 or near <= 0:
        return 0.0
    if far == inf or near == inf:
        return far
    low, high = exp(-far), exp(near) if near < DEEPEST else inf
    share = 1.0 if high == inf else (high - 1) / (high - low)
    return min((share * far - (1 - share) * near) * (1 + 64 * UNIT) + 64 * UNIT * (far + near), far)
