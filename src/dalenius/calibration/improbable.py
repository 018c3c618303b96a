"""Answers that are next to impossible under the model, so that a reader should doubt the model."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp
from typing import Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.calibration.precision import by_name
from dalenius.channel import LawPosterior, Release
from dalenius.channel.marginals import Marginal
from dalenius.errors import TooLarge
from dalenius.noise import Noise
from dalenius.sentences.sentence import Figure, Name, Phrase, said

NEXT_TO_IMPOSSIBLE: Final = 1e-6
"""Largest probability of an answer as far out, or farther, for it to be next to impossible. It is divided by twice the
number of answers, and holds under every law of the model. So under the model a warning is wrong once in a million
releases at most."""


@final
@dataclass(frozen=True)
class Improbable:
    """An answer that is next to impossible under the model.

    Attributes:
        name: The name of the answer.
        chance: The probability of one as far out or farther, at most.
        more: How many other answers are likewise.
    """

    name: str
    chance: float
    more: int

    @property
    def words(self) -> Phrase:
        """One line for a reader of the answers."""
        chance = Figure(f"{self.chance:.2g}")
        line = (
            said("improbable_more", more=self.more, chance=chance) if self.more else said("improbable", chance=chance)
        )
        return said("named", name=Name(self.name), words=line) if self.name else line


def improbable(release: Release, answers: Sequence[Fraction | str]) -> Improbable | None:
    """Returns the least likely of the published `answers` of `release`, if it is next to impossible.

    It is a function of the model, the noise and the published answers. None also where that is not known: the model
    has intervals, outputs are words, or a law is too large to compute.
    """
    if not release.worlds.is_finite:
        return None
    # The case of sums over a city of incomes: too many possible answers to compute, and no warning.
    try:
        laws = by_name(release)
    except TooLarge:
        return None
    found = []
    for axis, (name, answer) in enumerate(zip(release.names, answers, strict=True)):
        if name in laws and not isinstance(answer, str):
            noise = release.noise.on([axis])
            found.append((name, max(_chance(law, noise, answer) for law in laws[name])))
    return _worst(found, len(answers))


def improbable_in(laws: Sequence[LawPosterior], names: Sequence[str]) -> Improbable | None:
    """Returns the least likely answer where each of `laws` has the exact probabilities of answers as far out.

    `names` are the names of the answers.
    """
    # Because laws under which the answers cannot occur are ruled out already; one unknown law leaves all unknown.
    possible = [law for law in laws if law.likelihood is not None]
    stands = [law.stands for law in possible if law.stands is not None]
    if not stands or len(stands) < len(possible):
        return None
    found = []
    for place, name in enumerate(names):
        sides = [each.sides[place] for each in stands]
        chances = [min(each.at_most.upper, each.at_least.upper) for each in sides if each is not None]
        if len(chances) == len(stands):
            found.append((name, max(chances)))
    return _worst(found, len(names))


def _worst(found: Sequence[tuple[str, float]], answers: int) -> Improbable | None:
    """Returns the least likely answer by name and chance, if it is below the limit that so many answers share."""
    few = sorted((each for each in found if each[1] <= NEXT_TO_IMPOSSIBLE / (2 * answers)), key=lambda each: each[1])
    return Improbable(*few[0], len(few) - 1) if few else None


def _chance(law: Marginal, noise: Noise, answer: Fraction) -> float:
    """Returns at most how likely a noised answer is as far out on its side of the law."""
    total_mass = float(np.sum(law.masses))
    # Because a law whose masses are all below the doubles is unknown.
    if not total_mass > 0:
        return 1.0
    masses, place = law.masses / total_mass, answer / law.step - law.start
    above = _above(masses, place, noise, law.step)
    below = _above(masses[::-1], len(masses) - 1 - place, noise, law.step)
    return min(above, below)


def _above(masses: Array, place: Fraction, noise: Noise, step: Fraction) -> float:
    """Bounds Pr[A + R >= y] by a sum over stretches of exact answers: their mass times Pr[|R| >= y - the last]."""
    tails = np.append(np.cumsum(masses[::-1])[::-1], 0.0)
    near = min(max(ceil(place), 0), len(masses))
    total = float(tails[near])
    # The usual case, which needs no noise: the exact answer itself may well be there.
    if total > NEXT_TO_IMPOSSIBLE:
        return 1.0
    starts, error = [start for start in _cuts(tails) if start < near], noise.error(step)
    for start, end in zip(starts, [*starts[1:], near], strict=True):
        beyond = error.beyond((place - end + 1) * step, None) if place > end - 1 else None
        if beyond is None:
            return 1.0
        total += float(tails[start] - tails[end]) * exp(min(beyond.upper, 0.0))
    # Because no law's tail is known closer, as it is computed for advice.
    return min(max(total, 1e-12), 1.0)


def _cuts(tails: Array) -> list[int]:
    """Returns the points where stretches begin: every point, or those at which the rest has become so small."""
    # Because sums of millions would take long point by point, they go in some fifty stretches; counts of a few hundred
    # people go point by point.
    if len(tails) <= 256:
        return list(range(len(tails) - 1))
    depths = [10.0 ** (-quarters / 4) for quarters in range(1, 56)]  # of the tail, down to 1e-14
    return sorted({0, *(int(np.argmax(tails <= depth)) for depth in depths)})
