"""Result 14.2 and its pictures: rare epidemics, beside enumeration and closed forms of their own."""

from fractions import Fraction
from math import comb, exp, log
from pathlib import Path

import pytest

import dalenius as dl
from papers.information.epidemics import Needed
from papers.information.example import average
from papers.information.rare import Rare, rare_at
from tests.papers.scripts.figures import outcome_of
from tests.reference import leakages, tail
from tests.reference.channel import Channel, Real, channel, mp
from tests.reference.joints import household
from tests.reference.noises import laplace

LAWS = [Rare(6, 1e-12, 0.0), Rare(6, 1e-4, 0.01), Rare(3, 0.5, 0.3)]


def enumerated(law: Rare, scale: float) -> Channel:
    """Of one member's record: over all assignments, p and q as the fractions that they are."""
    p, q, k = Fraction(law.epidemic), Fraction(law.sporadic), law.people
    apart = [(1 - p) * comb(k, ill) * q**ill * (1 - q) ** (k - ill) + p * (ill == k) for ill in range(k + 1)]
    return channel(household(apart), lambda record, value: (value,), 0, laplace(scale))


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_closed_forms(law: Rare) -> None:
    for rate in (1.0, 0.25):
        truth = enumerated(law, 1 / rate)
        assert law.inferential(rate) == pytest.approx(float(leakages.inferential(truth).value), rel=1e-12)
        assert law.information(rate) == pytest.approx(float(leakages.information(truth).value), rel=1e-12)


def test_every_number_of_the_picture() -> None:
    law = LAWS[1]
    found, truth = rare_at(law, 1.0, 1.0), enumerated(law, 1.0)
    for value, exact in (
        (found.inferential, leakages.inferential(truth).value),
        (found.information, leakages.information(truth).value),
        (found.relative_entropy, leakages.relative_entropy(truth).value),
        (found.mutual_information, leakages.mutual_information(truth).value),
        (found.above, tail.tail(truth, tail.gain, 1.0)),
    ):
        # The model's probabilities are rounded to doubles, each by 2^-53 of itself.
        assert value.lower * (1 - 1e-13) - 1e-15 <= float(exact) <= value.upper * (1 + 1e-13) + 1e-15
        assert value.upper - value.lower <= 1e-10 * (1 + value.upper)
    beyond = truth.mixture(truth.likelihoods([Fraction(law.people)]))  # Pr[Y >= k] = W(k)·b under Laplace(1) noise
    assert found.farthest == pytest.approx(float(beyond), rel=1e-12)


def _two_points(p: Real, apart: Real) -> Real:
    """I(S;Y), S of chance p moving Laplace(1) noise by `apart`: by parts, ∫ e^-u log(α + β e^2u) du is elementary."""

    def side(own: Real) -> Real:
        """∫ f log(f / W) for the state of that chance."""
        alpha, beta = own, (1 - own) * mp.exp(-apart)
        root = mp.sqrt(beta / alpha)
        inside = (
            mp.log(alpha + beta)
            - mp.exp(-apart) * mp.log(alpha + beta * mp.exp(2 * apart))
            + 2 * root * (mp.atan(root * mp.exp(apart)) - mp.atan(root))
        )
        far = mp.log(alpha + beta), mp.exp(-apart) * mp.log(alpha + beta * mp.exp(2 * apart))
        return -(far[0] + far[1] + inside) / 2

    return p * side(p) + (1 - p) * side(1 - p)


def test_the_least_scale_is_that_of_the_method() -> None:
    law = Rare(10, 1e-6, 0.01)
    release = dl.Release(law.model, dl.Count(), dl.Laplace())
    for notion in (dl.InferentialPrivacy(epsilon=1.0), dl.InformationPrivacy(epsilon=1.0)):
        found = dl.calibrate(release, notion, "exact").noise.known_scale()
        assert law.least_scale(notion.kind, 1.0) == pytest.approx(found, rel=1e-7)


def test_rarity_saves_a_logarithm() -> None:
    people, epidemic = 1000, 1e-6
    law = Rare(people, epidemic, 0.01)
    at = Needed(law, 1.0, law.least_scale("inferential", 1.0), law.least_scale("information", 1.0))
    share = epidemic / (epidemic + (1 - epidemic) * 0.01)
    assert at.rule == pytest.approx(1 - log(share), rel=1e-12)
    assert 0.87 * at.rule < at.group / at.inferential < at.rule
    assert at.information < at.inferential
    only = Rare(people, epidemic, 0.0)
    assert only.least_scale("inferential", 1.0) == pytest.approx(people, rel=1e-9)


def test_a_delta_of_its_share_leaves_an_epidemic_out() -> None:
    """Noise for one record is inferentially (ε, r)-private, and no smaller power of r would do."""
    law = Rare(10, 1e-3, 0.01)
    release = dl.Release(law.model, dl.Count(), dl.Laplace(scale=1.0))
    for notion in (dl.InferentialPrivacy(), dl.InformationPrivacy()):
        delta = notion.least_delta(release, 1.0)
        assert delta is not None
        assert delta.upper <= law.share
    assert law.inferential(1.0) > 1.5
    least = dl.InferentialPrivacy().least_delta(release, 1.0)
    assert least is not None
    assert least.lower > 0.5 * law.share


@pytest.mark.slow
def test_two_records_never_leak_more_than_epsilon_onaverage() -> None:
    """Whatever the noise and the law of two bits: I <= ln 2 · tanh²(ε) < ε; of five too. Laplace noise takes eight."""
    for step in range(1, 60):
        epsilon = step / 20
        two = float(_two_points(mp.mpf(1) / 2, mp.mpf(2 * epsilon)))
        assert average(2, 0.5, epsilon) == pytest.approx(two, rel=1e-9)
        most = _symmetric(2 * epsilon)
        assert two < most <= log(2) * mp.tanh(epsilon) ** 2 * (1 + 1e-12) < epsilon
    assert max(_symmetric(5 * step / 100) / (step / 100) for step in range(1, 200)) < 1
    least = [
        max(float(_two_points(mp.mpf(1) / 2, mp.mpf(k * x / 50))) / (x / 50) for x in range(5, 60)) for k in (7, 8)
    ]
    assert least[0] < 1 < least[1]


def _symmetric(apart: float) -> float:
    """The capacity of the two-valued output whose log-ratios are ± `apart`, which no other of that bound exceeds."""
    high = 1 / (1 + exp(-apart))
    return log(2) + high * log(high) + (1 - high) * log(1 - high)


@pytest.mark.slow
def test_numbers_of_information(tmp_path: Path) -> None:
    outcome = outcome_of("information", tmp_path)
    for row in outcome.rows("information_rare")[::8]:
        truth = enumerated(Rare(10, float(row["epidemic"]), float(row["sporadic"])), 1.0)
        exact = float(leakages.information(truth).value)
        assert float(row["information_lower"]) - 1e-12 <= exact <= float(row["information_upper"]) + 1e-12
    for row in outcome.rows("information_example"):
        assert float(row["posterior_over_prior_together"]) == pytest.approx(float(row["closed_form"]), rel=1e-11)
        assert float(row["posterior_over_prior_independent"]) < float(row["posterior_over_prior_together"])
    numbers = outcome.numbers
    assert all(each.ours <= each.theirs for each in numbers if each.theirs is not None)
    rare = {each.what: each.ours for each in numbers if "small effect" in each.why}
    assert len(rare) == 8
    for what, ours in rare.items():
        assert (ours > 9.97) == what.endswith("or nobody"), what
