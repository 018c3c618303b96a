"""Profiles of pipelines from their events, against outputs, exact sums and closed forms.

The upper end of a conversion, found without saying of whom: what `epsilon` says with more work.
"""

import json
from fractions import Fraction
from math import exp, expm1, log, log1p
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

import dalenius as dl
from dalenius.conversion import (
    GaussianProfile,
    Pipeline,
    PrivacyProfile,
    read_event,
)
from dalenius.conversion.privacy_losses import Known
from dalenius.errors import InputError
from dalenius.notions import log_ratios
from tests.pace import draws
from tests.reference.events import coin_flips

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
    return Pipeline.model_validate({"neighbours": neighbours, "event": event}).profile()


def test_one_sampled_answer_is_the_closed_form() -> None:
    q, inner = 0.05, GaussianProfile(1.0)
    found = profile(sample(q, gaussian(1.0)))
    for epsilon in (0.0, 0.02, 0.2, 1.0):
        exact = q * inner.delta(log(1 + (exp(epsilon) - 1) / q))
        assert exact <= found.delta(epsilon) <= exact * (1 + 2e-3)
    # The table's last rows, where the record's absence is the likelier law, are below.
    assert found.delta(-0.5) >= 1 - exp(-0.5)


@pytest.mark.parametrize(("count", "odds"), [(7, "1.5"), (1000, "1.01")])
def test_discrete_noise_is_composed_exactly(count: int, odds: str) -> None:
    """Geometric noise on a count is as a bit told wrong once in 1 + odds times: a binomial sum in fractions."""
    found = profile(times(count, {"kind": "discrete_laplace", "noise_parameter": log(Fraction(odds))}), "replace")
    for fold in (Fraction(1), Fraction(11, 10), Fraction(5, 3)):
        exact = float(coin_flips(count, Fraction(odds), fold))
        assert exact * (1 - 1e-12) <= found.delta(log(fold)) <= exact * (1 + 3e-3) + 1e-10


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


@pytest.mark.parametrize("count", [1, 1000])
def test_gaussian_answers_composed_by_their_losses(count: int) -> None:
    """Through the losses, as beside any other event: the closed form is just below."""
    sigma = 3 * count**0.5
    curve = Known(GaussianProfile(1 / sigma))
    losses = curve.losses(True, count).times(count)
    exact = GaussianProfile(1 / 3)
    for epsilon, found in zip((0.0, 0.5, 1.0, 2.0), losses.deltas(np.array([0.0, 0.5, 1.0, 2.0])), strict=True):
        assert exact.delta(epsilon) * (1 - 1e-9) <= found <= exact.delta(epsilon) * (1 + 2e-2) + 1e-14


def test_ten_thousand_steps_of_training() -> None:
    """Near the central limit q√(T(e^{1/σ²}−1)) (the limit of their Gaussian privacy), and above it."""
    found = read_event(EXAMPLES / "training.json").profile()
    limit = GaussianProfile(0.001 * 100 * (exp(1.0) - 1) ** 0.5)
    for epsilon in (0.0, 0.1):
        assert limit.delta(epsilon) * 0.99 < found.delta(epsilon) < limit.delta(epsilon) * 1.2


@pytest.mark.parametrize("sensitivity", [1, 2])
def test_what_is_lost_for_certain_stands_apart_from_the_grid(sensitivity: int) -> None:
    """From the largest finite loss on δ is that of the infinite ones, and no multiple of it."""
    sample = {"kind": "discrete_laplace", "noise_parameter": 2.0, "sensitivity": sensitivity}
    events = [
        {"kind": "epsilon_delta", "epsilon": 0.1, "delta": 0.01},
        {"kind": "poisson_sampled", "sampling_probability": 0.6, "event": sample},
    ]
    written = {"neighbours": "add_remove", "event": {"kind": "composed", "events": events}}
    found = Pipeline.model_validate(written).profile()
    largest = 0.1 + log1p(0.6 * expm1(2.0 * sensitivity))
    assert 0.01 <= found.delta(largest + 0.1) <= 0.01 * (1 + 1e-9)
    assert found.delta(largest / 2) > 0.02


