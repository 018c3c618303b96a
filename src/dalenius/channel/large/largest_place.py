"""The record of a long chain about which an answer says most, from a few records: stretches are halved where needed.

Every stretch of records between two that are evaluated has a bound. A stretch is halved while its bound exceeds what
some record is known to leak.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from dalenius.bounds import Enclosure
from dalenius.channel.leakage import Found, worst_of
from dalenius.joints.chosen_windows import Stretch

Read = Callable[[Sequence[int]], Sequence[Sequence[Found]]]
"""Encloses several quantities of each record, by place."""
AtMost = Callable[[Stretch, Sequence[Found], Sequence[Found]], Sequence[float]]
"""Bounds the first of the quantities of all records inside a stretch, from those of its ends."""
_NARROW: Final = 4e-9
"""Share of the largest leakage by which records that are not evaluated may exceed it."""
_TOGETHER: Final = 16
"""Stretches that are halved together."""


def largest_place(stretches: Sequence[Stretch], read: Read, at_most: AtMost, most: int) -> list[Found]:
    """Encloses the largest of several quantities over all records of some stretches.

    A parabola over the numbers from 0 to 1000, whose chords lie below it by h²/8 at most:

    >>> seen = []
    >>> def heights(places):
    ...     seen.extend(places)
    ...     return [[Found(Enclosure(1e6 - (x - 300) ** 2, 1e6 - (x - 300) ** 2))] for x in places]
    >>> def above(stretch, one, other):
    ...     return [max(one[0].value.upper, other[0].value.upper) + (stretch.last - stretch.first) ** 2 / 4]
    >>> (found,) = largest_place([Stretch(0, 1000, 1)], heights, above, 500)
    >>> found.value.lower, found.value.upper, len(seen) < 40
    (1000000.0, 1000000.0, True)

    Args:
        stretches: All records, as stretches between neighbours.
        read: Encloses the quantities of some records.
        at_most: Bounds those of the records between.
        most: How many records may be evaluated. Then the largest bound that is left is the upper end.
    """
    known: dict[int, Sequence[Found]] = {}

    def evaluate(places: Sequence[int]) -> None:
        new = sorted(set(places) - known.keys())
        known.update(zip(new, read(new), strict=True))

    def bounded(some: Sequence[Stretch]) -> Iterator[tuple[Sequence[float], Stretch]]:
        for each in some:
            if each.steps > 1:
                yield at_most(each, known[each.first], known[each.last]), each

    evaluate([place for each in stretches for place in (each.first, each.last)])
    left = list(bounded(stretches))
    while True:
        lowers = [max(found.value.lower for found in every) for every in zip(*known.values(), strict=True)]
        enough = [low * (1 + _NARROW) for low in lowers]
        over = [(max(a - b for a, b in zip(tops, enough, strict=False)), *pair) for *pair, tops in _turned(left)]
        wide = sorted((each for each in over if each[0] > 0), key=lambda each: -each[0])[:_TOGETHER]
        if not wide or len(known) + len(wide) > most:
            break
        chosen = {each[1] for each in wide}
        halves = [half for each in chosen for half in each.halves()]
        evaluate([half.last for half in halves])
        left = [pair for pair in left if pair[1] not in chosen] + list(bounded(halves))
    found = [worst_of(every) for every in zip(*(known[place] for place in sorted(known)), strict=True)]
    tops = [max(every) for every in zip(*(tops for tops, _ in left), strict=True)] if left else [0.0] * len(found)
    return [
        Found(Enclosure(each.value.lower, max(each.value.upper, top)), each.witness)
        for each, top in zip(found, tops, strict=False)
    ]


def _turned(pairs: Sequence[tuple[Sequence[float], Stretch]]) -> Iterator[tuple[Stretch, Sequence[float]]]:
    for tops, each in pairs:
        yield each, tops


def stretches_of(n: int, step: int) -> list[Stretch]:
    """Splits n records into stretches of one phase each, which double from either end.

    Records of one phase are `step` apart.

    >>> [(each.first, each.last) for each in stretches_of(10, 1)]
    [(0, 1), (1, 2), (2, 4), (4, 5), (5, 7), (7, 8), (8, 9)]
    """
    found = []
    for phase in range(min(step, n)):
        count = (n - 1 - phase) // step
        near = [0, *(1 << power for power in range(max(count, 1).bit_length() - 1))]
        ends = sorted(
            {each for each in near if 2 * each <= count} | {count - each for each in near if 2 * each <= count}
        )
        places = [phase + each * step for each in ends]
        found += [Stretch(a, b, step) for a, b in pairwise(places)] or [Stretch(phase, phase, step)]
    return found
