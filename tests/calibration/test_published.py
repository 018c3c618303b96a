"""The published methods: Theory §12's chain table, errata E2 and E3, what each serves and what it says."""

from fractions import Fraction
from math import log

import numpy as np
import pytest

from dalenius import (
    Any,
    BayesianPrivacy,
    Calibration,
    Chain,
    Count,
    DifferentialPrivacy,
    Gaussian,
    Geometric,
    Groups,
    Households,
    HouseholdType,
    Independent,
    InferentialPrivacy,
    InformationPrivacy,
    InputError,
    Laplace,
    Max,
    Mean,
    Network,
    NoNoise,
    Product,
    Release,
    Sum,
    Table,
    TooLarge,
    calibrate,
)
from dalenius.calibration import CorrelatedSensitivityMethod
from dalenius.calibration.group.wasserstein import distances
from dalenius.calibration.pairwise.dependence_coefficient_closed import ClosedCoefficientMethod
from dalenius.laws.law import Law
from dalenius.models import Model
from dalenius.noise import Noise
from dalenius.notions import Notion
from tests.conformance.table import PAIR, XOR
from tests.pace import one_in

ONE = InferentialPrivacy(epsilon=1)
NOISES: tuple[Noise, ...] = (Laplace(), Geometric())
RARE = 0.01 * 20 / 21
OUTBREAK = Households(count=1, infected=[0.99, RARE, *[0.0] * 18, 0.01 - RARE])
"""Twenty people; nobody ill with probability .99, else one or all, so that Pr[all | X_1 = 1] = 1/2."""


def chain(p: float, q: float, n: int = 100) -> Chain:
    """p = Pr(1→1), q = Pr(0→1), stationary."""
    return Chain(n=n, transition=[[1 - q, q], [1 - p, p]], initial="stationary")


def counted(model: Model, method: str, notion: Notion = ONE, noise: Noise = NOISES[0]) -> Calibration:
    return calibrate(Release(model, Count(), noise), notion, method)


TABLE = {
    (0.5, 0.5): {"exact": 1.000, "wasserstein": 1, "markov_quilt": 1.000, "markov_quilt_approximate": 8.973},
    (0.6, 0.4): {"exact": 1.467, "wasserstein": 2, "markov_quilt": 3.572, "markov_quilt_approximate": 11.537},
    (0.8, 0.2): {"exact": 3.849, "wasserstein": 5, "markov_quilt": 13.075, "markov_quilt_approximate": 23.979},
    (0.9, 0.1): {"exact": 8.640, "wasserstein": 10, "markov_quilt": 31.738, "markov_quilt_approximate": 49.220},
}

CHAINS = one_in(4, [(chances, NOISES[(turn + place) % 2]) for turn, chances in enumerate(TABLE) for place in (0, 1)])
"""Two chains with one of the noises each; the slow suite has the others."""


@pytest.mark.slow
@pytest.mark.parametrize(("chances", "noise"), CHAINS)
def test_theory_12_chains(chances: tuple[float, float], noise: Noise) -> None:
    for method, scale in {**TABLE[chances], "group": 100}.items():
        found = counted(chain(*chances), method, noise=noise)
        assert found.noise.scale == pytest.approx(scale, abs=5.1e-4 if isinstance(scale, float) else 1e-8)
        assert found.sound
        assert found.leakage.upper <= 1 + 1e-9


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize(("promised", "leaked"), [(1.0, 1.330), (3.0, 4.702)])
def test_e2_the_joint_law_of_the_others_matters(promised: float, leaked: float, noise: Noise) -> None:
    found = counted(OUTBREAK, "dependence_coefficient", InferentialPrivacy(epsilon=promised), noise)
    assert found.leakage.lower == pytest.approx(leaked, abs=5.1e-4)
    assert not found.sound
    assert "errata E2" in found.why


def test_e2_also_of_three_bits_that_are_pairwise_independent() -> None:
    found = calibrate(Release(XOR, Sum(), Laplace()), ONE, "dependence_coefficient")
    assert found.noise.scale == pytest.approx(1)
    assert found.leakage.lower == pytest.approx(1.4338, abs=5.1e-5)
    assert not found.sound


