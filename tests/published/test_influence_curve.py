"""The influence curve g(ε) against the program over all assignments, and against mechanisms that may use it up."""

from fractions import Fraction
from itertools import permutations, product
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import linprog

from dalenius.channel import Release
from dalenius.models import Chain, Households, Independent, Model, Table
from dalenius.noise import Laplace
from dalenius.notions import InferentialPrivacy
from dalenius.published.influence_curve import InfluenceCurveMethod, differential_epsilon, influence_curve
from dalenius.queries import Count
from tests.cases import in_turn
from tests.conformance.strategies import household_models, tables
from tests.conformance.table import PAIR, XOR, worlds_of
from tests.pace import draws
from tests.reference.joints import Joint


def over_all_assignments(joint: Joint, epsilon: float) -> float:
    """The program with a variable for every assignment whatever, neighbours only: no shortcut."""
    people = len(next(iter(joint)))
    universes = [sorted({row[i] for row in joint}, key=str) for i in range(people)]
    states = list(product(*universes))
    place = {state: i for i, state in enumerate(states)}
    bounds = []
    for state in states:
        for i in range(people):
            for value in universes[i]:
                if value != state[i]:
                    row = np.zeros(len(states))
                    row[place[state]], row[place[(*state[:i], value, *state[i + 1 :])]] = 1.0, -exp(epsilon)
                    bounds.append(row)
    best = epsilon
    for i in range(people):
        laws = {}
        for value in universes[i]:
            rows = {row: p for row, p in joint.items() if row[i] == value}
            mass = sum(rows.values(), Fraction(0))
            laws[value] = np.array([float(rows.get(state, 0) / mass) for state in states])
        for one, other in permutations(universes[i], 2):
            found = linprog(
                -laws[one], A_ub=np.array(bounds), b_ub=np.zeros(len(bounds)), A_eq=laws[other][None], b_eq=[1.0]
            )
            assert found.fun is not None
            best = max(best, log(-found.fun))
    return best


def g(model: Model, epsilon: float) -> float:
    return influence_curve(Release(model, Count(), Laplace()), epsilon)


@in_turn(
    {
        "epsilon": [0.2, 1.0, 3.0],
        "model": [
            XOR,
            Households(types=[{"count": 1, "infected": [0.5, 0.1, 0.2, 0.2], "members": {"a": 1, "b": 2}}]),
            Chain(n=3, transition=[[1.0, 0.0], [0.4, 0.6]], initial=[0.5, 0.5]),
            Table(records=[[0, 1, 2], [1, 0, 0], [1, 1, 2]], probabilities=[0.2, 0.3, 0.5]),
        ],
    }
)
def test_against_all_assignments(model: Model, epsilon: float) -> None:
    (world,) = worlds_of(model)
    wanted = over_all_assignments(world.joint, epsilon)
    assert wanted - 1e-6 <= g(model, epsilon) <= wanted + 3e-6


@given(model=st.one_of(tables(3), household_models(4)), epsilon=st.floats(0.1, 2.0))
@draws(25)
def test_random_groups(model: Model, epsilon: float) -> None:
    (world,) = worlds_of(model)
    if len(next(iter(world.joint))) <= 4:
        wanted = over_all_assignments(world.joint, epsilon)
        assert wanted - 1e-5 <= g(model, epsilon) <= wanted + 1e-5


def test_what_is_known_in_closed_form() -> None:
    assert g(Independent(n=1000, probabilities=[0.3]), 0.7) == 0.7
    assert g(PAIR, 0.7) == pytest.approx(1.4, abs=1e-5)
    # One neighbour of a fair chain that stays with .9: log (.9 e^ε + .1)/(.1 e^ε + .9) beside the record's own ε.
    pair = Chain(n=2, transition=[[0.9, 0.1], [0.1, 0.9]], initial=[0.5, 0.5])
    assert g(pair, 1.0) == pytest.approx(1 + log((0.9 * exp(1) + 0.1) / (0.1 * exp(1) + 0.9)), abs=1e-9)


def test_the_method_keeps_its_promise_between_exact_and_group() -> None:
    epsilon = 2.0
    release = Release(Chain(n=40, transition=[[0.8, 0.2], [0.2, 0.8]], initial="stationary"), Count(), Laplace())
    made = InfluenceCurveMethod().calibrate(release, InferentialPrivacy(epsilon=epsilon))
    assert made.sound
    assert made.leakage.upper <= epsilon
    assert made.noise.scale is not None
    assert 1 / epsilon < made.noise.scale < 40 / epsilon
    allowed = differential_epsilon(release, epsilon)
    assert influence_curve(release, allowed) <= epsilon < influence_curve(release, allowed * 1.001)
