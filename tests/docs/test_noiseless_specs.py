"""The laws in the example specs of the noiseless pages are those of the public data; so are the pictures' numbers."""

import csv
import importlib.util
import os
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import dalenius as dl
from dalenius.notions import delta_curve
from tests.docs.page import REPOSITORY
from tests.docs.test_fitted_specs import EXAMPLES, fitted, run, written
from tests.pace import slow


@pytest.fixture(autouse=True)
def _data() -> None:
    if "DALENIUS_DATA" not in os.environ:
        pytest.skip("DALENIUS_DATA, the folder of the public data sets, is not set")


@pytest.fixture
def gas(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """examples/gas/memory.py, whose neighbours are found as when a script is run; forgotten afterwards."""
    monkeypatch.syspath_prepend(str(EXAMPLES / "gas"))
    before = set(sys.modules)
    found = importlib.util.spec_from_file_location("memory", EXAMPLES / "gas" / "memory.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    monkeypatch.setitem(sys.modules, "memory", module)
    found.loader.exec_module(module)
    yield module
    for name in set(sys.modules) - before:
        if name in ("season", "weeks"):
            del sys.modules[name]


@pytest.mark.slow
def test_chain_of_the_winter(tmp_path: Path) -> None:
    run(tmp_path, sys.executable, str(EXAMPLES / "gas/season.py"))
    assert written("gas/season.toml") == fitted(tmp_path, "past.csv", "--value", "gas", "--order", "hour")


def test_one_hour_of_memory_is_the_chain(gas: ModuleType) -> None:
    """The other curves of the picture come from the same lines of code."""
    import season  # type: ignore[import-not-found]

    past = season.winter(season.hours(), season.PAST)
    own = gas.laws(gas.of_order(past, 1), [1511])
    chain = dl.Chain(**{key: value for key, value in written("gas/season.toml").items() if key != "kind"})
    hour = dl.Secrets(people=[1512])
    exact = delta_curve(dl.Release(chain, dl.Count(), dl.NoNoise(), secrets=hour), [0.0, 0.1, 0.25])
    for epsilon, truth in zip((0.0, 0.1, 0.25), exact, strict=True):
        assert gas.delta(own, epsilon) == pytest.approx(truth.upper, abs=1e-9)


@pytest.mark.parametrize("known", [True, slow(False)])
def test_days_of_a_kind_are_a_chain_whose_steps_differ(gas: ModuleType, known: bool) -> None:
    """For three weeks: the package's laws of the count, averaged over the kinds of day that go with the same hour."""
    import season

    used = season.winter(season.hours(), season.PAST)[:504]
    states = gas.of_known_kinds(used) if known else gas.of_kinds(used)
    chain = dl.Chain(
        n=len(used),
        values=list(range(len(states.gas))),
        initial=states.initial.tolist(),
        transition=[states.step(hour).tolist() for hour in range(len(used) - 1)],
    )
    query = dl.Count(values=np.flatnonzero(states.gas).tolist())
    release = dl.Release(chain, query, dl.NoNoise(), secrets=dl.Secrets(people=[272]))
    (channel,) = release.channels()
    joint = np.exp(channel.log_prior[:, None] + channel.likelihood.log_mass())
    for bit, ours in enumerate(gas.laws(states, [271])[0]):
        own = np.array([states.gas[int(value)] == bit for value in channel.secrets])
        truth = joint[own].sum(axis=0) / joint[own].sum()
        start = channel.likelihood.start[0]
        assert ours[start : start + len(truth)] == pytest.approx(truth, abs=1e-12)


@pytest.mark.parametrize(("spec", "value"), [("over50k", ">50K"), ("hungary", "Hungary")])
def test_share_of_the_past(spec: str, value: str) -> None:
    with (REPOSITORY / "docs/figures/noiseless_adult_counts.csv").open(newline="", encoding="utf-8") as file:
        (row,) = (row for row in csv.DictReader(file) if row["value"] == value)
    found = tomllib.loads((EXAMPLES / f"adult/{spec}.toml").read_text(encoding="utf-8"))["model"]
    assert found["n"] == 32_561
    assert float(row["chance_from_the_past"]) == pytest.approx(found["probabilities"][0], rel=1e-5)


@pytest.mark.slow  # the curve of one hour of memory is compared above
def test_pictures_numbers_are_what_the_scripts_write(tmp_path: Path) -> None:
    run(tmp_path, sys.executable, str(EXAMPLES / "gas/noiseless.py"), ".")
    for name in ("noiseless_gas.csv", "noiseless_gas_lags.csv"):
        kept = (REPOSITORY / "docs/figures" / name).read_text(encoding="utf-8").splitlines()
        fresh = (tmp_path / name).read_text(encoding="utf-8").splitlines()
        assert kept[0] == fresh[0]
        for one, other in zip(kept[1:], fresh[1:], strict=True):
            assert numbers(one) == pytest.approx(numbers(other), rel=1e-3, abs=1e-9)


def numbers(line: str) -> list[float]:
    return [float(cell) for cell in line.split(",") if cell]