def test_e3_eq_18_adds_something_for_independent_records_of_a_group() -> None:
    """σ where 1/σ + log((1 + e^{1/σ})/2) = 1; with d* the far end, 2."""
    fair = Table(records=[[0, 0], [0, 1], [1, 0], [1, 1]], probabilities=[0.25] * 4)
    release = Release(fair, Sum(), Laplace())
    fixed, far = (ClosedCoefficientMethod(reading).calibrate(release, ONE) for reading in ("fixed", "far"))
    scale = fixed.noise.known_scale()
    assert 1 / scale + log((1 + np.exp(1 / scale)) / 2) == pytest.approx(1)
    assert far.noise.known_scale() == pytest.approx(2)
    assert f"{far.noise.known_scale():.6g} (errata E3)" in fixed.why
    assert f"{scale:.6g} (errata E3)" in far.why
    assert calibrate(release, ONE, "dependence_coefficient").noise.known_scale() == pytest.approx(1)


@pytest.mark.parametrize("method", ["dependence_coefficient", "dependence_coefficient_closed"])
def test_coefficients_are_sound_where_records_are_independent(method: str) -> None:
    found = counted(Independent(n=9, probabilities=[0.2]), method)
    assert found.sound
    assert found.noise.scale == 1
    assert "independent of all others" in found.why


def test_correlated_sensitivity_promises_nothing() -> None:
    found = counted(Independent(n=9, probabilities=[0.2]), "correlated_sensitivity")
    assert (found.sound, found.noise.scale) == (False, 1)
    assert "Pearson" in found.why
    equal = calibrate(Release(PAIR, Sum(), Laplace()), ONE, "correlated_sensitivity")
    assert equal.noise.known_scale() == pytest.approx(2)


def test_weak_dependence_is_the_theorem() -> None:
    """η = 1/2: b = ln 2, so that e = ε and the scale is that of the group; at ε = 5, b is still ln 2."""
    for epsilon in (1.0, 5.0):
        found = counted(OUTBREAK, "weak_dependence", InferentialPrivacy(epsilon=epsilon))
        assert found.noise.known_scale() == pytest.approx(20 / epsilon)
        assert found.sound
    # η = 0: b is what e(1 - 1/k) >= b leaves, and e = k(ε - ln 2).
    found = counted(chain(0.5, 0.5), "weak_dependence")
    assert found.noise.known_scale() == pytest.approx(1 / (1 - log(2)))


def test_e1_also_breaks_the_weak_dependence_theorem_as_it_is_written() -> None:
    """Each of the three bits is independent of each other one: k = 1, η = 1, b = 0, and e - b + ln 2 is exceeded."""
    leakage = InferentialPrivacy().leakage(Release(XOR, Sum(), Laplace(scale=1 / 5)))
    assert leakage.lower > 9.3 > 5 + log(2)
    assert calibrate(Release(XOR, Sum(), Laplace()), InferentialPrivacy(epsilon=5 + log(2)), "weak_dependence").sound


def test_weak_dependence_below_ln_2_does_not_apply() -> None:
    with pytest.raises(InputError, match=r"^notion.epsilon: 0.6, wanted more than ln 2 = 0.693147"):
        counted(OUTBREAK, "weak_dependence", InferentialPrivacy(epsilon=0.6))
    assert counted(OUTBREAK, "weak_dependence_sharp", InferentialPrivacy(epsilon=0.6)).sound


@pytest.mark.slow
def test_sharp_weak_dependence_is_at_most_group_and_at_least_independent() -> None:
    for model in (OUTBREAK, chain(0.6, 0.4), chain(0.9, 0.1), PAIR, Independent(n=3, probabilities=[0.5])):
        one, sharp, group = (
            counted(model, method).noise.known_scale() for method in ("independent", "weak_dependence_sharp", "group")
        )
        assert one <= sharp <= group
    assert counted(OUTBREAK, "weak_dependence_sharp").noise.scale == pytest.approx(13.582262, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["markov_quilt", "markov_quilt_approximate"])
def test_quilts_are_for_chains(method: str) -> None:
    chains = Any(models=[chain(0.6, 0.4), chain(0.8, 0.2)])
    assert counted(chains, method).noise == counted(chain(0.8, 0.2), method).noise
    for model in (OUTBREAK, PAIR, Product(parts=[chain(0.5, 0.5, 3), PAIR]), Any(models=[chain(0.6, 0.4, 2), PAIR])):
        with pytest.raises(InputError, match=f"^method: {method}, wanted a model that is a chain$"):
            counted(model, method)


@pytest.mark.parametrize(
    ("transition", "wanted"),
    [
        ([[0.0, 1.0], [1.0, 0.0]], "irreducible, aperiodic"),
        ([[1.0, 0.0], [0.5, 0.5]], "irreducible, aperiodic"),
        ([[[0.5, 0.5], [0.1, 0.9]], [[0.4, 0.6], [0.1, 0.9]]], "one transition matrix"),
    ],
)
def test_approximate_quilts_need_one_mixing_step(transition: list[object], wanted: str) -> None:
    model = Chain(n=3, transition=transition, initial=[0.5, 0.5])
    with pytest.raises(InputError, match=f"^method: markov_quilt_approximate, wanted a chain .*{wanted}"):
        counted(model, "markov_quilt_approximate")
    assert counted(model, "markov_quilt").sound


