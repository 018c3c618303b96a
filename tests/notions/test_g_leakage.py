"""g-leakage: gain matrices and the Gini vulnerability, against enumeration and quadrature."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dalenius import (
    Absent,
    Adversary,
    Count,
    Gaussian,
    GaussianRecords,
    Geometric,
    GLeakage,
    Households,
    Independent,
    InformationPrivacy,
    InputError,
    Kernel,
    Laplace,
    MinEntropyPrivacy,
    NoNoise,
    Release,
    Sum,
    Table,
    calibrate,
)
from dalenius.bounds import Enclosure
from dalenius.laws.integrals.gain import ExpectedGain, Quadratic
from dalenius.noise import Noise
from tests.cases import in_turn
from tests.conformance.comparison import assert_contains, enclosure
from tests.conformance.table import truth_of
from tests.laws.test_functionals import cells, inside
from tests.pace import draws
from tests.reference import leakages
from tests.reference.channel import Channel, Real, mp
from tests.reference.joints import Value

THREE = Table(
    records=[[0, 0], [0, 2], [0, 4], [1, -1], [1, 1], [1, 3], [2, -2], [2, 2]],
    probabilities=[0.1, 0.1, 0.1, 0.2, 0.1, 0.15, 0.2, 0.05],
)
GAIN = [[1.0, 0.0, 0.25], [0.0, 0.85, 0.0], [0.1, 0.1, 1.25], [0.0, 0.0, 0.0]]
NOISES: tuple[Noise, ...] = (
    NoNoise(),
    Laplace(scale=0.7),
    Laplace(scale=0.01),
    Geometric(scale=1.3),
    Gaussian(scale=0.4),
    Gaussian(scale=3.0),
    Kernel(answers=list(range(-3, 6)), probabilities=[[0.5, 0.25, 0.25], [0.1, 0.8, 0.1], [0, 0.5, 0.5]] * 3),
)
IDENTITY = [[1.0, 0.0], [0.0, 1.0]]


def by_value(gain: list[list[float]]) -> list[dict[Value, float]]:
    return [dict(enumerate(row)) for row in gain]


def of_first(notion: GLeakage, noise: Noise) -> Enclosure:
    """About the first person of THREE, whose record is 0, 1 or 2."""
    first = next(c for c in Release(THREE, Sum(), noise).channels() if c.subject.person == 1)
    return enclosure(notion.leakage_of(first))


def truth_of_first(noise: Noise) -> Channel:
    return truth_of(THREE, Sum(), noise).people[0][0]


@pytest.mark.slow
@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: f"{noise.kind} {noise.scale}")
def test_a_matrix_and_gini_against_the_reference(noise: Noise) -> None:
    if noise.kind == "kernel":
        truth = Channel(
            **{**vars(truth_of_first(NoNoise())), "noise": truth_of(THREE, Sum(), noise).people[0][0].noise}
        )
    else:
        truth = truth_of_first(noise)
    with mp.workdps(30):
        wanted = leakages.expected_gain(truth, by_value(GAIN)).value, leakages.gini(truth).value
    assert min(wanted) > 1e-3
    for gain, value in zip((GAIN, "gini"), wanted, strict=True):
        found = of_first(GLeakage(gain=gain), noise)
        assert_contains(found, value)
        assert found.upper - found.lower <= (1e-10 if noise.light_tailed else 1e-11)


@in_turn({"scale": [1e3, 1e5], "noise": [Laplace, Geometric, Gaussian]})
def test_little_leakage_keeps_its_digits(noise: Callable[..., Noise], scale: float) -> None:
    """A fair bit under much noise: the leakage falls as the square of the scale, and the Gini's terms do not cancel."""
    release = Release(Independent(probabilities=[0.5]), Count(), noise(scale=scale))
    found = enclosure(GLeakage(gain="gini").leakage(release))
    with mp.workdps(60):
        assert_contains(found, leakages.gini(truth_of(*_parts(release)).people[0][0]).value)
    assert found.lower > 0
    assert found.upper - found.lower <= 1e-3 * found.upper


def _parts(release: Release) -> tuple[Any, Any, Any]:
    return release.model, release.query, release.noise


@pytest.mark.parametrize("noise", NOISES[:-1], ids=lambda noise: f"{noise.kind} {noise.scale}")
def test_the_identity_is_min_entropy(noise: Noise) -> None:
    release = Release(Households(count=5, infected=[0.8, 0.15, 0.05]), Count(), noise)
    wanted = MinEntropyPrivacy().leakage(release)
    assert GLeakage().leakage(release) == wanted
    written = GLeakage(gain=IDENTITY).leakage(release)
    assert written.epsilon == pytest.approx(wanted.epsilon, rel=1e-9, abs=1e-12)
    scaled = GLeakage(gain=[[1e-300, 0.0], [0.0, 1e-300]]).leakage(release)
    assert scaled.epsilon == pytest.approx(wanted.epsilon, rel=1e-9, abs=1e-12)


