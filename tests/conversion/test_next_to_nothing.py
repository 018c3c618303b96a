"""Records that are certain or next to it, and pipelines that hide nearly all: an answer, and soon."""

from math import exp, inf, log, log1p
from typing import Any

import pytest

from dalenius.conversion import (
    ApproximateProfile,
    Conversion,
    GaussianProfile,
    PrivacyProfile,
    PureProfile,
    ZeroConcentrated,
)
from dalenius.models import Chain, Households, Model, Network
from dalenius.models.network import Node
from tests.cases import in_turn

EVEN = ((0.5, 0.5), (0.5, 0.5))
CHAIN = Chain(n=200, initial=(1.0, 0.0), transition=EVEN)
TREE = Network(
    nodes=(
        Node(name="n0", parents=(), probabilities=(1.0, 0.0)),
        *(Node(name=f"n{k}", parents=(f"n{(k - 1) // 2}",), probabilities=EVEN) for k in range(1, 63)),
    )
)


@in_turn(
    {
        "profile": [GaussianProfile(1.0), ApproximateProfile(0.1, 0.01), PureProfile(0.1), PureProfile(0.1)],
        "model, neighbours": [(TREE, "replace"), (CHAIN, "replace"), (CHAIN, "add_remove"), (TREE, "replace")],
    }
)
def test_a_first_record_that_is_certain(model: Model, profile: PrivacyProfile, neighbours: Any) -> None:
    """e^2 times the chance of a fair bit is above 1: nobody's δ′ is above 0. Bits are all independent."""
    conversion = Conversion(model, profile, neighbours, information=True)
    found = conversion.delta(2.0)
    assert tuple(found.value) == (0.0, 0.0)
    assert found.person is None or found.person > 1
    assert conversion.delta(0.0).value.upper > 0
    if profile.pure is not None:
        apart = profile.pure * (1 if neighbours == "replace" else 2)
        assert conversion.epsilon(0.0).value.upper >= log(2 / (1 + exp(-apart)))
    else:
        assert conversion.epsilon(0.0).value.upper == inf


def test_values_that_are_next_to_impossible() -> None:
    """One ill of three, 1e-300: the others are all ill with 3·2⁻¹⁰⁷⁴ to 1e-300, and are then two records away."""
    home = Households(count=1, infected=(1.0, 1e-300, 0.0, 5e-324))
    for nats in (15.0, 30.0, 100.0):
        truth = nats + log1p(3 * (5e-324 / 1e-300) * (exp(2 * nats) - 1))
        found = Conversion(home, PureProfile(nats), "replace", information=True)
        assert found.epsilon(0.0).value.lower == pytest.approx(truth, abs=1e-6)
        assert found.epsilon(0.0).value.upper == pytest.approx(truth, abs=1e-6)
        assert found.delta(0.0).value.upper <= 1


def test_what_hides_all_records_together_leaks_nothing_at_a_delta() -> None:
    long = Chain(n=500, initial=(0.5, 0.5), transition=((0.9, 0.1), (0.1, 0.9)))
    for profile in (GaussianProfile(1e-12), ZeroConcentrated(1e-12)):
        conversion = Conversion(long, profile, "replace")
        delta = profile.of_group(500).delta(0.0)  # type: ignore[union-attr]
        assert tuple(conversion.epsilon(delta).value) == (0.0, 0.0)
        assert conversion.keeps(0.0, delta)


def test_a_group_is_no_better_hidden_than_by_its_members_one_by_one() -> None:
    """Between N(0, 1) and N(kμ, 1) δ is that of k steps of μ; ρ-zCDP of k steps has k²ρ."""
    for group, epsilon in ((2, 0.0), (2, 1.0), (7, 0.1), (7, 1.0)):
        together = GaussianProfile(0.1).of_group(group)
        assert together is not None
        assert together.delta(epsilon) >= GaussianProfile(0.1 * group).delta(epsilon) * (1 - 1e-12)
        most = ZeroConcentrated(0.005).of_group(group)
        assert most is not None
        assert most.delta(epsilon) >= together.delta(epsilon) * (1 - 1e-9)
    assert GaussianProfile(1e6).of_group(2) is None
