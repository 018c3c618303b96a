"""Groups of people, one of each symmetry class: which independent groups they are of, and which places there."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby, islice
from math import comb, prod
from typing import Final, TypeAlias, final

from dalenius.errors import TooLarge
from dalenius.joints.factors import Factor
from dalenius.joints.joint import Joint

Places: TypeAlias = tuple[int, ...]
"""Of members of one group of a factor, in rising order."""
MOST: Final = 20_000
"""Classes of groups of people."""


@final
@dataclass(frozen=True)
class Collection:
    """people: their numbers, in the order of their parts; parts: by independent group the factor and the places in the
    group; alike: how many such collections there are; everybody: whether it is the whole population (parts is empty).
    """

    people: tuple[int, ...]
    parts: tuple[tuple[int, Places], ...]
    alike: int = 1
    everybody: bool = False

    def within(self, numbers: Mapping[int, int]) -> "Collection":
        """The same of a part of the law; numbers: of its factors, by those in the whole."""
        return replace(self, parts=tuple((numbers[factor], places) for factor, places in self.parts))


def of_size(joint: Joint, size: int) -> list[Collection]:
    """One of each class of `size` people: exchanging alike places of a group, and groups of a factor, changes nothing.
    TooLarge where there are too many."""
    factors = [_Kinds(factor) for factor in joint.factors()]
    chosen = list(islice(_over_factors(factors, 0, size), MOST + 1))
    if len(chosen) > MOST:
        instead = "name the groups in secrets.groups, or ask a function of whole groups"
        raise TooLarge(f"secrets.size = {size}", f"more than {MOST:,} kinds of groups of people", instead)
    return [_placed(factors, each) for each in chosen]


@final
class _Kinds:
    """A factor, and which places of its groups are alike: kinds, each the places of one class, and each place's."""

    def __init__(self, factor: Factor) -> None:
        self.people, self.count, self.size = factor.people, factor.count, factor.size
        self.kind = list(factor.alike)
        found: dict[int, list[int]] = {}
        for place, kind in enumerate(self.kind):
            found.setdefault(kind, []).append(place)
        self.kinds = list(found.values())
        self.sizes = {kind: len(places) for kind, places in found.items()}

    def ways(self, places: Places) -> int:
        """In how many ways places of one group are of this class."""
        return prod(comb(self.sizes[kind], own) for kind, own in Counter(self.kind[i] for i in places).items())


_Chosen: TypeAlias = tuple[tuple[int, Places], ...]


def _over_factors(factors: Sequence[_Kinds], first: int, size: int) -> Iterator[_Chosen]:
    if size == 0:
        yield ()
        return
    if first == len(factors):
        return
    factor = factors[first]
    for own in range(min(size, factor.count * factor.size), -1, -1):
        for places in _within(factor, own, factor.count, None):
            for rest in _over_factors(factors, first + 1, size - own):
                yield (*((first, each) for each in places), *rest)


def _within(factor: _Kinds, size: int, groups: int, last: tuple[int, Places] | None) -> Iterator[tuple[Places, ...]]:
    """Multisets of classes of places, one for each of at most `groups` groups, with `size` places in all; last: the
    class after which, in a fixed order, the next one comes."""
    if size == 0:
        yield ()
        return
    if groups == 0 or size > groups * factor.size:
        return
    most = size if last is None else min(size, last[0])
    for number in range(min(most, factor.size), 0, -1):
        for places in _classes(factor, number):
            key = (number, places)
            if last is not None and number == last[0] and places < last[1]:
                continue
            for rest in _within(factor, size - number, groups - 1, key):
                yield (places, *rest)


def _classes(factor: _Kinds, number: int) -> Iterator[Places]:
    """One choice of so many places of each class: the first places of each kind that are alike."""
    kinds = factor.kinds
    if len(kinds) == factor.size:
        yield from combinations(range(factor.size), number)
        return

    def choose(kind: int, left: int) -> Iterator[Places]:
        if left == 0:
            yield ()
        elif kind < len(kinds):
            for own in range(min(left, len(kinds[kind])), -1, -1):
                yield from ((*kinds[kind][:own], *rest) for rest in choose(kind + 1, left - own))

    for places in choose(0, number):
        yield tuple(sorted(places))


def _placed(factors: Sequence[_Kinds], chosen: _Chosen) -> Collection:
    people: list[int] = []
    alike = 1
    for number, own in groupby(chosen, key=lambda part: part[0]):
        factor, places = factors[number], [each for _, each in own]
        for group, each in enumerate(places):
            people += [factor.people[group * factor.size + place] for place in each]
        alike *= _ways(factor, places)
    return Collection(tuple(people), chosen, alike)


def _ways(factor: _Kinds, places: Sequence[Places]) -> int:
    """In how many ways groups of the factor, and places in them, are of these classes."""
    ways, left = 1, factor.count
    for each, own in groupby(places):
        count = len(list(own))
        ways *= comb(left, count) * factor.ways(each) ** count
        left -= count
    return ways


def whole_groups(joint: Joint) -> list[Collection]:
    """One independent group of each factor, with all its people."""
    return [
        Collection(tuple(factor.people[: factor.size]), ((number, tuple(range(factor.size))),), factor.count)
        for number, factor in enumerate(joint.factors())
    ]


def everybody(joint: Joint) -> list[Collection]:
    """The whole population as one."""
    return [Collection(joint.people(), (), everybody=True)]


def located(joint: Joint, groups: Sequence[Sequence[int]]) -> list[Collection]:
    """These groups of people, by their numbers; those whose law is the same, once."""
    factors = joint.factors()
    found: dict[_Chosen, Collection] = {}
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
        found[key] = Collection(members, parts) if first is None else replace(first, alike=first.alike + 1)
    return list(found.values())


def _place(factors: Sequence[Factor], person: int) -> tuple[int, int]:
    """The factor and the place among its people."""
    for number, factor in enumerate(factors):
        people = factor.people
        if person in people:
            return number, people.index(person)
    raise AssertionError(person)
