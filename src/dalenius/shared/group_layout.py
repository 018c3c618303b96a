"""Two laws of the same people, by groups that are the same in both: independent groups are one where they must be."""

from collections.abc import Iterable, Sequence
from math import factorial, prod

import numpy as np

from dalenius.joints.groups.block import Block, starts_of
from dalenius.joints.groups.exchangeable import Exchangeable
from dalenius.laws.law import IntArray
from dalenius.laws.masses import Masses
from dalenius.shared.group_stages import Groups, Rows, factorials, powers

Group = tuple[int, ...]
"""The people of a group, by their numbers, in the order of its positions."""


def pairs_of_groups(
    one: Sequence[Exchangeable], other: Sequence[Exchangeable]
) -> list[tuple[Block, Block, list[Group]]]:
    """Pairs of one block of each law, and which groups have both; groups that overlap are one."""
    laws = [_groups(factors) for factors in (one, other)]
    whole = _connected([people for law in laws for people, _ in law])
    found: dict[object, list[Group]] = {}
    blocks: dict[object, tuple[Block, ...]] = {}
    parts = [_by_component(law, whole) for law in laws]
    for people in dict.fromkeys(whole.values()):
        place = {person: i for i, person in enumerate(people)}
        own = [[(block, tuple(place[each] for each in group)) for group, block in part[people]] for part in parts]
        key = tuple(tuple((id(block), places) for block, places in each) for each in own)
        if key not in found:
            blocks[key] = tuple(_together(each) for each in own)
        found.setdefault(key, []).append(people)
    return [(*blocks[key], groups) for key, groups in found.items()]  # type: ignore[misc]


def _groups(factors: Sequence[Exchangeable]) -> list[tuple[Group, Block]]:
    return [
        (tuple(factor.numbers[i : i + factor.block.size]), factor.block)
        for factor in factors
        for i in range(0, len(factor.numbers), factor.block.size)
    ]


def _connected(groups: Iterable[Group]) -> dict[int, Group]:
    """The people that each person shares groups with, directly or through others; one group's own order is kept."""
    found: dict[int, Group] = {}
    for group in groups:
        met = list(dict.fromkeys(found[person] for person in group if person in found))
        if len(met) == 1 and set(group) <= set(met[0]):
            continue
        people = tuple(dict.fromkeys((*(each for old in met for each in old), *group)))
        found |= dict.fromkeys(people, people)
    return found


def _by_component(
    law: Sequence[tuple[Group, Block]], whole: dict[int, Group]
) -> dict[Group, list[tuple[Group, Block]]]:
    found: dict[Group, list[tuple[Group, Block]]] = {}
    for people, block in law:
        found.setdefault(whole[people[0]], []).append((people, block))
    return found


def _together(parts: Sequence[tuple[Block, tuple[int, ...]]]) -> Block:
    """One group of independent groups, each with the positions of its people in it."""
    size = sum(block.size for block, _ in parts)
    if len(parts) == 1 and parts[0][1] == tuple(range(size)):
        return parts[0][0]
    alphabet = tuple(dict.fromkeys(key for block, _ in parts for key in block.alphabet))
    starts = starts_of(alphabet)
    strata, renamed = [0] * size, []
    for block, places in parts:
        own = [alphabet.index(key) for key in block.alphabet]
        renamed.append(np.concatenate([np.arange(*starts[[place, place + 1]]) for place in own]))
        for member in block.members:
            for position in member.positions:
                strata[places[position]] = own[member.stratum]

    def listed() -> Rows:
        slots, weights = np.zeros((1, size), dtype=np.int64), Masses.of(np.ones(1))
        for (block, places), names in zip(parts, renamed, strict=True):
            rows, chances = block.table()
            i, j = (each.ravel() for each in np.indices((len(slots), len(rows))))
            slots, weights = slots[i], weights[i].times(chances[j])
            slots[:, list(places)] = names[rows[j]]
        return slots, weights

    first = parts[0][0]
    alike = first.size == 1 and all(block is first for block, _ in parts)

    def weigh(counts: IntArray) -> Masses:
        """Of independent people with one law."""
        member = first.members[0]
        chances = np.full(counts.shape[1], -np.inf)
        chances[renamed[0][list(member.slots)]] = member.log_prior
        ways = Masses.ratios([factorial(size)] * len(counts), factorials(counts))
        return ways.times(powers(Masses.of_logs(chances), counts))

    classes = (tuple(range(size)),) if alike else tuple((position,) for position in range(size))
    deepest = float(max(np.max(-member.log_prior) for block, _ in parts for member in block.members))
    error = sum(block.error for block, _ in parts) + (size * (2 * deepest + 8) * 2.0**-52 if alike else 0.0)
    most = prod(block.assignments for block, _ in parts)
    return Groups(1, alphabet, tuple(strata), classes, most, listed, weigh, first.who, error).built(alike)
