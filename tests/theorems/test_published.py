"""The published methods: Theory §12's chain table, erratum E3, what each serves and what it says.

What the published methods compute, against its definition on enumerated joint laws.
"""

from fractions import Fraction
from math import log

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import dalenius as dl
from dalenius import joints
from dalenius.joints import Joint
from dalenius.joints.markov_chain_factor import MarkovChain
from dalenius.laws.law import Law
from dalenius.models import Model
from dalenius.noise import Noise
from dalenius.notions import Notion
from dalenius.pairs.methods import DependenceCoefficientMethod
from dalenius.queries import Query
from dalenius.theorems.markov_quilt import ExactInfluences, cheapest
from dalenius.theorems.wasserstein import wasserstein_bounds
from dalenius.theorems.weak_dependence_methods import largest_variation
from tests.cases import in_turn
from tests.conformance.scores import Unfit
from tests.conformance.strategies import chains, distributions, household_models, models, queries, tables
from tests.conformance.table import truth_of, worlds_of
from tests.conformance.truth import Truth
from tests.pace import draws
from tests.reference import methods
from tests.reference.channel import mp

ONE = dl.InferentialPrivacy(epsilon=1)
NOISES: tuple[Noise, ...] = (dl.Laplace(), dl.Geometric())
RARE = 0.01 * 20 / 21
OUTBREAK = dl.Households(count=1, infected=[0.99, RARE, *[0.0] * 18, 0.01 - RARE])
"""Twenty people; nobody ill with probability .99, else one or all, so that Pr[all | X_1 = 1] = 1/2."""


def chain(p: float, q: float, n: int = 100) -> dl.Chain:
    """p = Pr(1→1), q = Pr(0→1), stationary."""
    return dl.Chain(n=n, transition=[[1 - q, q], [1 - p, p]], initial="stationary")


def counted(model: Model, method: str, notion: Notion = ONE, noise: Noise = NOISES[0]) -> dl.Calibration:
    return dl.calibrate(dl.Release(model, dl.Count(), noise), notion, method)


TABLE = {
    (0.5, 0.5): {"exact": 1.000, "wasserstein": 1, "markov_quilt": 1.000},
    (0.6, 0.4): {"exact": 1.467, "wasserstein": 2, "markov_quilt": 3.572},
    (0.8, 0.2): {"exact": 3.849, "wasserstein": 5, "markov_quilt": 13.075},
    (0.9, 0.1): {"exact": 8.640, "wasserstein": 10, "markov_quilt": 31.738},
}


@pytest.mark.slow
@in_turn({"chances": TABLE, "noise": NOISES})
def test_theory_12_chains(chances: tuple[float, float], noise: Noise) -> None:
    for method, scale in {**TABLE[chances], "group": 100}.items():
        found = counted(chain(*chances), method, noise=noise)
        assert found.noise.scale == pytest.approx(scale, abs=5.1e-4 if isinstance(scale, float) else 1e-8)
        assert found.sound
        assert found.leakage.upper <= 1 + 1e-9


@in_turn({"noise": NOISES, "promised, leaked": [(1.0, 1.330), (3.0, 4.702)]})
def test_e2_the_joint_law_of_the_others_matters(promised: float, leaked: float, noise: Noise) -> None:
    found = counted(OUTBREAK, "dependence_coefficient", dl.InferentialPrivacy(epsilon=promised), noise)
    assert found.leakage.lower == pytest.approx(leaked, abs=5.1e-4)
    assert not found.sound
    assert "errata E2" in found.why


def test_coefficients_are_sound_where_records_are_independent() -> None:
    found = counted(dl.Independent(n=9, probabilities=[0.2]), "dependence_coefficient")
    assert found.sound
    assert found.noise.scale == 1


def test_weak_dependence_is_the_theorem() -> None:
    """η = 1/2: b = ln 2, so that e = ε and the scale is that of the group; at ε = 5, b is still ln 2."""
    for epsilon in (1.0, 5.0):
        found = counted(OUTBREAK, "weak_dependence", dl.InferentialPrivacy(epsilon=epsilon))
        assert found.noise.known_scale() == pytest.approx(20 / epsilon)
        assert found.sound
    # η = 0: b is what e(1 - 1/k) >= b leaves, and e = k(ε - ln 2).
    found = counted(chain(0.5, 0.5), "weak_dependence")
    assert found.noise.known_scale() == pytest.approx(1 / (1 - log(2)))


