"""The worst allocation of known records to independent groups, by branch and bound; independent of model and notion.

Groups come in types; a group is left as it is, or one of its type's *options* is bought at a cost in known records. A
group left as it is, or with most options, still adds randomness to the answer: it is a *source*. An option that adds no
randomness is *dead*. A sum with one more independent group is a post-processing of the sum without it, so that fewer
sources leak more. Hence the allocation with the fewest of each source bounds the reading of all allocations in a box;
the box is halved until the bound is attained, or the evaluations run out.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Final, TypeAlias, final

from dalenius.bounds import Enclosure

SAME: Final = 1e-10
"""A relative difference that needs no further search."""


def rough(value: float) -> float:
    """A sorting key: six digits, so that values equal up to rounding keep their order."""
    return float(f"{value:.6g}")


Powers: TypeAlias = tuple[tuple[int, ...], ...]
"""Numbers of groups, by type and option."""


@final
@dataclass(frozen=True)
class Buyable:
    """A type of group: how many there are, and each option's cost and whether it is dead."""

    groups: int
    costs: tuple[int, ...]
    dead: tuple[bool, ...]

    def sources(self, bought: Sequence[int]) -> tuple[int, ...]:
        """How many groups are left as they are, and how many have each option; 0 for dead ones."""
        kept = (0 if dead else n for n, dead in zip(bought, self.dead, strict=True))
        return (self.groups - sum(bought), *kept)

    def paid(self, bought: Sequence[int]) -> int:
        """The cost, in records."""
        return sum(cost * n for cost, n in zip(self.costs, bought, strict=True))


@final
@dataclass(frozen=True)
class _Best:
    """The worst allocation found and its reading; no allocation is above `upper`."""

    bought: Powers
    value: Enclosure
    upper: float


@final
@dataclass(frozen=True)
class _Box:
    """The least and the largest number bought of each option."""

    low: Powers
    high: Powers


@final
class Search:
    """look: the reading, from the numbers of sources by type; it falls as they grow. beaten: readings up to this do not
    matter. looks: the most evaluations."""

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
        """The fewest of each source that the budget may leave."""
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
        """Evaluates a box; 0 if it is queued, as it may hold the worst, else an upper bound on its readings."""
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
        """The box without allocations beyond the budget or the number of groups; None where none is left."""
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
        """The fewest of each source that any allocation in the box may leave."""
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
        """The box's least allocation, plus the dead options that the rest of the budget buys, in the order of types."""
        spare, found = self._spare(box.low), []
        for each, low, high in zip(self._types, box.low, box.high, strict=True):
            own, left = list(low), each.groups - sum(low)
            for cost, option in sorted((cost, i) for i, cost in enumerate(each.costs) if each.dead[i]):
                taken = min(high[option] - own[option], spare // cost, left)
                own[option], spare, left = own[option] + taken, spare - taken * cost, left - taken
            found.append(tuple(own))
        return tuple(found)


def _halves(box: _Box) -> Iterator[_Box]:
    """The box cut in two where it is widest."""
    places = [(t, o) for t, low in enumerate(box.low) for o in range(len(low))]
    t, o = max(places, key=lambda place: box.high[place[0]][place[1]] - box.low[place[0]][place[1]])
    low, high = box.low[t][o], box.high[t][o]
    middle = (low + high) // 2
    yield _Box(box.low, _with(box.high, t, o, middle))
    yield _Box(_with(box.low, t, o, middle + 1), box.high)


def _with(powers: Powers, t: int, o: int, value: int) -> Powers:
    row = (*powers[t][:o], value, *powers[t][o + 1 :])
    return (*powers[:t], row, *powers[t + 1 :])
