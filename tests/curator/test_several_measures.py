"""Theory, Result 9.15: what is charged for several values of the same people, by enumeration of all courses of
adaptive questions."""

from fractions import Fraction
from itertools import product
from math import log

import pytest
from hypothesis import assume, example, given, strategies as st

from tests.curator import courses
from tests.curator.courses import BOTH_ILL, COPIED, Charge, Fixed, Law, Tree, charged, entry, excess, leaked
from tests.pace import draws

weights = st.lists(st.sampled_from([0, 1, 2, 9, 40]), min_size=16, max_size=16).filter(any)


@draws(60)
@given(weights.map(courses.law), st.integers(0, 10**6))
@example(COPIED, 1)
@example(BOTH_ILL, 1)
def test_no_course_leaks_more_than_was_charged(joint: Law, seed: int) -> None:
    assume(
        all(any(bits != (0, 0) and mass for bits, mass in courses.law_of(joint, measure).items()) for measure in (0, 1))
    )
    assert excess(joint, Tree(seed), 3, charged) <= 1e-9


A_AND_B = Fixed(0, ((0, (2, 1)), (1, (3, 1))))
B_AND_A = Fixed(0, ((1, (3, 1)), (0, (4, 1))))
SHARED: Law = {((b, b and c), (c, b and c)): Fraction(1, 4) for b, c in product((0, 1), repeat=2)}
"""x^A are two fair bits, and x^B of both is whether both are 1: about x^B most leaks."""


@pytest.mark.parametrize(
    ("joint", "tree", "lie"),
    [
        (BOTH_ILL, A_AND_B, courses.as_of_one),
        (BOTH_ILL, A_AND_B, courses.each_converted),
        (SHARED, B_AND_A, courses.of_the_last),
    ],
    ids=["as of one value", "each converted", "of the last value"],
)
def test_less_would_be_too_little(joint: Law, tree: Fixed, lie: Charge) -> None:
    length = len(tree.nodes)
    assert excess(joint, tree, length, lie) > 0.01
    assert excess(joint, tree, length, charged) <= 1e-9


def test_the_example_of_the_theory() -> None:
    found = [leaked(BOTH_ILL, outputs, nodes) for outputs, nodes in courses.courses(A_AND_B, 2)]
    assert max(found) == pytest.approx(log(10))
    paid = [(measure, entry(BOTH_ILL, (measure, odds))) for measure, odds in A_AND_B.nodes]
    assert courses.each_converted(paid) == pytest.approx(log(6))
    assert charged(paid) == pytest.approx(log(36)), "by groups; Result 9.15 allows log(18)"
