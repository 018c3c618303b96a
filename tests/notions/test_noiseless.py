"""Noiseless privacy of whole releases: closed forms, curves, witnesses and what is refused."""

from math import comb, exp, inf, nan

import pytest

from dalenius import (
    Absent,
    Adversary,
    Any,
    Chain,
    Count,
    Gaussian,
    GaussianRecords,
    Geometric,
    Households,
    Independent,
    InferentialPrivacy,
    InputError,
    Kernel,
    Laplace,
    NoiselessPrivacy,
    NoNoise,
    Release,
    Sum,
    TooLarge,
)
from dalenius.knowledge import view as views
from dalenius.models import Model
from dalenius.noise import Noise
from dalenius.notions import delta_curve, delta_of, noiseless_delta
from tests.pace import slow
from tests.reference.channel import mp
from tests.reference.noiseless import binomial_delta


def bare(model: Model, noise: Noise | None = None) -> Release:
    return Release(model, Count(), noise or NoNoise())


BINOMIAL = {
    "many of .95": (5000, 0.95, (0.1, 0.5)),
    "few thousand": (1000, 0.3, (0.0, 0.1, 0.5, 2.0, 5.0)),
    "rare": (10_000, 1e-3, (0.1, 1.0, 3.0)),
    "fair": (100_000, 0.5, (0.001, 0.01, 0.05)),
    "a million": (1_000_000, 0.3, (0.001, 0.01, 0.03, 0.06)),
    "a million, rare": (1_000_000, 1e-4, (0.01, 0.1, 0.5, 1.0, 3.0)),
}


@pytest.mark.parametrize("name", [slow(name) if name == "a million" else name for name in BINOMIAL])
def test_against_the_binomial_closed_form(name: str) -> None:
    people, chance, epsilons = BINOMIAL[name]
    found = delta_curve(bare(Independent(n=people, probabilities=[chance])), epsilons)
    with mp.workdps(40):
        for epsilon, delta in zip(epsilons, found, strict=True):
            truth = binomial_delta(people, mp.mpf(chance), mp.mpf(epsilon))
            assert delta.lower <= truth <= delta.upper
            assert abs(delta.middle - truth) <= 1e-9 * truth
            assert not delta.lower <= truth * (1 + mp.mpf("2e-6")) <= delta.upper


def test_the_number_of_the_sources_theorem_1() -> None:
    """n = 5000, p = .95, ε = .5: where Theorem 1 promises 5.3e-2."""
    found = noiseless_delta(bare(Independent(n=5000, probabilities=[0.95])), 0.5)
    assert found.middle == pytest.approx(2.3113172506e-13, rel=1e-9)


def test_the_half_bit_of_e6_tells_its_record() -> None:
    """X1 in {0, ½} beside fair bits: the fraction of the sum is X1, whatever an interval's probability is."""
    halves = Independent(values=[0, 0.5, 1], probabilities=[[0.5, 0.5, 0.0], *[[0.5, 0.0, 0.5]] * 200])
    release = Release(halves, Sum(), NoNoise())
    assert noiseless_delta(release, 3.0).lower == pytest.approx(1, abs=1e-9)
    assert NoiselessPrivacy(delta=0.5).leakage(release).lower == inf


@pytest.mark.parametrize("noise", [NoNoise(), Laplace(scale=0.7), Geometric(scale=1.3), Gaussian(scale=1.0)])
def test_to_somebody_who_knows_nothing_it_is_inferential_with_a_delta(noise: Noise) -> None:
    release = bare(Households(count=60, infected=[0.8, 0.1, 0.1]), noise)
    known_nothing = NoiselessPrivacy(delta=0.03).leakage(release)
    inferential = InferentialPrivacy(delta=0.03).leakage(release)
    assert (known_nothing.lower, known_nothing.upper) == pytest.approx((inferential.lower, inferential.upper), rel=1e-9)
    assert noiseless_delta(release, 0.3).middle == pytest.approx(delta_of(release, 0.3).middle, rel=1e-9)


