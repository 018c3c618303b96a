"""Promises to whoever knows others' records, as constraints of the program and of clamped ranges."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import comb, exp, log
from typing import NamedTuple, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog

from dalenius.calibration import Calibration, calibrate
from dalenius.channel import Release
from dalenius.errors import InputError, TooLarge
from dalenius.models import Chain, Households, Independent, Model
from dalenius.noise import Geometric, Kernel, NoNoise
from dalenius.notions import (
    BayesianPrivacy,
    DifferentialPrivacy,
    InferentialPrivacy,
    InformationPrivacy,
    NoiselessPrivacy,
    Notion,
)
from dalenius.queries import Count
from tests.reference.bayesian import given, known_sets
from tests.reference.joints import Joint

Array: TypeAlias = NDArray[np.float64]
INFECTED = (Fraction(8, 10), Fraction(1, 10), Fraction(2, 100), Fraction(8, 100))
PAIR = Households(count=2, infected=[float(each) for each in INFECTED])
SIZE = 3


class Constraint(NamedTuple):
    """Σ_r max(Σ_v (one(v) - e^ε other(v)) K(r | v), 0) <= delta."""

    one: Array
    other: Array
    epsilon: float
    delta: float


def pair_of_households() -> Joint:
    """All 64 assignments of two households of three."""
    each = {row: INFECTED[sum(row)] / comb(SIZE, sum(row)) for row in product((0, 1), repeat=SIZE)}
    return {one + other: p * q for (one, p), (other, q) in product(each.items(), repeat=2)}


def law(joint: Joint, answers: int) -> Array:
    found = np.zeros(answers)
    for row, mass in joint.items():
        found[sum(int(str(x)) for x in row)] += float(mass)
    return found


def constraints(joint: Joint, notion: Notion, answers: int) -> Iterator[Constraint]:
    """By enumeration: everybody's record, everything that may be known of others'."""
    epsilon, delta, people = notion.epsilon or 0.0, notion.promised_delta or 0.0, len(next(iter(joint)))
    if isinstance(notion, DifferentialPrivacy):
        for place, step in product(range(answers), (-1, 1)):
            if 0 <= place + step < answers:
                yield Constraint(np.eye(answers)[place], np.eye(answers)[place + step], epsilon, 0.0)
        return
    most = people if notion.any_knowledge else int((notion.background_fraction or 0.0) * people)
    for person in range(people):
        for told in known_sets(joint, person):
            if len(told) <= most:
                here = given(joint, told)
                laws = [
                    law(given(here, {person: value}), answers)
                    for value in sorted({row[person] for row in here}, key=str)
                ]
                mixed = law(here, answers)
                if isinstance(notion, InformationPrivacy):
                    yield from (Constraint(own, mixed, epsilon, delta) for own in laws)
                elif len(laws) == 2:
                    yield Constraint(laws[0], laws[1], epsilon, delta)
                    yield Constraint(laws[1], laws[0], epsilon, delta)


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


def kernel_of(found: Calibration) -> Array:
    assert isinstance(found.noise, Kernel)
    return np.array(found.noise.probabilities)


def assert_kept(kernel: Array, every: Sequence[Constraint]) -> None:
    """By the enumerated laws alone."""
    for constraint in every:
        one, other = constraint.one @ kernel, exp(constraint.epsilon) * (constraint.other @ kernel)
        if constraint.delta:
            assert float(np.sum(np.maximum(one - other, 0.0))) <= constraint.delta * (1 + 1e-9)
        else:
            assert np.all(one <= other * (1 + 1e-9))


@pytest.mark.slow
@pytest.mark.parametrize(
    "promises",
    [
        [BayesianPrivacy(epsilon=1.0)],
        [InformationPrivacy(epsilon=0.3), BayesianPrivacy(epsilon=2.0)],
        [NoiselessPrivacy(epsilon=1.0, delta=0.02, known_fraction=0.5)],
        [DifferentialPrivacy(epsilon=1.5), NoiselessPrivacy(epsilon=0.5, delta=0.02, known_fraction=0.2)],
        [
            InformationPrivacy(epsilon=log(2), delta=1e-3),
            DifferentialPrivacy(epsilon=5.0),
            BayesianPrivacy(epsilon=4.0),
            NoiselessPrivacy(epsilon=2.0, delta=1e-2, known_fraction=0.5),
        ],
    ],
)
def test_the_optimum_against_a_program_of_its_own(promises: list[Notion]) -> None:
    """Every constraint from the 64 assignments, whoever's record it is and whatever is known."""
    joint = pair_of_households()
    every = distinct([each for notion in promises for each in constraints(joint, notion, 7)])
    wanted = kernel_optimum(law(joint, 7), every)
    found = calibrate(Release(PAIR, Count(), Geometric()), promises, "optimal")
    assert found.optimum is not None
    assert found.optimum.lower_bound <= wanted * (1 + 1e-7)
    assert found.optimum.lower_bound == pytest.approx(wanted, rel=2e-4)
    assert found.expected_error == pytest.approx(wanted, rel=3e-4)
    assert_kept(kernel_of(found), every)
    for each in found.promises:
        assert each.leakage.upper <= (each.notion.epsilon or 0.0)


FOUR = (Fraction(7, 10), Fraction(1, 10), Fraction(1, 10), Fraction(0), Fraction(1, 10))


