"""The bit that attains a conversion: it has the profile between all neighbours, and leaks what is said."""

from collections.abc import Callable
from itertools import permutations, product
from math import comb, exp

import numpy as np
import pytest

from dalenius.conversion import (
    ApproximateProfile,
    Attaining,
    Conversion,
    GaussianProfile,
    PrivacyProfile,
    PureProfile,
    TabulatedProfile,
)
from dalenius.models import Households
from tests.cases import in_turn
from tests.conversion.test_conversion import law_of, random_table
from tests.reference.conversion import Row

PROFILES: tuple[PrivacyProfile, ...] = (
    PureProfile(0.4),
    ApproximateProfile(0.3, 0.01),
    TabulatedProfile((0.0, 0.5, 1.0), (0.2, 0.1, 0.03)),
    GaussianProfile(0.5),
)
GRID = np.linspace(0.0, 6.0, 61)


def by_row(found: Attaining, slots: int) -> Callable[[Row], float]:
    """Records are numbered with slots 0, 1, .. of their own: tables of one universe."""

    def chance(row: Row) -> float:
        others = [value for place, value in enumerate(row) if place != found.person - 1]
        state = np.bincount(others, minlength=slots) if found.counted else np.array(others)
        return found.chance(row[found.person - 1] == found.secret, state)

    return chance


def check(found: Attaining, law: dict[Row, float], epsilon: float, profile: PrivacyProfile) -> None:
    chance = by_row(found, 2)
    universe = list(product((0, 1), repeat=len(next(iter(law)))))
    flagged = {row: chance(row) for row in universe}
    spare = [(e, profile.delta(e) + 1e-12) for e in GRID.tolist()]
    for one, other in permutations(universe, 2):
        if sum(a != b for a, b in zip(one, other, strict=True)) == 1:
            for e, more in spare:
                assert flagged[one] <= exp(e) * flagged[other] + more
                assert 1 - flagged[one] <= exp(e) * (1 - flagged[other]) + more
    gained = 0.0
    for value, sign in ((found.secret, 1.0), (found.against, -exp(epsilon))):
        mass = sum(p for row, p in law.items() if value is None or row[found.person - 1] == value)
        gained += sign * sum(
            p / mass * flagged[row] for row, p in law.items() if value is None or row[found.person - 1] == value
        )
    assert gained == pytest.approx(found.delta, abs=1e-9)


@in_turn({"profile": PROFILES, "information": [False, True]})
def test_it_has_the_profile_and_attains(profile: PrivacyProfile, information: bool) -> None:
    table = random_table(np.random.default_rng(0), (2, 2, 2))
    made = Conversion(table, profile, "replace", information)
    found = made.attaining(0.6)
    assert found is not None
    lower, upper = made.delta(0.6).value
    assert found.delta == pytest.approx(lower, abs=1e-12)
    assert found.delta == pytest.approx(upper, abs=1e-6)
    check(found, law_of(table), 0.6, profile)


def test_counted_members() -> None:
    infected = (0.9, 0.04, 0.0, 0.0, 0.06)
    law: dict[Row, float] = {row: infected[sum(row)] / comb(4, sum(row)) for row in product((0, 1), repeat=4)}
    for profile in PROFILES:
        found = Conversion(Households(count=3, infected=infected), profile, "replace").attaining(1.0)
        assert found is not None
        assert found.counted
        check(found, law, 1.0, profile)
