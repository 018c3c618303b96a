"""Privacy profiles against definitions in 60 digits, against each other, and what is refused as one.

Records that are certain or next to it, and pipelines that hide nearly all: an answer, and soon.
"""

import sys
from importlib import import_module
from itertools import product
from math import exp, log, log1p
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

from dalenius.conversion import (
    ApproximateProfile,
    Conversion,
    GaussianProfile,
    PrivacyProfile,
    PureProfile,
    TabulatedProfile,
    ZeroConcentrated,
    event_profile,
    read_profile,
)
from dalenius.errors import InputError
from dalenius.models import Chain, Households, Model, Network
from dalenius.models.bayesian_network import Node
from tests.cases import in_turn
from tests.reference.tradeoff import gaussian_delta

ALL: tuple[PrivacyProfile, ...] = (
    PureProfile(0.0),
    PureProfile(0.7),
    PureProfile(30.0),
    ApproximateProfile(0.5, 0.01),
    ApproximateProfile(0.0, 0.2),
    GaussianProfile(0.01),
    GaussianProfile(0.5),
    GaussianProfile(6.0),
    ZeroConcentrated(0.1),
    ZeroConcentrated(4.0),
    TabulatedProfile((0.0, 0.5, 2.0), (0.3, 0.1, 0.0)),
)


def test_gaussian_delta_is_exact_and_from_above() -> None:
    for mu, epsilon in product((1e-3, 0.1, 1.0, 5.0, 30.0), (-20.0, -0.5, 0.0, 1e-6, 0.3, 2.0, 50.0)):
        exact, found = gaussian_delta(mu, epsilon), GaussianProfile(mu).delta(epsilon)
        assert found >= exact
        if exact > 1e-200:
            assert found <= exact * (1 + 1e-6) + 1e-15 * max(0, 1 - exp(epsilon))


@pytest.mark.parametrize(("rho", "epsilon"), [(1e-4, 0.1), (0.1, 1.0), (1.0, 0.0), (1.0, 5.0), (20.0, 40.0)])
def test_concentrated_delta_is_the_least_over_alpha(rho: float, epsilon: float) -> None:
    found = ZeroConcentrated(rho).delta(epsilon)
    with mpmath.workdps(40):
        alphas = 1 + mpmath.mpf(10) ** np.linspace(-4, 5, 400)
        bounds = [mpmath.exp((a - 1) * (a * rho - epsilon)) / (a - 1) * (1 - 1 / a) ** a for a in alphas]
        assert found <= min(*bounds, mpmath.mpf(1)) * (1 + 1e-9) + mpmath.mpf("1e-300")
    assert found >= GaussianProfile(np.sqrt(2 * rho)).delta(epsilon) * (1 - 1e-9)


def test_tangents_are_above_what_is_attained_and_near_it() -> None:
    points = np.concatenate([[0.0, 1e-12, 1e-6], np.linspace(1e-3, 0.999, 60), [1 - 1e-9, 1.0]])
    for profile in ALL:
        low = profile.attained(points)
        assert np.all(low >= points)
        assert np.all(np.diff(low) >= -1e-9)
        slopes, rises = profile.tangents(points)
        lines = slopes[:, None] * points[None] + rises[:, None]
        assert np.all(lines.min(axis=0) >= low * (1 - 1e-15))
        if profile.within is None:
            # At 0 the Gaussian's tangent is taken where doubles end.
            assert np.all(np.minimum(np.diag(lines), 1.0)[1:] <= low[1:] + 1e-9)


def test_delta_is_what_the_tangents_say() -> None:
    """δ(ε) is the largest f(b) − e^ε b."""
    points = np.linspace(0.0, 1.0, 4_001)
    for profile, epsilon in product(ALL, (-1.0, 0.0, 0.3, 1.0)):
        found, most = profile.delta(epsilon), np.max(profile.attained(points) - exp(epsilon) * points)
        assert found >= most - (1e-12 if profile.within is None else 1e-4)
        assert max(0.0, 1 - exp(epsilon)) <= found <= profile.delta(epsilon - 0.1)
        assert profile.within is not None or found <= most + 1e-3


def test_between_rows_a_table_is_on_the_chord() -> None:
    """In e^ε: less than the row before, and more than what any profile through them can be."""
    table = TabulatedProfile((0.0, 1.0), (0.3, 0.1))
    t = (exp(0.5) - 1) / (exp(1.0) - 1)
    assert table.delta(0.5) == pytest.approx(0.3 + t * (0.1 - 0.3), abs=1e-12)
    assert table.delta(2.0) == 0.1
    pure = PureProfile(1.0)
    fine = tuple(np.linspace(0.0, 1.0, 50).tolist())
    rows = TabulatedProfile(fine, tuple(pure.delta(each) for each in fine))
    assert rows.pure is None or rows.pure == 1.0
    for epsilon in (0.0, 0.123, 0.777, 1.0):
        assert pure.delta(epsilon) <= rows.delta(epsilon) + 1e-15 <= pure.delta(epsilon) + 1e-12


