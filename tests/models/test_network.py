"""Bayesian networks: every law against enumeration in fractions; who is alike; shapes and sizes."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from dalenius import Chain, Count, Geometric, Groups, Laplace, Network, Release, audit
from dalenius.laws.transforms.coefficients import Coefficients, law_of
from tests.conformance.strategies import networks
from tests.conformance.table import worlds_of
from tests.models.networks import assert_exact, grid, tree
from tests.pace import draws, slow


@given(model=networks(5))
@draws(100)
def test_random_networks(model: Network) -> None:
    (world,) = worlds_of(model)
    joint = model.law()
    assert joint.outcome_count() == len(world.joint) == len(joint.outcomes()[1])
    assert sum(subject.people for subject in joint.subjects()) == len(world.people)
    assert_exact(joint, world.joint)


@pytest.mark.slow
def test_deep_networks_keep_to_their_error() -> None:
    """Twelve bits in a tree, some tables with rare states: every mass in fractions."""
    nodes = [node.model_dump() for node in tree(12, seed=7).nodes or ()]
    for node in nodes[3::4]:
        node["probabilities"] = [[1 - 1e-13, 1e-13], [1e-300, 1.0]]
    model = Network(nodes=nodes)
    assert_exact(model.law(), worlds_of(model)[0].joint)


ROWS = [[0.7, 0.3], [0.2, 0.8]]


def test_pairs_that_are_alike_are_groups() -> None:
    """Fifty mothers with a daughter each, in any order: as the table of one pair, fifty times."""
    nodes: list[dict[str, Any]] = [{"name": f"m{i}", "probabilities": [0.75, 0.25]} for i in range(50)]
    nodes += [{"name": f"d{i}", "parents": [f"m{i}"], "probabilities": ROWS} for i in reversed(range(50))]
    network = Network(nodes=nodes)
    pairs = [0.75 * 0.7, 0.75 * 0.3, 0.25 * 0.2, 0.25 * 0.8]
    groups = Groups(types=[{"count": 50, "records": [[0, 0], [0, 1], [1, 0], [1, 1]], "probabilities": pairs}])
    joint = network.law()
    assert [(subject.person, subject.people) for subject in joint.subjects()] == [(1, 50), (51, 50)]
    assert [counts.tolist() for counts in joint.group_strata()] == [[2]]
    assert joint.one_of(0).people() == (1, 100)
    assert joint.part([0]).outcome_count() == 4**50
    for engine in ("convolution", "tilting"):
        one, other = (audit(Release(m, Count(), Geometric(scale=1.0), engine=engine)) for m in (network, groups))
        for name, leakage in one.items():
            assert leakage.upper == pytest.approx(other[name].upper, rel=1e-9)
            assert leakage.lower == pytest.approx(other[name].lower, rel=1e-9)


@pytest.mark.parametrize(("engine", "step"), [("convolution", -1), slow(("tilting", 1))])
def test_a_chain_is_a_network(engine: str, step: int) -> None:
    """Written from its first record on; the nodes in any order."""
    n = 40
    nodes = [{"name": "0", "probabilities": [0.6, 0.4]}]
    nodes += [{"name": str(i), "parents": [str(i - 1)], "probabilities": ROWS} for i in range(1, n)]
    chain = Chain(n=n, initial=[0.6, 0.4], transition=ROWS)
    one = audit(Release(chain, Count(), Laplace(scale=2.0), engine=engine))
    other = audit(Release(Network(nodes=nodes[::step]), Count(), Laplace(scale=2.0), engine=engine))
    for name, leakage in one.items():
        assert other[name].upper == pytest.approx(leakage.upper, rel=1e-9)
        assert other[name].lower == pytest.approx(leakage.lower, rel=1e-9)


def test_a_grid_of_36() -> None:
    """Treewidth 6 and more: the messages are between cliques, not along a tree."""
    model = grid(6)
    joint = model.law()
    total = law_of([joint.total(Coefficients(np.array([[0], [1]])))])
    for subject, elements in joint.mean_product(Coefficients(np.array([[0], [1]]))):
        law = law_of(elements)
        mixed = np.logaddexp.reduce(subject.log_prior[:, None] + law.log_mass(), axis=0)
        assert mixed == pytest.approx(total.log_mass()[0][law.start[0] - total.start[0] :][: law.box[0]], abs=1e-11)
