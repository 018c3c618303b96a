"""The interval of an answer holds the exact one as often as it says, summed over all outputs, and little oftener."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import inf
from typing import Any

import numpy as np

from dalenius import Clamped, Gaussian, Geometric, Kernel, Laplace, Relocation
from dalenius.noise import Noise
from dalenius.noise.sampling import fine_parts
from tests.cases import in_turn
from tests.reference import coverage, mechanisms
from tests.reference.channel import mp, real

ONE, SCALE = Fraction(1), Fraction(2.75)
LEVELS = [0.01, 0.95, 0.999]


def missed(confidence: float) -> Fraction:
    return 1 - Fraction(str(confidence))


def half(noise: Noise, confidence: float, step: Fraction) -> Fraction:
    """Of the interval around an output of 0, whose ends are exact there."""
    found = noise.error(step).interval(Fraction(0), confidence)
    assert found is not None
    assert found.lower == -found.upper
    return Fraction(found.upper)


@in_turn({"confidence": LEVELS, "scale": [0.05, 3.22411, 40.0]})
def test_geometric_noise(scale: float, confidence: float) -> None:
    steps = half(Geometric(scale=scale), confidence, ONE)
    assert steps.denominator == 1
    assert coverage.geometric_within(int(steps), Fraction(scale)) >= real(Fraction(str(confidence)))
    assert steps == 0 or coverage.geometric_within(int(steps) - 1, Fraction(scale)) < real(Fraction(str(confidence)))


WITHIN: dict[Noise, Callable[[Fraction], Any]] = {
    Laplace(scale=2.75): lambda distance: 1 - mp.exp(-real(distance / SCALE)),
    Gaussian(scale=2.75): lambda distance: mp.erf(real(distance / SCALE) / mp.sqrt(2)),
}
"""Pr[the density's noise is at most so far out]."""


@in_turn({"noise, confidence": [*product(WITHIN, LEVELS)], "step": [ONE, Fraction(1, 2**20)]})
def test_noise_of_the_reals(noise: Noise, confidence: float, step: Fraction) -> None:
    """As a density and as drawn, rounded to its fine lattice."""
    distance, fine = half(noise, confidence, step), step / fine_parts(step, 2.75)
    assert noise.kind == "gaussian" or (distance / fine).denominator == 1
    wanted = real(Fraction(str(confidence)))
    for reached in (distance, distance + fine / 2):
        assert wanted <= WITHIN[noise](reached) <= wanted + 1e-11


@in_turn({"confidence": LEVELS, "scale": [0.0, 0.3, 2.0], "ends": [(0, 0), (0, 1), (1, 6)]})
def test_clamped_noise(ends: tuple[int, int], scale: float, confidence: float) -> None:
    noise = Clamped(scale=scale, lower=ends[0], upper=ends[1])
    outputs = [Fraction(r) for r in range(ends[0], ends[1] + 1)]
    low, high = map(Fraction, ends)
    rows = mechanisms.clamped(Fraction(scale), low, high, ONE, [Fraction(a) for a in range(-14, 21)])
    for place, output in enumerate(outputs):
        found = noise.error(ONE).interval(output, confidence)
        assert found is not None
        left = coverage.not_rejected(rows, place, missed(confidence))
        assert found.lower == (-inf if output == ends[0] else min(left))
        assert found.upper == (inf if output == ends[1] else max(left))
    check_coverage(noise, rows, outputs, confidence)


@in_turn({"confidence": LEVELS, "seed": range(3)})
def test_kernels(seed: int, confidence: float) -> None:
    generator = np.random.default_rng(seed)
    matrix = generator.dirichlet(np.full(5, 0.4), size=6)
    matrix[matrix < 0.02] = 0.0
    matrix /= matrix.sum(axis=1, keepdims=True)
    order = generator.permutation(5)
    noise = Kernel(answers=range(6), outputs=order.tolist(), probabilities=matrix.tolist())
    ordered = exact(matrix[:, np.argsort(order)].tolist())
    rows = {Fraction(a): [p / sum(row) for p in row] for a, row in enumerate(ordered)}
    for place in range(5):
        found = noise.error(ONE).interval(Fraction(place), confidence)
        left = coverage.not_rejected(rows, place, missed(confidence))
        assert found is not None
        assert list(map(Fraction, found)) == [min(left), max(left)]
    check_coverage(noise, rows, [Fraction(r) for r in range(5)], confidence)


@in_turn({"confidence": LEVELS[1:], "seed": range(2)})
def test_relocation(seed: int, confidence: float) -> None:
    generator = np.random.default_rng(seed)
    leaves = [float(generator.random()), 0.0, float(generator.random())]
    moves = [[0.5, 0.25, 0.25], [0.0, 0.5, 0.5], [0.125, 0.875, 0.0]]
    shares = [[0.25, 0.75], [1.0], [0.5, 0.25, 0.25]]
    noise = Relocation(lower=-1, upper=4, leaves=leaves, moves=moves, shares=shares)
    rows = mechanisms.relocation(-1, list(map(Fraction, leaves)), exact(moves), exact(shares), range(-3, 7))
    for place, output in enumerate(range(-1, 5)):
        found = noise.error(ONE).interval(Fraction(output), confidence)
        assert found is not None
        left = [
            min(max(answer, Fraction(-1)), Fraction(4))
            for answer in coverage.not_rejected(rows, place, missed(confidence))
        ]
        assert found.lower == (-inf if min(left) == -1 else min(left))
        assert found.upper == (inf if max(left) == 4 else max(left))
    check_coverage(noise, rows, [Fraction(r) for r in range(-1, 5)], confidence)


def exact(rows: Sequence[Sequence[float]]) -> list[list[Fraction]]:
    return [list(map(Fraction, row)) for row in rows]


def check_coverage(noise: Noise, rows: mechanisms.Rows, outputs: list[Fraction], confidence: float) -> None:
    intervals = {output: noise.error(ONE).interval(output, confidence) for output in outputs}

    def holds(output: Fraction, answer: Fraction) -> bool:
        found = intervals[output]
        return found is not None and found.lower <= answer <= found.upper

    for answer, row in rows.items():
        assert coverage.coverage(row, outputs, answer, holds) >= Fraction(str(confidence)) - Fraction(1, 10**40), answer