def test_exactly_in_fractions() -> None:
    """Three bits and their sum: everything is a fraction but the last logarithm."""
    chances = [Fraction(3, 10), Fraction(1, 2), Fraction(1, 5)]
    model = Independent(probabilities=[0.3, 0.5, 0.2])
    gain = [[Fraction(2), Fraction(0)], [Fraction(0), Fraction(7)]]
    posterior, gini = dict.fromkeys(range(4), Fraction(0)), Fraction(0)
    joint: dict[tuple[int, int], Fraction] = {}
    for bits in product((0, 1), repeat=3):
        chance = Fraction(1)
        for bit, p in zip(bits, chances, strict=True):
            chance *= p if bit else 1 - p
        joint[sum(bits), bits[0]] = joint.get((sum(bits), bits[0]), Fraction(0)) + chance
    for y in range(4):
        own = [joint.get((y, s), Fraction(0)) for s in (0, 1)]
        posterior[y] = max(row[0] * own[0] + row[1] * own[1] for row in gain)
        gini += (own[0] ** 2 + own[1] ** 2) / (own[0] + own[1])
    blind = max(gain[0][0] * Fraction(7, 10), gain[1][1] * Fraction(3, 10))
    first = next(c for c in Release(model, Count(), NoNoise()).channels() if c.subject.person == 1)
    rows = [[float(entry) for entry in row] for row in gain]
    for found, ratio in (
        (GLeakage(gain=rows).leakage_of(first), sum(posterior.values(), Fraction(0)) / blind),
        (GLeakage(gain="gini").leakage_of(first), gini / (Fraction(49, 100) + Fraction(9, 100))),
    ):
        with mp.workdps(40):
            # The probabilities are the doubles next to these fractions.
            truth = mp.log(mp.mpf(ratio.numerator) / ratio.denominator)
            assert found.lower - 1e-15 <= truth <= found.upper + 1e-15
            assert found.upper - found.lower <= 1e-12


@given(
    st.lists(st.lists(st.sampled_from([0.0, 0.1, 1.0, 7.5]), min_size=3, max_size=3), min_size=1, max_size=4).filter(
        lambda rows: any(map(any, rows))
    )
)
@draws(25)
def test_never_above_information(rows: list[list[float]]) -> None:
    for noise in (Laplace(scale=1.0), Geometric(scale=0.6)):
        first = next(c for c in Release(THREE, Sum(), noise).channels() if c.subject.person == 1)
        most = InformationPrivacy().leakage_of(first).upper
        for gain in (rows, "gini"):
            found = GLeakage(gain=gain).leakage_of(first)
            assert 0 <= found.lower <= found.upper
            assert found.lower <= most


def test_one_guess_gains_nothing_from_an_output() -> None:
    release = Release(THREE, Sum(), Laplace(scale=1.0))
    first = next(c for c in release.channels() if c.subject.person == 1)
    found = GLeakage(gain=[[0.2, 1.0, 3.0]]).leakage_of(first)
    assert found.lower == 0
    assert found.upper <= 1e-12


@given(cell=cells())
@draws(40)
def test_of_a_cell(cell: tuple[float, list[tuple[float, float]]]) -> None:
    decay, ends = cell
    prior = [0.3, 0.7]
    left, right = (np.array([[end[side]] for end in ends]) for side in (0, 1))
    gini, bound = Quadratic(np.log(prior)).over_cell(left, right, decay)
    rows = [[1.0, 0.4], [0.2, 0.9]]
    best, doubt = ExpectedGain(np.log(prior), np.log(np.array(rows))).over_cell(left, right, decay)
    blind = max(0.3 * a + 0.7 * b for a, b in rows)

    def likelihoods(u: Real) -> list[Real]:
        return [inside(*end, decay, u) for end in ends]

    def excess(u: Real) -> Real:
        weights = likelihoods(u)
        mixture = prior[0] * weights[0] + prior[1] * weights[1]
        return (
            mp.fsum(p**2 * (w - mixture) ** 2 for p, w in zip(prior, weights, strict=True)) / mixture / mp.mpf("0.58")
        )

    def gains(u: Real) -> list[Real]:
        return [mp.fsum(p * g * w for p, g, w in zip(prior, row, likelihoods(u), strict=True)) for row in rows]

    def apart(u: Real) -> Real:
        one, other = gains(u)
        return one - other

    with mp.workdps(25):
        edges = mp.linspace(0, decay, int(decay) + 2)
        wanted = mp.quad(excess, edges, method="gauss-legendre") / 2
        cuts = [mp.zero, mp.mpf(decay)]
        if apart(cuts[0]) * apart(cuts[1]) < 0:
            cuts.insert(1, mp.findroot(apart, cuts, solver="anderson", tol=1e-40, verify=False))
        envelope = mp.quad(lambda u: max(gains(u)), cuts, method="gauss-legendre") / 2 / blind
    assert abs(mp.mpf(float(gini[0])) - wanted) <= float(bound[0]) + 1e-15 * float(wanted) + 1e-17
    assert bound[0] <= 1e-12 * (1 + decay) * np.exp(max(map(max, ends)))
    assert abs(mp.mpf(float(best[0])) - envelope) <= float(doubt[0]) + 1e-13 * float(envelope)


