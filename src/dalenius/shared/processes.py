"""Laws of everybody's records as laws of their processes over several data sets (IP Def 5)."""

from dataclasses import replace
from functools import singledispatch

import numpy as np

from dalenius.bounds import UNIT
from dalenius.errors import InputError
from dalenius.joints.chain.law import ChainLaw
from dalenius.joints.groups.groups import GroupsLaw, product_of_groups
from dalenius.joints.joint import Belief, Joint, Stratum
from dalenius.joints.network.network import NetworkLaw, Records, bayesian_network
from dalenius.joints.product import ProductLaw, product_of
from dalenius.laws.masses import Masses
from dalenius.ratios.intervals.groups.groups import CredalGroups
from dalenius.ratios.intervals.groups.stages import extended_set
from dalenius.shared.group_layout import pairs_of_groups
from dalenius.shared.group_stages import both_processes, extended_block
from dalenius.shared.independent import IndependentStages
from dalenius.shared.network_stages import going_on, moved, paired_strata
from dalenius.shared.steps import Steps, joined_values, paired_label


@singledispatch
def extended(belief: Belief, steps: Steps) -> Belief:
    """The law of everybody's process over several data sets, given the law of the first: each person's later values
    depend on their own first value, and on nothing else given that. InputError where records are no values that
    processes could be lists of; TooLarge where the processes are too many."""
    if belief.is_set:
        wanted = "numbers for all probabilities of a chain or a network within linked"
        raise InputError("model.within", "probabilities that are intervals", wanted)
    raise InputError("model.within", "real numbers, or who is absent", "models of records with finitely many values")


@singledispatch
def processes_of_both(one: Joint, other: Joint) -> Joint | None:
    """The law of the same people's processes that go through both laws' stages, independently of each other. None where
    laws of these kinds have no such product; both are of processes."""
    return None


@extended.register
def _groups(belief: GroupsLaw, steps: Steps) -> GroupsLaw:
    blocks = [extended_block(factor.block, steps) for factor in belief.factors()]
    return product_of_groups(blocks, [number for factor in belief.factors() for number in factor.numbers])


@processes_of_both.register
def _both_groups(one: GroupsLaw, other: Joint) -> GroupsLaw | None:
    if not isinstance(other, GroupsLaw):
        return None
    blocks, numbers = [], list[int]()
    for first, second, groups in pairs_of_groups(one.factors(), other.factors()):
        blocks.append(both_processes(first, second, len(groups)))
        numbers += [person for people in groups for person in people]
    return product_of_groups(blocks, numbers)


@extended.register
def _chain(belief: ChainLaw, steps: Steps) -> ChainLaw:
    kind, chain = steps.processes(belief.values), belief.chain
    n, shared = len(chain), steps.alike
    own = [kind.chances(chain.masses[place]) for place in range(1 if shared else n)]
    into = Masses.joined([each[None] for each in own[min(1, len(own) - 1) :]])
    which = chain.which if shared else np.arange(n - 1)
    matrices = chain.matrices if shared else chain.steps
    moving = matrices[:, kind.first[:, None], kind.first].times(into[:, None, :])
    initial = chain.initial[kind.first].times(own[0])
    deepest = max(steps.error(logs) for logs in (chain.log_marginals if not shared else chain.log_marginals[:1]))
    error = belief.error + n * (deepest + 4 * UNIT)
    return ChainLaw(kind.universe, initial, moving, which, belief.labels, error)


@processes_of_both.register
def _both_chains(one: ChainLaw, other: Joint) -> ChainLaw | None:
    if not isinstance(other, ChainLaw):
        return None
    first, second, labels = one.chain, other.chain, list[str]()
    for mine, its in zip(one.labels, other.labels, strict=True):
        labels.append(paired_label(mine, its))
    values = joined_values(one.values, other.values)
    pairs, which = np.unique(np.stack([first.which, second.which]), axis=1, return_inverse=True)
    matrices = _kronecker(first.matrices[pairs[0]], second.matrices[pairs[1]])
    initial = _kronecker(first.initial[None, None], second.initial[None, None])[0, 0]
    error = one.error + other.error + len(first) * 4 * UNIT
    return ChainLaw(values, initial, matrices, which.ravel(), labels, error)


def _kronecker(one: Masses, other: Masses) -> Masses:
    """Of matrices (m, rows, columns) each with each of the same number."""
    product = one[:, :, None, :, None].times(other[:, None, :, None, :])
    count, rows, columns = len(one), one.mantissa.shape[1] * other.mantissa.shape[1], -1
    return product.reshaped((count, rows, columns))


@extended.register
def _network(belief: NetworkLaw, steps: Steps) -> NetworkLaw:
    records, nodes = belief.records, range(len(belief.records.names))
    kinds = [steps.processes(stratum.values) for stratum in records.strata]
    strata = [
        Stratum(stratum.label, kind.universe, stratum.people)
        for stratum, kind in zip(records.strata, kinds, strict=True)
    ]
    found = list(moved(belief.potentials, [kinds[stratum].first for stratum in records.stratum]))
    error = records.error
    for node in nodes:
        logs = belief.log_own(node)
        error += steps.error(logs) + float(np.sum(logs > -np.inf)) * belief.subject_of(node + 1).class_error
        found += going_on(node, kinds[records.stratum[node]], Masses.of_logs(logs))
    return bayesian_network(replace(records, strata=tuple(strata), error=error), found)


@processes_of_both.register
def _both_networks(one: NetworkLaw, other: Joint) -> NetworkLaw | None:
    if not isinstance(other, NetworkLaw):
        return None
    own, its = one.records, other.records
    pairs = [(own.strata[a], its.strata[b]) for a, b in zip(own.stratum, its.stratum, strict=True)]
    strata, numbers = paired_strata(pairs)
    sizes = [(len(a.values), len(b.values)) for a, b in pairs]
    found = list(moved(one.potentials, [np.repeat(np.arange(a), b) for a, b in sizes]))
    found += moved(other.potentials, [np.tile(np.arange(b), a) for a, b in sizes])
    return bayesian_network(Records(own.names, numbers, strata, own.error + its.error), found)


@extended.register
def _product(belief: ProductLaw, steps: Steps) -> ProductLaw:
    return product_of([extended_joint(law, steps) for law in belief.laws])


def extended_joint(joint: Joint, steps: Steps) -> Joint:
    """The same of a joint law, which stays one."""
    found = extended(joint, steps).finite
    assert found is not None
    return found


@processes_of_both.register
def _both_products(one: ProductLaw, other: Joint) -> ProductLaw | None:
    """Part by part, where the parts are of the same people."""
    if not isinstance(other, ProductLaw) or [p.people for p in one.placed] != [p.people for p in other.placed]:
        return None
    parts = [processes_of_both(mine, its) for mine, its in zip(one.laws, other.laws, strict=True)]
    found = [part for part in parts if part is not None]
    return product_of(found) if len(found) == len(parts) else None


@extended.register
def _independent(belief: IndependentStages, steps: Steps) -> Belief:
    return extended(belief.whole, steps)


@processes_of_both.register
def _both_independent(one: IndependentStages, other: Joint) -> Joint | None:
    return processes_of_both(one.whole, other)


@extended.register
def _sets_of_groups(belief: CredalGroups, steps: Steps) -> CredalGroups:
    return CredalGroups([extended_set(block, steps) for block in belief.blocks], belief.numbers, belief.around)
