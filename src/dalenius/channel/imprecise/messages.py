"""What both sides of a record of a chain say about it, over all laws whose probabilities lie in intervals."""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from dalenius.channel.imprecise.patterns import patterns
from dalenius.joints.imprecise.chain import CredalChain
from dalenius.laws.imprecise.alternating import Range, ahead_at, alternates, beside, follows
from dalenius.laws.imprecise.past import NEAR, Bounds
from dalenius.laws.imprecise.ratios import closed
from dalenius.laws.imprecise.regions import Regions
from dalenius.laws.imprecise.search import Quantity, Search
from dalenius.laws.imprecise.short import ShortChain
from dalenius.laws.imprecise.sides import Pasts, Sides, ahead, behind, inner_of, places_of
from dalenius.laws.imprecise.turning import Turning
from dalenius.laws.law import Array

SHORTEST: Final = 4
LISTED: Final = 5
"""Records that are listed, of sets of which every step may follow: more are bounded closely without."""


class Ends(NamedTuple):
    """Both sides of every record, where an output lies far to one side of all answers."""

    past: Sides[Bounds]
    future: Sides[Range]


@final
class ChainMessages:
    """Of one chain, by the rate at which the log-density of the noise changes. of_sums: whether outputs are those of a
    noised sum of scores; else of whatever changes no faster with any record than it does."""

    def __init__(self, law: CredalChain, scores: Sequence[Array], rate: float, of_sums: bool = True) -> None:
        self.law, self._rate, self._of_sums = law, rate, of_sums
        self._scores = scores
        self.own = [rate * np.abs(each[:, None] - each[None]).sum(axis=2) for each in scores]

    @cached_property
    def ahead(self) -> Sides[Array]:
        return ahead(self.law.boxes, self.own, self.law.stratum)

    @cached_property
    def behind(self) -> Sides[Array]:
        return behind(self.law.boxes, self.own, self.law.stratum)

    @cached_property
    def pasts(self) -> Pasts | None:
        """None where there are more than two values, or rows from which one of them is next to impossible."""
        boxes = self.law.boxes
        if boxes.size != 2:
            return None
        ends = [boxes.rows[..., 1].ravel(), boxes.priors[..., 1].ravel()]
        inside = all(((each > NEAR) & (each < 1 - NEAR)).all() for each in ends)
        return Pasts(boxes, self.law.stratum) if inside else None

    @cached_property
    def alternating(self) -> bool:
        """Whether the worst outputs of either side of a record are known (Result 21.38)."""
        return self._of_sums and self.pasts is not None and alternates(self.law.boxes, self._scores)

    @cached_property
    def turning(self) -> Turning | None:
        """What both sides add at any output, of steps that may follow or alternate (Result 21.43)."""
        boxes, steps = self.law.boxes, {tuple((each[1] - each[0]).tolist()) for each in self._scores}
        if (
            not self._of_sums
            or self.pasts is None
            or len(steps) > 1
            or follows(boxes, self._scores)
            or self.alternating
        ):
            return None
        return Turning(boxes, float(self.own[0][0, 1]))

    @cached_property
    def _apart(self) -> Sides[Bounds]:
        """The past of each record by its own law, of those."""
        assert self.turning is not None
        assert self.pasts is not None
        states = [self.turning.past.states[at] for at in self.turning.past.at[1:]]
        return self.pasts.apart(float(self.own[0][0, 1]), [(each.turned_up, each.turned_down) for each in states])

    @cached_property
    def before(self) -> Sides[Bounds] | None:
        """The past by the record's own law; None where `pasts` is."""
        return None if self.pasts is None else self.pasts.bounds([(-each[0, 1], each[0, 1]) for each in self.own])

    @cached_property
    def _ends(self) -> list[Ends]:
        """Of an alternating chain, at outputs far above all answers, and far below."""
        assert self.pasts is not None
        own = float(self.own[0][0, 1])
        return [
            Ends(
                self.pasts.bounds([(sign * own,) * 2] * len(self.own)),
                ahead_at(self.law.boxes, np.full(len(self.law.boxes), sign * own)),
            )
            for sign in (1.0, -1.0)
        ]

    @cached_property
    def places(self) -> list[int]:
        """A record of every class of records with the same bounds."""
        if self._is_short:
            return list(range(len(self.law.boxes)))
        priors = np.unique(self.law.boxes.priors, axis=0, return_inverse=True)[1].ravel()
        if self.alternating:
            return places_of([side.at for ends in self._ends for side in (ends.past, ends.future)] + [priors])
        if self.turning is not None:
            both = np.unique(self.turning.both, axis=0, return_inverse=True)[1].ravel()
            return inner_of([self._apart.at, self.turning.future.at, both, priors])
        past = self.behind.at if self.before is None else self.before.at
        return places_of([self.ahead.at, past, self.law.stratum, priors])

    def regions(self, place: int, values: Sequence[int]) -> Regions:
        """Of one record, from 0, and these of its values."""
        if self.pasts is not None:
            return self._of_cells(place)
        low, high = self.law.boxes.priors[place]
        far = self.ahead.states[self.ahead.at[place]] + self.own[self.law.stratum[place]]
        kept = np.ix_(values, values)
        above = closed(far + self.behind.states[self.behind.at[place]])
        return Regions(low[None, values], high[None, values], above[kept][None])

    def _of_cells(self, place: int) -> Regions:
        assert self.pasts is not None
        cells = self.pasts.cells
        if self.alternating:
            raised, lowered, there = self._alternating(place)
        elif self.turning is not None:
            raised, lowered, there = self._turned(self.turning, place)
        else:
            raised, lowered, there = self._mixed(place)
        if self._is_short:
            most = self._short.above(place, self.pasts)
            raised, lowered = np.minimum(raised, most[0]), np.minimum(lowered, most[1])
        above = np.zeros((int(there.sum()), 2, 2))
        above[:, 1, 0], above[:, 0, 1] = raised[there], lowered[there]
        between = self.law.boxes.priors[place][:, 1]
        ends = [1 / (1 + np.exp(-each[there])) for each in (cells.low, cells.high)]
        low, high = np.maximum(ends[0] * (1 - NEAR), between[0]), np.minimum(ends[1] * (1 + NEAR), between[1])
        low, high = np.minimum(low, high), np.maximum(low, high)
        return Regions(np.stack([1 - high, low], axis=1), np.stack([1 - low, high], axis=1), above)

    def _mixed(self, place: int) -> tuple[Array, Array, NDArray[np.bool_]]:
        """By cell, how far the likelihood given 1 is above that given 0 and the other way round, at most, where any
        record may be at its worst output; and which cells are reached."""
        assert self.before is not None
        assert self.pasts is not None
        far = self.ahead.states[self.ahead.at[place]] + self.own[self.law.stratum[place]]
        past = self.before.states[self.before.at[place]]
        low, high = past.ends(self.pasts.cells)
        return np.maximum(high, 0.0) + far[1, 0], np.maximum(-low, 0.0) + far[0, 1], past.reached

    def _turned(self, turning: Turning, place: int) -> tuple[Array, Array, NDArray[np.bool_]]:
        """The same where all records' scores are as far apart."""
        assert self.pasts is not None
        past = self._apart.states[self._apart.at[place]]
        low, high = past.ends(self.pasts.cells)
        raised, lowered = turning.most(place, np.stack([high, -low]))
        return raised, lowered, past.reached

    def _alternating(self, place: int) -> tuple[Array, Array, NDArray[np.bool_]]:
        """The same where the worst outputs are known: the smaller of what the past allows and what the future does."""
        assert self.pasts is not None
        own = float(self.own[0][0, 1])
        pasts = [each.past.states[each.past.at[place]] for each in self._ends]
        futures = [each.future.states[each.future.at[place]] for each in self._ends]
        above, below = (each.ends(self.pasts.cells) for each in pasts)
        far, near = ((np.array(each.lower), np.array(each.upper)) for each in futures)
        by_past, by_future = beside(own, above, below), beside(own, far, near)
        raised, lowered = (np.minimum(one, other) for one, other in zip(by_past, by_future, strict=True))
        return raised, lowered, pasts[0].reached & pasts[1].reached

    @cached_property
    def _short(self) -> ShortChain:
        return ShortChain(self.law.boxes, self._scores, self.law.stratum, self._rate)

    @cached_property
    def _is_short(self) -> bool:
        """Sets whose steps are all of one sign are bounded well without, but the shortest."""
        if not self._of_sums or self.pasts is None or not self._short.fits:
            return False
        if self.turning is not None and self.turning.may_follow:
            return len(self.law.boxes) <= LISTED
        one_sign = self.alternating or follows(self.law.boxes, self._scores)
        return not one_sign or len(self.law.boxes) <= SHORTEST

    def attained(self, place: int, values: Sequence[int], quantity: Quantity) -> float:
        """The most a law was found to attain, for any signs of an output far away; from below."""
        found = 0.0
        for signs in patterns(self._scores[0].shape[1]):
            search = self._search(place, signs)
            value, point = search.best(lambda prior, logs: quantity(prior[:, values], logs[:, values]))
            found = max(found, value - 2 * point.error * (1 + abs(value)))
        return found

    @lru_cache(maxsize=64)  # noqa: B019 (of one noise, of which an audit asks several quantities)
    def _search(self, place: int, signs: tuple[float, ...]) -> Search:
        by_stratum = [self._rate * (each @ np.array(signs)) for each in self._scores]
        return Search(self.law.boxes, np.stack([by_stratum[i] for i in self.law.stratum]), place)
