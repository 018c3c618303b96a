"""A chain that forgets slowly, exactly: some records are evaluated, and all between are bounded (Result 20.47).

Windows of a chain that forgets quickly take one record for all that are far from either end. If a chain stays as it is
for hundreds of records, nearly every record has a different law.

A day is like the day before with .98, and each end of the year is as long as its memory:

>>> import dalenius as dl
>>> days = dl.Chain(n=2_500, initial=[0.5, 0.5], transition=[[0.98, 0.02], [0.02, 0.98]])
>>> found = dl.MutualInformationPrivacy().leakage(dl.Release(days, dl.Count(), dl.Laplace(scale=1.16)))
>>> found.upper - found.lower < 1e-8 * found.upper
True
"""

from collections.abc import Iterator
from typing import final

from dalenius.channel.answer_window_channel import RecordChannel
from dalenius.channel.channel import Channel
from dalenius.channel.large.long_channel import LongSum
from dalenius.channel.large.record_search import RecordSearch
from dalenius.channel.large.searched_records import SearchedRecords
from dalenius.channel.large.world_of_records import WorldOfRecords
from dalenius.channel.shortcut import Shortcut
from dalenius.joints.chosen_windows import ChosenWindows
from dalenius.joints.limits import MOST_CLASSES
from dalenius.joints.repeating_chain import RepeatingChain
from dalenius.noise import Noise


@final
class LongMemory(Shortcut):
    """One chain that forgets slowly, under one sum."""

    def __init__(self, world: WorldOfRecords, long: LongSum, chain: RepeatingChain) -> None:
        self._world, self._long, self._chain = world, long, chain
        self._searches: dict[Noise, RecordSearch | None] = {}
        self._windows: dict[float, ChosenWindows | None] = {}
        self._declines = False

    @property
    def engine(self) -> tuple[str, str] | None:
        # The case of another shortcut that served the last noise.
        mean = None if self._declines else self._about(0.0)
        if mean is None or not (any(self._searches.values()) or mean.classes > MOST_CLASSES):
            return None
        slowly = "minutes" if mean.is_slow else "seconds"
        return "window", f"{self._long.answers:,} answers: windows of some records, bounds of all between: {slowly}"

    @property
    def is_quick(self) -> bool:
        return self._long.is_quick

    def channels(self, noise: Noise) -> Iterator[Channel] | None:
        search = self._search(noise)
        self._declines = search is None
        if search is None:
            return None
        return iter([SearchedRecords(bounded, search) for bounded in self._long.records(noise)])

    def singly(self, noise: Noise) -> Iterator[RecordChannel] | None:
        search = self._search(noise)
        return None if search is None else search.each()

    def _search(self, noise: Noise) -> RecordSearch | None:
        """The search under some noise, kept for the next notion; None where windows do not serve."""
        if noise not in self._searches:
            mean = self._about(0.0) if noise.shape.exponential else None
            found = None if mean is None else RecordSearch(self._world, self._long, noise, mean, self._about)
            if found is not None and not self._forgets_slowly(found.rate):
                found = None
            self._searches = {noise: found}
        return self._searches[noise]

    def _forgets_slowly(self, rate: float) -> bool:
        """Whether windows of all classes are too many, which is why those were not enough."""
        windows = (self._about(own) for own in (0.0, rate))
        return any(each is not None and each.classes > MOST_CLASSES for each in windows)

    def _about(self, rate: float) -> ChosenWindows | None:
        """The windows for noise of that rate, in nats for each step; 0 for those about the mean."""
        if rate not in self._windows:
            self._windows = {own: each for own, each in self._windows.items() if (own > 0) != (rate > 0)}
            self._windows[rate] = ChosenWindows.of(self._chain, rate)
        return self._windows[rate]


def long_memory(world: WorldOfRecords, long: LongSum) -> LongMemory | None:
    """Returns the shortcut of `world` for a chain that may forget slowly, for the sum `long`; None for others."""
    ends = long.parts[0]
    # Because windows have a class for each record of fewer.
    if len(long.parts) > 1 or len(ends) <= MOST_CLASSES:
        return None
    chain = ends.repeating
    return None if chain is None or chain.known or not chain.repeats else LongMemory(world, long, chain)
