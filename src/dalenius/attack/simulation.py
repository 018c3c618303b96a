"""The Bayes attack played: secrets drawn, answers drawn and noised, guesses counted."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import nextafter
from typing import Final, final

import numpy as np

from dalenius.bounds import Enclosure
from dalenius.channel import FiniteChannel, Release
from dalenius.errors import InputError, Meaningless
from dalenius.laws.law import Array
from dalenius.special import bdtr

CONFIDENCE: Final = 0.9999
"""That an interval holds the probability of success."""
MOST: Final = 10_000_000
KEPT: Final = 100_000
"""Outputs whose guesses are remembered."""
SAME: Final = 1e-12
"""Nats: values whose posteriors differ by less are guessed in their order."""


@final
@dataclass(frozen=True)
class Simulated:
    """law: which of the model's, from 1. runs: so many games; hits: guesses that were right. interval: that of Clopper
    and Pearson for the probability of success, at CONFIDENCE."""

    law: int
    person: int
    runs: int
    hits: int

    @property
    def rate(self) -> float:
        return self.hits / self.runs

    @property
    def interval(self) -> Enclosure:
        missed = (1 - CONFIDENCE) / 2
        # Where so many hits or more, and so many or fewer, become too rare.
        low = _crossing(lambda chance: 1 - bdtr(self.hits - 1, self.runs, chance) >= missed) if self.hits else 0.0
        high = _crossing(lambda chance: bdtr(self.hits, self.runs, chance) < missed) if self.hits < self.runs else 1.0
        return Enclosure(max(low - 1e-12, 0.0), min(high + 1e-12, 1.0))


def simulated(release: Release, runs: int, seed: int) -> tuple[Simulated, ...]:
    """For each class of people whose records are the secrets: `runs` games in which the secret is drawn from the prior,
    the exact answer from its law given the secret, the noise by the noise's own law, and the likeliest value is
    guessed. The same seed gives the same games; these are doubles, for experiments and for no release.

    InputError where runs are none or too many; Meaningless for secrets or a noise that cannot be played.
    """
    check_playable(release, runs, seed)
    return tuple(_played(law, channel, runs, seed) for law, channel in _uncertain(release))


def check_playable(release: Release, runs: int, seed: int) -> None:
    """InputError and Meaningless as `simulated` says, without any of its work."""
    if not 1 <= runs <= MOST:
        raise InputError("runs", runs, f"a number from 1 to {MOST:,}")
    if seed < 0:
        raise InputError("seed", seed, "a whole number of at least 0")
    if not release.finite_worlds:
        raise Meaningless("model.kind", release.model.kind, "a joint law of records with finitely many values, to play")
    if any(channel.exact is None for _, channel in _uncertain(release)):
        raise Meaningless(
            "runs", runs, "a release whose answer is one law: no copies of an answer, and nothing bounded"
        )


def _uncertain(release: Release) -> Iterator[tuple[int, FiniteChannel]]:
    """The number of the law, and the channel of every class of people of whom something is uncertain."""
    for law, world in enumerate(release.finite_worlds, 1):
        for channel in world.channels(release.noise):
            if len(channel.secrets) > 1:
                yield law, channel


def _played(law_number: int, channel: FiniteChannel, runs: int, seed: int) -> Simulated:
    assert channel.exact is not None
    generator = np.random.default_rng([seed, law_number, channel.subject.person])
    law = channel.exact.law
    drawn = generator.multinomial(runs, _normalised(channel.log_prior))
    guess = _Guess(channel)
    hits = 0
    for secret, count in enumerate(drawn.tolist()):
        if count:
            places = generator.choice(law.base.size, count, p=_normalised((law.base + law.relative[secret]).ravel()))
            hits += sum(guess.after(place, generator) == secret for place in places.tolist())
    return Simulated(law_number, channel.subject.person, runs, hits)


@final
class _Guess:
    """The likeliest secret once an exact answer has been noised; what was guessed at an output is kept."""

    def __init__(self, channel: FiniteChannel) -> None:
        self._channel = channel
        self._known: dict[tuple[float | str, ...], int] = {}

    def after(self, place: int, generator: np.random.Generator) -> int:
        """place: of the answer, on the flattened box of its law."""
        channel = self._channel
        assert channel.exact is not None
        index = np.unravel_index(place, channel.exact.law.box)
        answer = [int(each) + start for each, start in zip(index, channel.exact.law.start, strict=True)]
        output = channel.noise.simulated(answer, channel.lattice, generator)
        if output not in self._known:
            seen = channel.noise.at(channel.likelihood, channel.lattice, output).relative[:, 0] + channel.log_prior
            if len(self._known) >= KEPT:
                self._known.clear()
            self._known[output] = int(np.argmax(seen >= np.max(seen) - SAME))
        return self._known[output]


def _normalised(logs: Array) -> Array:
    shares = np.exp(logs - np.max(logs))
    return np.asarray(shares / shares.sum())


def _crossing(beyond: Callable[[float], bool]) -> float:
    """The least chance of which it holds."""
    low, high = 0.0, 1.0
    while nextafter(low, 1.0) < high and high - low > 1e-15:
        middle = (low + high) / 2
        low, high = (low, middle) if beyond(middle) else (middle, high)
    return high
