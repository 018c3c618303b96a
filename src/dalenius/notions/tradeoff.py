"""How well any attacker tells two secrets apart by the release: advantage, true positives, the whole curve (Theory §7).

Of the worst person and the worst pair of values that must not be distinguished, one against the other.
"""

from collections.abc import Iterator, Sequence
from math import inf, nextafter
from typing import Final, NamedTuple, final

from dalenius.bounds import Enclosure, up_to_digits
from dalenius.channel import Found, PairTradeoff, Release, Witness, WorstPair, check_rate, checked, worst_pairs

RATES: Final = (0.01,)
"""The rates of false alarms of an audit."""
GRID: Final = (
    *(float(f"{10 ** (place / 10 - 4):.3g}") for place in range(30)),
    *(place / 20 for place in range(2, 20)),
)
"""Those of a curve: ten a decade from 0.0001 on, steps of 0.05 from 0.1 on."""


class Tested(NamedTuple):
    """A point of the curve: the share of those without the value that are flagged, and of those with it."""

    false_alarms: float
    true_positives: Enclosure

    @property
    def misses(self) -> Enclosure:
        """T(α): the share of those with the value that are not flagged."""
        low, high = self.true_positives
        return Enclosure(max(nextafter(1 - high, -inf), 0.0), min(nextafter(1 - low, inf), 1.0))


@final
class Tradeoff:
    """The tests of a release. Made by `tradeoff`.

    advantage: the largest difference of true positives and false alarms, a total variation, 1 - Bayes security; and of
    whom: the first person, and their first pair, that may have it. Probabilities, not nats.
    """

    def __init__(self, release: Release, worst: WorstPair, by_rate: dict[float, WorstPair]) -> None:
        self._release = release
        value, self._pair = worst.found()
        self.advantage = Found(value, None if self._pair is None else self._pair.witness)
        self._known = {rate: _found(each) for rate, each in by_rate.items()}

    def true_positives(self, rate: float) -> Found:
        """The largest share of those with a value that an attacker finds who wrongly flags a share `rate` of those with
        another value; over all people and pairs. InputError for a rate outside (0, 1)."""
        check_rate(rate)
        if rate not in self._known:
            self._known[rate] = _found(worst_pairs(_pairs(self._release), [rate])[1][rate])
        return self._known[rate]

    def curve(self, rates: Sequence[float] = GRID) -> tuple[Tested, ...]:
        """The curve of the pair with the largest advantage; the diagonal where nothing leaks."""
        for rate in rates:
            check_rate(rate)
        pair = self._pair
        # The width of a curve's numbers, relative to them, where the profile is as sharp.
        return tuple(
            Tested(rate, Enclosure(rate, rate) if pair is None else pair.true_positives(rate, sharp=1e-9))
            for rate in rates
        )

    def in_words(self, rate: float) -> str:
        """What `true_positives` means, in a sentence; percentages rounded up."""
        found = self.true_positives(rate)
        if found.witness is None:
            return f"An attacker who wrongly flags {_percent(rate)} finds no more than that: nothing leaks."
        without, having = _groups(found.witness)
        share = _percent(min(up_to_digits(found.value.upper, 4), 1.0))
        return f"An attacker who wrongly flags {_percent(rate)} {without} finds at most {share} {having}."


def tradeoff(release: Release, rates: Sequence[float] = RATES) -> Tradeoff:
    """The tests of everybody's secrets, each channel made once. rates: of false alarms, to be read along the way."""
    checked(release)
    for rate in rates:
        check_rate(rate)
    return Tradeoff(release, *worst_pairs(_pairs(release), rates))


def _pairs(release: Release) -> Iterator[PairTradeoff]:
    for channel in release.all_channels():
        yield from channel.tradeoffs()


def _found(worst: WorstPair) -> Found:
    value, pair = worst.found()
    return Found(value, None if pair is None else pair.witness)


def _groups(witness: Witness) -> tuple[str, str]:
    """Those who are flagged wrongly, and those who are to be found."""
    if witness.secret is None:
        return "of those with one value", "of those with another, far enough away"
    if witness.what == "record":
        return f"of those with value {witness.against}", f"of those with value {witness.secret}"
    return f"where the {witness.what} is {witness.against}", f"where it is {witness.secret}"


def _percent(share: float) -> str:
    return f"{100 * share:.6g} %"
