"""Many small answers, small deltas and large epsilons of independent people, beside dp-accounting and closed forms."""

from math import exp, log
from typing import Any

import numpy as np
import pytest

from dalenius import Independent
from dalenius.conversion import (
    ApproximateProfile,
    Conversion,
    EventFile,
    GaussianProfile,
    PureProfile,
    TabulatedProfile,
    ZeroConcentrated,
    event_profile,
    largest,
)
from dalenius.conversion.one_record import OneRecord
from dalenius.errors import InputError
from tests.pace import slow
from tests.reference.tradeoff import gaussian_delta

ALONE = Independent(probabilities=(0.3,))


def laplace(b: float) -> dict[str, Any]:
    return {"kind": "laplace", "noise_multiplier": b}


def gaussian(sigma: float) -> dict[str, Any]:
    return {"kind": "gaussian", "noise_multiplier": sigma}


def sampled(q: float, event: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "poisson_sampled", "sampling_probability": q, "event": event}


def times(count: int, event: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "self_composed", "count": count, "event": event}


def ends(event: dict[str, Any], delta: float, neighbours: str = "add_remove") -> tuple[float, float]:
    """ε at δ between the file's neighbours."""
    profile = EventFile.model_validate({"neighbours": neighbours, "event": event}).profile()
    found = OneRecord(profile, 1, 0.0).epsilon(delta)
    return found.lower, found.upper


@pytest.mark.parametrize(
    ("count", "scale", "truth"),
    [(50_000, 1e3, 0.9403), (100_000, 1e3, 1.3673), slow((10**6, 1e3, 4.8856)), slow((10**7, 1e6, 0.00966))],
)
def test_many_small_answers_have_both_ends_near_the_truth(count: int, scale: float, truth: float) -> None:
    event = times(count, laplace(scale))
    made = EventFile.model_validate({"neighbours": "replace", "event": event}).profile()
    lower, upper = Conversion(ALONE, made, "replace").epsilon(1e-6).value
    assert 0.97 * truth <= lower <= truth * 1.0005
    assert truth * 0.9995 <= upper <= 1.005 * truth


@pytest.mark.parametrize("delta", [1e-6, 1e-10, 1e-12, 1e-14, 1e-30, 1e-200])
@pytest.mark.parametrize("mu", [1e-3, 1.0, 12.0])
def test_gaussian_noise_has_its_closed_form_at_any_delta(mu: float, delta: float) -> None:
    lower, upper = Conversion(ALONE, GaussianProfile(mu), "replace").epsilon(delta).value
    assert 0 < lower <= upper <= lower * (1 + 1e-6)
    assert gaussian_delta(mu, lower * (1 - 1e-6)) > delta
    assert gaussian_delta(mu, upper * (1 + 1e-9)) <= delta


@pytest.mark.parametrize(
    ("mu", "delta", "truth"), [(1.0, 1e-10, 6.548), (1.0, 1e-14, 7.869), (1.0, 1e-30, 11.744), (12.0, 1e-6, 128.2)]
)
def test_published_epsilons_of_gaussian_noise(mu: float, delta: float, truth: float) -> None:
    found = Conversion(ALONE, GaussianProfile(mu), "replace").epsilon(delta).value
    assert found.upper == pytest.approx(truth, abs=1e-3 * truth)
    information = Conversion(ALONE, GaussianProfile(mu), "replace", True).epsilon(delta).value
    assert information.upper <= -log(0.3) * (1 + 1e-12)


def test_a_promise_at_a_tiny_delta_has_its_noise() -> None:
    made = Conversion(ALONE, PureProfile(1.0), "replace")
    found = largest(made, GaussianProfile, 7.2384945, 1e-12)
    assert found == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("delta", [0.3, 0.01, 1e-5, 1e-12])
def test_the_end_of_a_plateau_is_found_exactly(delta: float) -> None:
    found = Conversion(ALONE, ApproximateProfile(1.0, delta), "replace").epsilon(delta).value
    assert found.upper == 1.0
    table = TabulatedProfile((0.0, 1.0, 2.0), (0.4, 0.35, delta))
    assert Conversion(ALONE, table, "replace").epsilon(delta).value.upper == 2.0


@pytest.mark.parametrize("profile", [GaussianProfile(100.0), ZeroConcentrated(5000.0), PureProfile(1e4)])
def test_epsilons_of_thousands_are_finite(profile: Any) -> None:
    lower, upper = Conversion(ALONE, profile, "replace").epsilon(1e-6).value
    assert 5000 < lower <= upper <= 1.02 * lower
    found = Conversion(ALONE, profile, "replace").delta(lower * 0.99).value
    assert 1e-6 < found.lower <= found.upper <= 1


@pytest.mark.parametrize("event", [laplace(1e-9), laplace(1e-3), sampled(0.01, laplace(1e-3))])
def test_extreme_noise_is_answered(event: dict[str, Any]) -> None:
    lower, upper = ends(event, 1e-6)
    assert 0 <= lower <= upper < np.inf


@pytest.mark.parametrize("sigma", [1e-300, 1e300])
def test_noise_beyond_doubles_is_refused_in_one_line(sigma: float) -> None:
    with pytest.raises(InputError, match=r"^event: mu 1e.300, wanted Gaussian answers .* from 1e-12 to 1e\+06$"):
        ends(gaussian(sigma), 1e-6)


