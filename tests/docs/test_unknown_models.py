"""Real data under models nobody knows exactly: what docs/how-to/unknown_models.md prints, checked for sense."""

import importlib.util
import os
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

import dalenius as dl
from tests.docs.page import REPOSITORY

FOLDER = REPOSITORY / "examples" / "unknown"
HERE = ("halves", "season", "weeks")


@pytest.fixture(autouse=True)
def data() -> None:
    if "DALENIUS_DATA" not in os.environ:
        pytest.skip("DALENIUS_DATA, the folder of the public data sets, is not set")


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[ModuleType]:
    """A script of the page, whose neighbours are found as when it is run; forgotten afterwards."""
    monkeypatch.syspath_prepend(str(FOLDER))
    found = importlib.util.spec_from_file_location(request.param, FOLDER / f"{request.param}.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    before = list(sys.path)
    found.loader.exec_module(module)
    yield module
    sys.path[:] = before
    for name in HERE:
        sys.modules.pop(name, None)


@pytest.mark.slow
@pytest.mark.parametrize("script", ["hagelloch"], indirect=True)
def test_the_other_half_of_the_families(script: ModuleType) -> None:
    learned, published = script.halves(script.families())
    assert len(learned) + len(published) == 69
    assert sum(len(children) for _, children in learned + published) == 188
    assert {len(children) for _, children in published} <= {len(children) for _, children in learned}
    leaked = {}
    for name, model in script.models().items():
        release = dl.Release(model, dl.Count(), dl.Laplace(scale=1.0))
        leaked[name] = script.PROMISE.leakage(release)
    assert leaked["points"].upper < leaked["confidence 50 %"].lower < leaked["confidence 95 %"].lower
    assert leaked["confidence 95 %"].upper <= 6, "nobody's family is larger"
    assert leaked["confidence 95 %"].lower > 5.9, "and little else is known of it"


@pytest.mark.slow
@pytest.mark.parametrize("script", ["winters"], indirect=True)
def test_each_winter(script: ModuleType) -> None:
    models = script.models()
    leaked = {name: script.leaked(model) for name, model in models.items()}
    for year in script.WINTERS:
        assert leaked[f"{year}, points"] < leaked[f"{year}, intervals"]
        points, intervals = models[f"{year}, points"], models[f"{year}, intervals"]
        for row, ends in zip(points.transition, intervals.transition, strict=True):
            assert all(low < p < high for p, (low, high) in zip(row, ends, strict=True))
    both = dl.Any(models=[models[f"{year}, intervals"] for year in script.WINTERS])
    assert script.leaked(both) == max(leaked.values())
    assert both.trusted == pytest.approx(0.9)