def test_what_is_no_pipeline(tmp_path: Path) -> None:
    path, named = tmp_path / "event.json", {"neighbours": "add_remove"}
    for written, message in (
        (b"\xff\xfe{", "event: .*event.json, wanted text in UTF-8"),
        (b"{", "event: .*event.json, wanted JSON"),
        ([], "spec: .*, wanted"),
        ({"event": laplace(1.0)}, "neighbours: missing, wanted a value"),
        ({"neighbours": "swap", "event": laplace(1.0)}, "neighbours: swap, wanted 'replace' or 'add_remove'"),
        (named | {"event": {}}, "event.kind: missing, wanted the name of a kind"),
        (
            named | {"event": all_of({"kind": "tree_aggregation"})},
            "event.events 1.kind: tree_aggregation, wanted one of 'no_op', 'laplace'",
        ),
        (named | {"event": {**laplace(1.0), "scale": 1}}, "event.scale: 1, wanted one of the keys of event: kind"),
        (named | {"event": times(0, laplace(1.0))}, "count: 0, wanted a number of at least 1"),
        ({"neighbours": "replace", "event": sample(0.5, laplace(1.0))}, "wanted neighbours add_remove, where a"),
        (
            named | {"event": sample(0.5, times(2, laplace(1.0)))},
            "wanted one answer, and neither several nor a sample of a sample",
        ),
    ):
        path.write_bytes(written if isinstance(written, bytes) else json.dumps(written).encode())
        with pytest.raises(InputError, match=message):
            read_event(path)
    with pytest.raises(InputError, match=r"event: .*none.json, wanted a file that can be read"):
        read_event(tmp_path / "none.json")


PROFILES: list[PrivacyProfile] = [
    dl.GaussianProfile(0.02),
    dl.GaussianProfile(0.4),
    dl.GaussianProfile(1.5),
    dl.PureProfile(0.3),
]
weights = st.lists(st.sampled_from([0, 1, 3, 30]), min_size=3, max_size=4).filter(lambda each: sum(map(bool, each)) > 1)


def homes(weights: list[int]) -> dl.Households:
    return dl.Households(count=2, infected=tuple(each / sum(weights) for each in weights))


@draws(15)
@given(weights.map(homes), st.sampled_from(PROFILES), st.sampled_from([0.0, 1e-6, 1e-3]))
@example(homes([30, 1, 0, 1]), PROFILES[1], 1e-6)
@example(homes([1, 0, 0, 1]), PROFILES[2], 1e-6)
@example(homes([1, 30, 3, 0]), PROFILES[2], 1e-6)  # the solver leaves δ between 5.7e-7 and 1e-6
def test_it_is_the_upper_end(model: dl.Households, profile: PrivacyProfile, delta: float) -> None:
    conversion = dl.Conversion(model, profile, "replace")
    found, known = conversion.most(delta), conversion.epsilon(delta).value
    assert known.lower * (1 - 1e-12) <= found
    # Both are proved; how near they come is the solver's tolerance.
    if found > known.upper * (1 + 1e-4) + 1e-8:
        assert conversion.delta(known.upper).value.lower < 0.9 * delta
    if delta and found < 600:
        assert conversion.delta(found).value.lower <= delta


@pytest.mark.slow
def test_who_is_said_to_leak_most_is_the_first_of_those_who_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was not followed: of two households that are alike the first one, and not one of which less leaks."""
    notion = dl.InferentialPrivacy(delta=1e-5)
    model = dl.Any(
        models=[dl.Households(count=2, infected=law) for law in ((0.8, 0.1, 0.1), (0.8, 0.1, 0.1), (0.9, 0.09, 0.01))]
    )
    release = dl.Release(model, dl.Count(), dl.Gaussian(scale=9.0))
    quick = notion.leakage(release)
    monkeypatch.setattr(log_ratios.InferentialPrivacy, "_leaks_less", lambda *_: False)
    assert quick == notion.leakage(release)
    assert quick.lower > 0


ALIKE = (
    dl.HouseholdType(count=2, infected=(0.9, 0.1), members={"north": 1}),
    dl.HouseholdType(count=1, infected=(0.85, 0.1, 0.05), members={"north": 2}),
    dl.HouseholdType(count=3, infected=(0.85, 0.1, 0.05), members={"south": 2}),
)


def test_what_all_groups_leak_is_what_the_worst_leaks_alone() -> None:
    """Alike groups are asked once, and those that leak less are not enclosed closely."""
    profile = dl.ApproximateProfile(0.7, 1e-4)
    whole = dl.Conversion(dl.Households(types=ALIKE), profile, "replace")
    alone = [dl.Conversion(dl.Households(types=(each,)), profile, "replace") for each in ALIKE]
    found, each_of = whole.epsilon(1e-3), [each.epsilon(1e-3) for each in alone]
    assert found.value.upper == pytest.approx(max(each.value.upper for each in each_of), rel=1e-6)
    assert found.value.lower == pytest.approx(max(each.value.lower for each in each_of), rel=1e-6)
    assert (found.person, found.who) == (3, "member of a household of 2")
    delta = whole.delta(0.5).value
    assert delta.upper == pytest.approx(max(each.delta(0.5).value.upper for each in alone), rel=1e-6)
    assert whole.curve([0.5])[0][1] == pytest.approx(delta.upper, rel=1e-6)
