"""Explicit stochastic matrices: randomised response, known mechanisms written out, draws, words."""

import json
from fractions import Fraction
from math import inf, isnan, log

import mpmath
import numpy as np
import pytest

from dalenius import Count, Households, HouseholdType, InputError, Kernel, Release, Sum, Table, audit
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law
from dalenius.laws.noised.matrix import pushed
from dalenius.spec.results import leakage_json

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


def test_answers_that_no_decimal_writes() -> None:
    third = Kernel(answers=(0, 1 / 3, 2 / 3, 1), probabilities=((1, 0), (0.5, 0.5), (0.5, 0.5), (0, 1)))
    assert third.draw([3], Lattice((Fraction(1, 3),))) == (Fraction(1),)
    assert set(third.draw([1, 2] * 20, Lattice((Fraction(1, 3),) * 40))) == {Fraction(0), Fraction(1)}


def test_certain_and_numbered_outputs_are_drawn_exactly() -> None:
    noise = Kernel(answers=(0, 1), outputs=(0.1, 7), probabilities=((1, 0), (0, 1)))
    assert noise.draw([0, 1], Lattice((Fraction(1),) * 2)) == (Fraction(1, 10), Fraction(7))
    with pytest.raises(InputError, match=r"\(5 has none\)"):
        noise.draw([5], UNIT)


def test_expected_error_is_the_worst_answer_s() -> None:
    noise = Kernel(answers=(0, 2), outputs=(0, 3), probabilities=((0.5, 0.5), (0.25, 0.75)))
    assert noise.expected_error(UNIT) == 1.5
    assert isnan(response(0.7, ("no", "yes")).expected_error(UNIT))
