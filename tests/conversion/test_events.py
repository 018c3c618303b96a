"""Profiles of pipelines from their events, by dp-accounting, against outputs, exact sums and closed forms."""

import json
from fractions import Fraction
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

import dalenius as dl
from dalenius.conversion import (
    ApproximateProfile,
    EventFile,
    GaussianProfile,
    PrivacyProfile,
    PureProfile,
    TabulatedProfile,
    ZeroConcentrated,
    read_event,
)
from dalenius.conversion.mixture_of_gaussians import members_in_batch
from dalenius.errors import InputError
from tests.pace import slow
from tests.reference.events import Array, Pair, cells, coin_flips, sampled, together

EXAMPLES = Path(__file__).parents[2] / "examples" / "events"


def laplace(b: float) -> dict[str, Any]:
    return {"kind": "laplace", "noise_multiplier": b}


def gaussian(sigma: float) -> dict[str, Any]:
    return {"kind": "gaussian", "noise_multiplier": sigma}


def sample(q: float, event: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "poisson_sampled", "sampling_probability": q, "event": event}


def all_of(*events: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "composed", "events": list(events)}


def times(count: int, event: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "self_composed", "count": count, "event": event}


def profile(event: dict[str, Any], neighbours: str = "add_remove") -> PrivacyProfile:
    return EventFile.model_validate({"neighbours": neighbours, "event": event}).profile()


def laplace_cells(b: float) -> Pair:
    def cumulative(x: Array) -> Array:
        return np.where(x < 0, np.exp(np.minimum(x, 0) / b) / 2, 1 - np.exp(-np.maximum(x, 0) / b) / 2)

    return cells(cumulative, np.linspace(0.0, 1.0, 250), 1.0)


def gaussian_cells(sigma: float) -> Pair:
    return cells(lambda x: np.asarray(ndtr(x / sigma)), np.linspace(-8 * sigma, 1 + 8 * sigma, 400), 1.0)


GUARANTEE = {"kind": "epsilon_delta", "epsilon": 0.5}
TWO: list[tuple[dict[str, Any], list[Pair]]] = [
    (times(2, laplace(1.0)), [laplace_cells(1.0)] * 2),
    (all_of(laplace(0.5), laplace(3.0)), [laplace_cells(0.5), laplace_cells(3.0)]),
    (all_of(laplace(2.0), gaussian(1.5)), [laplace_cells(2.0), gaussian_cells(1.5)]),
    (times(2, sample(0.1, gaussian(1.0))), [sampled(gaussian_cells(1.0), 0.1)] * 2),
    (all_of(sample(0.3, laplace(1.0)), gaussian(2.0)), [sampled(laplace_cells(1.0), 0.3), gaussian_cells(2.0)]),
]


@pytest.mark.lengthy
@pytest.mark.parametrize(("event", "pairs"), [*map(slow, TWO[:3]), TWO[3], slow(TWO[4])])
def test_two_answers_leak_what_their_outputs_do(event: dict[str, Any], pairs: list[Pair]) -> None:
    made = profile(event)
    for epsilon in (0.0, 0.1, 0.4, 1.0):
        exact = max(together(pairs, epsilon, exchanged) for exchanged in (False, True))
        assert exact <= made.delta(epsilon) <= exact * (1 + 4e-3) + 1e-7


@pytest.mark.lengthy
def test_one_sampled_answer_is_the_closed_form() -> None:
    q, inner = 0.05, GaussianProfile(1.0)
    found = profile(sample(q, gaussian(1.0)))
    for epsilon in (0.0, 0.02, 0.2, 1.0):
        exact = q * inner.delta(log(1 + (exp(epsilon) - 1) / q))
        assert exact <= found.delta(epsilon) <= exact * (1 + 2e-3)
    # The table's last rows, where the record's absence is the likelier law, are below.
    assert found.delta(-0.5) >= 1 - exp(-0.5)


def household(size: int, rate: float, sigma: float) -> dict[str, Any]:
    sensitivities, sampling_probs = members_in_batch(size, rate)
    chances = {"sensitivities": sensitivities, "sampling_probs": sampling_probs}
    return {"kind": "mixture_of_gaussians", "standard_deviation": sigma, **chances}


@pytest.mark.lengthy
@pytest.mark.parametrize(
    ("size", "rate", "sigma", "above"), [(4, 0.1, 1.5, 4e-3), (1, 0.5, 0.7, 4e-3), (7, 0.02, 3.0, 0.1)]
)
def test_a_household_in_a_batch_is_its_integral(size: int, rate: float, sigma: float, above: float) -> None:
    """E_{e^ε}(P‖Q) and E_{e^ε}(Q‖P), P the binomial mixture, on two million points. Where losses are small, the chords
    of the table are wider."""
    y = np.linspace(-12 * sigma, size + 12 * sigma, 2_000_001)
    moves, chances = members_in_batch(size, rate)
    one, other = (
        sum(p * np.exp(-np.square((y - c) / sigma) / 2) for c, p in each) * (y[1] - y[0]) / (sigma * np.sqrt(2 * np.pi))
        for each in (list(zip(moves, chances, strict=True)), [(0.0, 1.0)])
    )
    found = profile(household(size, rate, sigma))
    for epsilon in (0.0, 0.1, 0.5, 1.0):
        exact = max(float(np.maximum(p - exp(epsilon) * q, 0.0).sum()) for p, q in ((one, other), (other, one)))
        assert exact * (1 - 1e-7) <= found.delta(epsilon) <= exact * (1 + above) + 1e-9


