"""The trade-off of tests: how well any attacker tells two secrets apart by a release (Theory §7).

The numbers are about the worst person and the worst pair of values that must not be distinguished. A test flags s
against s' at a rate α of false alarms. It finds at most 1 - T(α) of those with s, and some test finds as many (Neyman
and Pearson; Dong, Roth and Su 2022). 1 - T(α) = min over t >= 0 of δ(log t) + tα, where δ is the privacy profile. This
is a convex function of t. So any t gives an upper end, and chords between the t that were tried give a lower one
(Result 7.10).

Take a fair bit that goes out as it is with probability e/(1 + e): the advantage is 0.4621. An attacker who wrongly
flags 1 % of those without the value finds 2.718 % of those with it, e times as many; one who flags 50 % finds 81.6 %.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from math import exp, log, sqrt
from typing import Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.attack.tradeoff_curve import Tested, TradeoffCurve
from dalenius.bounds import UNIT, Enclosure, either, up_to_digits
from dalenius.channel import Found, Release, Witness, checked
from dalenius.channel.leakage import Largest, TestedPair
from dalenius.errors import InputError

# How near the two ends of a share of true positives come, relative to it.
_SHARP: Final = 1e-12
_ROUNDED: Final = 64 * UNIT
"""The most that rounding adds to a chord; no chord that decides is above 1 or steeper than 1."""
_FARTHEST: Final = exp(690.0)
"""The largest t tried."""


def _check_rate(rate: float) -> None:
    """Raises InputError for a rate of false alarms that is none."""
    if not 0 < rate < 1:
        raise InputError("rate", rate, "a rate of false alarms above 0 and below 1")


@final
class PairTradeoff:
    """Tests that flag one secret, at a rate of false alarms among those with another.

    Every t that was tried is kept for other rates.
    """

    def __init__(self, pair: TestedPair) -> None:
        self._forward, self._backward, self.witness = pair
        # At t = 0 everything is flagged.
        self._places, self._values = [0.0], [Enclosure(1.0, 1.0)]

    def advantage(self) -> Enclosure:
        """The total variation, δ(0): the largest difference of true positives and false alarms, 1 - Bayes security."""
        return self._at(1.0)

    def true_positives(self, rate: float, beaten: float = 0.0, near: float = 1.0, sharp: float = _SHARP) -> Enclosure:
        """Enclose 1 - T(rate), the most true positives of any test with that rate of false alarms.

        Args:
            rate: The rate of false alarms, above 0 and below 1.
            beaten: A share of true positives below which the answer need not be sharp.
            near: A t to try first.
            sharp: The relative width that is wanted, where the profile is as sharp.
        """
        _check_rate(rate)
        self._at(near)
        # Each round tries one more t; a hundred are enough, and where not the ends are only further from each other.
        for round_ in range(100):
            chords = _Chords(self._places, self._values, rate)
            found = chords.value
            gap = found.upper - found.lower
            # If another pair is worse already, or the profile is no sharper, more t would change nothing.
            if found.upper < beaten or gap <= max(sharp * found.upper, chords.doubt):
                return found
            place = chords.next_place(round_ % 3 == 2)
            if place is None or place > _FARTHEST or self._known(place) is not None:
                return found
            self._at(place)
        return _Chords(self._places, self._values, rate).value

    def best(self, rate: float) -> float:
        """Returns the t tried that bounds the true positives best at this `rate` of false alarms."""
        tops = [value.upper + rate * t for t, value in zip(self._places, self._values, strict=True)]
        return self._places[tops.index(min(tops))]

    def _known(self, place: float) -> Enclosure | None:
        """δ at a t that was tried already, but for roundings; None at a new one."""
        near = (
            value for t, value in zip(self._places, self._values, strict=True) if abs(place - t) <= 16 * UNIT * place
        )
        return next(near, None)

    def _at(self, place: float) -> Enclosure:
        """δ(log t), t as a double: its own rounding is counted in `_Chords`."""
        found = self._known(place)
        if found is None:
            epsilon = log(place)
            found = self._profile(epsilon)
            after = bisect_left(self._places, exp(epsilon))
            self._places.insert(after, exp(epsilon))
            self._values.insert(after, found)
        return found

    def _profile(self, epsilon: float) -> Enclosure:
        """δ(ε) at ε of either sign: below 0 by the pair turned round."""
        # Because profiles are given at ε of 0 or more only, the two secrets change places below.
        if epsilon >= 0:
            return self._forward(epsilon)
        # Because Σ max(P - tQ, 0) = 1 - t + t Σ max(Q - P/t, 0).
        share, turned = exp(epsilon), self._backward(-epsilon)
        ends = (1 - share * (1 - end) for end in turned)
        low, high = (end + sign * 8 * UNIT for end, sign in zip(ends, (-1, 1), strict=True))
        return Enclosure(max(low, 1 - share - 8 * UNIT, 0.0), min(high, 1.0))


class _Chords:
    """Bounds on f(t) = δ(log t) + αt from its values at the t tried. δ is convex in t, falls from 1 by at most 1 per
    unit, and is at least 0; no t above 1/α attains the minimum, which is at most f(0) = 1."""

    def __init__(self, known: Sequence[float], values: Sequence[Enclosure], rate: float) -> None:
        """known: the t tried, ascending; values: δ there; rate: of false alarms, α."""
        self._rate = rate
        end = max(1 / max(rate, 1 / _FARTHEST), 2 * known[-1])
        places = np.array([*known, end])
        # Because e^ε is off by a few roundings of itself, by which δ moves at most by as many of 1.
        low = np.array([max(value.lower - 8 * UNIT, 0.0) for value in values] + [0.0])
        high = np.array([value.upper + 8 * UNIT for value in values] + [values[-1].upper + 8 * UNIT])
        tops = np.array([value.upper for value in values]) + rate * places[:-1] * (1 + 8 * UNIT)
        best = int(np.argmin(tops))
        self._places = places
        self._bounds, self._lowest = self._between(places, low, high)
        self._worst = int(np.argmin(self._bounds))
        # Because f is at least αt from the end on.
        lower = max(rate, min(float(self._bounds[self._worst]), rate * end) - _ROUNDED)
        self.value = Enclosure(min(lower, 1.0), max(min(1.0, float(tops[best]) * (1 + 4 * UNIT)), rate))
        """The minimum."""
        self.doubt = _ROUNDED + 4 * float(np.max((high - low)[max(best - 1, 0) : min(best + 2, len(values))]))
        """A width of `value` that the errors of δ alone may cause."""

    def next_place(self, halve: bool) -> float | None:
        """Returns the place to try next: where the bound is lowest, or halfway if `halve`; None for no double."""
        low, high = float(self._places[self._worst]), float(self._places[self._worst + 1])
        if high - low <= 64 * UNIT * high:
            return None
        # Because the bound may creep along one end of an interval, every third round halves to get away from it.
        if halve:
            return (low + high) / 2 if 4 * low >= high else sqrt(low * high) if low > 0 else high / 8
        margin = 1e-3 * min(high - low, low) if low > 0 else 1e-6 * high
        return min(max(float(self._lowest[self._worst]), low + margin), high - margin)

    def _between(self, places: Array, low: Array, high: Array) -> tuple[Array, Array]:
        """Returns the least value of the chords' bound on each interval, and where it is."""
        # The slope from j to i is at most that beyond i, at least that before j; neighbours have the best.
        beyond, before = np.full(len(places), -1.0), np.zeros(len(places))
        # So that noise matters less, chords are drawn between up to 12 neighbouring t.
        for stride in range(1, min(12, len(places) - 1) + 1):
            run = places[stride:] - places[:-stride]
            beyond[stride:] = np.maximum(beyond[stride:], (low[stride:] - high[:-stride]) / run)
            before[:-stride] = np.minimum(before[:-stride], (high[stride:] - low[:-stride]) / run)
        falling = np.minimum(beyond, 0.0)[:-1] + self._rate
        rising = np.maximum(np.maximum(before, -1.0)[1:] + self._rate, falling)
        start, end = places[:-1], places[1:]
        first, last = low[:-1] + self._rate * start, low[1:] + self._rate * end
        width = end - start
        # The two chords, one from each end, cross at `share` of the way.
        spread = np.where(rising > falling, rising - falling, 1.0)
        crossing = np.clip((first - last + rising * width) / spread, 0.0, width)
        inside = np.where(falling >= 0, 0.0, np.where(rising <= 0, width, crossing))
        bound = np.maximum(first + falling * inside, last - rising * (width - inside))
        return bound, start + inside