@pytest.mark.slow
def test_a_chain_of_three_values_that_is_not_reversible() -> None:
    """Its gap is that of PP*; scales in between those of the exact quilts and the whole chain."""
    round_and_round = [[0.1, 0.8, 0.1], [0.1, 0.1, 0.8], [0.8, 0.1, 0.1]]
    model = Chain(n=200, transition=round_and_round, initial=[1.0, 0.0, 0.0])
    exact, approximate = (counted(model, f"markov_quilt{kind}").noise.known_scale() for kind in ("", "_approximate"))
    assert 1 < exact < approximate < 200


@pytest.mark.slow
def test_quilts_of_long_chains() -> None:
    """The middle of a chain of thousands is that of a chain of hundreds."""
    for p, q in ((0.8, 0.2), (0.3, 0.1)):
        long, short = (counted(chain(p, q, n), "markov_quilt").noise.known_scale() for n in (2000, 200))
        assert long == pytest.approx(short, rel=1e-9)


@pytest.mark.slow
def test_quilts_are_in_the_query_s_unit() -> None:
    model = chain(0.8, 0.2)
    for method in ("markov_quilt", "wasserstein", "weak_dependence_sharp", "dependence_coefficient"):
        found = calibrate(Release(model, Mean(), Laplace()), ONE, method)
        assert found.noise.known_scale() == pytest.approx(counted(model, method).noise.known_scale() / 100, rel=1e-9)


def test_wasserstein_of_answers_beside_each_other() -> None:
    """Each group touches one of the two answers; where one touches both, quantiles are of no number."""
    apart = Households(
        types=[
            HouseholdType(count=3, infected=(0.8, 0.1, 0.1), members={"a": 2}),
            HouseholdType(count=2, infected=(0.8, 0.1, 0.0, 0.1), members={"b": 3}),
        ]
    )
    found = calibrate(Release(apart, Count(per_label=True), Geometric()), ONE, "wasserstein")
    assert found.noise.known_scale() == pytest.approx(3)
    together = Households(types=[HouseholdType(count=3, infected=(0.8, 0.1, 0.1), members={"a": 1, "b": 1})])
    with pytest.raises(InputError, match=r"^method: wasserstein, wanted an answer of one number for each group"):
        calibrate(Release(together, Count(per_label=True), Geometric()), ONE, "wasserstein")


def test_wasserstein_of_a_maximum() -> None:
    found = calibrate(Release(PAIR, Max(), Laplace()), ONE, "wasserstein")
    assert found.noise.scale == 1
    for method in ("dependence_coefficient", "dependence_coefficient_closed", "correlated_sensitivity"):
        with pytest.raises(InputError, match=f"^method: {method}, wanted an answer that is one sum"):
            calibrate(Release(PAIR, Max(), Laplace()), ONE, method)


def test_wasserstein_adds_nothing_where_the_answer_says_nothing() -> None:
    """X1 xor X2 and its negation: the sum of all four is always 2."""
    rows = [[a, b, 1 - a, 1 - b] for a in (0, 1) for b in (0, 1)]
    found = calibrate(Release(Table(records=rows, probabilities=[0.25] * 4), Sum(), Laplace()), ONE, "wasserstein")
    assert (found.noise, found.sound) == (NoNoise(), True)


def test_a_tie_is_decided_by_the_leakage() -> None:
    """A bit among fair bits: F_1(x) = F_0(x - 1) for every x, and only the digits of the laws say which is larger."""
    found = counted(chain(0.5, 0.5, 300), "wasserstein")
    assert found.noise.scale == pytest.approx(1, rel=2e-9)
    assert found.leakage.upper <= 1
    assert "but for rounding" in found.why or found.noise.scale == 1


def test_distances_of_two_laws_one_by_one() -> None:
    """The second and third have ties, 1/2 = 1/4 + 1/4 and 0.1 = 0.1, that a double does not decide."""
    for one, other, expected in (
        ([0.4, 0.6, 0.0, 0.0], [0.25, 0.25, 0.0, 0.5], (2, 2)),
        ([0.5, 0.5, 0.0, 0.0], [0.25, 0.25, 0.0, 0.5], (2, 3)),
        ([0.1, 0.0, 0.9], [0.0, 0.1, 0.9], (1, 2)),
    ):
        with np.errstate(divide="ignore"):
            law = Law((0,), np.zeros(len(one)), np.log([one, other]), 1e-15)
        assert distances(law, 0, 1, 4) == distances(law, 1, 0, 4) == expected


