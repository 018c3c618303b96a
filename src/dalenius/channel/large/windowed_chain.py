"""All records of a long chain, exactly: from the law of the sum around the outputs that leak most (Theory §22).

Suprema come from the limits at ±∞ where these are enough, as for chains that lean one way, and else from the law that
noise of its rate can reach. Averages, a δ and tails come from the law about its mean.

Days that rather change than stay: no limit tells how much an output says at most.

>>> import dalenius as dl
>>> days = dl.Chain(n=20_000, initial=[0.8, 0.2], transition=[[0.5, 0.5], [0.948, 0.052]])
>>> found = dl.InferentialPrivacy().leakage(dl.Release(days, dl.Count(), dl.Laplace(scale=1.16)))
>>> f"{found.lower:.8f} {found.upper:.8f}"
'0.62279275 0.62279275'
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Final, final

from dalenius.channel.answer_window_channel import RecordChannel, WindowChannel
from dalenius.channel.channel import Channel
from dalenius.channel.large.channel_of_one_class import channel_of_one_class
from dalenius.channel.large.long_channel import LongSum, is_long, places_of
from dalenius.channel.large.output_limits import Ends
from dalenius.channel.large.window_likelihoods import WindowLikelihoods
from dalenius.channel.large.windowed_records import WindowedRecords
from dalenius.channel.large.world_of_records import WorldOfRecords
from dalenius.channel.likelihoods import with_class_error
from dalenius.channel.limits import LONG_ENOUGH, MANY_CELLS, MOST_CHAIN_CELLS
from dalenius.channel.secrets import at_stage, subject_at, window_at_stage
from dalenius.channel.shortcut import Shortcut
from dalenius.joints import Subject
from dalenius.joints.chain_places import ChainPlaces
from dalenius.joints.chain_window_plan import chain_window
from dalenius.joints.repeating_chain import RepeatingChain
from dalenius.joints.sum_window import SumWindow
from dalenius.laws.law import Law, Window
from dalenius.memory_budget import allowed
from dalenius.noise import Mechanism, Noise

CLOSE: Final = 1e-9
"""Largest error, in nats, of a class's log-likelihoods for windows to serve where the law of all sums could."""
KEPT_CELLS: Final = 13 << 24
"""Cells of channels that are kept from one notion to the next: some 3 GB with all that is read of them."""
CLOSE_ENOUGH: Final = 1e-6
"""Largest error, in nats, for windows to serve where only bounds could."""
_WIDER: Final = 1.3
"""Factor up to which a window for noise of one scale serves larger scales."""


