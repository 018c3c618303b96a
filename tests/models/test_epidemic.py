"""The final sizes of an epidemic, however unlikely, against Longini and Koopman's recursion in many digits."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import example, given, strategies as st

from dalenius import Any, Count, Epidemic, Households, InferentialPrivacy, Laplace, Release
from dalenius.laws.masses import Masses
from dalenius.models import Model
from tests.cases import in_turn
from tests.pace import slow
from tests.reference import joints
from tests.reference.epidemic import count_leakage, longini_koopman

CHANCES = st.sampled_from([0.0, 5e-324, 1e-310, 1e-300, 1e-16, 1e-6, 0.3, 0.5, 1 - 2**-53, 1.0]) | st.floats(0, 1)


def exactly(law: Masses, place: int) -> Fraction:
    return (
        Fraction(float(law.mantissa[place])) * Fraction(2) ** int(law.exponent[place])
        if law.mantissa[place]
        else Fraction(0)
    )


@given(size=st.integers(1, 6), community=CHANCES, household=CHANCES)
@example(size=6, community=5e-324, household=5e-324)
@example(size=6, community=1 - 2**-53, household=1 - 2**-53)
def test_every_entry_in_fractions(size: int, community: float, household: float) -> None:
    law = Epidemic(community=community, household=household).law(size)
    truth = joints.longini_koopman(size, Fraction(community), Fraction(household))
    for place, probability in enumerate(truth):
        assert (
            abs(exactly(law, place) - probability) <= probability / 2**52
        )  # what is possible is above 0, and only that


@pytest.mark.parametrize(
    ("size", "community", "household", "digits"),
    [(60, 1e-6, 1e-9, 450), slow((200, 0.02, 0.005, 700))],
)
def test_large_households(size: int, community: float, household: float, digits: int) -> None:
    law = Epidemic(community=community, household=household).law(size)
    truth, twice = (longini_koopman(size, community, household, n) for n in (digits, 2 * digits))
    with mpmath.mp.workdps(40):
        for place in range(size + 1):
            assert abs(truth[place] - twice[place]) <= twice[place] * mpmath.mpf(10) ** -20
            found = mpmath.ldexp(float(law.mantissa[place]), int(law.exponent[place]))
            assert abs(found - twice[place]) <= twice[place] * mpmath.mpf(2) ** -52


@in_turn({"scale, leakage": [(0.05, 20.1128122257604), (0.02, 50.1130116023738)], "within": [False, True]})
def test_sizes_too_unlikely_for_a_double_decide(scale: float, leakage: float, within: bool) -> None:
    """All 60 infected has probability 3e-359; with those entries 0 the leakage would be 20.0 and 50.0."""
    read = Households(by="home", epidemic=Epidemic(community=1e-6, household=1e-9))
    home: Model = read.with_compositions({(("", 60),): 1})
    found = InferentialPrivacy(epsilon=1.0).leakage(
        Release(Any(models=[home]) if within else home, Count(), Laplace(scale=scale))
    )
    truth = count_leakage(longini_koopman(60, 1e-6, 1e-9, 450), scale)
    assert float(truth) == pytest.approx(leakage, abs=1e-12)
    assert found.lower <= truth <= found.upper
    assert found.upper - found.lower < 1e-9


def test_what_is_shown_is_the_law() -> None:
    epidemic = Epidemic(community=1e-6, household=1e-9)
    shown, truth = epidemic.infected(60), longini_koopman(60, 1e-6, 1e-9, 450)
    assert shown == tuple(float(p) for p in truth)
    assert shown.count(0.0) == 5
    assert len(epidemic.law(60).possible) == 61
