"""What is refused before anything is computed: it would take long, and tell or promise nothing."""

from pathlib import Path
from typing import Any

import pytest

import dalenius as dl
from dalenius.curator import Asked, Ready, Session, read_ask
from dalenius.curator.curator import Curator
from dalenius.errors import InputError
from tests.curator.policies import curator, people, policy, with_measure

AGES = [0.5 * each for each in range(201)]
NUMBERS = {
    "name": "age",
    "value": "age",
    "lower": 0.0,
    "upper": 100.0,
    "step": 0.5,
    "model": {"kind": "independent", "n": 20, "values": AGES, "probabilities": [[1 / 201] * 201]},
}


def session(folder: Path, **data: Any) -> Session:
    """Of a curator that computes nothing."""

    def none(asked: Asked) -> Ready:
        raise AssertionError("computed")

    (folder / "people.csv").write_text(people(), encoding="utf-8")
    return Curator(policy(**data), folder, compute=none).session("ana", "measles")


def asked(**terms: Any) -> dict[str, Any]:
    return {"measure": "ill", "query": {"kind": "count"}, **terms}


def test_what_is_beyond_the_range_is_refused_before_it_is_computed(tmp_path: Path) -> None:
    found = session(tmp_path)
    for terms, said in (
        ({"epsilon": 1e-7}, "ask.epsilon: 1e-07, wanted a number of nats from 1e-06 to 1000"),
        ({"epsilon": 2000.0}, "ask.epsilon: 2000.0, wanted a number of nats from 1e-06 to 1000"),
        ({"query": SEVERAL, "epsilon": 0.1}, "wanted at most 64 answers of several queries (there are 65)"),
        ({"noise": {"kind": "laplace", "scale": 1e-10}}, "ask.noise.scale: 1e-10, wanted a number from 1e-09 to 1e+09"),
        ({"noise": {"kind": "geometric", "scale": 1e16}}, "ask.noise.scale: 1e+16, wanted a number from 1e-09"),
        ({"within": 1e10}, "ask.within: 10000000000.0, wanted a number from 1e-09 to 1e+09, in units of the answers"),
        ({"noise": {"kind": "gaussian", "scale": 1.0}}, "ask.noise: gaussian, wanted laplace or geometric: Gaussian"),
        ({"noise": {"kind": "gaussian"}, "epsilon": 0.1}, "ask.noise: gaussian, wanted laplace or geometric: Gaussian"),
    ):
        with pytest.raises(InputError) as error:
            found.estimate(read_ask(asked(**terms)))
        assert str(error.value).startswith("ask.")
        assert said in str(error.value)


SEVERAL: Any = {"kind": "several", "queries": [{"kind": "count"}] * 65}


def test_the_range_is_in_units_of_the_measure(tmp_path: Path) -> None:
    found = session(tmp_path, measures=[NUMBERS], source={"file": "people.csv"})
    for scale, said in ((4e-10, "wanted a number from 5e-10 to 1e+11"), (2e11, "to 1e+11"), (9e10, "computed")):
        ask = dl.Ask(measure="age", query=dl.Sum(), noise=dl.Laplace(scale=scale))
        with pytest.raises((InputError, AssertionError), match=said.replace("+", r"\+")):
            found.estimate(ask)


def test_gaussian_noise_at_a_delta_is_served(tmp_path: Path) -> None:
    found = session(tmp_path, notion={"kind": "inferential", "epsilon": 1.0, "delta": 1e-6})
    with pytest.raises(AssertionError, match="computed"):
        found.estimate(read_ask(asked(noise={"kind": "gaussian", "scale": 5.0})))


def test_answers_of_several_queries_count_with_their_labels(tmp_path: Path) -> None:
    queries = [{"kind": "count", "per_label": True}] * 33
    ask = read_ask(asked(query={"kind": "several", "queries": queries}, epsilon=0.1))
    found = curator(tmp_path, **with_measure(queries=None)).session("ana", "measles")
    with pytest.raises(InputError, match=r"^ask\.query: several, wanted at most 64 answers .* \(there are 66\)$"):
        found.estimate(ask)
