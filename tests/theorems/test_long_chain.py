"""Chains with probabilities below the range of doubles, against closed forms, mpmath and fractions.

Long chains, sticky chains, and the least and the most that is promised.

The influence curve g(ε) against the program over all assignments, and against mechanisms that may use it up.
"""

from fractions import Fraction
from itertools import permutations, product
from math import exp, inf, log

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from mpmath import mp, mpf
from scipy.optimize import linprog

import dalenius as dl
from dalenius.bounds import Enclosure
from dalenius.channel import Release
from dalenius.joints import all_outcomes
from dalenius.models import Chain, Households, Independent, Model, Network, Table
from dalenius.models.bayesian_network import Node
from dalenius.noise import Laplace
from dalenius.notions import InferentialPrivacy
from dalenius.queries import Count
from dalenius.theorems.weak_dependence_methods import InfluenceCurveMethod, differential_epsilon, influence_curve
from tests.cases import in_turn
from tests.conformance.strategies import household_models, tables
from tests.conformance.table import PAIR, XOR, worlds_of
from tests.pace import draws, slow
from tests.reference import chain as reference, methods
from tests.reference.joints import Joint

LEAVES = [[0.1, 0.9], [0.0, 1.0]]
"""A chain that leaves state 0 for good: record n is still in it with probability 10^(1-n)."""


def leaving(n: int) -> dl.Chain:
    return dl.Chain(n=n, transition=LEAVES, initial=[1.0, 0.0])


def truth(n: int, scale: float) -> mpf:
    with mp.workdps(50):
        return reference.never_yet(n, mpf(LEAVES[0][0]), mpf(scale))


def assert_narrow(found: Enclosure, exact: mpf, width: float = 1e-9) -> None:
    assert found.lower <= exact <= found.upper
    assert found.upper - found.lower <= width * max(1.0, float(exact))


def inferential(release: dl.Release) -> Enclosure:
    leakage = dl.InferentialPrivacy(epsilon=1.0).leakage(release)
    return Enclosure(leakage.lower, leakage.upper)


@pytest.mark.lengthy
def test_a_value_that_no_double_holds_is_a_secret() -> None:
    assert_narrow(inferential(dl.Release(leaving(500), dl.Count(), dl.Laplace(scale=100.0))), truth(500, 100.0))


def test_without_noise_it_is_told_for_certain() -> None:
    release = dl.Release(leaving(500), dl.Count(), dl.NoNoise(), secrets=dl.Secrets(people=[500]))
    found = dl.audit(release)
    assert found["inferential"].lower == inf
    with mp.workdps(50):
        prior = mpf(LEAVES[0][0]) ** 499
        for kind in ("information", "relative_entropy"):
            assert_narrow(Enclosure(found[kind].lower, found[kind].upper), -mp.log(prior), 1e-10)
    for kind in ("mutual_information", "min_entropy"):
        assert 0 <= found[kind].lower <= 1e-300 < found[kind].upper < 1e-12
    assert_narrow(dl.delta_of(release, 0.5), mpf(1))


@pytest.mark.parametrize("name", [slow("exact"), slow("markov_quilt"), "weak_dependence"])
def test_calibrations_keep_their_promise(name: str) -> None:
    release = dl.Release(leaving(400), dl.Count(), dl.Laplace())
    found = dl.calibrate(release, dl.InferentialPrivacy(epsilon=1.0), name)
    assert found.sound
    leaks = truth(400, found.noise.known_scale())
    assert leaks <= 1
    assert name != "exact" or leaks > 1 - 1e-8


ENTRY = st.sampled_from([0.0, 5e-324, 3e-320, 1e-310, 1e-300, 1e-160, 1e-16, 1e-3, 0.25, 1.0])


@st.composite
def extreme_rows(draw: st.DrawFn, states: int) -> list[float]:
    row = draw(st.lists(ENTRY, min_size=states, max_size=states).filter(lambda entries: max(entries) >= 1e-3))
    return [float(entry) for entry in np.array(row) / sum(row)]


