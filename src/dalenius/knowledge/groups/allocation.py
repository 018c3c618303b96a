"""The worst way to spend what may be known on independent groups, by branch and bound. Knows no model and no notion.

Groups come in types; a group is left as it is, or one of its type's *options* is bought, at so many known records. Left
as it is, and with most options, a group still blurs the answer: it is a *source*. A bought option that blurs nothing is
*dead*. A sum with one more independent group in it is a post-processing of the sum without, so that fewer sources leak
more. Hence, for all allocations in a box, that with the fewest of each source bounds what is read; the box is halved
until the bound is attained, or the looks are spent.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Final, TypeAlias, final

from dalenius.bounds import Enclosure

SAME: Final = 1e-10
"""Relatively: no need to look closer."""


def rough(value: float) -> float:
    """What orders are decided by: to six digits, so that what is equal but for rounding keeps the order it came in."""
    return float(f"{value:.6g}")


Powers: TypeAlias = tuple[tuple[int, ...], ...]
"""By type and option, a number of groups."""


@final
@dataclass(frozen=True)
class Buyable:
    """A type of group: how many there are, and by option what it costs and whether it is dead."""

    groups: int
    costs: tuple[int, ...]
    dead: tuple[bool, ...]

    def sources(self, bought: Sequence[int]) -> tuple[int, ...]:
        """How many groups are left as they are, and how many have each option; 0 for dead ones."""
        kept = (0 if dead else n for n, dead in zip(bought, self.dead, strict=True))
        return (self.groups - sum(bought), *kept)

    def paid(self, bought: Sequence[int]) -> int:
        """In records."""
        return sum(cost * n for cost, n in zip(self.costs, bought, strict=True))


@final
@dataclass(frozen=True)
class _Best:
    """The worst allocation found and what was read there; no allocation is above `upper`."""

    bought: Powers
    value: Enclosure
    upper: float


@final
@dataclass(frozen=True)
class _Box:
    """From how many to how many are bought."""

    low: Powers
    high: Powers


@final
class Search:
    """look: reads from the numbers of sources, by type; falls as they grow. beaten: what is no more than this is of no
    interest. looks: how often it may look."""

    def __init__(
        self, types: Sequence[Buyable], budget: int, look: Callable[[Powers], Enclosure], beaten: float, looks: int
    ) -> None:
        self._types, self._budget = tuple(types), budget
        self._look, self._beaten, self._looks = look, beaten, looks
        self._seen: dict[Powers, Enclosure] = {}
        self._best: _Best | None = None
        self._heap: list[tuple[float, int, float, _Box]] = []
        self._boxes = 0

    @property
    def looked(self) -> int:
        return len(self._seen)

    def fewest(self) -> Powers:
        """Of each source, the fewest the budget may leave."""
        tight = self._tightened(self._everything)
        assert tight is not None  # it holds to buy nothing
        return self._fewest(tight)

    @property
    def _everything(self) -> _Box:
        low = tuple((0,) * len(each.costs) for each in self._types)
        return _Box(low, tuple((each.groups,) * len(each.costs) for each in self._types))

    def worst(self) -> _Best:
        closed = self._open(self._everything)
        while self._heap:
            _, _, top, box = heappop(self._heap)
            if top <= self._enough or len(self._seen) >= self._looks:
                closed = max(closed, top, *(above for _, _, above, _ in self._heap))
                break
            closed = max(closed, *(self._open(half) for half in _halves(box)))
        assert self._best is not None
        return _Best(self._best.bought, self._best.value, max(closed, self._best.value.upper))

    @property
    def _enough(self) -> float:
        found = self._best.value.lower if self._best is not None else 0.0
        return max(found, self._beaten) * (1 + SAME)

    def _open(self, box: _Box) -> float:
        """Looks at a box and keeps it if it may hold the worst; else what none in it is above."""
        tight = self._tightened(box)
        if tight is None:
            return 0.0
        fewest, bought = self._fewest(tight), self._filled(tight)
        exact = tuple(each.sources(n) for each, n in zip(self._types, bought, strict=True))
        bound = self._read(fewest)
        if self._best is None or bound.upper > self._enough:
            found = self._read(exact)
            if self._best is None or found.lower > self._best.value.lower * (1 + SAME):
                self._best = _Best(bought, found, found.upper)
        if exact == fewest or bound.upper <= self._enough:
            return bound.upper
        self._boxes += 1
        heappush(self._heap, (-rough(bound.upper), self._boxes, bound.upper, tight))
        return 0.0

    def _read(self, powers: Powers) -> Enclosure:
        if powers not in self._seen:
            self._seen[powers] = self._look(powers)
        return self._seen[powers]

    def _tightened(self, box: _Box) -> _Box | None:
        """Without what cannot be paid for, or is more than all groups; None where nothing is left."""
        spare = self._spare(box.low)
        left = [each.groups - sum(low) for each, low in zip(self._types, box.low, strict=True)]
        if spare < 0 or min(left, default=0) < 0:
            return None
        high = tuple(
            tuple(min(b, a + spare // cost, a + free) for a, b, cost in zip(lows, highs, each.costs, strict=True))
            for each, lows, highs, free in zip(self._types, box.low, box.high, left, strict=True)
        )
        return _Box(box.low, high)

    def _spare(self, bought: Powers) -> int:
        return self._budget - sum(each.paid(row) for each, row in zip(self._types, bought, strict=True))

    def _fewest(self, box: _Box) -> Powers:
        """Of each source, the fewest any allocation in the box may leave."""
        spare = self._spare(box.low)
        found = []
        for each, low, high in zip(self._types, box.low, box.high, strict=True):
            kept, *options = each.sources(low)
            money = spare
            for cost, more in sorted((c, b - a) for c, a, b in zip(each.costs, low, high, strict=True)):
                taken = min(more, money // cost, kept)
                kept, money = kept - taken, money - taken * cost
            found.append((kept, *options))
        return tuple(found)

    def _filled(self, box: _Box) -> Powers:
        """The box's least allocation, and what dead options the rest buys, in the order of the types."""
        spare, found = self._spare(box.low), []
        for each, low, high in zip(self._types, box.low, box.high, strict=True):
            own, left = list(low), each.groups - sum(low)
            for cost, option in sorted((cost, i) for i, cost in enumerate(each.costs) if each.dead[i]):
                taken = min(high[option] - own[option], spare // cost, left)
                own[option], spare, left = own[option] + taken, spare - taken * cost, left - taken
            found.append(tuple(own))
        return tuple(found)


def _halves(box: _Box) -> Iterator[_Box]:
    """Cut where it is widest."""
    places = [(t, o) for t, low in enumerate(box.low) for o in range(len(low))]
    t, o = max(places, key=lambda place: box.high[place[0]][place[1]] - box.low[place[0]][place[1]])
    low, high = box.low[t][o], box.high[t][o]
    middle = (low + high) // 2
    yield _Box(box.low, _with(box.high, t, o, middle))
    yield _Box(_with(box.low, t, o, middle + 1), box.high)


def _with(powers: Powers, t: int, o: int, value: int) -> Powers:
    row = (*powers[t][:o], value, *powers[t][o + 1 :])
    return (*powers[:t], row, *powers[t + 1 :])
