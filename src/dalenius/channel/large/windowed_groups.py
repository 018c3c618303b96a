"""Secrets of several records of a long chain, exactly: windows of their states together (Result 20.53).

A day and the day after it, of three thousand:

>>> import dalenius as dl
>>> days = dl.Chain(n=3_000, initial=[0.8, 0.2], transition=[[0.5, 0.5], [0.948, 0.052]])
>>> two = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0), dl.Secrets(groups=[[1, 2]]))
>>> found = dl.InferentialPrivacy().leakage(two)
>>> print(f"{found.lower:.8f} {found.upper:.8f} {two.worlds.engines()[0][0]}")
0.85415073 0.85415073 window
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import NoReturn, final

import numpy as np

from dalenius.channel.answer_laws import AnswerPart
from dalenius.channel.answer_window_channel import RecordChannel, WindowChannel
from dalenius.channel.channel import Channel
from dalenius.channel.large.channel_of_one_class import channel_of_one_class
from dalenius.channel.large.outermost_outputs import ChainEnds
from dalenius.channel.large.window_likelihoods import WindowLikelihoods
from dalenius.channel.large.windowed_chain import CLOSE_ENOUGH, KEPT_CELLS
from dalenius.channel.large.world_of_records import WorldOfRecords
from dalenius.channel.likelihoods import with_class_error
from dalenius.channel.limits import LONG_FROM
from dalenius.channel.sensitivity import spread_in
from dalenius.channel.shortcut import Shortcut
from dalenius.joints import Subject, chains_of, count_people
from dalenius.joints.chosen_places import ChosenPlaces
from dalenius.joints.chosen_windows import ChosenWindows
from dalenius.joints.repeating_chain import RepeatingChain
from dalenius.joints.sum_window import SumWindow
from dalenius.memory_budget import allowed
from dalenius.noise import Noise


@final
class WindowedGroups(Shortcut):
    """One chain under one sum with exponential noise, of which the records of some people together are a secret."""

    def __init__(self, world: WorldOfRecords, chain: RepeatingChain) -> None:
        self._world, self._chain = world, chain
        self._windows: dict[float, ChosenWindows | None] = {}
        self._kept: dict[Noise, list[WindowChannel] | None] = {}

    @property
    def engine(self) -> tuple[str, str] | None:
        # The case of noise that windows do not serve.
        if not any(self._kept.values()) and (self._kept or self._about(0.0) is None):
            return None
        return "window", f"{self._chain.most + 1:,} answers: the law where tilts of the noise's own rate put them"

    @property
    def is_quick(self) -> bool:
        return False

    def channels(self, noise: Noise) -> Iterator[Channel] | None:
        found = self._all(noise)
        return None if found is None else iter(found)

    def singly(self, noise: Noise) -> Iterator[RecordChannel] | None:
        found = self._all(noise)
        return None if found is None else iter(found)

    def _all(self, noise: Noise) -> list[WindowChannel] | None:
        """The channels of all secrets under some noise, kept for the next notion; None where windows do not serve."""
        if noise not in self._kept:
            self._kept = {noise: self._made(noise) if noise.shape.exponential else None}
        return self._kept[noise]

    def _made(self, noise: Noise) -> list[WindowChannel] | None:
        (component,) = self._world.components
        rate = float(component.scores.lattice.steps[0]) * self._chain.stride / noise.known_scale()
        mean, far, found = self._about(0.0), self._about(rate), list[WindowChannel]()
        subjects = component.joint.subjects()
        cells = sum(len(each.secrets) for each in subjects)
        if mean is None or far is None or cells * max(mean.points, far.points) > allowed(KEPT_CELLS):
            return None
        for subject in subjects:
            places = tuple(sorted(person - 1 for person in subject.members))
            about, beyond = (each.window_of_several(places) for each in (mean, far))
            if about is None or beyond is None:
                return None
            # Because the window's chances are closer: of a chain of many records doubles lose digits.
            logs = about.log_prior[0][about.possible[0]]
            assert np.allclose(logs, subject.log_prior, rtol=0, atol=1e-9 + subject.class_error)
            closer = replace(subject, log_prior=logs, class_error=2 * about.mass_error)
            channel = _channel(self._world, component, closer, noise, rate, about, beyond)
            if channel.likelihood.error > CLOSE_ENOUGH:
                return None
            found.append(channel)
        return found

    def _about(self, rate: float) -> ChosenWindows | None:
        """The windows for noise of that rate, in nats for each step; 0 for those about the mean."""
        if rate not in self._windows:
            self._windows = {own: each for own, each in self._windows.items() if (own > 0) != (rate > 0)}
            (component,) = self._world.components
            together = max(len(each.members) for each in component.joint.subjects())
            self._windows[rate] = ChosenWindows.of(self._chain, rate, together)
        return self._windows[rate]


def _channel(
    world: WorldOfRecords,
    component: AnswerPart,
    subject: Subject,
    noise: Noise,
    rate: float,
    about: SumWindow[ChosenPlaces],
    beyond: SumWindow[ChosenPlaces],
) -> WindowChannel:
    """Makes the channel of one secret from its window about the mean, and that of what the noise can reach."""
    mechanism = noise.mechanism(component.scores.lattice)
    (law,) = WindowLikelihoods(beyond, mechanism, rate).each([0])
    return channel_of_one_class(
        subject,
        mechanism,
        replace(spread_in(component.joint, component.all_scores, subject.stratum), neighbours=None),
        component.all_scores.names,
        world.secrets.pairs_of(subject),
        partial(with_class_error, law, subject),
        partial(about.window, 0),
        _unbounded,
    )


def _unbounded() -> NoReturn:
    raise AssertionError("the likelihoods of all outputs are known")


def windowed_groups(world: WorldOfRecords, engine: str | None) -> WindowedGroups | None:
    """Returns the shortcut of `world` by windows for secrets of several records, of one long chain whose steps repeat.

    None for other laws, several answers, functions of records, and where `engine` names one.
    """
    secrets, scores = world.secrets, world.scores
    listed = not secrets.of_records and secrets.function is None and secrets.groups != "everybody"
    if engine is not None or not listed or scores.lattice.axes > 1 or not scores.additive:
        return None
    chains = chains_of(world.joint)
    # Because of fewer records the law of all sums takes a moment.
    if len(chains) != 1 or len(chains[0]) != count_people(world.joint) or len(chains[0]) <= LONG_FROM:
        return None
    chain = ChainEnds.of(chains[0], scores.indices[chains[0].slots, 0]).repeating
    return None if chain is None or chain.known or not chain.repeats else WindowedGroups(world, chain)
