"""Laws of everybody's records as laws of their processes over several data sets (IP Def 5).

Groups stay groups and a chain a chain, over longer values: a chain of 100 days in a clinic's and a pharmacy's table,
copied, is a chain over ("0, 0", "1, 1"). Each extension is exact, or refused.

Two independent bits that are 1 with probability 1/4, each kept with 1/2 and else drawn anew: equal values are likelier
than the 0.5625 and 0.0625 of independent stages.

>>> from dalenius.joints.blocks import tabled
>>> from dalenius.linked.person_process import Step
>>> bits = product_of_groups([tabled(2, [("", (0, 1))], [[0], [1]], [0.75, 0.25], "a record")])
>>> (subject,) = extended(bits, Steps(("clinic", "pharmacy"), Step(0.5))).subjects()
>>> subject.people, subject.secrets, np.exp(subject.log_prior).round(6).tolist()
(2, ('0, 0', '0, 1', '1, 0', '1, 1'), [0.65625, 0.09375, 0.09375, 0.15625])
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import reduce, singledispatch
from typing import final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.errors import InputError
from dalenius.joints.chain_law import ChainLaw
from dalenius.joints.factors import Factor
from dalenius.joints.groups import GroupsLaw, product_of_groups
from dalenius.joints.joint import WITHIN, Belief, Joint, Stratum, Subject, known_places
from dalenius.joints.product import ProductLaw, product_of
from dalenius.laws.extended_range import Masses
from dalenius.laws.factor_algebra import Element, Transform
from dalenius.linked.groups_over_data_sets import both_processes, extended_block, pairs_of_groups
from dalenius.linked.person_process import Steps
from dalenius.schema import Process, RecordValue


@final
class IndependentStages(Joint):
    """Everybody's processes over data sets that are independent of each other (IP Prop 8).

    whole: the law of the processes; stages: of which it is the product, of processes of one stage each. A query of one
    stage needs that stage's law only.
    """

    def __init__(self, whole: Joint, stages: tuple[Joint, ...]) -> None:
        self.whole = whole
        self._stages = stages

    @property
    def stages(self) -> tuple[Joint, ...]:
        return self._stages

    def given(self, known: Mapping[int, RecordValue]) -> "IndependentStages":
        """Again independent: each stage is given the value there. InputError for a process that a record cannot be."""
        # Whoever is known to be a process is known at every stage: each stage's law is given its own value.
        whole = self.whole.given(known)
        universes = {person: self.strata()[self.subject_of(person).stratum].values for person in known}
        each: list[dict[int, RecordValue]] = [{} for _ in self._stages]
        for person, place in known_places(known, universes).items():
            process = universes[person][place]
            assert isinstance(process, Process)
            for own, name, value in zip(each, process.stages, process.values, strict=True):
                own[person] = Process((name,), (value,))
        return IndependentStages(whole, tuple(law.given(own) for law, own in zip(self._stages, each, strict=True)))

    def strata(self) -> tuple[Stratum, ...]:
        return self.whole.strata()

    def subjects(self) -> tuple[Subject, ...]:
        return self.whole.subjects()

    def subject_of(self, person: int) -> Subject:
        return self.whole.subject_of(person)

    def number_of(self, name: str) -> int | None:
        return self.whole.number_of(name)

    def factors(self) -> tuple[Factor, ...]:
        return self.whole.factors()

    def part(self, factors: Collection[int], alone: bool = False) -> Joint:
        return self.whole.part(factors, alone)

    def outcome_count(self) -> int:
        return self.whole.outcome_count()

    def mean_product(self, transform: Transform[Element]) -> Iterator[tuple[Subject, Sequence[Element]]]:
        return self.whole.mean_product(transform)

    def total(self, transform: Transform[Element]) -> Element:
        return self.whole.total(transform)


@singledispatch
def extended(belief: Belief, steps: Steps) -> Belief:
    """The law of everybody's process over several data sets, given the law of the first: each person's later values
    depend on their own first value, and on nothing else given that. InputError where records are no values that
    processes could be lists of; TooLarge where the processes are too many."""
    # Households whose chances are intervals: a process's chance is a product of two unknown ones, which is in no box.
    if belief.nature.over == WITHIN:
        wanted = "numbers for all probabilities within linked"
        raise InputError("model.within", "probabilities that are intervals", wanted)
    raise InputError("model.within", "another law", "groups of records with finitely many values, or a chain of them")


@extended.register
def _groups(belief: GroupsLaw, steps: Steps) -> GroupsLaw:
    """Block by block: groups stay as they are, with longer values."""
    blocks = [extended_block(factor.block, steps) for factor in belief.factors()]
    return product_of_groups(blocks, [number for factor in belief.factors() for number in factor.numbers])


@extended.register
def _chain(belief: ChainLaw, steps: Steps) -> ChainLaw:
    """A chain of processes: from one person's, or day's, to the next, the first values move as before, and each has its
    later values with the chances of its own."""
    kind, chain = steps.processes(belief.values), belief.chain
    # Copies, or a matrix that is given, are the same for every day; a value drawn anew is from its day's own law.
    n, shared = len(chain), steps.alike
    own = [kind.chances(chain.masses[place]) for place in range(1 if shared else n)]
    # One array of chances serves everybody where they are alike; a chain of one record has no step to use any.
    into = Masses.joined([each[None] for each in own[min(1, len(own) - 1) :]])
    which = chain.which if shared else np.arange(n - 1)
    matrices = chain.matrices if shared else chain.steps
    moving = matrices[:, kind.first[:, None], kind.first].times(into[:, None, :])
    initial = chain.initial[kind.first].times(own[0])
    deepest = max(steps.error(logs) for logs in (chain.log_marginals if not shared else chain.log_marginals[:1]))
    error = belief.error + n * (deepest + 4 * UNIT)
    return ChainLaw(kind.universe, initial, moving, which, belief.labels, error)


@extended.register
def _product(belief: ProductLaw, steps: Steps) -> ProductLaw:
    """Part by part, which stay independent."""
    return product_of([_extended_joint(law, steps) for law in belief.laws])


def _extended_joint(joint: Joint, steps: Steps) -> Joint:
    """The same of a joint law, which stays one."""
    found = extended(joint, steps).finite
    assert found is not None
    return found


@extended.register
def _independent(belief: IndependentStages, steps: Steps) -> Belief:
    """Independent stages that further ones follow: their joint law goes on."""
    return extended(belief.whole, steps)


def independent_stages(laws: Sequence[Joint], names: Sequence[str]) -> Joint:
    """The law of the processes; laws: of each stage, of the same people by number; names: of the stages. A bit that is
    1 with probability 1/4 at both of two stages is "0, 0" with 0.5625 and "1, 1" with 0.0625. InputError where the
    people or their groups differ, and for a chain."""
    staged = tuple(_extended_joint(law, Steps((name,))) for law, name in zip(laws, names, strict=True))
    return IndependentStages(reduce(_both, map(_in_groups, staged)), staged)


def _in_groups(law: Joint) -> GroupsLaw:
    """As it is. InputError for a chain: hardly anybody has one at independent stages."""
    if not isinstance(law, GroupsLaw):
        raise InputError("model.within", "another law", "models of groups, such as households, at independent stages")
    return law


def _both(one: GroupsLaw, other: GroupsLaw) -> GroupsLaw:
    """The law of the same people's processes that go through both laws' stages, independently of each other."""
    blocks, numbers = [], list[int]()
    for first, second, groups in pairs_of_groups(one.factors(), other.factors()):
        # One block for all pairs of groups of the same two kinds.
        blocks.append(both_processes(first, second, len(groups)))
        numbers += [person for people in groups for person in people]
    return product_of_groups(blocks, numbers)
