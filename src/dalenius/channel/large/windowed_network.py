"""All nodes of a large network, exactly: from the law of the sum where outputs can lie that leak most (Theory §22).

`windowed_nodes` has the channel of all nodes.

A tree in which neighbours differ more often than not, so that no limit tells what an output says at most:

>>> import dalenius as dl
>>> nodes = [dl.Node(name="0", probabilities=[0.8, 0.2])]
>>> for child in range(1, 2_500):
...     rows = [[0.5, 0.5], [0.948, 0.052]]
...     nodes.append(dl.Node(name=str(child), parents=[str((child - 1) // 2)], probabilities=rows))
>>> found = dl.InferentialPrivacy().leakage(dl.Release(dl.Network(nodes=nodes), dl.Count(), dl.Laplace(scale=1.16)))
>>> f"{found.lower:.8f} {found.upper:.8f}"
'1.03194682 1.03194682'
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial
from typing import Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.channel.answer_window_channel import RecordChannel, WindowChannel
from dalenius.channel.channel import Channel
from dalenius.channel.large.channel_of_one_class import channel_of_one_class
from dalenius.channel.large.long_channel import LongSum, is_long, places_of
from dalenius.channel.large.merged_parts import merged
from dalenius.channel.large.node_averages import NodeAverages
from dalenius.channel.large.outermost_outputs import NetworkEnds
from dalenius.channel.large.ranked_nodes import QUANTITIES, Ranked, ranked_nodes
from dalenius.channel.large.window_likelihoods import WindowLikelihoods
from dalenius.channel.large.windowed_nodes import WindowedNodes
from dalenius.channel.large.windowed_records import WindowedRecords
from dalenius.channel.large.world_of_records import WorldOfRecords
from dalenius.channel.likelihoods import with_class_error
from dalenius.channel.limits import LONG_FROM, MOST_CLIQUE_STATES, MOST_NODES, QUICK_LAWS
from dalenius.channel.shortcut import Shortcut
from dalenius.joints import Subject
from dalenius.joints.clique_classes import clique_classes
from dalenius.joints.independent_falls import IndependentFalls
from dalenius.joints.network_window import NetworkWindows, NodePlaces, joint_masses
from dalenius.joints.sum_window import RAREST, SumWindow, is_rare, logs_of
from dalenius.joints.tilted_network import NetworkSum, TiltedNetwork, steps_of
from dalenius.laws.law import Law, Window
from dalenius.noise import Mechanism, Noise

_WIDER: Final = 1.15
"""A window for noise of one scale serves scales up to so many times as large."""
_CLOSE: Final = 1e-6
"""Nats by which a class's log-likelihoods may be off, at most, for windows to serve."""
_KEPT: Final = 192
"""Classes whose windows are kept, at least."""
_STAR: Final = 8
"""Unlike subtrees of a hub and its leaves, at most."""
_NEXT: Final = 6
"""Classes whose windows are made with others', by quantity."""
_HELD: Final = 1 << 24
"""Values of classes times sums whose laws are made together, at least: 128 MB."""