@pytest.mark.lengthy
def test_a_household_of_one_is_a_poisson_sample() -> None:
    one, other = profile(times(50, household(1, 0.05, 1.2))), profile(times(50, sample(0.05, gaussian(1.2))))
    for epsilon in (0.0, 0.5, 1.0, 2.0):
        assert one.delta(epsilon) == pytest.approx(other.delta(epsilon), rel=1e-4)


@pytest.mark.lengthy
def test_a_household_accounted_as_it_is_leaks_less_than_its_members_one_by_one() -> None:
    """Four who join together, in 300 steps: the household's own profile, and that of one person for four changes. It is
    about a fiftieth less, and nearly five times that of one person."""
    four = dl.Households(count=1, infected=[0.5, 0.0, 0.0, 0.0, 0.5])
    alone = dl.Households(count=1, infected=[0.5, 0.5])
    single, whole = (profile(times(300, household(size, 0.02, 1.5))) for size in (1, 4))
    converted = dl.Conversion(four, single, "replace").epsilon(1e-5).value
    own = dl.Conversion(alone, whole, "replace").epsilon(1e-5).value
    assert own.lower < converted.lower
    assert own.upper < converted.upper
    assert own.lower > 4 * dl.Conversion(alone, single, "replace").epsilon(1e-5).value.upper


@pytest.mark.parametrize(("count", "odds", "above"), [(7, "1.5", 3e-3), (1000, "1.01", 3e-3)])
def test_discrete_noise_is_composed_from_above(count: int, odds: str, above: float) -> None:
    """Geometric noise on a count is as a bit told wrong once in 1 + odds times: a binomial sum in fractions. The
    package rounds each of these losses up to its grid, which a thousand answers feel."""
    found = profile(times(count, {"kind": "discrete_laplace", "noise_parameter": log(Fraction(odds))}), "replace")
    for fold in (Fraction(1), Fraction(11, 10), Fraction(5, 3)):
        exact = float(coin_flips(count, Fraction(odds), fold))
        assert exact * (1 - 1e-12) <= found.delta(log(fold)) <= exact * (1 + above) + 1e-10


def test_discrete_noise_on_sums() -> None:
    """Sensitivity 3: every integer output, and what is left of both tails."""
    a, k = 0.4, 3
    z = np.arange(-400, 404)
    one, other = (np.exp(-a * np.abs(z - centre)) * np.tanh(a / 2) for centre in (k, 0))
    found = profile({"kind": "discrete_laplace", "noise_parameter": a, "sensitivity": k})
    for epsilon in (0.0, 0.2, 0.4, 0.9, 1.19):
        exact = float(np.maximum(one - exp(epsilon) * other, 0.0).sum())
        assert exact * (1 - 1e-12) <= found.delta(epsilon) <= exact * (1 + 4e-3) + 1e-12
    assert found.pure == pytest.approx(1.2, rel=1e-12)


def test_what_has_a_closed_form_is_that() -> None:
    found = profile(all_of(times(4, gaussian(2.0)), times(3, gaussian(1.0))))
    assert isinstance(found, GaussianProfile)
    assert 2.0 <= found.mu <= 2.0 * (1 + 1e-14)
    found = profile(times(12, {"kind": "zcdp", "rho": 0.25}))
    assert isinstance(found, ZeroConcentrated)
    assert 3.0 <= found.rho <= 3.0 * (1 + 1e-14)
    assert profile({"kind": "epsilon_delta", "epsilon": 1, "delta": 1e-6}) == ApproximateProfile(1.0, 1e-6)
    assert profile({"kind": "epsilon_delta", "epsilon": 1}) == PureProfile(1.0)
    assert profile({"kind": "no_op"}) == profile(all_of()) == PureProfile(0.0)
    # Gaussian noise of multiplier 2 is 1/8-zero-concentrated.
    found = profile(all_of(gaussian(2.0), {"kind": "zcdp", "rho": 0.25}))
    assert isinstance(found, ZeroConcentrated)
    assert 0.375 <= found.rho <= 0.375 * (1 + 1e-14)


