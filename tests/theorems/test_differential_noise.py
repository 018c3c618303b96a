"""Methods that convert differential privacy: no mechanism leaks more than they say, by a linear program over all."""

from collections.abc import Callable
from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy.optimize import linprog

import dalenius as dl
from dalenius.arrays import Array
from dalenius.joints import Joint, chain_of
from dalenius.models import Model
from dalenius.theorems.bayesian_gaussian import shift_of_others
from dalenius.theorems.composable_chain import both_ways, chain_curve
from dalenius.theorems.influence_matrix import influence_factor
from tests.cases import in_turn
from tests.pace import draws

CHAINS = {
    "even bits": dl.Chain(n=4, initial=[0.5, 0.5], transition=[[0.6, 0.4], [0.4, 0.6]]),
    "uneven bits": dl.Chain(n=4, initial=[0.9, 0.1], transition=[[0.65, 0.35], [0.4, 0.6]]),
    "turning bits": dl.Chain(n=4, initial=[0.3, 0.7], transition=[[0.35, 0.65], [0.6, 0.4]]),
    "three values": dl.Chain(
        n=3, values=[0, 1, 2], initial=[0.4, 0.3, 0.3], transition=[[0.5, 0.3, 0.2], [0.3, 0.4, 0.3], [0.2, 0.3, 0.5]]
    ),
}


def table_of(model: Model) -> Array:
    """The joint law (values of each record), from the model's numbers alone."""
    assert isinstance(model, dl.Chain)
    first, step = np.array(model.initial), np.array(model.transition)
    n, k = model.n, len(first)
    found = np.zeros((k,) * n)
    for row in product(range(k), repeat=n):
        found[row] = first[row[0]] * np.prod([step[a, b] for a, b in pairwise(row)])
    return found


def most(law: Array, epsilon: float, bayesian: bool) -> float:
    """The most that a mechanism with likelihoods within e^epsilon between neighbours tells of a record, in nats.

    bayesian: whichever records are known; else none is.
    """
    people, worst = law.ndim, 0.0
    for person in range(people):
        others = [each for each in range(people) if each != person]
        for known in (k for size in range(people if bayesian else 1) for k in combinations(others, size)):
            for values in product(*(range(law.shape[each]) for each in known)):
                place = [slice(None)] * people
                for each, value in zip(known, values, strict=True):
                    place[each] = slice(value, value + 1)
                part = law[tuple(place)]
                worst = max(worst, *(_ratio(part, person, s, t, epsilon) for s, t in _pairs(law.shape[person])))
    return worst


def _pairs(values: int) -> list[tuple[int, int]]:
    return [(s, t) for s in range(values) for t in range(values) if s != t]


def _ratio(law: Array, person: int, one: int, other: int, epsilon: float) -> float:
    """max of log Σ p(x|one)m(x)/Σ p(x|other)m(x) over m(x) <= e^ε m(x') where x, x' differ in one record."""
    rows = list(product(*map(range, law.shape)))
    number = {row: place for place, row in enumerate(rows)}
    gains = []
    for secret in (one, other):
        masses = np.array([law[row] if row[person] == secret else 0.0 for row in rows])
        gains.append(masses / masses.sum())
    limits = []
    for row in rows:
        for place in range(law.ndim):
            for value in range(law.shape[place]):
                if value != row[place]:
                    limit = np.zeros(len(rows))
                    limit[number[row]] = 1.0
                    limit[number[(*row[:place], value, *row[place + 1 :])]] = -np.exp(epsilon)
                    limits.append(limit)
    found = linprog(-gains[0], A_ub=np.array(limits), b_ub=np.zeros(len(limits)), A_eq=[gains[1]], b_eq=[1.0])
    assert found.status == 0
    assert found.fun is not None
    return float(np.log(-found.fun))


def law_of(model: Model) -> Joint:
    (joint,) = model.joints()
    assert isinstance(joint, Joint)
    return joint


@in_turn({"name": list(CHAINS), "epsilon": [0.1, 0.5, 2.0, 0.7]})
def test_no_mechanism_leaks_more_than_the_curve_of_a_chain(name: str, epsilon: float) -> None:
    model = CHAINS[name]
    chain = chain_of(law_of(model))
    assert chain is not None
    truth, bound = most(table_of(model), epsilon, False), chain_curve(both_ways(chain), epsilon)
    assert truth <= bound + 1e-7
    # Where both values are alike a product of both ends attains it.
    assert name != "even bits" or bound <= truth * (1 + 1e-6)


@in_turn({"name": list(CHAINS), "epsilon": [0.1, 0.5, 2.0, 0.7]})
def test_no_mechanism_leaks_more_than_influences_say(name: str, epsilon: float) -> None:
    """Whatever is known, and for one record at least more than without the others."""
    model = CHAINS[name]
    truth = most(table_of(model), epsilon, True)
    assert epsilon < truth <= influence_factor(law_of(model)) * epsilon + 1e-7


@in_turn({"name": list(CHAINS), "epsilon": [0.1, 0.5, 2.0, 0.7]})
def test_no_mechanism_leaks_more_than_four_ratios(name: str, epsilon: float) -> None:
    model = CHAINS[name]
    step = np.log(np.array(model.transition))
    assert most(table_of(model), epsilon, True) <= epsilon + 4 * float(np.max(np.ptp(step, axis=0))) + 1e-7


@draws(24)
@given(st.lists(st.floats(0.05, 1.0), min_size=8, max_size=8), st.sampled_from([0.2, 1.0]))
def test_influences_of_any_three_bits(weights: list[float], epsilon: float) -> None:
    law = np.array(weights).reshape(2, 2, 2) / sum(weights)
    rows = [list(row) for row in product((0, 1), repeat=3)]
    factor = influence_factor(law_of(dl.Table(records=rows, probabilities=(law.ravel() / law.sum()).tolist())))
    assume(factor < 50)
    assert most(law, epsilon, True) <= factor * epsilon + 1e-7


