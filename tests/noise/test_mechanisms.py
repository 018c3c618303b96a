"""Explicit matrices, clamped geometric noise, and answers that stay or move: what they leak, lose and draw."""

import json
from fractions import Fraction
from math import inf, isnan, log

import mpmath
import numpy as np
import pytest

from dalenius import (
    Clamped,
    Count,
    Geometric,
    Households,
    HouseholdType,
    Independent,
    InputError,
    Kernel,
    Release,
    Relocation,
    Sum,
    Table,
    audit,
)
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law
from dalenius.laws.matrix_ratios import pushed
from dalenius.noise import mean_error
from dalenius.spec.results_as_json import leakage_json

PAIR = Table(records=((0, 0), (1, 1)), probabilities=(0.9, 0.1))
COUPLE = Households(types=(HouseholdType(count=1, infected=(0.5, 0.1, 0.4), members={"a": 1, "b": 1}),))
UNIT = Lattice((Fraction(1),))


def response(p: float, outputs: tuple[str, ...] | None = None) -> Kernel:
    """Each bit is answered truthfully with probability p."""
    return Kernel(answers=(0, 1), outputs=outputs, probabilities=((p, 1 - p), (1 - p, p)))


def test_outputs_have_their_names() -> None:
    found = audit(Release(COUPLE, Count(per_label=True), response(0.75, ("no", "yes"))))["inferential"]
    assert found.witness is not None
    assert found.witness.output in [("yes", "yes"), ("no", "no")]
    shown = json.loads(json.dumps(leakage_json(found), allow_nan=False))
    assert shown["witness"]["output"] == list(found.witness.output)
    numbered = audit(Release(COUPLE, Count(per_label=True), response(0.75)))["inferential"].witness
    assert numbered is not None
    assert numbered.output in [(0, 0), (1, 1)]


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


def test_a_zero_beside_a_non_zero_is_certainty() -> None:
    sure = Kernel(answers=(0, 2), probabilities=((1, 0), (0.5, 0.5)))
    found = audit(Release(PAIR, Sum(), sure))
    assert found["inferential"].lower == inf
    assert found["information"].epsilon == pytest.approx(log(10))
    assert found["differential"].lower == 0  # of one record alone, which moves the sum by 1: no two rows are so near
    assert sure.privacy_loss([Fraction(2)]) == inf


def test_certain_and_numbered_outputs_are_drawn_exactly() -> None:
    noise = Kernel(answers=(0, 1), outputs=(0.1, 7), probabilities=((1, 0), (0, 1)))
    assert noise.draw([0, 1], Lattice((Fraction(1),) * 2)) == (Fraction(1, 10), Fraction(7))
    with pytest.raises(InputError, match=r"\(5 has none\)"):
        noise.draw([5], UNIT)


def test_expected_error_is_the_worst_answer_s() -> None:
    noise = Kernel(answers=(0, 2), outputs=(0, 3), probabilities=((0.5, 0.5), (0.25, 0.75)))
    assert mean_error(noise, UNIT) == 1.5
    assert isnan(mean_error(response(0.7, ("no", "yes")), UNIT))


HOMES = Households(count=12, infected=(0.9, 0.04, 0.0, 0.0, 0.06))
WHOLE = Lattice((Fraction(1),))


def test_at_the_answers_range_it_leaks_what_the_geometric_leaks() -> None:
    """All outputs beyond the range have the posterior of its end."""
    plain = audit(Release(HOMES, Count(), Geometric(scale=2.0)))
    for lower, upper in ((0, 48), (-7, 48), (-1, 100)):
        found = audit(Release(HOMES, Count(), Clamped(scale=2.0, lower=lower, upper=upper)))
        for kind, leakage in found.items():
            assert leakage.epsilon == pytest.approx(plain[kind].epsilon, rel=1e-10, abs=1e-12), kind


def test_differential_privacy_of_a_clamped_answer() -> None:
    def lost(scale: float, lower: float, upper: float, query: Count | Sum) -> tuple[float, float]:
        found = audit(Release(HOMES, query, Clamped(scale=scale, lower=lower, upper=upper)))["differential"]
        return found.lower, found.upper

    assert lost(2.0, 1, 5, Count()) == pytest.approx((0.5, 0.5))
    assert lost(0, 1, 5, Count()) == (inf, inf)
    assert lost(0, 3, 3, Count())[1] < 1e-300
    assert lost(0, 60, 70, Count()) == (0.0, 0.0)
    far = Independent(values=[0, 10], probabilities=[[0.5, 0.5]] * 2)
    found = audit(Release(far, Sum(), Clamped(scale=2.0, lower=9, upper=11)))["differential"]
    assert found.lower == 0
    assert found.upper == pytest.approx(5)


def test_without_noise_the_answer_is_clamped() -> None:
    noise = Clamped(scale=0, lower=-1, upper=4)
    assert [int(noise.draw((answer,), WHOLE)[0]) for answer in (-3, -1, 2, 9)] == [-1, -1, 2, 4]
    third = Lattice((Fraction(1, 3),))
    assert Clamped(scale=0, lower=1 / 3, upper=2 / 3).draw((7,), third) == (Fraction(2, 3),)


def test_of_relocation_only_answers_side_by_side_are_compared() -> None:
    """Records in 0 and 3: the answers 1 and 2 between them, which tell more, never stand side by side."""
    noise = Relocation(
        lower=0, upper=3, leaves=[0.6, 0.5], moves=[[0.5, 0.5], [0.3, 0.7]], shares=[[0.9, 0.1], [0.2, 0.8]]
    )
    model = Independent(values=[0, 3], probabilities=[[0.5, 0.5]])
    found = audit(Release(model, Sum(), noise))["differential"]
    # The output 0: kept with .4, or left for it with .6 · .5 · .9, against .5 · .3 · .9.
    truth = log(0.67 / 0.135)
    assert found.lower <= truth * (1 + 1e-15)
    assert truth * (1 - 1e-15) <= found.upper <= truth * (1 + 1e-12)
    assert found.lower > truth * (1 - 1e-12)