@final
class _WorstPair:
    """The largest of one number over many pairs, and the first pair that may attain it. rate: of false alarms; None for
    the advantage.

    Pairs are read roughly first, and those that may be the worst in full afterwards, from the highest bound down: then
    one t rules out almost all others.
    """

    def __init__(self, rate: float | None) -> None:
        self._rate = rate
        self._lower, self._near = rate or 0.0, 1.0
        self._contenders: list[tuple[float, PairTradeoff]] = []
        self._largest = Largest[PairTradeoff]()

    def add(self, pair: PairTradeoff) -> None:
        """Reads the next pair, in the order that decides."""
        # A first look at a pair wants only this width, relative to its true positives.
        upper = self._read(pair, 0.05).upper
        self._contenders = [each for each in (*self._contenders, (upper, pair)) if each[0] >= self._lower]
        # In a city of people who are alike, many pairs that may be the worst are kept at once.
        if len(self._contenders) > 64:
            self._settle()

    def found(self) -> tuple[Enclosure, PairTradeoff | None]:
        """Returns the number and the pair; the pair is None where there was none."""
        self._settle()
        return Enclosure(self._lower, max(self._lower, self._largest.upper)), self._largest.first

    def _read(self, pair: PairTradeoff, sharp: float) -> Enclosure:
        """Returns the pair's number, read as sharply as that; what is learnt of the worst rules out later pairs."""
        # Because a share at a rate is a search, which stops where this pair cannot win; the advantage is one δ.
        if self._rate is None:
            value = pair.advantage()
        else:
            value = pair.true_positives(self._rate, self._lower, self._near, sharp)
            if value.lower > self._lower:
                self._near = pair.best(self._rate) or 1.0
        self._lower = max(self._lower, value.lower)
        return value

    def _settle(self) -> None:
        """Reads all in full."""
        highest_first = sorted(self._contenders, key=lambda each: -each[0])
        values = {pair: self._read(pair, _SHARP) for _, pair in highest_first}
        for _, pair in self._contenders:
            self._largest.add(values[pair], pair)
        self._contenders = []