def test_what_is_no_profile() -> None:
    for call, message in (
        (lambda: PureProfile(-1.0), "epsilon: -1.0, wanted a finite number of at least 0"),
        (lambda: ApproximateProfile(1.0, 1.0), "delta: 1.0, wanted a probability below 1"),
        (lambda: GaussianProfile(0.0), "mu: 0.0, wanted a finite number above 0"),
        (lambda: GaussianProfile(1e300), r"mu: 1e\+300, wanted a number from 1e-12 to 1e\+06"),
        (lambda: ZeroConcentrated(float("nan")), "rho: nan, wanted a finite number above 0"),
        (lambda: TabulatedProfile((), ()), r"profile row: none, wanted one \(epsilon, delta\) or more"),
        (lambda: TabulatedProfile((1.0,), ()), "profile: 1 epsilons and 0 deltas, wanted as many epsilons as deltas"),
        (lambda: TabulatedProfile((1.0, 1.0), (0.1, 0.1)), "profile row 2.epsilon: 1.0, wanted more than that of"),
        (lambda: TabulatedProfile((1.0, 2.0), (0.1, 0.2)), "profile row 2.delta: 0.2, wanted no more than that of"),
        (lambda: TabulatedProfile((1.0,), (1.5,)), "profile row 1.delta: 1.5, wanted a probability from 0 to 1"),
    ):
        with pytest.raises(InputError, match=message):
            call()


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "profile.csv"
    for text, message in (
        ("eps,delta\n1,0.1\n", "profile line 1: eps,delta, wanted the columns epsilon,delta"),
        ("epsilon,delta\n1,x\n", "profile line 2: 1,x, wanted two numbers"),
        ("epsilon,delta\n1,.1\n2\n", "profile line 3: 2, wanted two numbers"),
        ("epsilon,delta\n1,nan\n", "profile row 1.delta: nan, wanted a probability from 0 to 1"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=message):
            read_profile(path)


def test_a_profile_is_read(tmp_path: Path) -> None:
    path = tmp_path / "profile.csv"
    path.write_text("delta, epsilon\n0.1,0\n\n0.01,1.5\n", encoding="utf-8")
    assert read_profile(path) == TabulatedProfile((0.0, 1.5), (0.1, 0.01))
    with pytest.raises(InputError, match="a file that can be read"):
        read_profile(tmp_path / "none.csv")


def test_an_event_has_the_profile_its_accountant_says() -> None:
    known = import_module("dp_accounting.dp_event")
    found = event_profile(known.GaussianDpEvent(2.0), "add_remove")
    for epsilon in (0.0, 0.77, 3.0):
        exact = GaussianProfile(0.5).delta(epsilon)
        assert exact <= found.delta(epsilon) <= exact + 1e-4
    for event, relation, message in (
        (
            known.LaplaceDpEvent(1.0),
            "replace",
            "event: .*Laplace.*, wanted one that dp-accounting knows for neighbours",
        ),
        (known.GaussianDpEvent(0.0), "replace", "event: .*, wanted one with some privacy"),
        (
            known.SelfComposedDpEvent(known.LaplaceDpEvent(1.0), 0),
            "add_remove",
            "event: SelfComposed.*, wanted an event of dp-accounting that it composes .*count.* must be positive",
        ),
        (known.NoOpDpEvent(), "remove", "neighbours: remove, wanted 'replace' or 'add_remove'"),
    ):
        with pytest.raises(InputError, match=message):
            event_profile(event, relation)


def test_without_the_package_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dp_accounting.pld", None)
    with pytest.raises(InputError, match=r"event: dp-accounting is not installed, wanted that package \(pip install"):
        event_profile(None, "replace")


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
        assert log(2) <= conversion.epsilon(0.0).value.upper <= log(2) + 1e-8


def test_values_that_are_next_to_impossible() -> None:
    """One ill of three, 1e-300: the others are all ill with 3·2⁻¹⁰⁷⁴ to 1e-300, and are then two records away."""
    home = Households(count=1, infected=(1.0, 1e-300, 0.0, 5e-324))
    for nats in (15.0, 30.0, 100.0):
        truth = nats + log1p(3 * (5e-324 / 1e-300) * (exp(2 * nats) - 1))
        found = Conversion(home, PureProfile(nats), "replace", information=True)
        assert found.epsilon(0.0).value.lower == pytest.approx(truth, abs=1e-6)
        assert found.epsilon(0.0).value.upper == pytest.approx(truth, abs=1e-6)
        assert found.delta(0.0).value.upper <= 1


@pytest.mark.lengthy
def test_what_hides_all_records_together_leaks_nothing_at_a_delta() -> None:
    long = Chain(n=60, initial=(0.5, 0.5), transition=((0.9, 0.1), (0.1, 0.9)))
    for profile in (GaussianProfile(1e-12), ZeroConcentrated(1e-12)):
        conversion = Conversion(long, profile, "replace")
        delta = profile.of_group(60).delta(0.0)  # type: ignore[union-attr]
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
