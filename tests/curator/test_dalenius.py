"""The whole of it: whoever asks adaptively, until refused, of data drawn from the model, learns no more of anybody than
was promised. Beliefs are exact; nothing is sampled but the data and the noise."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb, exp, log, prod
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory, mkdtemp
from typing import Final

import numpy as np
import pytest

from dalenius import Gaussian, Geometric
from tests.curator.faults_adaptive import STRATEGIES, Laboratory, Promise, Strategy, by_the_last, repeating
from tests.reference.transcript import Belief, by_hand, normal, two_sided

ROUNDING: Final = 1e-9
CHANCE: Final = 1e-9
"""Of a false alarm, where the promise holds but for a delta."""
MEMORY: Final = Path("/dev/shm")
EPSILON: Final = 3.0
PURE: Final = {"kind": "inferential", "epsilon": EPSILON}
ALIKE: Final = Promise(PURE, Geometric(), (1.0, 0.95, 0.9))
DELTA: Final = 0.05
WITH_DELTA: Final = Promise(
    {"kind": "inferential", "epsilon": 1.0, "delta": DELTA}, Gaussian(), (0.6, 0.55, 0.5, 0.2), ((0,),)
)


@pytest.fixture(scope="module")
def made() -> Iterator[Path]:
    """In memory, where there is such a folder: what it takes to be on a disk is another test's."""
    with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        yield Path(folder)


@pytest.fixture
def folder(made: Path) -> Path:
    """A new one."""
    return Path(mkdtemp(dir=made))


@pytest.fixture(scope="module")
def alike(made: Path) -> Laboratory:
    """Its tables stay open, and its noises known."""
    return Laboratory(ALIKE, Path(mkdtemp(dir=made)))


def largest(laboratory: Laboratory, runs: int, strategies: Sequence[Strategy] = STRATEGIES) -> list[float]:
    """Of each run the largest log-ratio of the transcript's likelihoods, of any two values of anybody."""
    random = Random(1)
    found = [laboratory.run(strategies[run % len(strategies)], random)[1] for run in range(runs)]
    return [float(np.abs(ratios).max()) for ratios in found]


def check(laboratory: Laboratory, runs: int, press: float) -> None:
    """press: the part of the promise that some transcript must reach, as the analysts are to be a danger."""
    found = largest(laboratory, runs)
    assert max(found) <= EPSILON + ROUNDING
    assert max(found) > press * EPSILON


@pytest.mark.slow
def test_nobody_learns_more_than_was_promised(alike: Laboratory) -> None:
    check(alike, 28, 0.3)


@pytest.mark.slow
def test_a_curator_that_charges_half_is_caught(alike: Laboratory, folder: Path) -> None:
    found = largest(replace(alike, charge=0.5, folder=folder), 24, (repeating,))
    assert max(found) > EPSILON + ROUNDING


def excess(laboratory: Laboratory, runs: int) -> list[float]:
    """By person the mean of 1 - e^(ε - L) over the transcripts whose log-ratio L for the person's own value against the
    other is above ε: it may be δ at most on the whole, whatever the person's value is."""
    random, found = Random(1), []
    for run in range(runs):
        people, ratios = laboratory.run((repeating, by_the_last)[run % 2], random)
        own = np.where(np.array(people) == 1, ratios, -ratios)
        found.append(np.maximum(0.0, -np.expm1(1.0 - own)))
    return [float(mean) for mean in np.mean(found, axis=0)]


def unlikely(mean: float, runs: int) -> bool:
    """Whether so large a mean of numbers in [0, 1] that may be δ has a chance below `CHANCE` (Chernoff's bound)."""
    if mean <= DELTA:
        return False
    rate = mean * log(mean / DELTA) + ((1 - mean) * log((1 - mean) / (1 - DELTA)) if mean < 1 else 0.0)
    return exp(-runs * rate) < CHANCE


@pytest.mark.slow
def test_nobody_does_but_for_a_delta(folder: Path) -> None:
    found = excess(Laboratory(WITH_DELTA, folder), 200)
    assert not any(unlikely(mean, 200) for mean in found)
    assert max(found) > DELTA / 100  # the delta is used


@pytest.mark.slow
def test_a_curator_that_charges_a_quarter_is_caught_with_a_delta(folder: Path) -> None:
    dear = replace(WITH_DELTA, shares=(0.95, 0.94, 0.93, 0.92))  # each nearly all that there is
    assert any(unlikely(mean, 72) for mean in excess(Laboratory(dear, folder, charge=0.25), 72))


def test_the_belief_is_that_of_the_definition() -> None:
    chances = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
    belief = Belief(2, chances)
    prior = {
        state: prod((chances[sum(home)] / comb(2, sum(home)) for home in (state[:2], state[2:])), start=Fraction(1))
        for state in product((0, 1), repeat=4)
    }
    told = [((0,), Fraction(3), two_sided(2.0)), ((0, 1), Fraction(-1, 2), normal(1.5))]
    for homes, output, noise in told:
        belief.learn(homes, output, noise)

    def likelihood(state: tuple[int, ...]) -> float:
        counts = sum(state[:2]), sum(state[2:])
        return exp(-abs(3 - counts[0]) / 2.0) * exp(-((-0.5 - sum(counts)) ** 2) / (2 * 1.5**2))

    assert np.exp(belief.log_ratios()) == pytest.approx(by_hand(prior, likelihood), rel=1e-12)
