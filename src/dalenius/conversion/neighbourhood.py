"""The joint law of a few records of a network, around one of them."""

from collections import deque
from collections.abc import Sequence

import numpy as np

from dalenius.conversion.views import Views
from dalenius.laws.law import Array, IntArray
from dalenius.laws.masses import Masses


def law_around(views: Views, place: int, most: int) -> tuple[IntArray, Array, list[int]]:
    """The record at a place and those nearest to it, whose states are `most` at the most: the states that are possible
    (rows, records), their log-chances (rows,), and the records' places in order."""
    kept = nearest(views, place, most)
    home = views.home(place)
    records, law = _towards(views, home, None, frozenset(kept), _between(views, home, kept))
    outside = tuple(axis for axis, each in enumerate(records) if each not in kept)
    law = law.summed(outside) if outside else law
    order = [each for each in records if each in kept]
    rows = np.unravel_index(law.possible, law.mantissa.shape)
    return np.stack(rows, axis=1), law.at(law.possible).logs(), order


def nearest(views: Views, place: int, most: int) -> list[int]:
    """The record and others, by how many cliques away they are, whose states are `most` at the most."""
    sizes = [len(slots) for slots in views.cliques.slots]
    found, front, states = [place], [place], 1
    while front and states <= most:
        around = {each for own in views.cliques.records if set(own) & set(front) for each in own} - set(found)
        front = []
        for each in sorted(around):
            if states * sizes[each] <= most:
                found.append(each)
                front.append(each)
                states *= sizes[each]
    return found


def _towards(
    views: Views, clique: int, before: int | None, kept: frozenset[int], through: frozenset[int]
) -> tuple[tuple[int, ...], Masses]:
    """The chances of a clique's records and of those kept beyond it; given the records that it shares with the clique
    before it, of all others but those shared."""
    own = views.cliques.records[clique]
    shared = () if before is None else tuple(each for each in own if each in views.cliques.records[before])
    records = (*shared, *sorted(set(own) - set(shared)))
    sizes = [len(views.cliques.slots[each]) for each in records]
    law = views.arranged(clique, tuple(shared))
    if shared:
        law = law.over(law.summed((1,)).with_last_axis())
    law = law.reshaped(tuple(sizes))
    for other in views.neighbours(clique):
        if other == before or other not in through:
            continue
        further, beyond = _towards(views, other, clique, kept, through)
        fresh = [each for each in further if each not in records]
        axes = [further.index(each) for each in records if each in further] + [further.index(each) for each in fresh]
        turned = Masses(beyond.mantissa.transpose(axes), beyond.exponent.transpose(axes))
        own_sizes = [len(views.cliques.slots[each]) if each in further else 1 for each in records]
        more = [turned.mantissa.shape[len(axes) - len(fresh) + i] for i in range(len(fresh))]
        law = law.reshaped((*law.mantissa.shape, *(1 for _ in fresh))).times(turned.reshaped((*own_sizes, *more)))
        records = (*records, *fresh)
    dropped = tuple(axis for axis, each in enumerate(records) if each not in kept and each not in shared)
    if dropped:
        law = law.summed(dropped)
    return tuple(each for axis, each in enumerate(records) if axis not in dropped), law


def _between(views: Views, home: int, kept: Sequence[int]) -> frozenset[int]:
    """The cliques on the ways from one to those in which these records are met first."""
    came, waiting, missing, found = {home: home}, deque([home]), set(kept), {home}
    while missing:
        clique = waiting.popleft()
        if missing & set(views.cliques.records[clique]):
            missing -= set(views.cliques.records[clique])
            step = clique
            while step not in found:
                found.add(step)
                step = came[step]
        fresh = [each for each in views.neighbours(clique) if each not in came]
        came |= dict.fromkeys(fresh, clique)
        waiting += fresh
    return frozenset(found)