@pytest.mark.slow
def test_quilts_of_long_chains() -> None:
    """The middle of a chain of thousands is that of a chain of hundreds."""
    for p, q in ((0.8, 0.2), (0.3, 0.1)):
        long, short = (counted(chain(p, q, n), "markov_quilt").noise.known_scale() for n in (2000, 200))
        assert long == pytest.approx(short, rel=1e-9)


def test_wasserstein_of_answers_beside_each_other() -> None:
    """Each group touches one of the two answers; where one touches both, quantiles are of no number."""
    apart = dl.Households(
        types=[
            dl.HouseholdType(count=3, infected=(0.8, 0.1, 0.1), members={"a": 2}),
            dl.HouseholdType(count=2, infected=(0.8, 0.1, 0.0, 0.1), members={"b": 3}),
        ]
    )
    found = dl.calibrate(dl.Release(apart, dl.Count(per_label=True), dl.Geometric()), ONE, "wasserstein")
    assert found.noise.known_scale() == pytest.approx(3)


def test_distances_of_two_laws_one_by_one() -> None:
    """The second and third have ties, 1/2 = 1/4 + 1/4 and 0.1 = 0.1, that a double does not decide."""
    for one, other, expected in (
        ([0.4, 0.6, 0.0, 0.0], [0.25, 0.25, 0.0, 0.5], (2, 2)),
        ([0.5, 0.5, 0.0, 0.0], [0.25, 0.25, 0.0, 0.5], (2, 3)),
        ([0.1, 0.0, 0.9], [0.0, 0.1, 0.9], (1, 2)),
    ):
        with np.errstate(divide="ignore"):
            law = Law((0,), np.zeros(len(one)), np.log([one, other]), 1e-15)
        assert wasserstein_bounds(law, 0, 1, 4) == wasserstein_bounds(law, 1, 0, 4) == expected


def test_what_inferential_privacy_does_not_imply_is_judged_by_itself() -> None:
    """Of two opposite bits the sum says nothing, and Wasserstein noise is none; but it does not hide one record."""
    opposite = dl.Table(records=[[0, 1], [1, 0]], probabilities=[0.5, 0.5])
    for notion in (dl.DifferentialPrivacy(epsilon=1), dl.BayesianPrivacy(epsilon=1)):
        found = dl.calibrate(dl.Release(opposite, dl.Sum(), dl.Laplace()), notion, "wasserstein")
        assert found.noise == dl.NoNoise()
        assert not found.sound
        assert f"{notion.kind} privacy needs noise that hides" in found.why
    enough = counted(OUTBREAK, "wasserstein", dl.BayesianPrivacy(epsilon=1))
    assert enough.sound
    assert "a whole independent group" in enough.why
    quilt = counted(chain(0.8, 0.2, 30), "markov_quilt", dl.DifferentialPrivacy(epsilon=1))
    assert quilt.sound
    assert quilt.leakage.upper <= 1


def test_a_tie_is_decided_by_the_leakage() -> None:
    """A bit among fair bits: F_1(x) = F_0(x - 1) for every x, and only the digits of the laws say which is larger."""
    found = counted(chain(0.5, 0.5, 300), "wasserstein")
    assert found.noise.scale == pytest.approx(1, rel=2e-9)
    assert found.leakage.upper <= 1


ONE_SUM = queries(per_label=st.just(False)).filter(lambda query: query.kind in ("count", "sum", "mean"))
ONE_OF_PUBLISHED_NUMBERS = dl.InferentialPrivacy(epsilon=1)


def sensible(model: Model, query: Query) -> Truth:
    try:
        return truth_of(model, query, dl.NoNoise())
    except Unfit:
        assume(False)
        raise


@draws(200)
@given(models(6))
def test_variation_is_that_of_the_vector_of_all_others(model: Model) -> None:
    joint, (world,) = only_joint(model), worlds_of(model)
    found, truth = largest_variation(joint), float(methods.variation(world.joint))
    assert truth * (1 - 1e-12) <= found <= truth + 1e-9