def test_tails_decide_with_relative_accuracy() -> None:
    """A mass of 1e-200 in either tail that has to move three steps."""
    for turn in (1, -1):
        masses = np.array([[1e-200, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]])[:, ::turn]
        with np.errstate(divide="ignore"):
            law = Law((0,), np.zeros(4), np.log(masses), 1e-15)
        assert distances(law, 0, 1, 2) == (3, 3)
        more = np.array([[1e-200, 0.0, 0.0, 1.0], [0.5e-200, 0.5e-200, 0.0, 1.0]])[:, ::turn]
        with np.errstate(divide="ignore"):
            law = Law((0,), np.zeros(4), np.log(more), 1e-15)
        assert distances(law, 0, 1, 2)[0] == 1


def test_what_inferential_privacy_does_not_imply_is_judged_by_itself() -> None:
    """Of two opposite bits the sum says nothing, and Wasserstein noise is none; but it does not hide one record."""
    opposite = Table(records=[[0, 1], [1, 0]], probabilities=[0.5, 0.5])
    for notion in (DifferentialPrivacy(epsilon=1), BayesianPrivacy(epsilon=1)):
        found = calibrate(Release(opposite, Sum(), Laplace()), notion, "wasserstein")
        assert found.noise == NoNoise()
        assert not found.sound
        assert f"{notion.kind} privacy needs noise that hides" in found.why
    enough = counted(OUTBREAK, "wasserstein", BayesianPrivacy(epsilon=1))
    assert enough.sound
    assert "a whole independent group" in enough.why
    quilt = counted(chain(0.8, 0.2, 30), "markov_quilt", DifferentialPrivacy(epsilon=1))
    assert quilt.sound
    assert quilt.leakage.upper <= 1


def test_promises_of_other_noises() -> None:
    for method in ("weak_dependence_sharp", "dependence_coefficient", "wasserstein", "markov_quilt"):
        with pytest.raises(InputError, match=r"^noise.kind: gaussian, wanted laplace or geometric$"):
            counted(chain(0.5, 0.5, 3), method, InferentialPrivacy(epsilon=1, delta=0.01), Gaussian())


def test_a_constant_answer_needs_no_noise() -> None:
    certain = Table(records=[[0, 0], [1, 1]], probabilities=[1.0, 0.0])
    for method in ("weak_dependence", "weak_dependence_sharp", "wasserstein", "dependence_coefficient"):
        assert counted(Independent(probabilities=[0.0, 1.0]), method).leakage.upper <= 1
    assert calibrate(Release(certain, Sum(), Laplace()), ONE, "wasserstein").noise == NoNoise()


def test_what_is_too_large_says_so() -> None:
    cells = [
        {
            "name": f"n{i}",
            "parents": [f"n{i - 1}"] if i else [],
            "probabilities": [[0.9, 0.1], [0.2, 0.8]] if i else [0.5, 0.5],
        }
        for i in range(60)
    ]
    release = Release(Network(nodes=cells), Count(), Laplace())
    for method in ("weak_dependence_sharp", "dependence_coefficient"):
        with pytest.raises(TooLarge, match=r"^what records say about each other: .* use the group"):
            calibrate(release, ONE, method)


def test_records_of_several_groups_and_kinds() -> None:
    """Group types, a household and a chain beside each other: each method looks at one group at a time."""
    model = Product(
        parts=[
            Groups(types=[{"count": 50, "records": [[0, 0], [1, 1]], "probabilities": [0.7, 0.3]}]),
            Households(count=40, infected=[0.6, 0.2, 0.1, 0.1]),
            chain(0.6, 0.4, 30),
        ]
    )
    for method in ("weak_dependence_sharp", "dependence_coefficient", "correlated_sensitivity", "wasserstein"):
        scale = counted(model, method, InformationPrivacy(epsilon=1)).noise.known_scale()
        alone = [counted(part, method, InformationPrivacy(epsilon=1)).noise.known_scale() for part in model.parts]
        assert scale >= 0.9 * max(min(alone), 1)
        assert scale <= 30


def test_sensitivities_are_exact_fractions() -> None:
    third = Table(records=[[0, 0], [1, 1]], probabilities=[0.5, 0.5])
    found = CorrelatedSensitivityMethod().calibrate(Release(third, Mean(), Laplace()), ONE)
    assert found.noise.known_scale() == pytest.approx(float(Fraction(1, 2) * 2))