def test_pure_answers_end_at_their_sum() -> None:
    found = profile(all_of(times(12, laplace(12.0)), GUARANTEE))
    assert isinstance(found, TabulatedProfile)
    assert 1.5 <= (found.pure or 0.0) <= 1.5 * (1 + 1e-12)
    assert found.delta(1.4) > 0
    assert profile(laplace(1.0)).pure == pytest.approx(1.0, rel=1e-12)
    assert profile(all_of(laplace(1.0), gaussian(1.0))).pure is None


@pytest.mark.parametrize("event", [times(12, laplace(12.0)), gaussian(1.0)])
def test_a_guarantee_beside_others_adds_no_more_than_its_numbers(event: dict[str, Any]) -> None:
    """Basic composition allows δ(ε) + δ₀ at ε + ε₀; the answers alone leak δ(ε), and the guarantee δ₀."""
    alone, both = profile(event), profile(all_of(event, {"kind": "epsilon_delta", "epsilon": 0.5, "delta": 1e-3}))
    for epsilon in (0.0, 0.3, 0.9):
        assert max(alone.delta(0.5 + epsilon), 1e-3) <= both.delta(0.5 + epsilon) <= alone.delta(epsilon) + 1e-3 + 1e-6


def test_guarantees_together_are_a_randomised_response_each() -> None:
    """A hundred of ε = .1 are as a bit told wrong once in 1 + e^.1 times: less than 10 nats at a δ, at both ends."""
    found = profile(times(100, {"kind": "epsilon_delta", "epsilon": 0.1}), "replace")
    for epsilon in (0.5, 2.0, 4.0):
        exact = float(coin_flips(100, Fraction(exp(0.1)), Fraction(exp(epsilon))))
        low, high = (float(each[0]) for each in found.ends_of(1, np.array([epsilon])))
        assert low <= exact <= high <= exact * 1.02
        assert low >= exact * 0.9


@pytest.mark.lengthy
def test_ten_thousand_steps_of_training() -> None:
    """Near the central limit q√(T(e^{1/σ²}−1)) (the limit of their Gaussian privacy), and above it."""
    found = read_event(EXAMPLES / "training.json").profile()
    limit = GaussianProfile(0.001 * 100 * (exp(1.0) - 1) ** 0.5)
    for epsilon in (0.0, 0.1):
        assert limit.delta(epsilon) * 0.98 < found.delta(epsilon) < limit.delta(epsilon) * 1.2


def test_what_is_no_pipeline(tmp_path: Path) -> None:
    path, named = tmp_path / "event.json", {"neighbours": "add_remove"}
    for given, message in (
        (b"\xff\xfe{", "event: .*event.json, wanted text in UTF-16"),
        (b"{", "event: .*event.json, wanted JSON"),
        ([], "^event: .*, wanted"),
        ({"event": laplace(1.0)}, "neighbours: missing, wanted a value"),
        ({"neighbours": "swap", "event": laplace(1.0)}, "neighbours: swap, wanted 'replace' or 'add_remove'"),
        (named | {"event": {}}, "event.kind: missing, wanted the name of a kind"),
        (
            named | {"event": all_of({"kind": "tree_aggregation"})},
            "event.events 1.kind: tree_aggregation, wanted one of 'laplace', 'discrete_laplace'",
        ),
        (named | {"event": {**laplace(1.0), "scale": 1}}, "event.scale: 1, wanted one of the keys of event: kind"),
        (named | {"event": times(0, laplace(1.0))}, "count: 0, wanted a number of at least 1"),
        ({"neighbours": "replace", "event": sample(0.5, laplace(1.0))}, "^event: .*neighbours add_remove, where a"),
        ({"neighbours": "replace", "event": household(2, 0.5, 1.0)}, "neighbours add_remove, where a mixture"),
        (named | {"event": household(2, 0.5, 1.0) | {"sampling_probs": (0.5, 0.5)}}, "as many sampling_probs as"),
        (named | {"event": household(1, 0.5, 1.0) | {"sampling_probs": (0.5, 0.4)}}, "sum to 1 .they sum to 0.9"),
        (named | {"event": household(200, 0.5, 1.0)}, "a largest sensitivity from 1e-12 to 100 deviations"),
        (named | {"event": {"kind": "zcdp"}}, "event.rho: missing, wanted a value"),
        (
            named | {"event": sample(0.5, times(2, laplace(1.0)))},
            "wanted one laplace event, or gaussian ones, in a poisson_sampled event",
        ),
    ):
        path.write_bytes(given if isinstance(given, bytes) else json.dumps(given).encode())
        with pytest.raises(InputError, match=message):
            read_event(path)
    with pytest.raises(InputError, match=r"event: .*none.json, wanted a file that can be read"):
        read_event(tmp_path / "none.json")
    given = named | {
        "event": all_of({"kind": "zcdp", "rho": 1.0}, {"kind": "discrete_laplace", "noise_parameter": 1.0})
    }
    with pytest.raises(InputError, match=r"event.kind: discrete_laplace, zcdp, wanted events whose R.nyi divergences"):
        EventFile.model_validate(given).profile()
