"""Bayesian networks: every law against enumeration in fractions; who is alike; shapes and sizes.

What the adversary knows of a network: the joint law of the others, against fractions.

Priors and posteriors against pgmpy's own variable elimination, and its reading of a BIF file.
"""

import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from dalenius import Chain, Count, Geometric, Groups, InferentialPrivacy, Laplace, Network, Release, audit
from dalenius.channel import Adversary
from dalenius.joints import Joint
from dalenius.laws.transforms.coefficients import Coefficients, law_of
from tests.conformance.strategies import networks
from tests.conformance.table import worlds_of
from tests.models.networks import assert_exact, grid, laws_of_the_sum, tree
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


ALARM = Network(
    nodes=[
        {"name": "burglary", "probabilities": [0.999, 0.001]},
        {"name": "earthquake", "probabilities": [0.998, 0.002]},
        {
            "name": "alarm",
            "parents": ["burglary", "earthquake"],
            "probabilities": [[0.999, 0.001], [0.71, 0.29], [0.06, 0.94], [0.05, 0.95]],
        },
        {"name": "john", "parents": ["alarm"], "probabilities": [[0.95, 0.05], [0.1, 0.9]]},
        {"name": "mary", "parents": ["alarm"], "probabilities": [[0.99, 0.01], [0.3, 0.7]]},
    ]
)


def chance(joint: Joint, person: int, value: Any) -> float:
    subject = joint.subject_of(person)
    return float(np.exp(subject.log_prior[subject.secrets.index(value)]))


def test_the_textbook_alarm() -> None:
    """Pr[burglary | both call] = 0.284 (Russell & Norvig, Artificial Intelligence, §14.4)."""
    joint = ALARM.law()
    both = joint.given({4: 1, 5: 1})
    assert chance(both, 1, 1) == pytest.approx(0.284172, abs=5e-7)
    assert chance(both, 4, 1) == 1
    # What explains the alarm explains the burglary away.
    assert chance(both.given({2: 1}), 1, 1) < 0.01 < 0.3 < chance(joint.given({3: 1}), 1, 1)
    assert chance(both.given({2: 1}), 1, 1) == pytest.approx(chance(joint.given({2: 1, 4: 1, 5: 1}), 1, 1), rel=1e-14)


def test_what_is_known_parts_what_it_links() -> None:
    """Given the alarm, both calls are independent of each other and of the causes, which now depend on each other."""
    joint = ALARM.law()
    assert [counts.tolist() for counts in joint.group_strata()] == [[5]]
    told = joint.given({3: 1})
    assert sorted(counts.tolist() for counts in told.group_strata()) == [[1], [1], [1], [2]]
    assert [told.subject_of(person).dependents for person in range(1, 6)] == [2, 2, 1, 1, 1]
    assert told.subject_of(3).secrets == (1,)


def test_the_rarest_evidence_keeps_its_digits() -> None:
    """Twenty witnesses, each of which is one in 1e-200: what they leave possible is told to 1e-13."""
    rare = 1e-200
    nodes: list[dict[str, Any]] = [{"name": "cause", "probabilities": [0.25, 0.75]}]
    rows = [[1 - rare, rare], [1 - rare, 2 * rare]]
    nodes += [{"name": f"n{i}", "parents": ["cause"], "probabilities": rows} for i in range(20)]
    nodes.append({"name": "effect", "parents": ["cause"], "probabilities": [[0.9, 0.1], [0.2, 0.8]]})
    joint = Network(nodes=nodes).law().given({2 + i: 1 for i in range(20)})
    odds = Fraction(2 * rare) ** 20 * 3 / Fraction(rare) ** 20
    assert chance(joint, 1, 0) == pytest.approx(float(1 / (1 + odds)), rel=1e-13)
    law = laws_of_the_sum(joint)[joint.subject_of(22).person]
    assert np.exp(law.log_mass()).sum(axis=1) == pytest.approx([1, 1], rel=1e-13)


def test_by_name_in_a_release() -> None:
    (joint,) = ALARM.joints()
    assert joint.number_of("alarm") == 3
    assert joint.number_of("flood") is None
    by_number, by_name, untold = (
        InferentialPrivacy().leakage(Release(ALARM, Count(), Laplace(scale=1.0), adversary=Adversary(known=known)))
        for known in ({"3": 1}, {"alarm": 1}, {})
    )
    assert by_number == by_name != untold


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its own
    pytest.importorskip("pgmpy")
    from pgmpy.inference import VariableElimination
    from pgmpy.readwrite import BIFReader

ASIA = Network(file=Path(__file__).parents[2] / "examples" / "asia.bif")


@pytest.mark.filterwarnings("ignore")
def test_everybody_given_everybody() -> None:
    """Pr[node] and Pr[node = first value | another = value], all pairs, to 1e-12, of a file that each reads itself."""
    model = ASIA
    inference = VariableElimination(BIFReader(str(ASIA.file)).get_model())
    names = [node.name for node in model.known_nodes()]
    alone = [node.model_copy(update={"label": node.name}) for node in model.known_nodes()]
    joint = Network(nodes=alone).law()
    for subject in joint.subjects():
        theirs = inference.query([names[subject.person - 1]], show_progress=False)
        wanted = [theirs.get_value(**{names[subject.person - 1]: secret}) for secret in subject.secrets]
        assert np.exp(subject.log_prior) == pytest.approx(wanted, rel=1e-12)
    for place, stratum in enumerate(joint.strata()):
        for (person, secret), chance in first_value(joint, place).items():
            if person != place + 1:
                evidence = {names[person - 1]: secret}
                theirs = inference.query([stratum.label], evidence=evidence, show_progress=False)
                assert chance == pytest.approx(theirs.get_value(**{stratum.label: stratum.values[0]}), rel=1e-12)


def first_value(joint: Joint, place: int) -> dict[tuple[int, Any], float]:
    """The chance that the record of that stratum has its first value, given each other record's values."""
    starts = np.cumsum([0, *(len(stratum.values) for stratum in joint.strata())])
    scores = np.zeros((starts[-1], 1), dtype=np.int64)
    scores[starts[place]] = 1
    found = {}
    for subject, elements in joint.mean_product(Coefficients(scores)):
        law = law_of(elements)
        masses = np.exp(law.log_mass())
        for secret, row in zip(subject.secrets, masses, strict=True):
            last = law.start[0] + len(row) - 1
            found[subject.person, secret] = float(row[-1]) if last == 1 else 0.0
    return found
