"""Many small answers, small deltas and large epsilons of independent people, beside dp-accounting and closed forms."""

from math import exp, log
from typing import Any

import mpmath as mp
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


def theirs(event: dict[str, Any], interval: float, pessimistic: bool) -> Any:
    """dp-accounting's law of losses: rounded up, with its dots connected where that is close, or rounded down."""
    package = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    given: dict[str, Any] = {"pessimistic_estimate": pessimistic, "use_connect_dots": pessimistic}
    given["value_discretization_interval"] = interval
    match event:
        case {"kind": "self_composed", "count": count, "event": inner}:
            return theirs(inner, interval, pessimistic).self_compose(count)
        case {"kind": "composed", "events": [one, other]}:
            return theirs(one, interval, pessimistic).compose(theirs(other, interval, pessimistic))
        case {"kind": "discrete_laplace", "noise_parameter": rate}:
            return package.from_discrete_laplace_mechanism(rate, **given)
        case {"kind": "poisson_sampled", "sampling_probability": share, "event": inner}:
            given["sampling_prob"] = share
            event = inner
    made = {"laplace": package.from_laplace_mechanism, "gaussian": package.from_gaussian_mechanism}
    return made[event["kind"]](event["noise_multiplier"], **given)


QUICK = {0, 3, 6, 10, 11, 22, 23, 28, 29, 34, 35, 39}


@pytest.mark.lengthy
@pytest.mark.parametrize(
    ("event", "interval"),
    [
        (event, interval) if place in QUICK else slow((event, interval))
        for place, (_, event, interval) in enumerate(PIPELINES)
    ],
    ids=[name for name, *_ in PIPELINES],
)
def test_epsilon_is_within_a_twentieth_of_dp_accounting(event: dict[str, Any], interval: float) -> None:
    """Theirs with every loss rounded up, or down, has the truth between them: it is not above our upper end, nor below
    our lower one, and where the two agree ours is the same number."""
    down, up = theirs(event, interval, False), theirs(event, interval, True)
    profile = EventFile.model_validate({"neighbours": "add_remove", "event": event}).profile()
    for delta in (1e-3, 1e-6):
        least, most = down.get_epsilon_for_delta(delta), up.get_epsilon_for_delta(delta)
        lower, upper = OneRecord(profile, 1, 0.0).epsilon(delta)
        assert lower <= most * (1 + 1e-6)
        assert least * (1 - 1e-6) <= upper <= most * 1.05 + 1e-9
        # Theirs is above the truth by the error of its grid alone.
        assert upper >= most * (1 - 1e-4)


@pytest.mark.parametrize(
    ("noise", "share", "scale"),
    [
        *(("laplace", *each) for each in ((0.5, 1.0), (0.2, 1.0), (0.05, 3.0), (1e-3, 0.5))),
        ("gaussian", 0.5, 1.0),
        *(slow(("gaussian", *each)) for each in ((0.2, 1.0), (0.05, 3.0), (1e-3, 0.5))),
    ],
)
def test_one_sampled_answer_is_its_closed_form(noise: str, share: float, scale: float) -> None:
    """A record is in the sample or not: the output beyond one place, or short of one, tells most."""
    event = sampled(share, {"kind": noise, "noise_multiplier": scale})
    profile = EventFile.model_validate({"neighbours": "add_remove", "event": event}).profile()
    for delta in (1e-3, 1e-6, 1e-12):
        lower, upper = OneRecord(profile, 1, 0.0).epsilon(delta)
        assert sampled_delta(noise, share, scale, upper * (1 + 1e-6)) <= delta
        assert not lower or sampled_delta(noise, share, scale, lower * (1 - 1e-6)) >= delta * (1 - 1e-9)
        near = 0.99 * upper - 1e-3
        assert near < 0 or sampled_delta(noise, share, scale, near) >= delta


def sampled_delta(noise: str, share: float, scale: float, epsilon: float) -> float:
    """δ of (1 − q)N(0) + qN(1) and N(0), the larger of both orders, in 40 digits."""
    with mp.workdps(40):
        q, b, fold = mp.mpf(share), mp.mpf(scale), mp.exp(epsilon)

        def below(x: Any) -> Any:
            if noise == "gaussian":
                return mp.ncdf(x / b)
            return mp.exp(x / b) / 2 if x < 0 else 1 - mp.exp(-x / b) / 2

        def place(ratio: Any) -> Any:
            """Where the likelihood at 1 is so many times that at 0."""
            if noise == "gaussian":
                return b * b * mp.log(ratio) + mp.mpf(1) / 2
            return min(max((b * mp.log(ratio) + 1) / 2, 0), 1)

        there, back = (fold - 1 + q) / q, (1 / fold - 1 + q) / q
        found = mp.mpf(0)
        if noise == "gaussian" or there < mp.exp(1 / b):
            x = place(there)
            found = q * below(1 - x) - (fold - 1 + q) * below(-x)
        if back > 0 and (noise == "gaussian" or back > mp.exp(-1 / b)):
            x = place(back)
            found = max(found, (1 - fold * (1 - q)) * below(x) - fold * q * below(x - 1))
        return float(max(found, 0))


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


@pytest.mark.lengthy
def test_a_household_in_its_own_class_is_that_of_a_file() -> None:
    """dp-accounting's class, composed by its own class, says what the same event in a file says."""
    accounting = pytest.importorskip("dp_accounting")
    moves, chances = (0.0, 1.0, 2.0), (0.81, 0.18, 0.01)
    event = accounting.SelfComposedDpEvent(accounting.dp_event.MixtureOfGaussiansDpEvent(1.5, moves, chances), 5)
    step = {
        "kind": "mixture_of_gaussians",
        "standard_deviation": 1.5,
        "sensitivities": moves,
        "sampling_probs": chances,
    }
    section = {"kind": "self_composed", "count": 5, "event": step}
    file = EventFile.model_validate({"neighbours": "add_remove", "event": section}).profile()
    assert event_profile(event, "add_remove").delta(0.5) == file.delta(0.5)
