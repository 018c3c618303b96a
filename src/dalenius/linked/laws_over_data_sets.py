"""Laws of everybody's records as laws of their processes over several data sets (IP Def 5).

Groups stay groups, a chain a chain and a network a network, over longer values: a chain of 100 days in a clinic's and a
pharmacy's table, copied, is a chain over ("0, 0", "1, 1"). Each extension is exact, or refused.

Two independent bits that are 1 with probability 1/4, each kept with 1/2 and else drawn anew: equal values are likelier
than the 0.5625 and 0.0625 of independent stages.

>>> from dalenius.joints.blocks import tabled
>>> from dalenius.linked.person_process import Step
>>> bits = product_of_groups([tabled(2, [("", (0, 1))], [[0], [1]], [0.75, 0.25], "a record")])
>>> (subject,) = extended(bits, Steps(("clinic", "pharmacy"), (Step(0.5),))).subjects()
>>> subject.people, subject.secrets, np.exp(subject.log_prior).round(6).tolist()
(2, ('0, 0', '0, 1', '1, 0', '1, 1'), [0.65625, 0.09375, 0.09375, 0.15625])
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce, singledispatch
from operator import or_
from typing import final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.errors import InputError
from dalenius.joints.chain import MarkovChain
from dalenius.joints.chain_law import ChainLaw
from dalenius.joints.factors import Factor
from dalenius.joints.groups import GroupsLaw, product_of_groups, written_out
from dalenius.joints.joint import WITHIN, Belief, Joint, Stratum, Subject, known_places
from dalenius.joints.network import NetworkLaw, bayesian_network
from dalenius.joints.product import ProductLaw, product_of
from dalenius.joints.tree_messages import Potential
from dalenius.laws.extended_range import Masses
from dalenius.laws.factor_algebra import Element, Transform
from dalenius.laws.law import IntArray
from dalenius.linked.groups_over_data_sets import both_processes, extended_block, pairs_of_groups
from dalenius.linked.person_process import Processes, Steps
from dalenius.schema import Process, RecordValue


def _moved(potentials: Sequence[Potential], places: Sequence[IntArray]) -> Iterator[Potential]:
    """The same functions of processes; places: by node, that of each process's value among those before."""
    for potential in potentials:
        grid = np.ix_(*(places[node] for node in potential.nodes))
        yield Potential(potential.nodes, np.ascontiguousarray(potential.table[grid]))


def _going_on(node: int, kind: Processes, own: Masses) -> Iterator[Potential]:
    """Pr[a node's process | its first value], a factor for each step; own: the law of its first value.

    InputError where a chance is no double.
    """
    for stage, step in enumerate(kind.steps.each):
        chances = step.matrix(own)[kind.paths[:, stage], kind.paths[:, stage + 1]]
        numbers = chances.doubles()
        # A network's tables are doubles: persistence 1 - 1e-320 has none.
        if np.any(chances.solid & (numbers == 0)):
            raise InputError("model.persistence", 1 - step.stay, "chances that doubles hold, in a network")
        yield Potential((node,), numbers)


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

    @property
    def chain(self) -> MarkovChain | None:
        return self.whole.chain

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
    raise InputError("model.within", "real numbers, or who is absent", "models of records with finitely many values")


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
def _network(belief: NetworkLaw, steps: Steps) -> NetworkLaw:
    """A network of processes: the tables as functions of the first values, and a factor for each node's later ones."""
    records, nodes = belief.records, range(len(belief.records.names))
    kinds = [steps.processes(stratum.values) for stratum in records.strata]
    strata = [
        Stratum(stratum.label, kind.universe, stratum.people)
        for stratum, kind in zip(records.strata, kinds, strict=True)
    ]
    found = list(_moved(belief.potentials, [kinds[stratum].first for stratum in records.stratum]))
    error = records.error
    # Drawing anew needs everybody's own law, which only summing out the network gives.
    for node in nodes:
        logs = belief.log_own(node)
        error += steps.error(logs) + float(np.sum(logs > -np.inf)) * belief.subject_of(node + 1).class_error
        found += _going_on(node, kinds[records.stratum[node]], Masses.of_logs(logs))
    return bayesian_network(replace(records, strata=tuple(strata), error=error), found)


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
    people differ; TooLarge where laws of different kinds would have to be written out."""
    _check_same_people([law.labelled() for law in laws], names)
    staged = tuple(_extended_joint(law, Steps((name,))) for law, name in zip(laws, names, strict=True))
    return IndependentStages(reduce(_both, map(_in_groups, staged)), staged)


@singledispatch
def _in_groups(law: Joint) -> GroupsLaw:
    """Chains and networks at several independent stages: hardly anybody has them, and few records are written out."""
    return written_out(
        law, "independent stages", "give the stages models of groups, such as households, or few records"
    )


@_in_groups.register
def _already(law: GroupsLaw) -> GroupsLaw:
    """Groups as they are."""
    return law


def _both(one: GroupsLaw, other: GroupsLaw) -> GroupsLaw:
    """The law of the same people's processes that go through both laws' stages, independently of each other."""
    blocks, numbers = [], list[int]()
    for first, second, groups in pairs_of_groups(one.factors(), other.factors()):
        # One block for all pairs of groups of the same two kinds.
        blocks.append(both_processes(first, second, len(groups)))
        numbers += [person for people in groups for person in people]
    return product_of_groups(blocks, numbers)


def _check_same_people(people: Sequence[Mapping[str, int]], names: Sequence[str]) -> None:
    """InputError where somebody is at one stage and not at another; people: by stage, how many there are of each label.
    A stage whose people have no labels is of anybody."""
    everybody = max(sum(stage.values()) for stage in people)
    most = reduce(or_, (Counter(stage) for stage in people if set(stage) != {""}), Counter[str]())
    for name, stage in zip(names, people, strict=True):
        # As many people of each label at every stage; one without labels has only its number of people to compare.
        lacking = most - Counter(stage) if set(stage) != {""} else Counter[str]()
        missing = [f"{number} labelled {label!r}" for label, number in sorted(lacking.items())]
        if not missing and (own := sum(stage.values())) < everybody:
            missing = [f"{everybody - own} of {everybody} people"]
        if missing:
            shown = f"stage {name} without {' and '.join(missing)}"
            raise InputError("model.within", shown, "the same people at all stages")
