"""What a spec answers with one clear line, Python does too."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dalenius as dl
from dalenius.schema import Frozen

MODEL = dl.Independent(n=3, probabilities=[0.1])
RELEASE = dl.Release(MODEL, dl.Count(), dl.Geometric(scale=1.0))


def positional(make: Any, *given: Any) -> Any:
    """mypy knows of fields by their names only."""
    return make(*given)


def test_the_first_field_of_noises_and_notions_needs_no_name() -> None:
    for noise in (dl.Laplace, dl.Geometric, dl.Gaussian):
        assert positional(noise, 1.0) == noise(scale=1.0)
    for notion in (dl.InferentialPrivacy, dl.DifferentialPrivacy, dl.InformationPrivacy):
        assert positional(notion, 0.5) == notion(epsilon=0.5)


def test_numbers_and_arrays_of_other_libraries() -> None:
    assert dl.Independent(n=np.int64(3), probabilities=np.array([0.1])) == MODEL
    rows = [[0.9, 0.1], [0.2, 0.8]]
    chain = dl.Chain(n=4, initial="stationary", transition=rows)
    assert dl.Chain(n=np.int32(4), initial="stationary", transition=np.array(rows)) == chain
    assert dl.Chain(n=4, initial="stationary", transition=list(np.array(rows))) == chain
    assert dl.Independent(probabilities=pd.Series([0.1, 0.2])) == dl.Independent(probabilities=[0.1, 0.2])
    assert dl.Adversary(known={2: np.int64(1)}) == dl.Adversary(known={"2": 1})


def test_notions_queries_and_noises_by_name() -> None:
    assert positional(dl.Release, MODEL, "count", dl.Geometric(scale=1.0)).noise == RELEASE.noise
    whole = dl.audit(RELEASE)
    assert dict(dl.audit(RELEASE, "inferential")) == dict(dl.audit(RELEASE, dl.InferentialPrivacy()))
    assert list(dl.audit(RELEASE, ["inferential", dl.InformationPrivacy()])) == ["inferential", "information"]
    assert whole["inferential"] == dl.audit(RELEASE, "inferential").inferential


def test_specs_by_path_by_text_and_as_dictionaries(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text('[model]\nkind = "independent"\nn = 3\nprobabilities = [0.1]\n[query]\nkind = "count"\n')
    sections = {"model": {"kind": "independent", "n": 3, "probabilities": [0.1]}, "query": {"kind": "count"}}
    assert dl.read_spec(path) == dl.read_spec(str(path)) == dl.read_spec(sections)


def test_the_version_is_the_packages() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", dl.__version__)


def test_copies_are_checked() -> None:
    noise = dl.Laplace(scale=1.0)
    assert noise.model_copy(update={"scale": 2}) == dl.Laplace(scale=2.0)
    promise = dl.InferentialPrivacy(from_=0.1, to=0.2)
    assert promise.model_copy(update={"to": 0.3}).to == 0.3
    with pytest.raises(dl.InputError, match=r"^Laplace\.scale: -3, wanted a finite number above 0$"):
        noise.model_copy(update={"scale": -3})
    with pytest.raises(dl.InputError, match=r"^Laplace\.width: 3, wanted one of the keys of Laplace: kind, scale"):
        noise.model_copy(update={"width": 3})


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: positional(dl.Laplace, 1.0, 2), "Laplace: 2, wanted fields by their names: scale"),
        (lambda: positional(dl.Independent, [0.1]), "Independent: list, wanted fields by their names: "),
        (lambda: dl.Laplace(*[1.0], scale=2), "Laplace.scale: 2, wanted it once"),
        (lambda: dl.audit(MODEL), "release: Independent, wanted a Release(model, query, noise)"),  # type: ignore[arg-type]
        (lambda: dl.calibrate(MODEL, "inferential"), "release: Independent, wanted a Release"),  # type: ignore[arg-type]
        (lambda: dl.compare(pd.DataFrame(), "inferential"), "release: DataFrame, wanted a Release"),
        (lambda: dl.calibrate(RELEASE, "inferential"), "notion.epsilon: missing, wanted a finite number above 0"),
        (lambda: dl.audit(RELEASE, "inferental"), "notion.kind: inferental, wanted one of "),
        (lambda: dl.audit(RELEASE, 3), "notion: 3, wanted a notion, such as InferentialPrivacy(epsilon=1.0), or"),  # type: ignore[arg-type]
        (lambda: dl.audit(RELEASE, [3]), "notion: 3, wanted a notion: an object, or the name of its kind"),  # type: ignore[list-item]
        (lambda: positional(dl.Release, "chain", dl.Count(), dl.Laplace()), "model."),
        (lambda: positional(dl.Release, MODEL, MODEL, dl.Laplace()), "query: Independent, wanted a query: an object"),
        (lambda: positional(dl.Release, MODEL, dl.Count(), 1.0), "noise: 1.0, wanted a noise: an object, or the name"),
        (lambda: dl.compare(RELEASE, dl.InferentialPrivacy(epsilon=1.0))["exat"], "method: exat, wanted one of "),
    ],
)
def test_one_line(ask: Callable[[], object], message: str) -> None:
    with pytest.raises(dl.InputError) as refused:
        ask()
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)


def test_pydantics_own_methods_are_out_of_sight() -> None:
    for shown in (dir(dl.Laplace), dir(dl.Laplace(scale=1.0)), dir(MODEL)):
        assert not {"construct", "parse_obj", "from_orm", "model_dump", "model_fields"} & set(shown)
    assert {"scale", "with_scale", "model_copy"} <= set(dir(dl.Laplace(scale=1.0)))
    assert issubclass(dl.Laplace, Frozen)