@pytest.mark.parametrize("fraction", [0.0, 0.3, 0.5])
def test_the_least_epsilon_inverts_the_curve(fraction: float) -> None:
    release = bare(Independent(probabilities=[0.3] * 40 + [0.2] * 20))
    leakage = NoiselessPrivacy(delta=0.01, known_fraction=fraction).leakage(release)
    after, before = delta_curve(release, [leakage.upper, leakage.lower * (1 - 1e-9)], fraction)
    assert after.upper <= 0.01 * (1 + 1e-9)
    assert before.upper > 0.01


@pytest.mark.slow
def test_knowing_more_never_tells_less() -> None:
    release = bare(Households(count=12, infected=[0.7, 0.1, 0.2]))
    found = [noiseless_delta(release, 0.2, k / 24).lower for k in range(24)]
    assert found == sorted(found)
    assert found[-1] == pytest.approx(1, abs=1e-9)


def test_the_witness_attains_it() -> None:
    """Its output set, summed from the binomial law of who is left."""
    release = bare(Independent(n=40, probabilities=[0.3]))
    leakage = NoiselessPrivacy(delta=0.05, known_fraction=0.5).leakage(release)
    witness = leakage.witness
    assert witness is not None
    assert witness.outputs is not None
    assert "20 records of other groups known" in witness.who
    assert {witness.secret, witness.against} == {0, 1}
    outputs = [y for low, high in witness.outputs for y in range(int(low), int(high) + 1)]
    told = {bit: sum(_mass(y - bit) for y in outputs) for bit in (0, 1)}
    led = told[1] - exp(leakage.epsilon) * told[0] if witness.secret == 1 else told[0] - exp(leakage.epsilon) * told[1]
    assert led == pytest.approx(0.05, rel=1e-6)


def _mass(ones: int) -> float:
    """Of 19 bits of chance .3."""
    return comb(19, ones) * 0.3**ones * 0.7 ** (19 - ones) if 0 <= ones <= 19 else 0.0


def test_a_laplace_witness_ends_where_the_ratio_is_epsilon() -> None:
    release = bare(Independent(probabilities=[0.5]), Laplace(scale=1.0))
    leakage = NoiselessPrivacy(delta=0.1).leakage(release)
    assert leakage.witness is not None
    assert leakage.witness.outputs is not None
    ((low, high),) = leakage.witness.outputs
    # Between 0 and 1 the log-ratio of Laplace(1) about 0 and about 1 is 1 - 2y, or its opposite.
    assert sorted([abs(low), abs(high)])[-1] == inf
    end = low if high == inf else high
    assert abs(1 - 2 * end) == pytest.approx(leakage.epsilon, abs=1e-9)


def test_normal_records_are_their_own_noise() -> None:
    """n = 50 of variance 4, secrets 1 apart: a normal shift, by Balle and Wang's curve."""
    model = GaussianRecords(mean=[0.0] * 50, covariance=[[4.0 * (i == j) for j in range(50)] for i in range(50)],
                            bounds=[0, 1])  # fmt: skip
    release = Release(model, Sum(), NoNoise())
    deviation = (4 * 49) ** 0.5
    with mp.workdps(30):
        half, rest = mp.mpf(1) / (2 * deviation), mp.mpf("0.1") * deviation
        truth = mp.ncdf(half - rest) - mp.exp("0.1") * mp.ncdf(-half - rest)
    assert noiseless_delta(release, 0.1).middle == pytest.approx(float(truth), rel=1e-9)
    with pytest.raises(InputError, match=r"^notion\.known_fraction: 0\.5, wanted 0 for records that are real numbers"):
        NoiselessPrivacy(delta=0.1, known_fraction=0.5).leakage(release)