def worst_pairs(
    pairs: Iterable[TestedPair], rates: Sequence[float | None]
) -> list[tuple[Enclosure, PairTradeoff | None]]:
    """Find the pair that is easiest to tell apart at each rate of false alarms; each pair is made once.

    Args:
        pairs: The pairs of values, in the order that decides between equals.
        rates: Rates of false alarms, above 0 and below 1; None stands for the advantage.

    Returns:
        For each rate the most true positives over all pairs, for None the largest advantage; and the first pair that
        may attain it, or None where there is no pair.
    """
    every = [_WorstPair(rate) for rate in rates]
    for pair in map(PairTradeoff, pairs):
        for each in every:
            each.add(pair)
    return [each.found() for each in every]


RATE: Final = 0.01
"""The rate of false alarms of an audit, and of an attack."""
GRID: Final = (
    *(float(f"{10 ** (place / 10 - 4):.3g}") for place in range(30)),
    *(place / 20 for place in range(2, 20)),
)
"""The rates of a curve: ten a decade from 0.0001 on, steps of 0.05 from 0.1 on."""


@final
class Tradeoff:
    """The tests of everybody's secrets by a release; make it with `tradeoff`.

    Args:
        release: The release, with a noise of known scale.

    Attributes:
        advantage: The largest difference of true positives and false alarms, a probability: a total variation, or one
            minus the Bayes security. Its witness is the first person, and their first pair of values, that may have it.

    Example:
        >>> from dalenius import Count, Geometric, Table
        >>> bit = Table(records=((0,), (1,)), probabilities=(0.5, 0.5))
        >>> tests = Tradeoff(Release(bit, Count(), Geometric(scale=1.0)))
        >>> round(tests.advantage.value.upper, 4), round(tests.true_positives(0.01).value.upper, 5)
        (0.4621, 0.02718)

    Notes:
        Theory §7, Result 7.10: no test finds more, and some test finds as many.
    """

    def __init__(self, release: Release) -> None:
        self._release = release
        (advantage, self._pair), share = worst_pairs(_pairs(release), [None, RATE])
        self.advantage = _about(advantage, self._pair)
        self._known = {RATE: _about(*share)}

    def __repr__(self) -> str:
        return f"Tradeoff(advantage {either(self.advantage.value)})"

    def true_positives(self, rate: float) -> Found:
        """Find the largest share of people with a value whom an attacker can flag, over all people and pairs of values.

        Args:
            rate: The share of people with the other value whom the attacker wrongly flags, above 0 and below 1.

        Returns:
            The share, from below and from above, with the person and the pair of values that it is about.

        Raises:
            InputError: For a rate outside (0, 1).
        """
        _check_rate(rate)
        # For a rate that no audit reads, all channels are made once more.
        if rate not in self._known:
            ((value, pair),) = worst_pairs(_pairs(self._release), [rate])
            self._known[rate] = _about(value, pair)
        return self._known[rate]

    def curve(self, rates: Sequence[float] = GRID) -> TradeoffCurve:
        """Compute the trade-off curve of the pair with the largest advantage; the diagonal where nothing leaks.

        Args:
            rates: Rates of false alarms, above 0 and below 1. By default 48 of them, from 0.0001 to 0.95.

        Returns:
            One point for each rate.

        Raises:
            InputError: For a rate outside (0, 1).
        """
        for rate in rates:
            _check_rate(rate)
        pair = self._pair
        # A curve's numbers have this relative width, where the profile is as sharp.
        return TradeoffCurve(
            tuple(
                Tested(rate, Enclosure(rate, rate) if pair is None else pair.true_positives(rate, sharp=1e-9))
                for rate in rates
            )
        )

    def in_words(self, rate: float) -> str:
        """Say in a sentence what `true_positives` means.

        Args:
            rate: The rate of false alarms, above 0 and below 1.

        Returns:
            The sentence, its percentages rounded up.
        """
        found = self.true_positives(rate)
        # If the query is constant, flagging at random is as good as any attack.
        if found.witness is None:
            return f"An attacker who wrongly flags {_percent(rate)} finds no more than that: nothing leaks."
        without, having = _groups(found.witness)
        share = _percent(min(up_to_digits(found.value.upper, 4), 1.0))
        return f"An attacker who wrongly flags {_percent(rate)} {without} finds at most {share} {having}."


