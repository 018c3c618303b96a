"""What a spec answers with one clear line, Python does too."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dalenius as dl

MODEL = dl.Independent(n=3, probabilities=[0.1])
RELEASE = dl.Release(MODEL, dl.Count(), dl.Geometric(scale=1.0))


def positional(make: Any, *given: Any) -> Any:
    """mypy knows of fields by their names only."""
    return make(*given)


def test_numbers_and_arrays_of_other_libraries() -> None:
    assert dl.Independent(n=np.int64(3), probabilities=np.array([0.1])) == MODEL
    rows = [[0.9, 0.1], [0.2, 0.8]]
    chain = dl.Chain(n=4, initial="stationary", transition=rows)
    assert dl.Chain(n=np.int32(4), initial="stationary", transition=np.array(rows)) == chain
    assert dl.Chain(n=4, initial="stationary", transition=list(np.array(rows))) == chain
    assert dl.Independent(probabilities=pd.Series([0.1, 0.2])) == dl.Independent(probabilities=[0.1, 0.2])
    assert positional(dl.Laplace, 1.0) == dl.Laplace(scale=1.0), "the first field needs no name"
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


def test_copies_are_checked() -> None:
    noise = dl.Laplace(scale=1.0)
    assert noise.model_copy(update={"scale": 2}) == dl.Laplace(scale=2.0)
    promise = dl.InferentialPrivacy(from_=0.1, to=0.2)
    assert promise.model_copy(update={"to": 0.3}).to == 0.3
    with pytest.raises(dl.InputError, match=r"^Laplace\.scale: -3, wanted a finite number above 0$"):
        noise.model_copy(update={"scale": -3})
    with pytest.raises(dl.InputError, match=r"^Laplace\.width: 3, wanted one of the keys of Laplace: kind, scale"):
        noise.model_copy(update={"width": 3})
