"""Which groups of people a release's secrets are of, and the parts of the answer that tell of them."""

from dalenius.channel.adversary import number_of
from dalenius.channel.finite.answers import Component, axes_of, connected, restricted
from dalenius.channel.secrets import Person, Secrets
from dalenius.errors import InputError
from dalenius.joints.joint import Joint
from dalenius.queries import Scores
from dalenius.shared.classes import Collection, everybody, located, of_size, whole_groups
from dalenius.shared.functions import function_of
from dalenius.shared.watched import Watched


def components_of_groups(joint: Joint, scores: Scores, engine: str | None, secrets: Secrets) -> list[Component]:
    """The same where secrets are of several people: coordinates that one collection of people moves are in one part,
    with all who move them; those that move nothing leak nothing."""
    function = None if secrets.function is None else function_of(secrets.function)
    moving = axes_of(joint, scores)
    linked = connected(moving, scores.lattice.axes)
    by_axes: dict[frozenset[int], list[Collection]] = {}
    for collection in collections_of(secrets, joint):
        members = range(len(moving)) if collection.everybody else [factor for factor, _ in collection.parts]
        moved = frozenset().union(*(moving[factor] for factor in members))
        axes = frozenset().union(*(each for each in linked if each & moved))
        by_axes.setdefault(axes, []).append(collection)
    by_axes.pop(frozenset(), None)
    found = []
    for axes, own in by_axes.items():
        asked = {factor for each in own for factor, _ in each.parts}
        everybody = any(each.everybody for each in own)
        kept = [i for i, moved in enumerate(moving) if moved & axes or i in asked or everybody]
        places = {factor: place for place, factor in enumerate(kept)}
        watched = Watched(joint.part(kept), [each.within(places) for each in own], function)
        found.append(Component(watched, restricted(scores, sorted(axes)), engine, sorted(axes)))
    return found


def collections_of(secrets: Secrets, joint: Joint) -> list[Collection]:
    """The groups of people whose records are secrets, one of each class. InputError for those that cannot be."""
    if secrets.people is not None:
        raise InputError("secrets.people", str(list(secrets.people)), "no such key beside size, groups or function")
    if secrets.stage is not None:
        raise InputError("secrets.stage", secrets.stage, "no such key beside size, groups or function")
    if secrets.size is not None and secrets.groups is not None:
        raise InputError("secrets.size", secrets.size, "no such key beside groups")
    if secrets.function is not None:
        function_of(secrets.function).check([value for stratum in joint.strata() for value in stratum.values])
    if secrets.groups == "everybody":
        if secrets.function is None:
            raise InputError("secrets.groups", "everybody", "a function beside it: of all records that is the data")
        return everybody(joint)
    if secrets.groups is not None:
        return located(joint, [_numbers_of(joint, row) for row in enumerate(secrets.groups, 1)])
    if secrets.size is None:
        return whole_groups(joint)
    people = sum(stratum.people for stratum in joint.strata())
    if secrets.size > people:
        raise InputError("secrets.size", secrets.size, f"at most {people}, as many people as there are")
    return of_size(joint, secrets.size)


def _numbers_of(joint: Joint, row: tuple[int, tuple[Person, ...]]) -> list[int]:
    number, people = row
    found: list[int] = []
    for person in people:
        one = number_of(joint, person, f"secrets.groups row {number}")
        if one in found:
            raise InputError(f"secrets.groups row {number}", str(list(people)), f"person {one} once")
        found.append(one)
    return found
