"""Theory, Result 9.12: several values of the same people, by enumeration of joint laws of all of them."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import log
from random import Random
from typing import TypeAlias

import pytest

import dalenius as dl
from dalenius.composition import converted

PAIRS = ((0, 0), (0, 1), (1, 0), (1, 1))
"""Of one person's x^A and x^B."""
Law: TypeAlias = Mapping[tuple[tuple[int, int], ...], Fraction]
"""Of the records of a group of two, each x^A and x^B."""


def law(weights: list[int]) -> Law:
    states = [(one, other) for one in PAIRS for other in PAIRS]
    return {state: Fraction(weight, sum(weights)) for state, weight in zip(states, weights, strict=True)}


def leaked(joint: Law, a: Fraction, b: Fraction) -> float:
    """The largest log-ratio of the likelihoods of the two values of somebody's x^A, from counts of both with geometric
    noise, of which only the outermost outputs count: there one more in a count is worth a factor of a, or b, or the
    inverse of it."""
    worst = Fraction(1)
    for person, up_a, up_b in [(i, u, v) for i in (0, 1) for u in (a, 1 / a) for v in (b, 1 / b)]:
        found: list[Fraction] = []
        for secret in (0, 1):
            given = {state: mass for state, mass in joint.items() if state[person][0] == secret}
            likelihood = sum(mass * _weight(up_a, state, 0) * _weight(up_b, state, 1) for state, mass in given.items())
            found.append(likelihood / sum(given.values(), Fraction(0)))
        worst = max(worst, found[0] / found[1], found[1] / found[0])
    return log(worst)


def _weight(base: Fraction, state: tuple[tuple[int, int], ...], value: int) -> Fraction:
    """To the power of the count."""
    count = sum(record[value] for record in state)
    return Fraction(base.numerator**count, base.denominator**count)


def conversion(joint: Law, loss: float) -> float:
    """Of a pure loss under the law of x^A alone."""
    marginal: dict[tuple[int, ...], Fraction] = {}
    for state, mass in joint.items():
        bits = tuple(x for x, _ in state)
        marginal[bits] = marginal.get(bits, Fraction(0)) + mass
    model = dl.Table(records=list(marginal), probabilities=[float(mass) for mass in marginal.values()])
    return converted(dl.Release(model, dl.Count(), dl.Geometric(scale=1.0)), dl.PureProfile(loss), 0.0)


def test_a_conversion_and_the_others_group_losses_bound_what_all_leak() -> None:
    for seed in range(8):
        random = Random(seed)
        joint = law([random.choice((1, 2, 9, 40)) for _ in range(16)])
        a, b = Fraction(random.randint(11, 30), 10), Fraction(random.randint(11, 30), 10)
        assert leaked(joint, a, b) <= conversion(joint, log(a)) + 2 * log(b) + 1e-9


COPIED = law(
    [
        9 if xb == yb == xa and ya == xa else 1 if xb == yb == xa else 0
        for (xa, xb), (ya, yb) in product(PAIRS, repeat=2)
    ]
)
"""x^B of both is the first one's x^A."""


def test_it_is_attained_and_nothing_less_will_do() -> None:
    a, b = Fraction(3, 2), Fraction(2)
    found = leaked(COPIED, a, b)
    assert found == pytest.approx(conversion(COPIED, log(a)) + 2 * log(b), abs=1e-9)
    assert found > conversion(COPIED, log(a)) + log(b) + 0.5
    assert found > conversion(COPIED, log(a) + log(b)) + 0.01


def test_groups_are_independent_in_all_values_together() -> None:
    """Alone in A, and alone in B: of each by itself the loss is one person's."""
    each = Fraction(1, 4)
    joint: Law = {((xa, xa), (ya, xa)): each for xa, ya in product((0, 1), repeat=2)}
    a, b = Fraction(3, 2), Fraction(2)
    assert leaked(joint, a, b) == pytest.approx(log(a) + 2 * log(b))
    assert leaked(joint, a, b) > log(a) + log(b)
