"""Independent chains and networks as one network, whose sum windows are of: the others' law is a factor of it."""

from collections.abc import Sequence

import numpy as np

from dalenius.arrays import IntArray
from dalenius.channel.large.outermost_outputs import ChainEnds, NetworkEnds
from dalenius.channel.large.output_limits import Ends
from dalenius.joints import Joint
from dalenius.joints.markov_chain_factor import MarkovChain
from dalenius.joints.tree_messages import Component, Potential


def merged(joint: Joint, parts: Sequence[Ends]) -> NetworkEnds | None:
    """All parts of a joint law as one network; None where some part cannot be one.

    >>> import dalenius as dl
    >>> days = dl.Chain(n=3, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.2, 0.8]])
    >>> law = dl.Product(parts=[days, days]).joints()[0]
    >>> from dalenius.channel.large.long_channel import parts_of
    >>> found = merged(law, parts_of(law, np.array([0, 1])))
    >>> len(found.components), found.people
    (2, range(1, 7))
    """
    components, widest, unlike = list[Component](), max(each.scores.shape[1] for each in parts), 0.0
    scores, sizes, stratum = list[IntArray](), list[IntArray](), list[IntArray]()
    first = parts[0].people.start
    for part in parts:
        before = part.people.start - first
        own = _components(part)
        # A probability that no double holds, or people who are not numbered on.
        if own is None or before != sum(len(each) for each in stratum):
            return None
        components += [_moved(each, before) for each in own]
        least = part.scores.min(axis=1, keepdims=True)
        scores.append(np.hstack([part.scores, np.repeat(least, widest - part.scores.shape[1], axis=1)]))
        sizes.append(part.sizes if isinstance(part, NetworkEnds) else np.full(len(part), part.scores.shape[1]))
        stratum.append(part.stratum)
        if isinstance(part, NetworkEnds):
            unlike = max(unlike, part.unlike)
        else:
            unlike = max(unlike, joint.subject_of(part.people[0], single=True).class_error)
    people = range(first, first + sum(len(each) for each in stratum))
    joined = [np.concatenate(each) for each in (stratum, scores, sizes)]
    return NetworkEnds(people, joined[0], joined[1], components, joined[2], unlike)


def _components(part: Ends) -> Sequence[Component] | None:
    if isinstance(part, NetworkEnds):
        return part.components
    return _path(part.chain) if isinstance(part, ChainEnds) else None


def _path(chain: MarkovChain) -> list[Component] | None:
    """A chain as a path."""
    if not (chain.initial.fits and chain.matrices.fits):
        return None
    steps = chain.matrices.doubles()
    found = [Potential((0,), chain.initial.doubles())]
    found += [Potential((day, day + 1), steps[which]) for day, which in enumerate(chain.which.tolist())]
    return [Component(tuple(range(len(chain))), found, dict(enumerate(chain.stratum.tolist())))]


def _moved(component: Component, before: int) -> Component:
    """Renumbers the nodes of a component, with so many nodes `before` its first."""
    if not before:
        return component
    nodes = tuple(node + before for node in component.nodes)
    potentials = [Potential(tuple(node + before for node in each.nodes), each.table) for each in component.potentials]
    # Kinds tell nodes apart that are not exchangeable, which windows take from strata.
    return Component(nodes, potentials, dict.fromkeys(nodes, 0))
