"""What linked data sets refuse: one clear line each."""

from typing import Any

import pytest

from dalenius import Count, InputError, Laplace, Release, Secrets, Sum, TooLarge
from dalenius.errors import Meaningless
from dalenius.models import Absent, Chain, GaussianRecords, Households, Independent, Linked, Table
from dalenius.noise import Gaussian
from dalenius.notions import BayesianPrivacy, NoiselessPrivacy
from dalenius.queries import Stage

FLIPS = [[0.75, 0.25], [0.25, 0.75]]
BITS = Independent(probabilities=[0.25, 0.5, 0.5])
LABELLED = Independent(probabilities=[0.25, 0.5, 0.5], labels=["adult", "child", "child"])
OTHERWISE = Independent(probabilities=[0.25, 0.5, 0.5], labels=["adult", "adult", "child"])
TURNED = Independent(probabilities=[0.25, 0.5, 0.5], labels=["child", "child", "adult"])
PAIR = Independent(probabilities=[0.25, 0.5])

BAD: dict[str, tuple[dict[str, Any], str]] = {
    "fewer people": (
        {"within": [BITS, PAIR], "coupling": "independent"},
        r"^model.within: stage 2 without 1 of 3 people, wanted the same people at all stages$",
    ),
    "a label too few": (
        {"within": [LABELLED, OTHERWISE], "coupling": "independent"},
        r"^model.within: stage 1 without 1 person labelled 'adult', wanted the same people at all stages$",
    ),
    "labels of others": (
        {"within": [LABELLED, TURNED], "coupling": "independent"},
        r"^model.within: a person labelled 'adult' and 'child', wanted one label at all stages$",
    ),
    "a coupling": (
        {"within": BITS, "coupling": "tight"},
        r"coupling: tight, wanted 'copies', 'independent' or 'chain'$",
    ),
    "no link": (
        {"within": BITS, "coupling": "chain"},
        r"either transition or persistence beside coupling chain$",
    ),
    "two links": (
        {"within": BITS, "coupling": "chain", "persistence": 0.5, "transition": FLIPS},
        r"either transition or persistence beside coupling chain$",
    ),
    "a link of copies": (
        {"within": BITS, "coupling": "copies", "persistence": 0.5},
        r"no transition or persistence beside coupling copies$",
    ),
    "persistence": (
        {"within": BITS, "coupling": "chain", "persistence": 1.5},
        r"persistence: 1.5, wanted a number of at most 1$",
    ),
    "negative": (
        {"within": BITS, "coupling": "chain", "persistence": -0.5},
        r"persistence: -0.5, wanted a number of at least 0$",
    ),
    "no number": (
        {"within": BITS, "coupling": "chain", "persistence": float("nan")},
        r"persistence: nan, wanted a",
    ),
    "columns": (
        {"within": BITS, "coupling": "chain", "transition": [[0.5, 0.5], [1.0]]},
        r"transition matrices of as many columns as rows \(one has 2 rows\)$",
    ),
    "values": (
        {"within": BITS, "coupling": "chain", "transition": [[1.0]]},
        r"^model.transition: 1 rows, wanted a row and a column for each of \[0, 1\]$",
    ),
    "steps": (
        {"within": BITS, "coupling": "chain", "transition": [FLIPS, FLIPS]},
        r"one transition matrix, or one for each of the 1 steps \(not 2\)$",
    ),
    "models": (
        {"within": [BITS, BITS, BITS], "coupling": "independent"},
        r"within to be one model, or one for each of the 2 stages \(not 3\)$",
    ),
    "models of copies": (
        {"within": [BITS, BITS], "coupling": "copies"},
        r"within to be one model, of the first stage, beside coupling copies$",
    ),
    "names": (
        {"within": BITS, "coupling": "copies", "stages": ["a", "a"]},
        r"stages of different names \('a' is there twice\)$",
    ),
    "no stages": (
        {"within": BITS, "coupling": "copies", "stages": 0},
        r"stages: 0, wanted from 1 to 64 stages, or a list",
    ),
    "true": (
        {"within": BITS, "coupling": "copies", "stages": True},
        r"stages: true, wanted a list$",
    ),
    "real numbers": (
        {"within": GaussianRecords(mean=[0.0], covariance=[[1.0]]), "coupling": "copies"},
        r"^model.within: gaussian, wanted a model of records with finitely many values$",
    ),
    "absent": (
        {"within": Absent(answers=[1, 2]), "coupling": "copies"},
        r"^model.within: absent, wanted a model of records with finitely many values$",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_models(case: str) -> None:
    fields, message = BAD[case]
    with pytest.raises(InputError, match=message):
        Linked(**{"stages": 2} | fields).joints()


def test_too_many_processes() -> None:
    with pytest.raises(TooLarge, match=r"the processes of one record: 8.19e\+03 of them"):
        Linked(stages=13, within=BITS, coupling="chain", persistence=0.5).joints()
    with pytest.raises(TooLarge, match="the processes of a group: a table of"):
        Linked(stages=3, within=Households(count=1, infected=[1 / 64] * 64), coupling="independent").joints()
    long = Chain(n=200, initial=[0.5, 0.5], transition=FLIPS)
    with pytest.raises(TooLarge, match=r"independent stages: a law of .* beside one of another kind"):
        Linked(stages=2, within=[long, Independent(n=200, probabilities=[0.5])], coupling="independent").joints()


def test_bad_stages() -> None:
    linked = Linked(stages=["spring", "autumn"], within=BITS, coupling="copies")
    with pytest.raises(InputError, match=r"^query.stage: 1, wanted one of the model's stages \['spring', 'autumn'\]$"):
        Release(linked, Stage(stage=1, query=Count()), Laplace(scale=1.0))
    with pytest.raises(InputError, match=r"^query.stage: spring, wanted a model with stages \(kind linked\)$"):
        Release(BITS, Stage(stage="spring", query=Count()), Laplace(scale=1.0))
    ask = Stage(stage="spring", query=Count())
    with pytest.raises(InputError, match=r"^secrets.stage: 1, wanted one of the model's stages"):
        Release(linked, ask, Laplace(scale=1.0), Secrets(stage=1))
    with pytest.raises(InputError, match=r"^secrets.stage: spring, wanted a model with stages \(kind linked\)$"):
        Release(BITS, Count(), Laplace(scale=1.0), Secrets(stage="spring"))
    normal = GaussianRecords(mean=[0.0], covariance=[[1.0]])
    with pytest.raises(InputError, match=r"^secrets.stage: spring, wanted a model with stages \(kind linked\)$"):
        Release(normal, Sum(), Gaussian(scale=1.0), Secrets(stage="spring"))
    with pytest.raises(InputError, match=r"^secrets.stage: spring, wanted no such key"):
        Release(Absent(answers=[1, 2]), None, Laplace(scale=1.0), Secrets(stage="spring"))
    for notion in (BayesianPrivacy(), NoiselessPrivacy(delta=0.1)):
        with pytest.raises(Meaningless, match=r"^secrets.stage: spring, wanted no such key here"):
            notion.leakage(Release(linked, ask, Laplace(scale=1.0), Secrets(stage="spring")))


def test_texts_that_do_not_tell_processes_apart() -> None:
    words = Table(records=[["a"], ["a, a"], ["a, a, a"]], probabilities=[0.5, 0.25, 0.25])
    with pytest.raises(InputError, match=r"^model.within: .*, wanted values that lists of them tell apart$"):
        Linked(stages=2, within=words, coupling="chain", persistence=0.5).joints()