@st.composite
def extreme_chains(draw: st.DrawFn, most: int) -> dl.Chain:
    states, n = draw(st.integers(2, 3)), draw(st.integers(3, most))
    matrices = st.lists(extreme_rows(states), min_size=states, max_size=states)
    count = draw(st.sampled_from([1, n - 1]))
    steps = draw(st.lists(matrices, min_size=count, max_size=count))
    return dl.Chain(n=n, transition=steps[0] if count == 1 else steps, initial=draw(extreme_rows(states)))


@draws(60)
@given(model=extreme_chains(5), data=st.data())
def test_priors_and_what_is_known(model: dl.Chain, data: st.DataObject) -> None:
    (world,) = worlds_of(model)
    row = data.draw(st.sampled_from(sorted(world.joint)))
    known = {person: row[person - 1] for person in data.draw(st.lists(st.integers(1, model.n), unique=True))}
    joint = model.law()
    table = {each: p for each, p in world.joint.items() if all(each[at - 1] == v for at, v in known.items())}
    total = sum(table.values())
    given_known = joint.given(known)
    assert len(all_outcomes(given_known.factors())[1]) == len(table)
    with mp.workdps(40):
        for person in range(1, model.n + 1):
            law = methods.law_of(table, lambda each, at=person: each[at - 1])  # type: ignore[misc]
            subject = given_known.subject_of(person)
            assert set(subject.secrets) == set(law)
            for secret, log_prior in zip(subject.secrets, subject.log_prior, strict=True):
                exact = mp.log(mpf(law[secret].numerator) / law[secret].denominator * total.denominator) - mp.log(
                    mpf(total.numerator)
                )
                assert abs(log_prior - exact) <= 1e-13 * max(1, abs(exact))


@draws(60)
@given(model=extreme_chains(5), scale=st.sampled_from([0.02, 1.0, 30.0]), engine=st.sampled_from([None, "convolution"]))
def test_leakages(model: dl.Chain, scale: float, engine: str | None) -> None:
    k = len(model.initial)
    steps = model.law().chain.steps.doubles()
    found = dl.audit(dl.Release(model, dl.Sum(), dl.Laplace(scale=scale), engine=engine))
    dl.audit(dl.Release(model, dl.Sum(), dl.Geometric(scale=scale), engine=engine))
    with mp.workdps(40):
        records = [reference.sum_given(model.initial, steps, range(k), at) for at in range(model.n)]  # type: ignore[arg-type]
        records = [record for record in records if len(record.prior) > 1]
        assume(records)
        for kind, read in (("inferential", reference.inferential), ("information", reference.information)):
            exact = max(read(record, mpf(scale)) for record in records)
            assert_narrow(Enclosure(found[kind].lower, found[kind].upper), exact, 1e-8)


def chain(n: int, stay: float) -> dl.Chain:
    return dl.Chain(n=n, transition=[[stay, 1 - stay], [1 - stay, stay]], initial="stationary")


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
    assert g(pair, 1.0) == pytest.approx(1 + log((0.9 * exp(1) + 0.1) / (0.1 * exp(1) + 0.9)), abs=1e-8)


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


def test_a_network_too_large_to_list_has_the_bound_of_its_conversion() -> None:
    """A tree of forty people, each like their parent with probability .8."""
    table = ((0.8, 0.2), (0.2, 0.8))
    nodes = [Node(name="p0", probabilities=(0.5, 0.5))]
    nodes += [Node(name=f"p{i}", parents=(f"p{(i - 1) // 2}",), probabilities=table) for i in range(1, 40)]
    tree = Network(nodes=tuple(nodes))
    wanted = dl.Conversion(tree, dl.PureProfile(0.3), "replace").epsilon(0.0).value
    assert wanted.lower < 0.3 < g(tree, 0.3) == pytest.approx(wanted.upper, rel=1e-9)