@final
class WindowedNetwork(Shortcut):
    """One network with one sum as query, too large for the law of all sums given each of its nodes."""

    def __init__(self, world: WorldOfRecords, long: LongSum, ends: NetworkEnds) -> None:
        self._world, self._long, self._ends = world, long, ends
        self._scores = world.scores
        self._rates: dict[bool, float] = {}
        self._windows: dict[bool, dict[int, SumWindow[NodePlaces]]] = {True: {}, False: {}}
        self._ranked: dict[Noise, Ranked | None] = {}
        self._kept: dict[Noise, dict[int, WindowChannel]] = {}
        self._declines = False
        self._faints: dict[Noise, str | None] = {}
        self._last: Noise | None = None

    @cached_property
    def _total(self) -> NetworkSum | None:
        """The sum over the network; None where nothing moves it or a clique is too wide."""
        ends = self._ends
        sizes = np.arange(ends.scores.shape[1]) < ends.sizes[:, None]
        scores, stride, least = steps_of(ends.scores)
        if not stride or self._widest > MOST_CLIQUE_STATES:
            return None
        scores = np.where(sizes, scores, 0)
        return NetworkSum(clique_classes(ends.components, scores, ends.stratum.tolist()), least, stride, scores)

    @cached_property
    def _source(self) -> NetworkWindows | None:
        """None where windows decline whatever the noise is."""
        total = self._total
        if total is None:
            return None
        return NetworkWindows.of(total, IndependentFalls.of(self._ends.components, total.scores))

    @cached_property
    def _is_simple(self) -> bool:
        """Whether all laws are quick: so many subtrees are equal."""
        if self._total is None or self._world.joint.refusal is not None:
            return False
        # Because one law takes a time that grows as the square of the answers: 20,000 leaves take seconds.
        return 4 * self._total.classes.shapes * self._long.answers <= QUICK_LAWS

    @cached_property
    def _is_star(self) -> bool:
        """Whether the law of all sums takes less than windows: that of a hub and its leaves."""
        return self._is_simple and self._total is not None and self._total.classes.shapes <= _STAR

    @property
    def _faint(self) -> str | None:
        """The node with a value too rare for the last noise's tilts; None for none."""
        return None if self._last is None else self._faints.get(self._last)

    @cached_property
    def _widest(self) -> int:
        return self._ends.widest or 0

    @property
    def engine(self) -> tuple[str, str] | None:
        if (self._widest > MOST_CLIQUE_STATES or (self._declines and self._faint)) and is_long(self._long):
            name, why = self._long.engine
            return name, why + self.more(())
        if self._declines or self._source is None or self._is_star:
            if not self._is_simple:
                return None
            plan = self._world.components[0].plan
            return plan.engine, plan.why
        if self._faint is not None:
            return (
                "window",
                f"{self._long.answers:,} answers: averages from the law about its mean, suprema from limits",
            )
        return "window", f"{self._long.answers:,} answers: the law where tilts of the noise's own rate put them"

    def more(self, axes: tuple[int, ...]) -> str:
        if self._widest <= MOST_CLIQUE_STATES:
            if not (self._declines and self._faint):
                return ""
            return f"; no windows: tilts of the noise's rate make a value of {self._faint} rarer than e^-{RAREST:.0f}"
        return f"; cliques of {self._widest:,} states are too wide for windows ({MOST_CLIQUE_STATES:,} at most)"

    @property
    def is_quick(self) -> bool:
        return self._long.is_quick

    def channels(self, noise: Noise) -> Iterator[Channel] | None:
        self._declines, self._last = not self._serves(noise), noise
        if self._declines:
            return self._by_law(noise) if self._is_simple else None
        if not noise.shape.exponential:
            every = partial(self._every, noise)
            return iter([WindowedRecords(bounded, False, _yes, every) for bounded in self._long.records(noise)])
        if not self._shown:
            return iter(())
        places = places_of(self._ends, self._world.firsts)
        return iter(
            [
                WindowedNodes(
                    self._ranked[noise] or self._unranked,
                    partial(self._close, noise),
                    partial(self._averages, noise),
                    tuple(self._shown),
                    partial(self._made, noise),
                    partial(self._every, noise),
                    partial(self._long.neighbours, noise, self._ends, places),
                    next(self._long.records(noise)) if self._ranked[noise] is None else None,
                )
            ]
        )

    @property
    def _unranked(self) -> Ranked:
        """No bounds of any class."""
        assert self._source is not None
        unknown = np.full(len(self._source.possible), np.inf)
        return Ranked(dict.fromkeys(QUANTITIES, unknown), unknown)

    def singly(self, noise: Noise) -> Iterator[RecordChannel] | None:
        if self._tells_suprema(noise):
            return self._every(noise)
        return self._by_law(noise) if self._is_simple else None

    def _by_law(self, noise: Noise) -> Iterator[RecordChannel]:
        """Makes the channels from the law of all sums: a hub that thousands of equal leaves follow has no window."""
        for component in self._world.components:
            yield from self._world.channels_of(noise, component)

    def _serves(self, noise: Noise) -> bool:
        """Whether windows say what all outputs leak, or averages over outputs where others' suprema are not known."""
        if self._source is None or self._is_star:
            return False
        if self._tells_suprema(noise):
            return True
        if not noise.shape.exponential:
            # Because nothing is known of suprema over several parts under such noise.
            if len(self._long.parts) > 1:
                return False
            return (noise.shape.gaussian and self._ends.free) or (
                not self.is_quick and (noise.shape.gaussian or noise.shape.adds_nothing)
            )
        # Because averages need the law about its mean only, and limits may tell the suprema.
        return self._faints.get(noise) is not None and not self._is_simple and self._is_known_about_mean

    def _tells_suprema(self, noise: Noise) -> bool:
        """Whether windows say what all outputs leak under such noise."""
        if self._source is None or self._is_star or not noise.shape.exponential:
            return False
        if noise not in self._ranked:
            self._faints = {noise: self._faint_at(self._rate(noise))}
            # Because bounds of thousands of classes take a minute that would be for nothing.
            if self._faints[noise] is not None:
                self._ranked = {noise: None}
                return False
            found = ranked_nodes(self._source, self._rate(noise))
            # Doubles do not tell sums that are rare: extended numbers may.
            if found is not None and not _known(found, self._shown, 100 * _CLOSE):
                found = self._close(noise)
                found = found if found is not None and _known(found, self._shown, _CLOSE) else None
            self._ranked = {noise: found}
        return self._ranked[noise] is not None

    @cached_property
    def _is_known_about_mean(self) -> bool:
        """Whether limits bound the suprema of one part, whose law about its mean is known."""
        source = self._source
        if source is None or len(self._long.parts) > 1 or not is_long(self._long):
            return False
        placed = source.placed(0.0)
        return placed is not None and source.groups(placed) is not None

    def _faint_at(self, rate: float) -> str | None:
        """Names a node that is a secret and has a value too rare to be read at the outermost tilts; None for none."""
        assert self._source is not None
        tilted = TiltedNetwork.of(self._source.total, np.array([-rate, rate]))
        possible = self._source.possible
        rare = np.any(is_rare(logs_of(joint_masses(tilted), possible)) & possible[:, None], axis=(1, 2)).tolist()
        place = next((place for number, place in self._shown.items() if rare[number]), None)
        return None if place is None else self._world.joint.subject_of(self._ends.people[place], single=True).who

    def _close(self, noise: Noise) -> Ranked | None:
        """Bounds that tell classes apart that are nearly alike."""
        assert self._source is not None
        return ranked_nodes(self._source, self._rate(noise), close=True)

    def _averages(self, noise: Noise) -> NodeAverages | None:
        """Bounds of averages over outputs, of all classes."""
        assert self._source is not None
        return NodeAverages.of(self._source, self._rate(noise), not noise.shape.needs_lattice)

    def _rate(self, noise: Noise) -> float:
        """Nats for each of the sum's steps."""
        assert self._source is not None
        return float(self._scores.lattice.steps[0]) * self._source.total.stride / noise.known_scale()

    @cached_property
    def _shown(self) -> dict[int, int]:
        """The place of the first node that is a secret, by class."""
        assert self._source is not None
        class_of = self._source.total.classes.class_of
        found = dict[int, int]()
        for place in places_of(self._ends, self._world.firsts).tolist():
            found.setdefault(class_of[place], place)
        return found

    def _every(self, noise: Noise) -> Iterator[WindowChannel]:
        """The channel of each class that has a secret, first by first."""
        shown = sorted(self._shown, key=self._shown.__getitem__)
        # Because windows without a noise's rate have a few tilts, and may have all frequencies.
        held = _HELD if self._tells_suprema(noise) else _HELD // 8
        size = max(1, held // (self._ends.scores.shape[1] * max(1, self._long.answers)))
        for start in range(0, len(shown), size):
            yield from self._made(noise, shown[start : start + size])

    def _made(self, noise: Noise, rows: Sequence[int]) -> Iterator[WindowChannel]:
        """The channels of these classes; those of the last noise are kept while they are few."""
        kept = self._kept.get(noise, {})
        missing = [row for row in rows if row not in kept]
        if missing:
            # Because most of the work is that of messages of all nodes, those that may be next are made with these.
            missing = list(dict.fromkeys([*missing, *self._next(noise)]))
            self._fetch(False, 0.0, missing)
        mechanism = noise.mechanism(self._scores.lattice)
        made = {row: kept[row] if row in kept else self._channel(noise, mechanism, row, missing) for row in rows}
        self._kept = {noise: {**kept, **made} if len(kept) + len(made) <= 2 * _KEPT else made}
        yield from made.values()

    def _next(self, noise: Noise) -> Iterator[int]:
        """Classes that may leak most, by the bounds of every quantity."""
        ranked, shown = self._ranked.get(noise), np.array(list(self._shown))
        for own in () if ranked is None else ranked.most.values():
            yield from shown[np.argsort(-own[shown], kind="stable")[:_NEXT]].tolist()

    def _fetch(self, steep: bool, rate: float, rows: Sequence[int]) -> None:
        """Makes the windows of these classes, for noise of that rate (steep) or about the mean."""
        source, kept = self._source, self._windows[steep]
        assert source is not None
        if steep and not self._rates.get(steep, 0.0) / _WIDER <= rate <= self._rates.get(steep, 0.0):
            kept.clear()
            self._rates[steep] = rate
        if len(kept) > _KEPT + len(rows):
            kept.clear()
        missing = [row for row in rows if row not in kept]
        if missing:
            window = source.window(self._rates[steep] if steep else 0.0, missing)
            assert window is not None, "ranks have been made from tilts like these"
            kept |= dict.fromkeys(missing, window)

    def _channel(self, noise: Noise, mechanism: Mechanism, number: int, rows: Sequence[int]) -> WindowChannel:
        """The channel of one class; likelihoods of all outputs are made for all classes of `rows`, once asked for."""
        place = self._shown[number]
        middle = self._windows[False][number]
        subject = self._subject(place, number, middle)
        spread = self._long.spreads[int(self._ends.stratum[place])]
        likelihoods = None
        if self._tells_suprema(noise):
            law = cache(partial(self._likelihoods, mechanism, self._rate(noise), number, rows))
            likelihoods = partial(_with_error, law, subject)
        return channel_of_one_class(
            subject,
            mechanism,
            spread,
            self._scores.names,
            self._world.secrets.pairs_of(subject),
            likelihoods,
            partial(_about_mean, middle, number),
            lambda: next(iter(self._long.records(noise, place))),
        )

    def _start_of(self, place: int) -> int:
        """The place of the first record of its part."""
        first = self._ends.people.start
        return next(part.people.start - first for part in self._long.parts if self._ends.people[place] in part.people)

    def _likelihoods(self, mechanism: Mechanism, rate: float, number: int, rows: Sequence[int]) -> Law:
        self._fetch(True, rate, rows if number in rows else [number])
        window = self._windows[True][number]
        (law,) = WindowLikelihoods(window, mechanism, rate).each([window.places.rows.index(number)])
        return law

    def _subject(self, place: int, number: int, window: SumWindow[NodePlaces]) -> Subject:
        """A class of nodes, by the one that stands for it."""
        source = self._source
        assert source is not None
        subject = self._world.joint.subject_of(self._ends.people[place], single=True)
        prior: Array = source.log_prior[number]
        many = len(source.total.classes.members[number])
        one, _, whole = subject.who.rpartition(" of the ")
        who = f"{one}, and {many - 1} like it, of the {whole}" if many > 1 else subject.who
        # Because a record of a chain beside other chains stands for itself only.
        if subject.positions:
            first = place - self._start_of(place)
            who, subject = f"record {first + 1} of a chain", replace(subject, positions=((first + 1, first + 1),))
        return replace(
            subject,
            person=self._ends.people[place],
            people=many,
            log_prior=np.minimum(prior[source.possible[number]], 0.0),
            who=who,
            class_error=2 * self._ends.unlike + 4 * source.total.classes.unlike + 4 * source.total.rounded,
        )


def _with_error(law: Callable[[], Law], subject: Subject) -> Law:
    return with_class_error(law(), subject)


def _about_mean(window: SumWindow[NodePlaces], number: int) -> Window:
    return window.window(window.places.rows.index(number))


def _known(ranked: Ranked, shown: dict[int, int], most: float) -> bool:
    """Whether likelihoods of all classes with secrets are off by so many nats at most."""
    return bool((ranked.doubt[list(shown)] <= most).all())


def _yes() -> bool:
    return True


def windowed_network(long: LongSum, world: WorldOfRecords) -> WindowedNetwork | None:
    """Makes one network of the parts of a sum.

    None where no part is large, there are too many nodes, all laws are quick, or its tables do not fit memory.

    Args:
        long: The sum over independent chains and networks.
        world: The records, their scores and the release's secrets.
    """
    count = sum(map(len, long.parts))
    if max(each.longest for each in long.parts) <= LONG_FROM or not LONG_FROM < count <= MOST_NODES:
        return None
    if count * long.answers <= QUICK_LAWS:
        return None
    ends = merged(world.joint, long.parts) if len(long.parts) > 1 else long.parts[0]
    # A network whose tables do not fit memory says so by itself.
    if not isinstance(ends, NetworkEnds) or ends.widest is None:
        return None
    return WindowedNetwork(world, long, ends)
