"""Brute force for groups of which each has some law of a box: joint laws of several groups, and what noise leaks."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import exp, log
from typing import TypeAlias

Bits: TypeAlias = tuple[int, ...]
Joint: TypeAlias = Mapping[Bits, Fraction]


def household(law: Sequence[Fraction]) -> dict[Bits, Fraction]:
    """The law of the bits of exchangeable people, law[k] = Pr[k of them are 1]."""
    size = len(law) - 1
    rows = list(product((0, 1), repeat=size))
    ways = [sum(1 for row in rows if sum(row) == k) for k in range(size + 1)]
    return {row: law[sum(row)] / ways[sum(row)] for row in rows}


def beside(laws: Sequence[Joint]) -> dict[Bits, Fraction]:
    """Independent groups, one after the other."""
    found: dict[Bits, Fraction] = {(): Fraction(1)}
    for law in laws:
        found = {(*one, *other): p * q for one, p in found.items() for other, q in law.items()}
    return found


def likelihoods(joint: Joint, person: int, scores: Sequence[float], scale: float, output: float) -> dict[int, float]:
    """Pr[X = s, Y = output] up to a factor of the output, by s: Y is the sum of scores[bit] and Laplace noise."""
    found: dict[int, float] = {0: 0.0, 1: 0.0}
    for row, mass in joint.items():
        answer = sum(scores[bit] for bit in row)
        found[row[person]] += float(mass) * exp(-abs(output - answer) / scale)
    return found


def leaked(joint: Joint, person: int, scores: Sequence[float], scale: float) -> dict[str, float]:
    """The largest log-ratio of likelihoods, log(posterior/prior), log(prior/posterior), D(posterior‖prior) and the
    reverse, over all answers: there the largest are, of Laplace noise."""
    prior = {s: float(sum(mass for row, mass in joint.items() if row[person] == s)) for s in (0, 1)}
    answers = {sum(scores[bit] for bit in row) for row in joint}
    found = dict.fromkeys(("inferential", "raised", "lowered", "forward", "reverse"), 0.0)
    for output in answers:
        own = likelihoods(joint, person, scores, scale, output)
        posterior = {s: own[s] / sum(own.values()) for s in own}
        moved = {s: log(posterior[s] / prior[s]) for s in own}
        each = {
            "inferential": max(moved.values()) - min(moved.values()),
            "raised": max(moved.values()),
            "lowered": -min(moved.values()),
            "forward": sum(posterior[s] * moved[s] for s in own),
            "reverse": -sum(prior[s] * moved[s] for s in own),
        }
        found = {name: max(value, each[name]) for name, value in found.items()}
    return found


def grid(lower: Sequence[Fraction], upper: Sequence[Fraction], steps: int) -> list[tuple[Fraction, ...]]:
    """Laws of a box, its ends among them: all but one probability on a grid, that one the rest."""
    found: set[tuple[Fraction, ...]] = set()
    for free in range(len(lower)):
        others = [i for i in range(len(lower)) if i != free]
        choices = [{lower[i] + (upper[i] - lower[i]) * Fraction(k, steps) for k in range(steps + 1)} for i in others]
        for chosen in product(*choices):
            rest = 1 - sum(chosen, Fraction(0))
            if lower[free] <= rest <= upper[free]:
                law = dict(zip(others, chosen, strict=True)) | {free: rest}
                found.add(tuple(law[i] for i in range(len(lower))))
    return sorted(found)


def through(joint: Joint, person: int, rows: Sequence[Sequence[Fraction]]) -> tuple[Fraction | None, Fraction]:
    """Of a mechanism's rows, one for each number of ones: the largest Pr[output | s] / Pr[output | s'], None if it is
    infinite; and the expected |output - answer|, outputs 0, 1, .."""
    prior = {0: Fraction(0), 1: Fraction(0)}
    seen = {s: [Fraction(0)] * len(rows[0]) for s in (0, 1)}
    error = Fraction(0)
    for row, mass in joint.items():
        prior[row[person]] += mass
        for output, chance in enumerate(rows[sum(row)]):
            seen[row[person]][output] += mass * chance
            error += mass * chance * abs(output - sum(row))
    given = {s: [mass / prior[s] for mass in seen[s]] for s in (0, 1)}
    pairs = [(a, b) for one, other in zip(given[0], given[1], strict=True) for a, b in ((one, other), (other, one))]
    if any(a > 0 and b == 0 for a, b in pairs):
        return None, error
    return max(a / b for a, b in pairs if b > 0), error
