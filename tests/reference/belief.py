"""Who is missing, by the definition: one posterior per output, in numbers of fifty digits. Imports nothing of ours."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import mpmath

Exact = Fraction | int
mpmath.mp.dps = 50


def number(value: Exact) -> Any:
    exact = Fraction(value)
    return mpmath.mpf(exact.numerator) / exact.denominator


def posterior(prior: Sequence[Any], answers: Sequence[Exact], output: Exact, scale: Exact) -> list[Any]:
    """Bayes' rule with e^{-|output - answer|/scale}, by person."""
    weights = [
        p * mpmath.exp(-number(abs(Fraction(output) - Fraction(answer)) / Fraction(scale)))
        for p, answer in zip(prior, answers, strict=True)
    ]
    total = mpmath.fsum(weights)
    return [weight / total for weight in weights]


def worst(
    first: Sequence[Any], current: Sequence[Any], answers: Sequence[Exact], scale: Exact, outputs: Sequence[Exact]
) -> tuple[Any, Any]:
    """The smallest and the largest posterior/first prior that any of the outputs could leave with anybody."""
    ratios = [
        after / before
        for output in outputs
        for after, before in zip(posterior(current, answers, output, scale), first, strict=True)
        if before > 0
    ]
    return min(ratios), max(ratios)


def everywhere(answers: Sequence[Exact], between: int = 7) -> list[Fraction]:
    """All answers, points between neighbours, and points beyond the ends."""
    points = sorted({Fraction(answer) for answer in answers})
    inner = [low + (high - low) * Fraction(step, between) for low, high in pairwise(points) for step in range(between)]
    span = points[-1] - points[0] + 1
    return [points[0] - span, *inner, points[-1], points[-1] + span, points[-1] + 1000 * span]
