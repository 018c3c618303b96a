"""What a notion may not promise and what it does not read: each reason once, in one line that names the key."""

from collections.abc import Callable
from math import inf, nan
from typing import Any

import pytest

import dalenius as dl
from dalenius.errors import DaleniusError
from dalenius.knowledge.noiseless import noiseless_delta
from dalenius.models import Model

BITS = dl.Independent(n=5, probabilities=[0.3])
HOMES = dl.Households(count=2, infected=[0.5, 0.1, 0.4])
NORMAL = dl.GaussianRecords(mean=[0.0, 0.0], covariance=[[1.0, 0.5], [0.5, 2.0]], bounds=(0, 1), labels=["a", "b"])
ABSENT = dl.Absent(answers=(1, 2, 2))


def release(model: Model = BITS) -> dl.Release:
    return dl.Release(model, None if isinstance(model, dl.Absent) else dl.Sum(), dl.Laplace(scale=1.0))


def given(*people: Any, model: Model = HOMES) -> object:
    return dl.MutualInformationPrivacy(given=people).leakage(release(model))


def gain(rows: Any, model: Model = HOMES) -> object:
    return dl.GLeakage(gain=rows).leakage(release(model))


SAID: dict[str, Callable[[], object]] = {
    "InformationPrivacy.delta: nan, wanted a number": lambda: dl.InformationPrivacy(delta=nan),
    "InformationPrivacy.delta: -0.1, wanted a number": lambda: dl.InformationPrivacy(delta=-0.1),
    "RelativeEntropyPrivacy.delta: 1.0, wanted a number below 1": lambda: dl.RelativeEntropyPrivacy(delta=1.0),
    "NoiselessPrivacy.delta: 0.0": lambda: dl.NoiselessPrivacy(delta=0.0),
    "NoiselessPrivacy.known_fraction: 1.0": lambda: dl.NoiselessPrivacy(delta=0.1, known_fraction=1.0),
    "known_fraction: -0.1": lambda: noiseless_delta(release(), 0.1, -0.1),
    "epsilon: inf": lambda: noiseless_delta(release(), inf),
    "model.kind: absent, wanted a model of records": lambda: noiseless_delta(release(ABSENT), 0.1),
    "notion.known_fraction: 0.5, wanted 0 for records that are real numbers": lambda: dl.NoiselessPrivacy(
        delta=0.1, known_fraction=0.5
    ).leakage(release(NORMAL)),
    "GLeakage.gain: brier, wanted identity, gini, or rows": lambda: gain("brier"),
    "rows of one length (row 2 has 1 numbers, row 1 has 2)": lambda: gain([[1, 0], [1]]),
    "finite numbers of at least 0 (row 1 has -0.5)": lambda: gain([[1, -0.5]]),
    "finite numbers of at least 0 (row 1 has '1')": lambda: gain([["1", 0]]),
    "some guess that gains something": lambda: gain([[0, 0], [0, 0]]),
    "notion.gain: 3 columns, wanted 2 of them: the record of person 1 can be 0, 1": lambda: gain([[1.0, 0.0, 0.0]]),
    "notion.gain: gini, wanted identity where the secret is who": lambda: gain("gini", ABSENT),
    "notion.kind: g_leakage, wanted one known for the gaussian model": lambda: gain("gini", NORMAL),
    "MutualInformationPrivacy.given": lambda: given(),
    "wanted a number of at least 1 or a name": lambda: given(0),
    "notion.given: 9, wanted a person's number from 1 to 4": lambda: given(9),
    "notion.given: eve, wanted a person's number or name": lambda: given("eve"),
    "notion.given: 2, wanted person 2 once": lambda: given(2, "2"),
    "notion.given: [1], wanted nothing given beside model absent": lambda: given(1, model=ABSENT),
    "the values of the records that are given: 2,048 combinations is too large": lambda: given(
        *range(1, 12), model=dl.Independent(n=20, probabilities=[0.5])
    ),
    "the information given records: 8 combinations of values times 9,997 people": lambda: given(
        1, 2, 3, model=dl.Independent(n=10_000, probabilities=[0.5])
    ),
    "robust: nan, wanted a finite number above 0": lambda: dl.robustness(release(), nan),
    "model.kind: gaussian, wanted a model given by probabilities": lambda: dl.robustness(release(NORMAL), 0.1),
    "rate: 0, wanted a rate of false alarms above 0 and below 1": lambda: dl.tradeoff(release()).true_positives(0),
    "rate: nan, wanted a rate of false alarms above 0 and below 1": lambda: dl.tradeoff(release()).true_positives(nan),
    "notion.kind: trade-offs, wanted one known for the gaussian model": lambda: dl.tradeoff(
        dl.Release(NORMAL, dl.Sum(per_label=True), dl.Laplace(scale=1.0))
    ),
}


def test_each_reason_in_one_line() -> None:
    for said, call in SAID.items():
        with pytest.raises(DaleniusError) as caught:
            call()
        assert said in str(caught.value)
        assert "\n" not in str(caught.value)
