"""The questions about a set of laws: a new kind of set has one more line here."""

from functools import singledispatch

from dalenius.conversion.bounded import Bounded
from dalenius.joints import Belief
from dalenius.ratios.intervals.converted_groups import any_group
from dalenius.ratios.intervals.converted_trees import AnyChain, AnyNetwork
from dalenius.ratios.intervals.groups.groups import CredalGroups
from dalenius.ratios.intervals.trees.chain import CredalChain
from dalenius.ratios.intervals.trees.network import CredalNetwork


@singledispatch
def sets_of(belief: Belief, information: bool) -> tuple[Bounded, ...] | None:
    """What bounds everybody's records; information: how much a chance grows. None for a belief that is no set."""
    return None


@sets_of.register
def _groups(belief: CredalGroups, information: bool) -> tuple[Bounded, ...]:
    found = any_group(belief, information)
    return () if found is None else (found,)


@sets_of.register
def _chain(belief: CredalChain, information: bool) -> tuple[Bounded, ...]:
    secret = any(len(belief.possible(place + 1)) > 1 for place in range(len(belief.boxes)))
    return (AnyChain(belief, information),) if secret else ()


@sets_of.register
def _network(belief: CredalNetwork, information: bool) -> tuple[Bounded, ...]:
    secret = any(len(belief.possible(place + 1)) > 1 for place in range(belief.people))
    return (AnyNetwork(belief, information),) if secret else ()