PIPELINES: list[tuple[str, dict[str, Any], float]] = [
    (f"{count} laplace {b:g}", times(count, laplace(b)), 1e-4 * max(1.0, 10 / b))
    for count, b in ((1, 1.0), (10, 1.0), (10, 3.0), (100, 10.0), (1000, 100.0), (365, 30.0), (5, 0.5), (20, 4.0))
]
PIPELINES += [
    (f"{count} sampled gaussian {q:g} {s:g}", times(count, sampled(q, gaussian(s))), 1e-4)
    for count, q, s in (
        *((1000, 0.01, 1.0), (100, 0.1, 2.0), (1, 0.5, 1.0), (10, 0.3, 3.0), (2000, 0.005, 0.8), (500, 0.02, 1.5)),
        *((10_000, 0.001, 1.0), (50, 0.2, 4.0), (3000, 0.01, 2.0), (4, 0.05, 0.7), (200, 0.05, 1.2), (20, 0.1, 1.0)),
    )
]
PIPELINES += [
    (f"{count} sampled laplace {q:g} {b:g}", times(count, sampled(q, laplace(b))), 2e-5)
    for count, q, b in (
        *((10_000, 0.001, 1.0), (100_000, 0.001, 0.5), (100, 0.1, 2.0), (10, 0.5, 1.0), (1000, 0.01, 0.5)),
        *((1, 0.2, 1.0), (300, 0.03, 1.5), (50, 0.1, 0.8)),
    )
]
PIPELINES += [
    (f"{count} discrete laplace {a:g}", times(count, {"kind": "discrete_laplace", "noise_parameter": a}), a / 100)
    for count, a in ((1, 1.0), (10, 0.5), (100, 0.1), (1000, 0.02), (30, 0.2), (5, 2.0))
]
PIPELINES += [
    (f"laplace {b:g} beside gaussian {s:g}", {"kind": "composed", "events": [laplace(b), gaussian(s)]}, 1e-4)
    for b, s in ((1.0, 2.0), (2.0, 1.0), (5.0, 10.0), (0.5, 0.7), (10.0, 3.0), (3.0, 3.0))
]


def classes(event: dict[str, Any]) -> Any:
    """dp-accounting's event."""
    package = pytest.importorskip("dp_accounting.dp_event")
    inner = {key: value for key, value in event.items() if key != "kind"}
    if "event" in inner:
        inner["event"] = classes(inner["event"])
    if "events" in inner:
        inner["events"] = [classes(each) for each in inner["events"]]
    if event["kind"] == "discrete_laplace":
        inner["sensitivity"] = 1
    return getattr(package, f"{event['kind'].title().replace('_', '')}DpEvent")(**inner)


QUICK = {0, 3, 6, 10, 11, 22, 23, 28, 29, 34, 35, 39}


@pytest.mark.parametrize(
    ("event", "interval"),
    [
        (event, interval) if place in QUICK else slow((event, interval))
        for place, (_, event, interval) in enumerate(PIPELINES)
    ],
    ids=[name for name, *_ in PIPELINES],
)
def test_epsilon_is_within_a_twentieth_of_dp_accounting(event: dict[str, Any], interval: float) -> None:
    """Their grid is fine, and their δ from above: the truth is below it, and not above our upper end either."""
    package = pytest.importorskip("dp_accounting.pld")
    theirs = package.PLDAccountant(value_discretization_interval=interval).compose(classes(event))
    for delta in (1e-3, 1e-6):
        wanted = theirs.get_epsilon(delta)
        lower, upper = ends(event, delta)
        assert lower <= wanted * (1 + 1e-9)
        assert wanted * (1 - 5e-3) - 1e-9 <= upper <= wanted * 1.05 + 1e-9


def test_there_are_forty_pipelines() -> None:
    assert len(PIPELINES) == 40
    assert len(QUICK) == 12


def test_events_of_dp_accounting_are_read_as_those_of_a_file() -> None:
    package = pytest.importorskip("dp_accounting.dp_event")
    found = event_profile(package.ZCDpEvent(0.5), "replace")
    assert isinstance(found, ZeroConcentrated)
    assert 0.5 <= found.rho <= 0.5 * (1 + 1e-14)
    one = event_profile(package.SelfComposedDpEvent(package.LaplaceDpEvent(10.0), 30), "add_remove")
    own = EventFile.model_validate({"neighbours": "add_remove", "event": times(30, laplace(10.0))}).profile()
    assert one == own
    tree = event_profile(package.SingleEpochTreeAggregationDpEvent(4.0, [7, 1000]), "add_remove")
    assert tree.delta(3.7472179914275) == pytest.approx(1e-6, rel=1e-5)
    without = event_profile(
        package.SampledWithoutReplacementDpEvent(10_000, 100, package.GaussianDpEvent(1.0)), "replace"
    )
    lower, upper = OneRecord(without, 1, 0.0).epsilon(1e-6)
    rdp = pytest.importorskip("dp_accounting.rdp")
    theirs = rdp.RdpAccountant(None, pytest.importorskip("dp_accounting").NeighboringRelation.REPLACE_ONE).compose(
        package.SampledWithoutReplacementDpEvent(10_000, 100, package.GaussianDpEvent(1.0))
    )
    assert lower == 0
    assert upper <= theirs.get_epsilon(1e-6) * (1 + 1e-3)
    for event in (package.UnsupportedDpEvent(), package.SampledWithReplacementDpEvent(9, 3, package.NoOpDpEvent())):
        with pytest.raises(InputError, match=f"event: {type(event).__name__}, wanted one that dp-accounting knows"):
            event_profile(event, "add_remove")


def test_a_laplace_answer_is_its_closed_form() -> None:
    for nats in (0.01, 1.0, 20.0):
        for share in (0.0, 0.5, 0.9):
            exact = 1 - exp((share - 1) * nats / 2)
            low, high = (
                EventFile.model_validate({"neighbours": "replace", "event": laplace(1 / nats)})
                .profile()
                .ends_of(1, np.array([share * nats]))
            )
            assert 0.97 * exact <= low[0] <= exact <= high[0] <= exact * (1 + 1e-3)