def beside_six(notion: Notion, answers: int) -> Iterator[Constraint]:
    """Bayesian constraints of the first of seven households of four: its members' values, and all that six may add."""
    alone = {row: FOUR[sum(row)] / comb(4, sum(row)) for row in product((0, 1), repeat=4) if FOUR[sum(row)]}
    for constraint in distinct(list(constraints(alone, notion, 5))):
        for added in sorted({sum(each) for each in product((0, 1, 2, 4), repeat=6)}):
            one, other = (np.pad(law, (added, answers - 5 - added)) for law in constraint[:2])
            yield Constraint(one, other, constraint.epsilon, 0.0)


@pytest.mark.slow
def test_the_optimum_of_29_answers() -> None:
    seven = Households(count=7, infected=[float(each) for each in FOUR])
    bayesian, information = BayesianPrivacy(epsilon=3.0), InformationPrivacy(epsilon=0.7)
    release = Release(seven, Count(), Geometric())
    (channel,) = release.with_noise(NoNoise()).channels()
    laws, prior = np.exp(channel.likelihood.log_mass()), np.exp(channel.log_prior)
    mass = prior @ laws
    every = [*beside_six(bayesian, 29), *(Constraint(own, mass, 0.7, 0.0) for own in laws)]
    wanted = kernel_optimum(mass, every)
    found = calibrate(release, [information, bayesian], "optimal")
    assert found.optimum is not None
    assert found.optimum.lower_bound <= wanted * (1 + 1e-7)
    assert found.optimum.lower_bound == pytest.approx(wanted, rel=2e-4)
    assert found.expected_error == pytest.approx(wanted, rel=3e-4)
    assert_kept(kernel_of(found), every)


@pytest.mark.parametrize(
    "promises",
    [
        [BayesianPrivacy(epsilon=1.0)],
        [NoiselessPrivacy(epsilon=1.0, delta=0.02, known_fraction=0.5)],
        [InformationPrivacy(epsilon=0.5), NoiselessPrivacy(epsilon=0.5, delta=0.02, known_fraction=0.2)],
    ],
)
def test_clamped_ranges_keep_them_and_lose_to_the_optimum_only(promises: list[Notion]) -> None:
    release = Release(PAIR, Count(), Geometric())
    clamped, optimal = (calibrate(release, promises, method) for method in ("clamped", "optimal"))
    exact = calibrate(release, promises)
    assert optimal.optimum is not None
    assert optimal.optimum.lower_bound <= clamped.expected_error * (1 + 1e-9)
    assert clamped.expected_error <= exact.expected_error * (1 + 1e-9)
    for each in clamped.promises:
        assert each.leakage.upper <= (each.notion.epsilon or 0.0)


def test_knowing_no_records_is_inferential() -> None:
    release = Release(PAIR, Count(), Geometric())
    noiseless = NoiselessPrivacy(epsilon=0.5, delta=0.01, known_fraction=0.1)  # of six records none
    for method in ("optimal", "clamped"):
        found = calibrate(release, noiseless, method)
        wanted = calibrate(release, InferentialPrivacy(epsilon=0.5, delta=0.01), method)
        assert found.expected_error == pytest.approx(wanted.expected_error, rel=1e-6)


def test_more_known_costs_more() -> None:
    """Independent bits: from nobody's record known to everybody else's."""
    release = Release(Independent(n=8, probabilities=[0.3]), Count(), Geometric())
    errors = [
        calibrate(release, NoiselessPrivacy(epsilon=0.5, delta=0.02, known_fraction=share), "optimal").expected_error
        for share in (0.0, 0.25, 0.5, 0.75)
    ]
    assert errors == sorted(errors)
    assert errors[-1] > errors[0] + 0.01
    bayesian = calibrate(release, BayesianPrivacy(epsilon=0.5), "optimal").expected_error
    differential = calibrate(release, DifferentialPrivacy(epsilon=0.5), "optimal").expected_error
    assert bayesian == pytest.approx(differential, rel=2e-4)  # of independent records they are one promise
    assert errors[-1] <= bayesian


@pytest.mark.parametrize("cap", [20.0, 40.0])
def test_a_cap_that_is_next_to_nothing(cap: float) -> None:
    release = Release(PAIR, Count(), Geometric())
    information = InformationPrivacy(epsilon=0.3)
    alone = calibrate(release, information, "optimal").expected_error
    for notion in (DifferentialPrivacy(epsilon=cap), BayesianPrivacy(epsilon=cap)):
        found = calibrate(release, [information, notion], "optimal")
        assert found.expected_error == pytest.approx(alone, rel=2e-4)
        assert all(each.leakage.upper <= (each.notion.epsilon or 0.0) for each in found.promises)


def refused(model: Model, notion: Notion, said: str, error: type[Exception]) -> None:
    with pytest.raises(error, match=said):
        calibrate(Release(model, Count(), Geometric()), notion, "optimal")


def test_what_is_refused() -> None:
    chain = Chain(n=40, transition=[[0.9, 0.1], [0.4, 0.6]], initial="stationary")
    refused(chain, BayesianPrivacy(epsilon=1.0), r"^all known sets: .* assignments of the records", TooLarge)
    with pytest.raises(InputError, match=r"^notion\.kind: bayesian, wanted records that may be known of which"):
        calibrate(Release(chain, Count(), Geometric()), BayesianPrivacy(epsilon=1.0), "clamped")
    many = Households(count=900, infected=[0.9, 0.04, 0.0, 0.0, 0.06])
    refused(many, BayesianPrivacy(epsilon=1.0), r"^all known sets: .* assignments of the records", TooLarge)
