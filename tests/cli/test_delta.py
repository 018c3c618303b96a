"""`dalenius release` of Gaussian noise, again and again, on a budget of (ε, δ)."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.cli.command import Done, Run, complaint, written
from tests.curator.test_named_release import SPEC

PEOPLE = "household,ill\na,1\na,0\nb,0\nb,0\n"

GAUSSIAN = (
    SPEC.replace(", per_label = true", "")
    .replace('label = "district"', "")
    .replace("epsilon = 1.0", "epsilon = 2.0, delta = 0.01")
    + """
[noise]
kind = "gaussian"
scale = 20.0
"""
)


Release: TypeAlias = Callable[..., Done]


@pytest.fixture
def release(tmp_path: Path, run: Run) -> Release:
    """The command on a spec of noise of that scale."""
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")

    def of(scale: float, *options: str, kind: str = "gaussian") -> Done:
        text = GAUSSIAN.replace("20.0", str(scale)).replace("gaussian", kind)
        return run("release", written(tmp_path, text), *options)

    return of


@pytest.mark.slow
def test_a_sequence_on_a_budget_with_a_delta(release: Release) -> None:
    first = release(20.0, "--json").json
    assert first["budget"]["delta"] == first["budget"]["spent_delta"] == 0.01
    assert first["budget"]["route"] == "alone"
    second = release(25.0, "--json").json
    assert second["budget"]["route"] == "conversion"
    assert first["budget"]["spent"] < second["budget"]["spent"] < 1
    assert second["budget"]["spent_delta"] == 0.01
    spending = second["certificate"]["spending"]
    assert spending.pop("in_words").endswith(", except with probability 0.01")
    assert spending == {"nats": second["budget"]["spent"], "route": "conversion", "delta": 0.01}
    third = release(30.0, kind="laplace").out
    said = " ".join(third.replace("│", " ").split())
    assert "converted once to what it says under the model, each taken as Gaussian noise, at delta 0.01" in said
    assert "nats spent at delta 0.01 of 0.01, " in third
    assert "information privacy, 2 nats at delta 0.01" in third
    said = complaint(release(1.5), code=1)
    assert said.startswith("this release, after 3 earlier of the same data, would spend ")
    assert " of a budget of 2 nats at delta 0.01: " in said
    assert " too much; alone it would leak " in said


def test_another_delta_is_another_budget(release: Release) -> None:
    assert release(20.0, "--budget-delta", "0.02", "--json").json["budget"]["delta"] == 0.02
    said = complaint(release(25.0, "--budget-delta", "0.1"), code=2)
    assert said.strip() == ('budget delta: 0.1, wanted 0.02, what data set "people" was given in this ledger')
    said = complaint(release(20.0, "--budget-delta", "nan"), code=2)
    assert said == "budget delta: nan, wanted a number of at least 0 and below 1"
