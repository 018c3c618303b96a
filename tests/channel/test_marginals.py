"""What a model expects of a sum, from the part of its range where it usually lies."""

import numpy as np
import pytest

from dalenius import Count, Households, HouseholdType, Laplace, Release, Sum
from dalenius.channel.finite import marginals
from dalenius.channel.finite.marginals import Marginal
from dalenius.models import Model

HOMES = Households(
    types=(
        HouseholdType(count=400, infected=(0.9, 0.04, 0.0, 0.0, 0.06)),
        HouseholdType(count=900, infected=(0.999, 0.001)),
    )
)


def law(model: Model, query: Count | Sum) -> Marginal:
    (world,) = Release(model, query, Laplace(scale=1.0)).finite_worlds
    (found,) = world.marginals(quickly=True)
    return found


@pytest.mark.slow
def test_where_a_sum_usually_lies_is_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = law(HOMES, Sum())
    monkeypatch.setattr(marginals, "WIDE", 1)
    usual = law(HOMES, Sum())
    assert len(usual.masses) < len(whole.masses)
    shown = np.zeros_like(whole.masses)
    first = usual.start - whole.start
    shown[first : first + len(usual.masses)] = usual.masses
    assert np.max(np.abs(shown - whole.masses)) < 1e-15
    assert usual.masses.sum() == pytest.approx(1.0, abs=1e-12)


def test_three_hundred_million_people_are_no_more_than_a_window() -> None:
    found = law(Households(count=75_000_000, infected=(0.9, 0.04, 0.0, 0.0, 0.06)), Count())
    places = found.start + np.arange(len(found.masses))
    assert len(places) < 1 << 19
    assert found.masses @ places == pytest.approx(75_000_000 * 0.28, rel=1e-12)
