"""What a model may not say: each reason once, in one line that names the key."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalenius as dl
from dalenius.errors import DaleniusError
from dalenius.linked.linked_data_sets import Linked
from dalenius.pairs.law_of_two_records import Distance, NamedLaw
from dalenius.pairs.linked_people import EdgeFile
from dalenius.pairs.pairwise_model import Pairwise
from dalenius.queries import Query, Stage
from dalenius.theorems.moment_model import Moments

FAIR, ROWS, FLIPS = [0.5, 0.5], [[0.7, 0.3], [0.2, 0.8]], [[0.75, 0.25], [0.25, 0.75]]
A: dict[str, Any] = {"name": "a", "probabilities": FAIR}
STICKY, UNEVEN = ((0.8, 0.2), (0.2, 0.8)), ((0.9, 0.1), (0.4, 0.6))
KIN, PAL = NamedLaw(name="kin", given=STICKY), NamedLaw(name="pal", given=UNEVEN)
COPIES = NamedLaw(name="copy", given=((1.0, 0.0), (0.0, 1.0)))
BITS = dl.Independent(probabilities=[0.25, 0.5, 0.5])
NORMAL = dl.GaussianRecords(mean=[0.0], covariance=[[1.0]])
SEASONS = Linked(stages=["spring", "autumn"], within=BITS, coupling="copies")
SPRING = Stage(stage="spring", query=dl.Count())

Said = Mapping[str, Mapping[str, Any]]
"""By what is said the fields of which it is."""

NETWORK: Said = {
    "wanted either nodes or file": {},
    "wanted probabilities that sum to 1 (these sum to 0.9)": {"nodes": [{"name": "a", "probabilities": [0.5, 0.4]}]},
    "nodes 2.probabilities row 2: [2, -1], wanted probabilities of at least 0 (number 2 is -1.0)": {
        "nodes": [A, {"name": "b", "parents": ["a"], "probabilities": [FAIR, [2, -1]]}]
    },
    "wanted rows of 2 probabilities, one per value (row 2 of node b has 1)": {
        "nodes": [A, {"name": "b", "parents": ["a"], "probabilities": [FAIR, [1.0]]}]
    },
    "wanted parents that are other nodes, each once (node b has ['a', 'a'])": {
        "nodes": [A, {"name": "b", "parents": ["a", "a"], "probabilities": ROWS * 2}]
    },
    "wanted parents that are nodes (node a has the parent c)": {
        "nodes": [{"name": "a", "parents": ["c"], "probabilities": ROWS}]
    },
    "wanted a row of probabilities for each assignment of the parents (node b has 1 for 2)": {
        "nodes": [A, {"name": "b", "parents": ["a"], "probabilities": FAIR}]
    },
    "wanted links without a cycle (there is ": {
        "nodes": [{"name": x, "parents": [y], "probabilities": ROWS} for x, y in ("ac", "ba", "cb", "dc")]
    },
    "nodes 1.name: missing, wanted a value": {"nodes": [{"probabilities": FAIR}]},
}
GAUSSIAN: Said = {
    "wanted a covariance of 3 rows and columns": {"covariance": [[1, 0, 0]] * 2},
    "row 1, column 2 is 0.5, the reverse 0.4": {"covariance": [[1, 0.5, 0], [0.4, 1, 0], [0, 0, 1]]},
    "correlations' least eigenvalue is -1)": {"covariance": [[1, 2, 0], [2, 1, 0], [0, 0, 1]]},
    "variances of at least 0 (row 2 has -1)": {"covariance": [[1, 0, 0], [0, -1, 0], [0, 0, 1]]},
    "covariances of 0 with a record of variance 0": {"covariance": [[1, 0, 0], [0, 0, 0.1], [0, 0.1, 1]]},
    "wanted the lower bound before the upper": {"bounds": [1, 1]},
    "as many labels as mean has numbers (there are 1 and 3)": {"labels": ["a"]},
}
MOMENTS: Said = {
    "third at least variance^(3/2) = 8 (Lyapunov; it is 3)": {"third": 3},
    "fourth at least variance² = 16 (Lyapunov; it is 15)": {"fourth": 15},
    "third at most fourth^(3/4) = 9.45742 (Jensen; it is 9.5)": {"third": 9.5},
    "variance at most neighbourhood·range²/4 = 2.25 (Popoviciu; it is 4)": {"range": 3},
    "neighbourhood at most n = 100 (it is 101)": {"neighbourhood": 101},
    "third at least (variance/neighbourhood)^(3/2) = 2.82843": {"neighbourhood": 2, "third": 2.8},
}
LINKED: Said = {
    "coupling: tight, wanted 'copies', 'chain' or 'independent'": {"coupling": "tight"},
    "either transition or persistence beside coupling chain": {"coupling": "chain"},
    "no transition or persistence beside coupling copies": {"coupling": "copies", "persistence": 0.5},
    "a transition of as many columns as rows (it has 2 rows)": {"coupling": "chain", "transition": [[0.5, 0.5], [1.0]]},
    "model.transition: 1 rows, wanted a row and a column for each of [0, 1]": {
        "coupling": "chain",
        "transition": [[1.0]],
    },
    "stages: 0, wanted from 1 to 64 stages, or a list": {"stages": 0},
    "model.within: gaussian, wanted a model of records with finitely many values": {"within": NORMAL},
    "the processes of one record: 8.19e+03 of them": {"stages": 13, "coupling": "chain", "persistence": 0.5},
    "the processes of a group: a table of": {
        "stages": 3,
        "coupling": "chain",
        "persistence": 0.5,
        "within": dl.Households(count=1, infected=[1 / 64] * 64),
    },
    "wanted values that differ when they are written in a list": {
        "within": dl.Table(records=[["a"], ["a, a"], ["a, a, a"]], probabilities=[0.5, 0.25, 0.25]),
        "coupling": "chain",
        "persistence": 0.5,
    },
}
PAIRWISE: Said = {
    "model.edges row 2: 4, wanted people's numbers from 1 to 3": {"edges": ((1, 2), (2, 4))},
    "model.edges row 2: [3, 3], wanted two different people": {"edges": ((1, 2), (3, 3))},
    "wanted each pair of people once (row 1 has the same two)": {"edges": ((1, 2), (2, 1))},
    "kin, wanted the name of a law in model.laws: there are none": {"edges": ((1, 2, "kin"),)},
    "Pr[1 | 0] = 0.1, wanted 0.4, as model.prior and the reverse": {"given": UNEVEN, "prior": (0.5, 0.5)},
    "Pr[2 | 1] = 0.6, wanted 0.0222222222, as the other rows and the reverse": {
        "values": (0, 1, 2),
        "given": ((0.2, 0.6, 0.2), (0.2, 0.2, 0.6), (0.6, 0.2, 0.2)),
    },
    "model.table: a sum of 0.9, wanted probabilities that sum to 1": {"given": None, "table": ((0.4, 0.1), (0.2, 0.2))},
    "model.edges: Pr[X_2 = 0] = 0.5, wanted 0.6, as another edge of person 2 has it": {
        "given": None,
        "table": ((0.4, 0.1), (0.2, 0.3)),
        "edges": ((1, 2), (2, 3)),
    },
    "wanted also the name of the pair's law, one of kin, pal": {"given": None, "laws": (KIN, PAL)},
    "a record's marginal, as several go with law copy": {
        "given": None,
        "laws": (COPIES, KIN),
        "edges": ((1, 2, "copy"),),
    },
    "model.distance.points: missing, wanted a point for each value": {
        "given": None,
        "distance": Distance(),
        "values": ("a", "b"),
    },
    "either n, how many people there are, or people, their names": {"n": None},
    "one of given, table, distance and laws, the law of linked people (there are 0)": {"given": None},
    "two people, and the name of their law where there are several, in each row": {"edges": ((1, 2), (1,))},
    "model.edges: 3 edges among 3 people in 1 parts, wanted a forest": {
        "edges": ((1, 2), (2, 3), (3, 1)),
        "others": "markov",
    },
}
GOOD: dict[str, tuple[Callable[..., Any], dict[str, Any], Said]] = {
    "network": (dl.Network, {}, NETWORK),
    "gaussian": (dl.GaussianRecords, {"mean": [1.0, -2.0, 0.5], "covariance": np.eye(3).tolist()}, GAUSSIAN),
    "moments": (Moments, {"n": 100, "variance": 4, "third": 9, "fourth": 20, "range": 30}, MOMENTS),
    "linked": (Linked, {"stages": 2, "within": BITS, "coupling": "copies"}, LINKED),
    "pairwise": (Pairwise, {"n": 3, "values": (0, 1), "given": STICKY, "edges": ((1, 2),)}, PAIRWISE),
}


def pairs(**fields: Any) -> Pairwise:
    return Pairwise(**(GOOD["pairwise"][1] | fields))


def release(model: Any, query: Query | None = None, **more: Any) -> dl.Release:
    return dl.Release(model, query or dl.Sum(), dl.Laplace(scale=1.0), **more)


HOME = dl.Households(by="ill", epidemic=dl.Epidemic(community=0.06, household=0.35))
SPRINGS = dl.Secrets(stage="spring")
ELSEWHERE: dict[str, Callable[[], Any]] = {
    "model.by: a household of 1,024 people, wanted households of at most 250": lambda: HOME.with_compositions(
        {(("", 1024),): 1}
    ),
    "a [data] table to read households from": lambda: HOME.widened(0.2),
    "wanted an interval [lo, hi] with lo at most hi": lambda: dl.Epidemic(community=(0.3, 0.1), household=0.2),
    "model.kind: gaussian, wanted a model given by probabilities, to be off by a factor": lambda: NORMAL.widened(0.1),
    "model.kind: moments, wanted a model that says the records' law": lambda: release(
        dl.Product(parts=[BITS, Moments(**GOOD["moments"][1])])
    ),
    "one of given, table and distance (law kin has 0 of them)": lambda: NamedLaw(name="kin"),
    "model.prior: missing, wanted the marginal of person 1": lambda: pairs(given=COPIES.given).markov(),
    "wanted no known records beside model pairwise": lambda: release(pairs(), adversary=dl.Adversary(known={"1": 0})),
    "model pairwise says nothing of groups": lambda: release(pairs(), secrets=dl.Secrets(size=2)),
    "model.parts": lambda: dl.Product(parts=(pairs(), BITS)).joints(),
    "query: max, wanted one sum of scores": lambda: dl.audit(release(pairs(), dl.Max())),
    "query.stage: 1, wanted one of the model's stages ['spring', 'autumn']": lambda: release(
        SEASONS, Stage(stage=1, query=dl.Count())
    ),
    "query.stage: spring, wanted a model with stages (kind linked, or chain with members)": lambda: release(
        BITS, SPRING
    ),
    "secrets.stage: spring, wanted no such key here": lambda: dl.BayesianPrivacy().leakage(
        release(SEASONS, SPRING, secrets=SPRINGS)
    ),
}


def refused(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(DaleniusError) as caught:
        call()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def joints(made: Callable[..., Any], fields: Mapping[str, Any]) -> object:
    return made(**fields).joints()


@pytest.mark.parametrize("kind", GOOD)
def test_each_reason_in_one_line(kind: str) -> None:
    made, good, table = GOOD[kind]
    for said, fields in table.items():
        refused(partial(joints, made, {**good, **fields}), said)


def test_each_reason_elsewhere() -> None:
    for said, call in ELSEWHERE.items():
        refused(call, said)


def test_files_of_edges_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "friends.csv"
    edges = EdgeFile(file=path, first="a", second="b")
    refused(lambda: pairs(edges=edges).joints(), "model.edges.file: ")
    for text, said in (
        ("a,c\n1,2\n", "model.edges.second: b, wanted a column of friends.csv: a, c"),
        ("a,b\n1,2\n1\n", "model.edges.file: "),
        ("a,b\n1,2\n2,1\n", "row 2: a second law, wanted one law for the pair of people 2 and 1 (row 1"),
    ):
        path.write_text(text, encoding="utf-8")
        refused(lambda: pairs(given=None, table=((0.4, 0.1), (0.1, 0.4)), edges=edges).joints(), said)
