"""Collections of people whose records together are one secret, one collection of each symmetry class.

A collection says in which independent groups its people are, and which places they have there.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice
from math import comb, prod
from typing import TypeAlias, final

from dalenius.errors import TooLarge
from dalenius.joints import people_of
from dalenius.joints.factor import Factor
from dalenius.joints.joint import Joint
from dalenius.linked.limits import MOST_GROUP_KINDS

Places: TypeAlias = tuple[int, ...]
"""The places of members of one group of a factor, in rising order."""


@final
@dataclass(frozen=True)
class Collection:
    """A collection of people whose records are one secret.

    Attributes:
        people: Their numbers, in the order of their parts.
        parts: For each independent group its factor, and the people's places in the group.
        alike: How many such collections there are.
        everybody: Whether it is the whole population; `parts` is empty then.
    """

    people: tuple[int, ...]
    parts: tuple[tuple[int, Places], ...]
    alike: int = 1
    everybody: bool = False

    def within(self, numbers: Mapping[int, int]) -> "Collection":
        """Returns the collection in a part of the law; numbers: the part's factors, by those in the whole."""
        return replace(self, parts=tuple((numbers[factor], places) for factor, places in self.parts))


_Part: TypeAlias = tuple[int, Places]
"""The number of a factor, and the first places in a group of it of one class."""


def _parts(factors: Sequence[Factor], size: int) -> Iterator[_Part]:
    """Yields one part of each class, with at most so many places; large ones first."""
    for number, factor in enumerate(factors):
        alike: dict[int, list[int]] = {}
        for place, kind in enumerate(factor.alike):
            alike.setdefault(kind, []).append(place)
        for own in range(min(size, factor.size), 0, -1):
            # All of a network's records differ: there are no classes to go through.
            differ = len(alike) == factor.size
            every = combinations(range(factor.size), own) if differ else _first([*alike.values()], own)
            yield from ((number, places) for places in every)


def _first(alike: Sequence[Sequence[int]], number: int) -> Iterator[Places]:
    """Yields so many places, taking the first few of each class of alike ones."""
    if not alike:
        yield from [()] if number == 0 else []
        return
    for own in range(min(number, len(alike[0])), -1, -1):
        yield from (tuple(sorted((*alike[0][:own], *rest))) for rest in _first(alike[1:], number - own))


def _chosen(parts: Sequence[_Part], groups: list[int], size: int, first: int = 0) -> Iterator[tuple[_Part, ...]]:
    """Yields multisets of parts, from the `first` on, with `size` people; groups: how many each factor has left."""
    if size == 0:
        yield ()
        return
    for place in range(first, len(parts)):
        number, places = parts[place]
        if groups[number] and len(places) <= size:
            groups[number] -= 1
            yield from ((parts[place], *rest) for rest in _chosen(parts, groups, size - len(places), place))
            groups[number] += 1


def _placed(factors: Sequence[Factor], chosen: tuple[_Part, ...]) -> Collection:
    """Returns the collection of those parts, in the first groups of each factor, and how many are like it."""
    people, ways, used = list[int](), 1, Counter[int]()
    for (number, places), times in Counter(chosen).items():
        factor = factors[number]
        alike = list(factor.alike)
        within = prod(comb(alike.count(kind), own) for kind, own in Counter(alike[i] for i in places).items())
        # Which groups of the factor they are in, and which of the alike places there.
        ways *= comb(factor.count - used[number], times) * within**times
        for group in range(used[number], used[number] + times):
            people += [factor.people[group * factor.size + place] for place in places]
        used[number] += times
    return Collection(tuple(people), chosen, ways)


def independent_groups(joint: Joint) -> list[Collection]:
    """Returns one independent group of each factor of `joint`, with all its people."""
    return [
        Collection(tuple(factor.people[: factor.size]), ((number, tuple(range(factor.size))),), factor.count)
        for number, factor in enumerate(joint.factors())
    ]


def everybody(joint: Joint) -> list[Collection]:
    """Returns the whole population of `joint` as one collection."""
    return [Collection(people_of(joint), (), everybody=True)]


def located(joint: Joint, groups: Sequence[Sequence[int]]) -> list[Collection]:
    """Returns these groups of people as collections; those whose law is the same, once.

    Args:
        joint: The law of all records.
        groups: The numbers of the people of each group, from 1.
    """
    factors = joint.factors()
    found: dict[tuple[_Part, ...], Collection] = {}
    for people in groups:
        places: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for person in sorted(people):
            number, place = _place(factors, person)
            group, inside = divmod(place, factors[number].size)
            places.setdefault((number, group), []).append((inside, person))
        own = {key: sorted(each) for key, each in places.items()}
        parts = tuple((number, tuple(place for place, _ in each)) for (number, _), each in own.items())
        members = tuple(person for each in own.values() for _, person in each)
        key = tuple(sorted(parts))
        first = found.get(key)
        # Two couples in the same places of alike households leak the same: they are counted, not computed again.
        found[key] = Collection(members, parts) if first is None else replace(first, alike=first.alike + 1)
    return list(found.values())


def _place(factors: Sequence[Factor], person: int) -> tuple[int, int]:
    """Returns the person's factor, and the place among its people."""
    for number, factor in enumerate(factors):
        people = factor.people
        if person in people:
            return number, people.index(person)
    raise AssertionError(person)


def of_size(joint: Joint, size: int) -> list[Collection]:
    """Returns one collection of each class of `size` people in `joint`.

    Exchanging alike places of a group, and groups of a factor, changes nothing. TooLarge where there are too many
    classes. Two alike households of three people with one label have 2 classes of pairs of people: 6 in one household,
    9 in two.
    """
    factors = joint.factors()
    parts = list(islice(_parts(factors, size), MOST_GROUP_KINDS + 1))
    chosen = list(islice(_chosen(parts, [factor.count for factor in factors], size), MOST_GROUP_KINDS + 1))
    if max(len(parts), len(chosen)) > MOST_GROUP_KINDS:
        instead = "name the groups in secrets.groups, or ask a function of whole groups"
        shown = f"more than {MOST_GROUP_KINDS:,} kinds of groups of people"
        raise TooLarge(f"secrets.size = {size}", shown, instead, MOST_GROUP_KINDS)
    return [_placed(factors, each) for each in chosen]