@in_turn({"size": [2, 3, 5], "correlation": [0.4, 0.3, 0.15], "sign": [1.0, -1.0, 1.0]})
def test_normal_others_move_no_more(size: int, correlation: float, sign: float) -> None:
    """Of all known sets and some laws with correlations up to that size."""
    random = np.random.default_rng(7)
    bound = float(shift_of_others(size, correlation))
    for _ in range(20):
        law = np.eye(size)
        for j, k in combinations(range(size), 2):
            law[j, k] = law[k, j] = sign * correlation * random.choice([1.0, 1.0, -1.0, 0.3])
        for count in range(size - 1):
            for known in combinations(range(1, size), count):
                told = [0, *known]
                unknown = [each for each in range(size) if each not in told]
                moved = law[np.ix_(unknown, told)] @ np.linalg.inv(law[np.ix_(told, told)])
                assert abs(float(moved[:, 0].sum())) <= bound + 1e-12


WEAK = dl.Chain(n=12, initial=[0.5, 0.5], transition=[[0.6, 0.4], [0.4, 0.6]])
RELATIVES = dl.GaussianRecords(
    mean=[0.0] * 4, covariance=[[1.0 if i == j else 0.2 for j in range(4)] for i in range(4)], bounds=(-2, 2)
)


@pytest.mark.parametrize("method", ["composable_chain", "influence_matrix", "bdp_markov"])
def test_the_noise_keeps_the_promise(method: str) -> None:
    release, notion = dl.Release(WEAK, "count", "geometric"), dl.InferentialPrivacy(epsilon=2.0)
    found = dl.calibrate(release, notion, method)
    assert found.sound
    assert notion.leakage(release.with_noise(found.noise)).lower <= 2.0


@pytest.mark.parametrize("method", ["influence_matrix", "bdp_markov"])
def test_the_noise_keeps_a_bayesian_promise(method: str) -> None:
    release, notion = dl.Release(WEAK, "count", "geometric"), dl.BayesianPrivacy(epsilon=2.0)
    found = dl.calibrate(release, notion, method)
    assert found.sound
    assert notion.leakage(release.with_noise(found.noise)).lower <= 2.0


def test_relatives_of_equal_variance() -> None:
    release, notion = dl.Release(RELATIVES, "sum", "laplace"), dl.InferentialPrivacy(epsilon=1.0)
    found = dl.calibrate(release, notion, "bdp_gaussian")
    assert found.sound
    assert found.noise.scale == pytest.approx(4 * (1 + 3 / (5 - 2)))
    assert notion.leakage(release.with_noise(found.noise)).upper == pytest.approx(0.8)


SURE = dl.Chain(n=3, initial=[0.5, 0.5], transition=[[1.0, 0.0], [0.4, 0.6]])
SAID: dict[str, Callable[[], object]] = {
    "method: composable_chain, wanted a model that is a chain": lambda: _calibrated(
        dl.Households(count=2, infected=[0.5, 0.3, 0.2]), "composable_chain"
    ),
    "method: influence_matrix, wanted records that depend on each other weakly": lambda: _calibrated(
        dl.Chain(n=9, initial=[0.5, 0.5], transition=[[0.8, 0.2], [0.2, 0.8]]), "influence_matrix"
    ),
    "influence_matrix, wanted records that depend": lambda: _calibrated(SURE, "influence_matrix"),
    "notion.epsilon: 1.0, wanted more than 4 ln γ = inf": lambda: _calibrated(SURE, "bdp_markov"),
    "notion.epsilon: 1.0, wanted more than 4 ln γ = 1.62186": lambda: _calibrated(WEAK, "bdp_markov"),
    "model.kind: chain, wanted gaussian": lambda: _calibrated(WEAK, "bdp_gaussian"),
    "(limit theorems.chain_records: 20,000 records)": lambda: _calibrated(
        dl.Chain(n=20_001, initial=[0.5, 0.5], transition=[[0.6, 0.4], [0.4, 0.6]]), "composable_chain"
    ),
    "(limit theorems.combinations: 16,384 combinations)": lambda: _calibrated(
        dl.Households(count=1, infected=[1 / 16] * 16), "influence_matrix"
    ),
    "model.covariance: correlations up to 0.6": lambda: dl.calibrate(
        dl.Release(
            dl.GaussianRecords(
                mean=[0] * 4,
                covariance=[[1.0 if i == j else 0.6 for j in range(4)] for i in range(4)],
                bounds=(0, 1),
            ),
            "sum",
            "laplace",
        ),
        dl.InferentialPrivacy(epsilon=1.0),
        "bdp_gaussian",
    ),
    "unknown records that all have the same variance": lambda: dl.calibrate(
        dl.Release(
            dl.GaussianRecords(mean=[0, 0], covariance=[[1.0, 0.1], [0.1, 2.0]], bounds=(0, 1)), "sum", "laplace"
        ),
        dl.InferentialPrivacy(epsilon=1.0),
        "bdp_gaussian",
    ),
}


def _calibrated(model: Model, method: str) -> object:
    return dl.calibrate(dl.Release(model, "count", "geometric"), dl.InferentialPrivacy(epsilon=1.0), method)


@pytest.mark.parametrize("said", SAID)
def test_refused(said: str) -> None:
    with pytest.raises(dl.errors.DaleniusError) as refused:
        SAID[said]()
    assert said in str(refused.value)