def test_several_models_count_the_worst() -> None:
    one, other = Independent(n=50, probabilities=[0.5]), Independent(n=50, probabilities=[0.1])
    both = noiseless_delta(bare(Any(models=[one, other])), 0.5, 0.2)
    alone = [noiseless_delta(bare(model), 0.5, 0.2) for model in (one, other)]
    assert both.lower == max(each.lower for each in alone)


def test_records_known_for_certain_are_known_on_top() -> None:
    """Of ten bits two are given and three more known: five are left, one of them the secret."""
    bits = Independent(n=10, probabilities=[0.3])
    given = Release(bits, Count(), NoNoise(), adversary=Adversary(known={"1": 1, "2": 0}))
    left = bare(Independent(n=5, probabilities=[0.3]))
    assert noiseless_delta(given, 0.3, 0.3).middle == pytest.approx(noiseless_delta(left, 0.3).middle, rel=1e-9)


@pytest.mark.parametrize(("field", "value"), [("delta", 0.0), ("delta", 1.0), ("delta", nan), ("known_fraction", 1.0)])
def test_what_is_no_promise_is_refused(field: str, value: float) -> None:
    with pytest.raises(InputError, match=rf"^NoiselessPrivacy\.{field}: "):
        NoiselessPrivacy(**{"delta": 0.1, field: value})


def test_bad_arguments_are_refused() -> None:
    release = bare(Independent(n=5, probabilities=[0.3]))
    for fraction in (-0.1, 1.0, nan):
        with pytest.raises(InputError, match=r"^known_fraction: "):
            noiseless_delta(release, 0.1, fraction)
    for epsilon in (-1.0, inf, nan):
        with pytest.raises(InputError, match=r"^epsilon: "):
            noiseless_delta(release, epsilon)
    with pytest.raises(InputError, match=r"^model\.kind: absent, wanted a model of records"):
        noiseless_delta(Release(Absent(answers=[1, 2]), None, Laplace(scale=1.0)), 0.1)


def test_a_fraction_is_the_decimal_it_is_written_as() -> None:
    """.29 of 100 is 29, though 0.29·100 is a little less in doubles."""
    hundred, left = Independent(n=100, probabilities=[0.3]), Independent(n=71, probabilities=[0.3])
    found = noiseless_delta(bare(hundred), 0.2, 0.29)
    assert found.middle == pytest.approx(noiseless_delta(bare(left), 0.2).middle, rel=1e-9)


def test_noise_that_depends_on_the_answer_is_enumerated() -> None:
    kernel = Kernel(
        answers=[0, 1, 2, 3], outputs=[0, 1], probabilities=[[0.9, 0.1], [0.6, 0.4], [0.3, 0.7], [0.1, 0.9]]
    )
    release = bare(Independent(n=3, probabilities=[0.3]), kernel)
    # Knowing two zeros, the third moves .9, .1 to .6, .4; knowing a one and a zero .6, .4 to .3, .7; knowing two ones
    # .3, .7 to .1, .9.
    assert noiseless_delta(release, 0.0, 0.7).middle == pytest.approx(0.3, abs=1e-12)


@pytest.mark.slow
def test_a_chain_too_long_to_enumerate_has_a_bound() -> None:
    chain = Chain(n=2000, initial="stationary", transition=[[0.6, 0.4], [0.4, 0.6]])
    found = noiseless_delta(bare(chain), 0.5, 0.25)
    assert 0 < found.lower == noiseless_delta(bare(chain), 0.5).lower
    assert found.upper < 1e-2


def test_too_many_pairs_of_values_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "MOST_CELLS", 100)
    release = Release(Independent(values=[0, 1, 2, 3], n=9, probabilities=[[0.25] * 4]), Sum(), NoNoise())
    with pytest.raises(
        TooLarge, match=r"^what distinguishes values: 12 pairs of values, 28 outputs each is too large, name"
    ):
        delta_curve(release, [0.5])
