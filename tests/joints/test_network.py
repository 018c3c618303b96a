"""Bayesian networks: every law against enumeration in fractions; who is alike; shapes and sizes.

What the adversary knows of a network: the joint law of the others, against fractions.

Priors and posteriors against pgmpy's own variable elimination, and its reading of a BIF file.
"""

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from dalenius import Count, Geometric, Groups, InferentialPrivacy, Laplace, Network, Release, audit
from dalenius.channel import Adversary
from dalenius.joints import Joint, all_outcomes, count_outcomes, group_strata, one_group, people_of
from tests.conformance.strategies import networks
from tests.conformance.table import worlds_of
from tests.joints.networks import assert_exact, laws_of_the_sum
from tests.pace import draws


@given(model=networks(5))
@draws(100)
def test_random_networks(model: Network) -> None:
    (world,) = worlds_of(model)
    joint = model.law()
    assert count_outcomes(joint.factors()) == len(world.joint) == len(all_outcomes(joint.factors())[1])
    assert sum(subject.people for subject in joint.subjects()) == len(world.people)
    assert_exact(joint, world.joint)


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
    assert [counts.tolist() for counts in group_strata(joint)] == [[2]]
    assert people_of(one_group(joint, 0)) == (1, 100)
    assert count_outcomes(joint.part([0]).factors()) == 4**50
    for engine in ("convolution", "tilting"):
        one, other = (audit(Release(m, Count(), Geometric(scale=1.0), engine=engine)) for m in (network, groups))
        for name, leakage in one.items():
            assert leakage.upper == pytest.approx(other[name].upper, rel=1e-9)
            assert leakage.lower == pytest.approx(other[name].lower, rel=1e-9)


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
    assert [counts.tolist() for counts in group_strata(joint)] == [[5]]
    told = joint.given({3: 1})
    assert sorted(counts.tolist() for counts in group_strata(told)) == [[1], [1], [1], [2]]
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
