"""Explicit stochastic matrices: randomised response, known mechanisms written out, draws, words."""

import json
from collections import Counter
from fractions import Fraction
from math import exp, inf, isnan, log, sinh

import mpmath
import numpy as np
import pytest
from scipy.stats import chi2

from dalenius import (
    Count,
    DifferentialPrivacy,
    Geometric,
    Households,
    HouseholdType,
    InferentialPrivacy,
    InputError,
    Kernel,
    Release,
    Spec,
    Sum,
    Table,
    audit,
    calibrate,
)
from dalenius.composition import group_loss
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law
from dalenius.laws.noised.matrix import pushed, widest_ratio
from dalenius.spec import spec_from
from dalenius.spec.results import leakage_json

PAIR = Table(records=((0, 0), (1, 1)), probabilities=(0.9, 0.1))
COUPLE = Households(types=(HouseholdType(count=1, infected=(0.5, 0.1, 0.4), members={"a": 1, "b": 1}),))
UNIT = Lattice((Fraction(1),))


def response(p: float, outputs: tuple[str, ...] | None = None) -> Kernel:
    """Each bit is answered truthfully with probability p."""
    return Kernel(answers=(0, 1), outputs=outputs, probabilities=((p, 1 - p), (1 - p, p)))


def test_randomised_response_in_a_household() -> None:
    """Both members' bits are answered; a's posterior odds given (1, 1) by hand."""
    found = audit(Release(COUPLE, Count(per_label=True), response(0.75)))
    ones, zeros = [0.05, 0.4], [0.5, 0.05]  # Pr[a = s, b = 0 or 1]
    told = [(other[0] * 0.25 + other[1] * 0.75) / sum(other) for other in (zeros, ones)]
    expected = log(0.75 / 0.25) + log(told[1] / told[0])
    kept = [(other[0] * 0.75 + other[1] * 0.25) / sum(other) for other in (zeros, ones)]
    assert found["inferential"].epsilon == pytest.approx(max(expected, log(3) + log(kept[0] / kept[1])), rel=1e-12)
    assert found["differential"].epsilon == pytest.approx(log(3), rel=1e-12)
    assert group_loss(Release(COUPLE, Count(per_label=True), response(0.75))) >= 2 * log(3) * (1 - 1e-12)


def test_outputs_have_their_names() -> None:
    found = audit(Release(COUPLE, Count(per_label=True), response(0.75, ("no", "yes"))))["inferential"]
    assert found.witness is not None
    assert found.witness.output in [("yes", "yes"), ("no", "no")]
    shown = json.loads(json.dumps(leakage_json(found), allow_nan=False))
    assert shown["witness"]["output"] == list(found.witness.output)
    numbered = audit(Release(COUPLE, Count(per_label=True), response(0.75)))["inferential"].witness
    assert numbered is not None
    assert numbered.output in [(0, 0), (1, 1)]


def clamped(scale: float, high: int) -> Kernel:
    """Geometric noise, then clamped to [0, high]."""
    ratio = exp(-1 / scale)
    share = (1 - ratio) / (1 + ratio)
    rows = []
    for answer in range(high + 1):
        inside = [share * ratio ** abs(answer - output) for output in range(high + 1)]
        inside[0], inside[-1] = ratio**answer / (1 + ratio), ratio ** (high - answer) / (1 + ratio)
        rows.append([p / sum(inside) for p in inside])
    return Kernel(answers=tuple(range(high + 1)), probabilities=tuple(map(tuple, rows)))


@pytest.mark.parametrize("scale", [0.3, 1.0, 4.0])
def test_geometric_noise_written_out(scale: float) -> None:
    """Clamping to the answers' range merges outputs of one posterior: nothing is lost, nothing gained."""
    release = Release(Households(count=2, infected=(0.7, 0.1, 0.2)), Count(), Geometric(scale=scale))
    plain, written = audit(release), audit(release.with_noise(clamped(scale, 4)))
    for kind, leakage in plain.items():
        assert written[kind].epsilon == pytest.approx(leakage.epsilon, rel=1e-10, abs=1e-12), kind
        for name, companion in leakage.companions.items():
            assert written[kind].companions[name].middle == pytest.approx(companion.middle, rel=1e-10)
    worst = release.with_noise(clamped(scale, 4)).noise.expected_error(release.lattice)
    assert worst <= 1 / sinh(1 / scale)


def test_masses_far_below_a_double() -> None:
    """Law masses of e^-2000 and entries of 1e-300 meet zeros: against sums in 60 digits."""
    generator = np.random.default_rng(11)
    relative = -generator.choice([0.0, 1.0, 700.0, 2000.0, np.inf], size=(3, 40)) * generator.random((3, 40)) ** 0.1
    relative[:, 0] = [0.0, -1900.0, -900.0]
    matrix = generator.random((40, 6)) * generator.choice([0.0, 1e-300, 1e-120, 1.0], size=(40, 6))
    matrix[0] = [0, 0, 1e-300, 0.5, 0, 1]
    base = -5.0 * generator.random(40)
    found = pushed(Law((3,), base, relative, 0.0), [matrix])
    with mpmath.workdps(60):
        for s in range(3):
            for r in range(6):
                terms = [
                    mpmath.exp(mpmath.mpf(base[v]) + mpmath.mpf(relative[s, v])) * mpmath.mpf(matrix[v, r])
                    for v in range(40)
                    if relative[s, v] > -inf
                ]
                wanted = mpmath.log(mpmath.fsum(terms))
                assert abs(found.relative[s, r] - wanted) <= found.error + 4e-16 * abs(wanted)
    assert found.error < 1e-11


