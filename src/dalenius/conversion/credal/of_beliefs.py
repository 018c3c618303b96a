"""The questions about a set of laws: a new kind of set has one more line here."""

from functools import singledispatch

from dalenius.conversion.credal.groups import any_group
from dalenius.conversion.sets import Around, SetOfLaws
from dalenius.joints import Belief, CredalGroups
from dalenius.joints.imprecise.outer import Outer


@singledispatch
def sets_of(belief: Belief, information: bool) -> tuple[SetOfLaws, ...] | None:
    """What bounds everybody's records; information: how much a chance grows. None for a belief that is no set of laws."""
    return None


@sets_of.register
def _groups(belief: CredalGroups, information: bool) -> tuple[SetOfLaws, ...]:
    found = any_group(belief, information)
    return () if found is None else (found,)


@sets_of.register
def _outer(belief: Outer, information: bool) -> tuple[SetOfLaws, ...]:
    return tuple(map(Around, _groups(belief.around, information)))
