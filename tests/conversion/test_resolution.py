"""A number whose ends do not agree says below which delta: groups, chains, events, and promises looked for."""

import json
import re
from math import inf
from pathlib import Path

import pytest

import dalenius as dl
from dalenius.bounds import Enclosure
from dalenius.conversion import Conversion, EventFile, GaussianProfile, PrivacyProfile, PureProfile, not_resolved_below
from dalenius.conversion.resolution import SHARE, delta_not_resolved_below
from dalenius.models import Model
from tests.cli.command import Run
from tests.conversion.test_accounting import gaussian, laplace, times
from tests.pace import slow

ALONE = dl.Independent(probabilities=[0.3])
HOMES = dl.Households(count=250, infected=[0.8, 0.1, 0.0, 0.1])
DAYS = dl.Chain(n=200, transition=[[0.9, 0.1], [0.2, 0.8]], initial="stationary")
HOMES_SPEC = '[model]\nkind = "households"\ncount = 250\ninfected = [0.8, 0.1, 0, 0.1]\n'


def events(event: dict[str, object]) -> PrivacyProfile:
    return EventFile.model_validate({"neighbours": "replace", "event": event}).profile()


def limit(model: Model, profile: PrivacyProfile, delta: float, information: bool = False) -> float | None:
    made = Conversion(model, profile, "replace", information)
    return not_resolved_below(made, delta, made.epsilon(delta).value)


@pytest.mark.parametrize("delta", [1e-6, 1e-40, 1e-300])
@pytest.mark.parametrize("profile", [GaussianProfile(1.0), PureProfile(1.0)])
def test_one_record_is_resolved_at_any_delta(profile: PrivacyProfile, delta: float) -> None:
    assert limit(ALONE, profile, delta) is None


@pytest.mark.lengthy
def test_a_chance_that_cannot_grow_is_resolved() -> None:
    assert limit(HOMES, GaussianProfile(1.0), 1e-60, information=True) is None


@pytest.mark.parametrize("delta", [slow(1e-60), slow(1e-300)])
def test_a_group_is_resolved_down_to_what_is_said(delta: float) -> None:
    made = Conversion(HOMES, GaussianProfile(1.0), "replace")
    found = limit(HOMES, GaussianProfile(1.0), delta)
    assert found is not None
    assert delta < found <= 1e-10
    ends, wide = made.epsilon(found).value, made.epsilon(delta).value
    assert 0 < ends.upper - ends.lower <= SHARE * ends.upper
    assert wide.upper - wide.lower > SHARE * wide.upper


@pytest.mark.lengthy
def test_a_chain_says_where_only_all_its_records_are_known() -> None:
    """200 days of μ = 1: at 1e-6 messages bound 9.16 nats, at 1e-30 no more is known than of a change of all days."""
    assert limit(DAYS, GaussianProfile(1.0), 1e-6) is None
    found = limit(DAYS, GaussianProfile(1.0), 1e-30)
    assert found is not None
    assert 1e-30 < found <= 1e-6
    made = Conversion(DAYS, GaussianProfile(1.0), "replace")
    assert made.epsilon(found).value.upper < 100 < made.epsilon(1e-30).value.upper


def test_events_are_enclosed_to_a_small_delta_only() -> None:
    profile = events(times(1000, laplace(100.0)))
    assert limit(ALONE, profile, 1e-30) is None
    found = limit(ALONE, profile, 1e-300)
    assert found is not None
    assert 1e-300 < found <= 1e-40


@pytest.mark.lengthy
def test_bounds_from_above_say_where_they_end() -> None:
    """Rényi divergences are asked for a δ down to 1e-300, at which no ε is enough."""
    pytest.importorskip("dp_accounting")
    without = {"kind": "sampled_without_replacement", "source_dataset_size": 10_000, "sample_size": 100}
    profile = events({**without, "event": gaussian(1.0)})
    assert limit(ALONE, profile, 1e-30) is None
    found = limit(ALONE, profile, 1e-301)
    assert found is not None
    assert 1e-301 < found < 1e-100


def test_a_small_delta_that_is_asked_for() -> None:
    assert delta_not_resolved_below(Enclosure(1e-30, 2e-30)) is None
    assert delta_not_resolved_below(Enclosure(1e-32, 1.23e-30)) == 1.3e-30
    assert delta_not_resolved_below(Enclosure(0.0, 0.5)) is None
    assert delta_not_resolved_below(Enclosure(0.0, 0.0)) is None
    assert delta_not_resolved_below(Enclosure(0.0, 5e-324)) is None


@slow
def test_a_gap_that_is_widest_at_large_deltas_is_no_reason_to_look_no_further() -> None:
    found = limit(HOMES, dl.ZeroConcentrated(0.5), 1e-60)
    assert found is not None
    assert 1e-60 < found <= 1e-6


def test_the_command_says_it(run: Run, tmp_path: Path) -> None:
    spec, file = tmp_path / "one.toml", tmp_path / "events.json"
    spec.write_text('[model]\nkind = "independent"\nprobabilities = [0.3]\n', encoding="utf-8")
    file.write_text(json.dumps({"neighbours": "replace", "event": times(1000, laplace(100.0))}), encoding="utf-8")
    asked = ("convert", spec, "--event", file, "--at-delta")
    found = run(*asked, "1e-300", "--json").json
    below = found["inferential"]["not_resolved_below"]
    assert below == limit(ALONE, events(times(1000, laplace(100.0))), 1e-300)
    assert found["information"]["not_resolved_below"] is None
    lines = run(*asked, "1e-300").out.splitlines()
    said = f"inferential: not resolved below a delta of {below:g}: there the upper end may be far above the truth"
    assert said in lines
    assert not any("information: not resolved" in line for line in lines)
    assert "not resolved" not in run(*asked, "1e-6").out


@pytest.mark.lengthy
def test_the_command_says_it_of_a_delta(run: Run, tmp_path: Path) -> None:
    spec = tmp_path / "homes.toml"
    spec.write_text(HOMES_SPEC, encoding="utf-8")
    asked = ("convert", spec, "--neighbours", "replace", "--gdp", "1", "--at-epsilon", "40")
    found = run(*asked, "--json").json["inferential"]
    assert found["lower"] < 0.1 * found["upper"] < 1e-60
    assert found["not_resolved_below"] == pytest.approx(found["upper"], rel=0.1)
    shown = run(*asked).out
    assert re.search(r"│ inferential │ \d\.\d+e-161 to \d\.\d+e-70 ", shown)
    assert "inferential: not resolved below a delta of " in shown


@slow
def test_a_promise_that_is_looked_for_says_it(run: Run, tmp_path: Path) -> None:
    spec = tmp_path / "homes.toml"
    spec.write_text(HOMES_SPEC, encoding="utf-8")
    asked = ("convert", spec, "--neighbours", "replace", "--promise", "--at-epsilon", "20", "--at-delta")
    found = run(*asked, "1e-60", "--json").json
    assert set(found["not_resolved_below"]["inferential"]) >= {"mu"}
    assert 1e-60 < found["not_resolved_below"]["inferential"]["mu"] < inf
    assert "inferential, mu: not resolved below a delta of" in run(*asked, "1e-60").out
    assert run(*asked, "1e-6", "--json").json["not_resolved_below"] == {"inferential": {}, "information": {}}