def test_a_floor_becomes_doubt() -> None:
    law = Law((0,), np.zeros(2), np.log([[0.5, 0.5], [0.2, 0.8]]), 0.0, np.array([-np.inf, log(0.01)]))
    found = pushed(law, [np.array([[0.5, 0.5], [0.25, 0.75]])])
    assert found.floor is None
    assert 0.004 < found.error < 0.02


def test_a_zero_beside_a_non_zero_is_certainty() -> None:
    sure = Kernel(answers=(0, 2), probabilities=((1, 0), (0.5, 0.5)))
    found = audit(Release(PAIR, Sum(), sure))
    assert found["inferential"].lower == inf
    assert found["information"].epsilon == pytest.approx(log(10))
    assert found["differential"].lower == 0  # of one record alone, which moves the sum by 1: no two rows are so near
    assert sure.privacy_loss([Fraction(2)]) == inf


def test_widest_ratio_of_rows_within_a_distance() -> None:
    generator = np.random.default_rng(3)
    answers = [Fraction(int(k), 3) for k in generator.permutation(23)]
    matrix = generator.dirichlet(np.ones(4), size=23)
    for distance in (Fraction(0), Fraction(1, 3), Fraction(2), Fraction(9)):
        pairs = [(i, j) for i in range(23) for j in range(23) if abs(answers[i] - answers[j]) <= distance]
        wanted = max(np.max(np.log(matrix[i]) - np.log(matrix[j])) for i, j in pairs)
        assert widest_ratio(answers, matrix, distance) == pytest.approx(wanted, abs=1e-14)


def test_answers_that_no_decimal_writes() -> None:
    third = Kernel(answers=(0, 1 / 3, 2 / 3, 1), probabilities=((1, 0), (0.5, 0.5), (0.5, 0.5), (0, 1)))
    assert third.draw([3], Lattice((Fraction(1, 3),))) == (Fraction(1),)
    assert set(third.draw([1, 2] * 20, Lattice((Fraction(1, 3),) * 40))) == {Fraction(0), Fraction(1)}


DRAWS = 4000


def accepted(counts: Counter[object], expected: dict[object, float]) -> bool:
    """Pearson's test at a level of a millionth."""
    total = counts.total()
    distance = sum((counts[name] - total * p) ** 2 / (total * p) for name, p in expected.items())
    return bool(chi2.sf(distance, len(expected) - 1) > 1e-6)


def test_draws() -> None:
    """A sampler that obeys the row passes, and would not pass for a row a tenth off."""
    noise = Kernel(answers=(0, 1), outputs=("a", "b", "c"), probabilities=((0.5, 0.3, 0.2), (0.1, 0.3, 0.6)))
    drawn = noise.draw([1] * DRAWS, Lattice((Fraction(1),) * DRAWS))
    counts: Counter[object] = Counter(drawn)
    assert accepted(counts, {"a": 0.1, "b": 0.3, "c": 0.6})
    assert not accepted(counts, {"a": 0.2, "b": 0.3, "c": 0.5})
    assert not accepted(counts, {"a": 0.5, "b": 0.3, "c": 0.2})


def test_certain_and_numbered_outputs_are_drawn_exactly() -> None:
    noise = Kernel(answers=(0, 1), outputs=(0.1, 7), probabilities=((1, 0), (0, 1)))
    assert noise.draw([0, 1], Lattice((Fraction(1),) * 2)) == (Fraction(1, 10), Fraction(7))
    with pytest.raises(InputError, match=r"\(5 has none\)"):
        noise.draw([5], UNIT)


def test_expected_error_is_the_worst_answer_s() -> None:
    noise = Kernel(answers=(0, 2), outputs=(0, 3), probabilities=((0.5, 0.5), (0.25, 0.75)))
    assert noise.expected_error(UNIT) == 1.5
    assert isnan(response(0.7, ("no", "yes")).expected_error(UNIT))


def test_a_kernel_has_no_scale() -> None:
    wanted = r"^noise.kind: kernel, wanted a noise with a scale: laplace, geometric or gaussian$"
    for method in ("exact", "group", "independent"):
        with pytest.raises(InputError, match=wanted):
            calibrate(Release(COUPLE, Count(per_label=True), response(0.9)), InferentialPrivacy(epsilon=0.1), method)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"scale": 1.0}, "no scale beside kind = kernel"),
        ({"answers": [0, 0]}, "distinct answers"),
        ({"answers": [0]}, r"as many rows of probabilities as answers \(there are 2 and 1\)"),
        ({"probabilities": [[1.0], [0.5, 0.5]]}, r"rows of one length \(row 2 has 2 probabilities, row 1 has 1\)"),
        ({"outputs": ["a"]}, "2 distinct outputs, one per column of probabilities"),
        ({"outputs": ["a", "a"]}, "2 distinct outputs, one per column of probabilities"),
        ({"probabilities": [[0.5, 0.4], [0.5, 0.5]]}, "probabilities that sum to 1"),
    ],
)
def test_what_is_no_kernel_is_refused(fields: dict[str, object], said: str) -> None:
    given = {"kind": "kernel", "answers": [0, 1], "probabilities": [[0.5, 0.5], [0.25, 0.75]]}
    rest = {"model": {"kind": "independent", "probabilities": [0.5]}, "query": {"kind": "count"}}
    with pytest.raises(InputError, match=said) as caught:
        spec_from(rest | {"noise": given | fields})
    assert "\n" not in str(caught.value)


def test_a_spec_with_a_kernel_is_audited() -> None:
    spec = Spec(model=PAIR, query=Sum(), noise=Kernel(answers=(0, 2), probabilities=((0.75, 0.25), (0.25, 0.75))))
    assert spec_from(json.loads(spec.model_dump_json())) == spec
    assert DifferentialPrivacy().leakage(spec.audited()).epsilon == 0
    assert InferentialPrivacy().leakage(spec.audited()).epsilon == pytest.approx(log(3))