def tradeoff(release: Release) -> Tradeoff:
    """Find out how well any attacker tells two values of anybody's secret apart by a release.

    Args:
        release: The release, with a noise of known scale.

    Returns:
        The tests: their advantage, the true positives at a rate of false alarms, and the curve.

    Raises:
        InputError: For something that is no release, or a noise without a scale.

    Example:
        >>> from dalenius import Count, Geometric, Table
        >>> bit = Table(records=((0,), (1,)), probabilities=(0.5, 0.5))
        >>> tradeoff(Release(bit, Count(), Geometric(scale=1.0))).in_words(0.01)
        'An attacker who wrongly flags 1 % of those with value 1 finds at most 2.719 % of those with value 0.'
    """
    return Tradeoff(checked(release))


def _pairs(release: Release) -> Iterator[TestedPair]:
    """Yields every pair of values that must not be told from each other, of each class of people in turn."""
    for channel in release.all_channels():
        yield from channel.tradeoffs()


def _about(value: Enclosure, pair: PairTradeoff | None) -> Found:
    """Returns the number with the person and values that it is about."""
    return Found(value, None if pair is None else pair.witness)


def _groups(witness: Witness) -> tuple[str, str]:
    """Returns in words those who are flagged wrongly, and those who are to be found."""
    # Because only the distance of two values of a continuum, such as incomes, matters.
    if witness.secret is None:
        return "of those with one value", "of those with another, far enough away"
    if witness.what == "record":
        return f"of those with value {witness.against}", f"of those with value {witness.secret}"
    return f"where the {witness.what} is {witness.against}", f"where it is {witness.secret}"


def _percent(share: float) -> str:
    return f"{100 * share:.6g} %"
