"""Functions of the output along the line: where they change sign, where they are positive, and their largest value."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from tests.reference.channel import Amount, Channel, Found, Real, Vector, mp, real

SCAN = 160
GOLDEN = 110


def steps(low: Real, high: Real, scale: Real) -> list[Real]:
    """From low to high by two scales at most."""
    count = int(mp.ceil((high - low) / (2 * scale)))
    return [low + (high - low) * k / count for k in range(count + 1)]


def split(channel: Channel, kinks: Sequence[Amount], left: Real, right: Real) -> list[Real]:
    """[left, right], cut where the sign of a kink changes."""
    return sorted({left, right, *(cut for kink in kinks for cut in _changes(channel, kink, left, right))})


def _changes(channel: Channel, kink: Amount, left: Real, right: Real) -> list[Real]:
    """Ratios are monotone between two answers, so that there is one change at most (Theory §3); under normal noise the
    cell is short enough. Half the digits do: what is summed bends there and does not jump, so that a cut a little off
    counts with its square."""

    def positive(y: Real) -> bool:
        return bool(kink(channel.likelihoods([y])) > 0)

    low, high, first = left, right, positive(left)
    if first == positive(right):
        return []
    for _ in range(mp.prec // 2 + 10):
        middle = (low + high) / 2
        low, high = (middle, high) if positive(middle) == first else (low, middle)
    return [low]


def above(height: Callable[[Real], Real], first: Real, last: Real, samples: int) -> Iterator[tuple[Real, Real]]:
    """The intervals on which a function is positive, by its changes of sign between samples, to which the
    places where it dips are added."""
    places = [first + (last - first) * k / samples for k in range(samples + 1)]
    heights = [height(place) for place in places]
    dips = [k for k in range(1, samples) if 0 < heights[k] <= min(heights[k - 1], heights[k + 1])]
    places += [_lowest(height, places[k - 1], places[k + 1]) for k in dips]
    places += [_lowest(height, places[0], places[1]), _lowest(height, places[samples - 1], places[samples])]
    places.sort()
    heights = [height(place) for place in places]
    for (left, right), (start, end) in zip(pairwise(places), pairwise(heights), strict=True):
        if start > 0 and end > 0:
            yield left, right
        elif start > 0 or end > 0:
            low, high = left, right
            for _ in range(90):
                middle = (low + high) / 2
                if (height(middle) > 0) == (start > 0):
                    low = middle
                else:
                    high = middle
            yield (left, low) if start > 0 else (high, right)


def _lowest(height: Callable[[Real], Real], low: Real, high: Real) -> Real:
    """Where a function with a single dip is least, by thirds."""
    for _ in range(60):
        one, other = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, other) if height(one) < height(other) else (one, high)
    return (low + high) / 2


def peak(channel: Channel, at: Callable[[Vector], Found], scale: Real) -> Found:
    """Normal noise on one axis: the limits on either side, and every peak that a scan of the answers' range sees. The
    posterior changes over lengths of σ²/(range of the answers) or of σ."""
    axis = channel.axes[0]
    away = 6 * scale + 40 * scale**2
    low, high = real(axis[0]) - away, real(axis[-1]) + away
    inner = [real(axis[0]) - scale + (real(axis[-1] - axis[0]) + 2 * scale) * k / SCAN for k in range(SCAN + 1)]
    outer = [low + (high - low) * k / SCAN for k in range(SCAN + 1)]
    outputs = sorted({*inner, *outer})
    seen = [at((output,)) for output in outputs]
    found = [at((-mp.inf,)), at((mp.inf,))]
    order = sorted(range(1, len(seen) - 1), key=lambda i: -seen[i].value)
    tops = [i for i in order if seen[i - 1].value <= seen[i].value >= seen[i + 1].value]
    found += [_climbed(at, outputs[i - 1], outputs[i + 1]) for i in tops[:3]]
    return max([*found, *seen], key=lambda each: each.value)


def _climbed(at: Callable[[Vector], Found], low: Any, high: Any) -> Found:
    share = (mp.sqrt(5) - 1) / 2
    left, right = high - share * (high - low), low + share * (high - low)
    one, other = at((left,)), at((right,))
    for _ in range(GOLDEN):
        if one.value < other.value:
            low, left, one = left, right, other
            right = low + share * (high - low)
            other = at((right,))
        else:
            high, right, other = right, left, one
            left = high - share * (high - low)
            one = at((left,))
    return max(one, other, key=lambda each: each.value)