def test_several_answers_have_bounds() -> None:
    release = Release(
        Independent(probabilities=[0.3, 0.6], labels=["a", "b"]), Count(per_label=True), Laplace(scale=1.0)
    )
    alone = Release(Independent(probabilities=[0.6]), Count(), Laplace(scale=1.0))
    for gain in ("gini", IDENTITY):
        wide, narrow = GLeakage(gain=gain).leakage(release), GLeakage(gain=gain).leakage(alone)
        assert wide.lower <= narrow.upper * (1 + 1e-9)
        assert wide.upper >= narrow.lower


def test_a_record_that_is_certain_leaks_nothing_whatever_the_shape() -> None:
    release = Release(THREE, Sum(), Laplace(scale=1.0), adversary=Adversary(known={"2": 2}))
    assert (
        GLeakage(gain=[[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]])
        .leakage(Release(Independent(probabilities=[1.0]), Count(), Laplace(scale=1.0)))
        .upper
        == 0
    )
    assert GLeakage(gain="gini").leakage(release).lower > 0


def test_a_promise_is_calibrated() -> None:
    release = Release(Households(count=3, infected=[0.5, 0.2, 0.3]), Count(), Laplace())
    for gain in ("gini", [[1.0, 0.0], [0.0, 1.5]]):
        found = calibrate(release, GLeakage(epsilon=0.1, gain=gain), "exact")
        assert found.leakage.upper <= 0.1
        looser = Laplace(scale=found.noise.known_scale() * 0.999)
        assert GLeakage(gain=gain).leakage(release.with_noise(looser)).upper > 0.1


@pytest.mark.parametrize(
    ("gain", "wanted"),
    [
        ("brier", "identity, gini, or rows"),
        (3, "identity, gini, or rows"),
        ([], "identity, gini, or rows"),
        ([1, 0], "identity, gini, or rows"),
        ([[]], "identity, gini, or rows"),
        ([[1, 0], [1]], "rows of one length \\(row 2 has 1 numbers, row 1 has 2\\)"),
        ([[1, -0.5]], "finite numbers of at least 0 \\(row 1 has -0.5\\)"),
        ([[1, 0], [nan, 1]], "finite numbers of at least 0 \\(row 2 has nan\\)"),
        ([[inf, 0]], "finite numbers of at least 0"),
        ([["1", 0]], "finite numbers of at least 0 \\(row 1 has '1'\\)"),
        ([[True, 0]], "finite numbers of at least 0 \\(row 1 has True\\)"),
        ([[0, 0], [0, 0]], "some guess that gains something"),
    ],
)
def test_what_is_no_gain(gain: Any, wanted: str) -> None:
    with pytest.raises(InputError, match=rf"^GLeakage\.gain: .*wanted {wanted}"):
        GLeakage(gain=gain)


def test_a_gain_of_another_shape() -> None:
    with pytest.raises(
        InputError, match=r"^notion\.gain: 2 columns, wanted 3 of them: the record of person 1 can be 0, 1, 2$"
    ):
        of_first(GLeakage(gain=IDENTITY), Laplace(scale=1.0))


@pytest.mark.parametrize("gain", ["gini", IDENTITY])
def test_who_is_absent_is_guessed_by_the_identity_only(gain: Any) -> None:
    release = Release(Absent(answers=(1, 2, 2)), None, Laplace(scale=1.0))
    assert GLeakage().leakage(release) == MinEntropyPrivacy().leakage(release)
    with pytest.raises(InputError, match=r"^notion\.gain: (gini|a matrix), wanted identity where the secret is who"):
        GLeakage(gain=gain).leakage(release)


def test_real_numbers_are_refused() -> None:
    release = Release(GaussianRecords(mean=[0.0], covariance=[[1.0]], bounds=[0, 1]), Sum(), Laplace(scale=1.0))
    with pytest.raises(InputError, match=r"^notion\.kind: g_leakage, wanted one known for the gaussian model"):
        GLeakage(gain="gini").leakage(release)
