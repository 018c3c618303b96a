"""The laws in the example specs of the noiseless pages are those of the public data; so are the pictures' numbers."""

import csv
import importlib.util
import os
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import dalenius as dl
from dalenius.knowledge.noiseless import delta_curve
from tests.docs.page import REPOSITORY
from tests.docs.test_fitted_specs import EXAMPLES, fitted, run, written


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


@pytest.mark.parametrize(("spec", "value"), [("over50k", ">50K"), ("hungary", "Hungary")])
def test_share_of_the_past(spec: str, value: str) -> None:
    with (REPOSITORY / "docs/figures/noiseless_adult_counts.csv").open(newline="", encoding="utf-8") as file:
        (row,) = (row for row in csv.DictReader(file) if row["value"] == value)
    found = tomllib.loads((EXAMPLES / f"adult/{spec}.toml").read_text(encoding="utf-8"))["model"]
    assert found["n"] == 32_561
    assert float(row["chance_from_the_past"]) == pytest.approx(found["probabilities"][0], rel=1e-5)