@draws(200)
@given(models(6), ONE_SUM)
def test_wasserstein_is_the_worst_distance_of_quantiles(model: Model, query: Query) -> None:
    truth = sensible(model, query)
    widest = float(methods.widest(truth.worlds[0].joint, truth.asked[0].score))
    found = dl.calibrate(dl.Release(model, query, dl.Laplace()), ONE_OF_PUBLISHED_NUMBERS, "wasserstein")
    # Where equality decides, doubles and fractions may differ; less is found only where it keeps the promise.
    scale = found.noise.scale or 0.0
    assert found.leakage.upper <= 1 + 1e-9
    assert scale == pytest.approx(widest, rel=1e-8) or scale < widest or _is_a_tie(truth, scale)


def _is_a_tie(truth: Truth, scale: float) -> bool:
    """Whether moving every mass by 1e-12 of itself makes W∞ as large as that."""
    joint, score = truth.worlds[0].joint, truth.asked[0].score
    for person in range(len(next(iter(joint)))):
        laws = methods.sums_given(joint, score, person)
        for p in laws:
            for q in laws:
                low, high = min([*p, *q]), max([*p, *q])
                nudged = {**{x: m * (1 - Fraction(1, 10**12)) for x, m in p.items()}}
                nudged[high] = nudged.get(high, Fraction(0)) + Fraction(1, 10**12) / 2
                nudged[low] = nudged.get(low, Fraction(0)) + Fraction(1, 10**12) / 2
                if float(methods.w_infinity(nudged, q)) >= scale * (1 - 1e-8):
                    return True
    return False


def ranges_of(truth: Truth) -> list[tuple[Fraction, Fraction]]:
    """The ends of each record's score."""
    score, people = truth.asked[0].score, truth.worlds[0].people
    scores = [[methods.one_score(score, i, value) for value in p.values] for i, p in enumerate(people)]
    return [(min(each), max(each)) for each in scores]


def alone(model: Model) -> bool:
    return isinstance(model, dl.Households) and [each.count for each in model.types or ()] == [1]


def one_group(most: int = 4) -> st.SearchStrategy[Model]:
    return st.one_of(tables(most), chains(4), household_models(most).filter(alone))


def only_joint(model: Model) -> Joint:
    (joint,) = model.joints()
    assert isinstance(joint, Joint)
    return joint


def chain_of(model: Model) -> MarkovChain:
    chain = joints.chain_of(only_joint(model))
    assert chain is not None
    return chain


@draws(60)
@given(model=one_group(), query=ONE_SUM, epsilon=st.sampled_from([0.2, 1.0, 3.0]))
def test_coefficients_are_fixed_points(model: Model, query: Query, epsilon: float) -> None:
    truth = sensible(model, query)
    world, score = truth.worlds[0], truth.asked[0].score
    assume(all(len({row[i] for row in world.joint}) > 1 for i in range(len(world.people))))
    ranges = ranges_of(truth)
    found = DependenceCoefficientMethod().calibrate(
        dl.Release(model, query, dl.Laplace()), dl.InferentialPrivacy(epsilon=epsilon)
    )
    if found.noise.scale is None:
        assert all(low == high for low, high in ranges)
        return
    with mp.workdps(30):
        total = methods.dependent_sum(world.joint, score, ranges, methods.exactly_told, mp.mpf(found.noise.scale))
    assert float(total) == pytest.approx(epsilon, rel=1e-8)
    assert found.sound == (len(world.people) == 1)


@draws(150)
@given(data=st.data(), epsilon=st.sampled_from([0.3, 1.0, 4.0]))
def test_quilts_are_the_cheapest_of_all(data: st.DataObject, epsilon: float) -> None:
    model = data.draw(chains(6))
    if data.draw(st.booleans()):  # steps that differ
        rows = st.lists(distributions(2), min_size=2, max_size=2)
        steps = data.draw(st.lists(rows, min_size=2, max_size=5))
        model = dl.Chain(n=len(steps) + 1, transition=steps, initial=data.draw(distributions(2)))
    joint, (world,) = chain_of(model), worlds_of(model)
    with mp.workdps(40):
        truth = float(methods.quilt_scale(world.joint, mp.mpf(epsilon)))
    found = float(cheapest(ExactInfluences(joint), epsilon))
    assert truth * (1 - 1e-12) <= found <= truth * (1 + 1e-8)
