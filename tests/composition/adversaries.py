"""Adaptive adversaries against an accounting rule: random promises, priors, questions and outputs."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Rule: TypeAlias = Callable[["Game"], "Player"]
MARGIN: Final = 1e-12


@final
@dataclass(frozen=True)
class Game:
    """(alpha, beta) is promised for the given prior, over `steps` answers of an equal (α_k, β_k) each."""

    alpha: float
    beta: float
    prior: Array
    steps: int

    @property
    def step(self) -> tuple[float, float]:
        return float(1 - (1 - self.alpha) ** (1 / self.steps)), float((1 + self.beta) ** (1 / self.steps) - 1)

    def breaks(self, posterior: Array) -> bool:
        ratio = posterior / self.prior
        low, high = 1 - self.alpha, 1 + self.beta
        return bool(ratio.min() < low * (1 - MARGIN) or ratio.max() > high * (1 + MARGIN))


class Player(ABC):
    """An accounting rule at work: the scale for the next answers; then the output it drew."""

    @abstractmethod
    def scale(self, answers: list[int]) -> float: ...

    @abstractmethod
    def saw(self, answers: list[int], output: float, scale: float) -> None: ...


def play(seed: int, rule: Rule) -> bool:
    """One game. In every other one who is absent, what is asked given what came out, and what comes out is random; in
    the rest one person is asked about again and again and is never the one, as noise of any scale may have it.

    Whether the promise was broken on the way.
    """
    rng = np.random.default_rng(seed)
    insists = seed % 2 == 1
    game = _game(rng, insists)
    player, posterior = rule(game), game.prior
    absent, marked = rng.choice(game.prior.size, p=game.prior), int(game.prior.argmin())
    for _ in range(game.steps):
        answers = _about(marked, posterior) if insists else _asked(rng, posterior)
        scale = player.scale(answers)
        output = 0.0 if insists else round(float(answers[absent] + rng.laplace(0, scale)), 9)
        player.saw(answers, output, scale)
        posterior = _bayes(posterior, answers, output, scale)
        if game.breaks(posterior):
            return True
    return False


def _game(rng: np.random.Generator, insists: bool) -> Game:
    """Where one person is insisted on, α is the side of the promise that decides the noise."""
    people = int(rng.integers(2, 6))
    prior = 0.95 * rng.dirichlet(np.ones(people)) + 0.05 / people
    beta = float(rng.uniform(0.1, 0.95)) * (1 / float(prior.max()) - 1)
    alpha = float(rng.uniform(0.2, 1.0)) * beta / (1 + beta) if insists else float(rng.uniform(0.05, 0.9))
    return Game(alpha, beta, prior, int(rng.integers(2, 5)))


def _asked(rng: np.random.Generator, posterior: Array) -> list[int]:
    """Random answers, or the question that only the absence of the least or the most likely one by now changes."""
    kind = rng.integers(3)
    if kind == 0:
        answers = [int(value) for value in rng.integers(0, 10, posterior.size)]
        return answers if len(set(answers)) > 1 else [answers[0] + 1, *answers[1:]]
    return _about(int(posterior.argmin() if kind == 1 else posterior.argmax()), posterior)


def _about(one: int, posterior: Array) -> list[int]:
    return [int(person == one) for person in range(posterior.size)]


def _bayes(prior: Array, answers: list[int], output: float, scale: float) -> Array:
    weights: Array = prior * np.exp(-np.abs(output - np.array(answers)) / scale)
    posterior: Array = weights / weights.sum()
    return posterior
