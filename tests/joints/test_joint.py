"""What a joint law's author need not write follows from its factors and is what the package's own laws say."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal, final

import numpy as np
import pytest

from dalenius import BayesianPrivacy, Count, InferentialPrivacy, Laplace, Max, Release, TooLarge, audit, calibrate
from dalenius.arrays import Array, IntArray
from dalenius.fields import RecordValue
from dalenius.joints import Factor, Joint, Stratum, Subject, count_outcomes
from dalenius.joints.factor import Numbering
from dalenius.knowledge.any_records import known_sets
from dalenius.laws.convolution import Coefficients, law_of
from dalenius.laws.generating_function_algebra import Element, Extents, Transform
from dalenius.models import Chain, Households, Independent, Network, Node, Table, finite_joints
from dalenius.models.model import Model
from dalenius.theorems.weak_dependence_methods import largest_variation

BITS = (0, 1)


@final
class Same(Factor):
    """n people who all have the same bit."""

    def __init__(self, n: int, before: int = 0, stratum: int = 0, slots: tuple[int, int] = (0, 1)) -> None:
        self.n, self.before, self.stratum, self.slots = n, before, stratum, slots

    @property
    def count(self) -> int:
        return 1

    @property
    def people(self) -> Sequence[int]:
        return range(self.before + 1, self.before + self.n + 1)

    @property
    def strata(self) -> Mapping[int, int]:
        return {self.stratum: self.n}

    @property
    def assignments(self) -> int:
        return 2

    def group_assignments(self) -> tuple[IntArray, Array]:
        return np.repeat(np.array(self.slots)[:, None], self.n, axis=1), np.log([0.5, 0.5])

    def within(self, numbering: Numbering) -> "Same":
        zero, one = numbering.slots[list(self.slots)].tolist()
        return Same(self.n, self.before + numbering.before, int(numbering.strata[self.stratum]), (zero, one))


@final
class AllTheSame(Joint):
    """The seven methods, and no more."""

    def __init__(self, n: int) -> None:
        self.n = n

    def strata(self) -> tuple[Stratum, ...]:
        return (Stratum("", BITS, self.n),)

    def subjects(self) -> tuple[Subject, ...]:
        return (Subject(1, self.n, 0, BITS, np.log([0.5, 0.5]), self.n, "one of the same"),)

    def subject_of(self, person: int, single: bool = False) -> Subject:
        return self.subjects()[0]

    def given(self, known: Mapping[int, RecordValue]) -> Joint:
        rows = [[bit] * self.n for bit in BITS]
        return finite_joints(Table(records=rows, probabilities=[0.5, 0.5]))[0].given(known)

    def factors(self) -> tuple[Same, ...]:
        return (Same(self.n),)

    def part(self, factors: Collection[int], first_only: bool = False) -> "AllTheSame":
        return self

    def mean_product(self, transform: Transform[Element]) -> Iterator[tuple[Subject, Sequence[Element]]]:
        counts = np.array([[self.n]])
        yield self.subjects()[0], [transform.mean(np.zeros(1), np.array([bit]), counts) for bit in BITS]


@final
class SameModel(Model):
    kind: Literal["same"] = "same"
    n: int = 3

    def joints(self) -> tuple[Joint, ...]:
        return (AllTheSame(self.n),)


TABLED = Table(records=[[0, 0, 0], [1, 1, 1]], probabilities=[0.5, 0.5])


def test_seven_methods_are_enough() -> None:
    assert Joint.__abstractmethods__ == {"strata", "subjects", "subject_of", "given", "factors", "part", "mean_product"}
    own, other = (Release(model, Count(), Laplace(scale=2.0)) for model in (SameModel(), TABLED))
    for kind, leakage in audit(own).items():
        assert leakage.epsilon == pytest.approx(audit(other)[kind].epsilon, rel=1e-12)
    bayesian = BayesianPrivacy()
    assert bayesian.leakage(own).epsilon == pytest.approx(bayesian.leakage(other).epsilon, rel=1e-12)
    assert largest_variation(own.worlds.joints[0]) == pytest.approx(
        largest_variation(other.worlds.joints[0]), rel=1e-12
    )


def test_methods_take_such_a_law() -> None:
    for method in ("exact", "dependence_coefficient"):
        own, other = (
            calibrate(Release(model, Count(), Laplace()), InferentialPrivacy(epsilon=0.5), method).noise.known_scale()
            for model in (SameModel(), TABLED)
        )
        assert own == pytest.approx(other, rel=1e-9)


NODES = [
    Node(name="x", probabilities=[0.3, 0.7]),
    Node(name="y", parents=["x"], probabilities=[[1, 0], [0.2, 0.8]]),
    Node(name="z", probabilities=[0.6, 0.4]),
    Node(name="w", probabilities=[0.6, 0.4]),
]
MODELS = [
    Households(types=[{"count": 2, "infected": [0.5, 0.1, 0.1, 0.3], "members": {"a": 2, "b": 1}}]),
    Independent(probabilities=[0.1, 0.2, 0.1], labels=["a", "b", "a"]),
    Chain(n=4, transition=[[0.9, 0.1], [0.3, 0.7]], initial=[0.2, 0.8], labels=["a", "b", "a", "a"]),
    Network(nodes=NODES),
    SameModel(n=2),
]


def test_the_total_is_what_follows_from_averages_given_one_record() -> None:
    for model in MODELS:
        (joint,) = model.joints()
        assert isinstance(joint, Joint)
        indices = np.arange(sum(len(stratum.values) for stratum in joint.strata()))[:, None] % 2
        law, derived = (law_of([total(joint, Coefficients(indices))]) for total in (type(joint).total, Joint.total))
        assert np.exp(law.base + law.relative) == pytest.approx(np.exp(derived.base + derived.relative), rel=1e-13)
        extents = Extents(indices, ("sum",))
        assert type(joint).total(joint, extents).points == Joint.total(joint, extents).points


def test_more_outcomes_than_a_double_holds_are_too_many_to_list() -> None:
    release = Release(Independent(probabilities=[(i + 1) / 1300 for i in range(1200)]), Max(), Laplace(scale=2.0))
    assert count_outcomes(release.worlds.joints[0].factors()) == 2**200
    with pytest.raises(TooLarge, match="assignments of the records"):
        known_sets(release.worlds.joints[0], release.scores)