@final
class WindowedChain(Shortcut):
    """One chain under one sum that is too long for the law of all sums given each of its records."""

    def __init__(self, world: WorldOfRecords, long: LongSum, ends: Ends, chain: RepeatingChain) -> None:
        self._world, self._long, self._ends, self._chain = world, long, ends, chain
        self._scores = world.scores
        self._windows: dict[bool, SumWindow[ChainPlaces]] = {}
        self._declined: dict[bool, float] = {}
        self._checked: dict[Noise, bool] = {}
        self._kept: dict[Noise, list[WindowChannel]] = {}
        self._declines = False

    @property
    def engine(self) -> tuple[str, str] | None:
        # The case of another shortcut that served the last noise.
        if self._declines or self._window(0.0) is None:
            return None
        return "window", f"{self._long.answers:,} answers: the law where tilts of the noise's own rate put them"

    @property
    def is_quick(self) -> bool:
        return self._long.is_quick

    def channels(self, noise: Noise) -> Iterator[Channel] | None:
        exact = noise.shape.exponential
        # Because few records have the law of all sums where windows decline; many have the limits and bounds anyhow.
        if exact and is_long(self._long):
            # Because windows of records that are all unlike take long, and limits may do: they are asked for when not.
            unlike = self._chain.known or not self._chain.repeats
            self._declines = not unlike and self._window(0.0) is None
        else:
            self._declines = not (self._is_known(noise) if exact else self._serves(noise))
        if self._declines:
            return None
        known, each = partial(self._is_known, noise) if exact else _yes, partial(self._each, noise)
        laws = partial(self._by_law, noise) if self._has_laws(noise) else None
        return iter([WindowedRecords(bounded, exact, known, each, laws) for bounded in self._long.records(noise)])

    def singly(self, noise: Noise) -> Iterator[RecordChannel] | None:
        return self._each(noise) if noise.shape.exponential and self._is_known(noise) else None

    def _is_known(self, noise: Noise) -> bool:
        """Says whether windows tell the leakage of all outputs of such exponential noise."""
        windows = self._window(self._rate(noise)), self._window(0.0)
        known = None not in windows and self._is_close(noise)
        self._declines = not known
        return known

    def _is_close(self, noise: Noise) -> bool:
        """Says whether every class's likelihoods are known to CLOSE.

        Under noise that hides little, sums that no path has may not be told from rare ones: then the law of all sums,
        or bounds, are better.
        """
        if self._checked.get(noise) is None:
            errors = (channel.likelihood.error for channel in self._each(noise))
            most = CLOSE_ENOUGH if is_long(self._long) else CLOSE
            self._checked = {noise: all(error <= most for error in errors)}
        return self._checked[noise]

    def _serves(self, noise: Noise) -> bool:
        """Says whether windows serve Gaussian noise, or none if laws are slow."""
        slow = noise.shape.adds_nothing and not self.is_quick and len(self._ends) > LONG_ENOUGH
        return (noise.shape.gaussian or slow) and self._window(0.0) is not None

    def _has_laws(self, noise: Noise) -> bool:
        """Says whether the law of all sums serves suprema under Gaussian noise that no limit tells."""
        return noise.shape.gaussian and self.is_quick and not self._ends.free

    def _by_law(self, noise: Noise) -> Iterator[RecordChannel]:
        """Yields the channels of all classes from the law of all sums."""
        for component in self._world.components:
            yield from self._world.channels_of(noise, component)

    def _rate(self, noise: Noise) -> float:
        """Returns the noise's fall in nats for each of the chain's steps."""
        return float(self._scores.lattice.steps[0]) * self._chain.stride / noise.known_scale()

    def _window(self, rate: float) -> SumWindow[ChainPlaces] | None:
        """The chain's window for noise of that rate, 0 for the one about the mean; one of each is kept."""
        if self._declined.get(rate > 0) == rate:
            return None
        # Because the law of all sums is as quick and closer where records are few, and each a class of its own.
        few = len(self._ends) <= LONG_ENOUGH
        if few and not self._chain.repeats:
            return None
        kept = self._windows.get(rate > 0)
        if kept is None or not kept.rate / _WIDER <= rate <= kept.rate:
            # Because a search for a scale comes back to rates a little higher.
            higher = rate * (1 + (_WIDER - 1) / 4)
            made = chain_window(self._chain, higher, allowed(MOST_CHAIN_CELLS), singly=not few)
            # As above, of a chain that repeats and remembers its first record to the end.
            if made is None or (few and not made.places.blocks):
                self._declined[rate > 0] = rate
                return None
            self._kept.clear()
            kept = self._windows[rate > 0] = made
        return kept

    def _each(self, noise: Noise) -> Iterator[WindowChannel]:
        """Yields the channel of each class that has a secret, first by first."""
        # Because the next notion needs the same likelihoods.
        if noise not in self._kept:
            mechanism, places = noise.mechanism(self._scores.lattice), self._shown(noise)
            made = self._made(noise, mechanism, places)
            window = self._window(self._rate(noise) if noise.shape.exponential else 0.0)
            if window is None or window.cells > allowed(KEPT_CELLS):
                yield from made
                return
            self._kept = {noise: list(made)}
        yield from self._kept[noise]

    def _places(self, noise: Noise) -> ChainPlaces:
        """Returns the classes of records that both windows tell apart; one's memory may last longer."""
        rates = (0.0, self._rate(noise)) if noise.shape.exponential else (0.0,)
        windows = [window for window in map(self._window, rates) if window is not None]
        return max((window.places for window in windows), key=lambda places: places.depth)

    def _shown(self, noise: Noise) -> list[int]:
        """Returns the place of the first record of each class that has a secret."""
        places = self._places(noise)
        if self._world.firsts is not None:
            shown = places_of(self._ends, self._world.firsts).tolist()
            found = {places.row_of(place): place for place in reversed(shown)}
            return [place for _, place in sorted(found.items())]
        # Because the joint law knows some records to be exchangeable, as far from one end as from the other.
        people = [self._world.joint.subject_of(self._ends.people[place]).person for place in places.firsts]
        firsts = {self._ends.people[place] for place in places.firsts}
        return [
            place
            for place, person in zip(places.firsts, people, strict=True)
            if person == self._ends.people[place] or person not in firsts
        ]

    def _made(self, noise: Noise, mechanism: Mechanism, places: list[int]) -> Iterator[WindowChannel]:
        """Yields the channels of the records at these places."""
        if not noise.shape.exponential:
            yield from (self._channel(noise, mechanism, place, None) for place in places)
            return
        window = self._window(self._rate(noise))
        assert window is not None
        rows = [window.places.row_of(place) for place in places]
        likelihoods = WindowLikelihoods(window, mechanism, self._rate(noise)).each(rows)
        for place, law in zip(places, likelihoods, strict=True):
            yield self._channel(noise, mechanism, place, law)

    def _channel(self, noise: Noise, mechanism: Mechanism, place: int, law: Law | None) -> WindowChannel:
        """Makes the channel of one record; law: the likelihoods of all outputs, where the noise has them."""
        subject, stage = self._subject(place, self._places(noise)), self._world.secrets.stage
        if stage is not None and law is not None:
            subject, law = at_stage(subject, law, stage)
        elif stage is not None:
            subject = subject_at(subject, stage)
        kind = int(self._ends.stratum[place])
        spread, pairs = self._long.spreads[kind], self._world.secrets.pairs_of(subject)
        return channel_of_one_class(
            subject,
            mechanism,
            spread,
            self._scores.names,
            pairs,
            None if law is None else partial(with_class_error, law, subject),
            partial(self._about_mean, place),
            lambda: next(iter(self._long.records(noise, place))),
        )

    def _subject(self, place: int, places: ChainPlaces) -> Subject:
        """Returns any record of a class as a subject, by the number of the one that stands for it."""
        window = self._window(0.0)
        assert window is not None
        subject = self._world.joint.subject_of(self._ends.people[place], single=True)
        members = places.members(places.row_of(place))
        if len(members) == 1:
            return subject
        first, last = (self._ends.people[each] for each in (members[0], members[-1]))
        every = "" if members.step == 1 else f"every {members.step}th of "
        return replace(
            subject,
            people=len(members),
            who=f"{every}records {first} to {last} of a chain of {len(self._ends)}",
            class_error=subject.class_error + 2 * float(window.drift[window.places.row_of(place)]),
            positions=tuple((each + 1, each + 1) for each in members) if members.step > 1 else ((first, last),),
        )

    def _about_mean(self, place: int) -> Window:
        window, stage = self._window(0.0), self._world.secrets.stage
        assert window is not None
        found = window.window(window.places.row_of(place))
        return found if stage is None else window_at_stage(self._subject(place, window.places), found, stage)


def _yes() -> bool:
    return True


def windowed_chain(world: WorldOfRecords, long: LongSum) -> WindowedChain | None:
    """Returns the shortcut of `world` by windows, for the sum `long`.

    None where the records are not one chain, or its law of all sums is quick.
    """
    ends = long.parts[0]
    # Because several chains would blur each other's part: each is read alone, and bounded.
    if len(long.parts) > 1 or not (is_long(long) or len(ends) * ends.scores.shape[1] * long.answers > MANY_CELLS):
        return None
    chain = ends.repeating
    return None if chain is None else WindowedChain(world, long, ends, chain)
