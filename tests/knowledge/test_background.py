"""Several promises, as constraints of one program: differential privacy on the rows of neighbouring answers."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import exp, log
from typing import NamedTuple, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog

import dalenius as dl
from dalenius.notions import Notion
from tests.pace import slow
from tests.reference.bayesian import given
from tests.reference.joints import Joint, households

Array: TypeAlias = NDArray[np.float64]
INFECTED = (Fraction(8, 10), Fraction(1, 10), Fraction(2, 100), Fraction(8, 100))
PAIR = dl.Households(count=2, infected=[float(each) for each in INFECTED])


class Constraint(NamedTuple):
    """Σ_r max(Σ_v (one(v) - e^ε other(v)) K(r | v), 0) <= delta."""

    one: Array
    other: Array
    epsilon: float
    delta: float


def law(joint: Joint, answers: int) -> Array:
    found = np.zeros(answers)
    for row, mass in joint.items():
        found[sum(int(str(x)) for x in row)] += float(mass)
    return found


def constraints(joint: Joint, notion: Notion, answers: int) -> Iterator[Constraint]:
    """By enumeration: everybody's record."""
    epsilon, delta, people = notion.epsilon or 0.0, notion.promised_delta or 0.0, len(next(iter(joint)))
    if isinstance(notion, dl.DifferentialPrivacy):
        for place, step in product(range(answers), (-1, 1)):
            if 0 <= place + step < answers:
                yield Constraint(np.eye(answers)[place], np.eye(answers)[place + step], epsilon, 0.0)
        return
    mixed = law(joint, answers)
    for person in range(people):
        laws = [
            law(given(joint, {person: value}), answers) for value in sorted({row[person] for row in joint}, key=str)
        ]
        others = [mixed] * len(laws) if isinstance(notion, dl.InformationPrivacy) else laws[::-1]
        yield from (Constraint(own, other, epsilon, delta) for own, other in zip(laws, others, strict=True))


def distinct(every: Sequence[Constraint]) -> list[Constraint]:
    keyed = {(np.round(np.concatenate([c.one, c.other]), 12).tobytes(), c.epsilon, c.delta): c for c in every}
    return list(keyed.values())


def kernel_optimum(mass: Array, every: Sequence[Constraint]) -> float:
    """Every K(r | v) a variable, and with a delta every positive part."""
    count = len(mass)
    sloppy = [c for c in every if c.delta]
    width = count * count + len(sloppy) * count
    rows, bounds = [], []
    for constraint in every:
        parts = None
        if constraint.delta:
            parts = count * count + count * next(i for i, each in enumerate(sloppy) if each is constraint)
            total = np.zeros(width)
            total[parts : parts + count] = 1.0
            rows.append(total)
            bounds.append(constraint.delta)
        for output in range(count):
            row = np.zeros(width)
            row[output : count * count : count] = constraint.one - exp(constraint.epsilon) * constraint.other
            if parts is not None:
                row[parts + output] = -1.0
            rows.append(row)
            bounds.append(0.0)
    apart = np.abs(np.subtract.outer(np.arange(count), np.arange(count))) * mass[:, None]
    costs = np.concatenate([apart.ravel(), np.zeros(width - count * count)])
    sums = np.concatenate([np.kron(np.eye(count), np.ones(count)), np.zeros((count, width - count * count))], axis=1)
    found = linprog(costs, A_ub=np.array(rows), b_ub=bounds, A_eq=sums, b_eq=np.ones(count), method="highs-ds")
    assert found.fun is not None
    return float(found.fun)


def kernel_of(found: dl.Calibration) -> Array:
    assert isinstance(found.noise, dl.Kernel)
    return np.array(found.noise.probabilities)


def assert_kept(kernel: Array, every: Sequence[Constraint]) -> None:
    """By the enumerated laws alone."""
    for constraint in every:
        one, other = constraint.one @ kernel, exp(constraint.epsilon) * (constraint.other @ kernel)
        if constraint.delta:
            assert float(np.sum(np.maximum(one - other, 0.0))) <= constraint.delta * (1 + 1e-9)
        else:
            assert np.all(one <= other * (1 + 1e-9))


@pytest.mark.parametrize(
    "promises",
    [
        [dl.DifferentialPrivacy(epsilon=1.5), dl.InferentialPrivacy(epsilon=1.0)],
        slow([dl.InformationPrivacy(epsilon=log(2), delta=1e-3), dl.DifferentialPrivacy(epsilon=5.0)]),
    ],
)
def test_the_optimum_against_a_program_of_its_own(promises: list[Notion]) -> None:
    """Every constraint from the 64 assignments of two households of three, whoever's record it is."""
    joint = households([(2, INFECTED)])
    every = distinct([each for notion in promises for each in constraints(joint, notion, 7)])
    wanted = kernel_optimum(law(joint, 7), every)
    found = dl.calibrate(dl.Release(PAIR, dl.Count(), dl.Geometric()), promises, "optimal")
    assert found.optimum is not None
    assert found.optimum.lower_bound <= wanted * (1 + 1e-7)
    assert found.optimum.lower_bound == pytest.approx(wanted, rel=2e-4)
    assert found.expected_error == pytest.approx(wanted, rel=3e-4)
    assert_kept(kernel_of(found), every)
    for each in found.promises:
        assert each.leakage.upper <= (each.notion.epsilon or 0.0)


def test_a_cap_that_is_next_to_nothing() -> None:
    cap = 40.0
    release = dl.Release(PAIR, dl.Count(), dl.Geometric())
    information = dl.InformationPrivacy(epsilon=0.3)
    alone = dl.calibrate(release, information, "optimal").expected_error
    found = dl.calibrate(release, [information, dl.DifferentialPrivacy(epsilon=cap)], "optimal")
    assert found.expected_error == pytest.approx(alone, rel=2e-4)
    assert all(each.leakage.upper <= (each.notion.epsilon or 0.0) for each in found.promises)
