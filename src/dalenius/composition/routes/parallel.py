"""Releases of independent parts: the largest, not the sum (DDP Thm 4 with the hypothesis of E4)."""

from collections.abc import Iterator, Sequence
from typing import ClassVar, final

from dalenius.bounds import Enclosure, largest
from dalenius.channel import Release
from dalenius.composition.bound import Bound, least
from dalenius.composition.releases import Releases
from dalenius.composition.routes.joint import ADAPTIVE
from dalenius.composition.routes.route import Route, tried
from dalenius.errors import InputError
from dalenius.notions import Notion


@final
class ParallelRoute(Route):
    """Where no independent group of records is asked by releases of two parts, a record and the answers of its part are
    independent of all others: what leaks about it is what leaks in its part (Result 9.2). The parts are the finest that
    the model allows; within one, the best of the other routes counts.
    """

    name: ClassVar[str] = "parallel"
    source: ClassVar[str] = "Result 9.2"

    def __init__(self, within: Sequence[Route]) -> None:
        self._within = within

    def applies(self, releases: Releases) -> str | None:
        if releases.adaptive:
            return ADAPTIVE
        if len(releases) > 1 and len(_parts(releases)) > 1:
            return None
        return _why_not(releases)

    def bound(self, releases: Releases, notion: Notion, delta: float) -> Bound:
        value, rests, witness, most = Enclosure(0.0, 0.0), dict[str, None](), None, -1.0
        parts = _parts(releases)
        for places in parts:
            found = self._best(releases.part(places), notion, delta)
            if found.upper > most:
                most, witness = found.upper, found.witness
            value = largest(value, found.value)
            rests |= dict.fromkeys(found.hypotheses)
        shown = "; ".join(", ".join(str(place + 1) for place in places) for places in parts)
        said = f"no independent group of records is asked by two of these parts of the releases: {shown}"
        return Bound(value, delta, (said, *rests), witness)

    def _best(self, releases: Releases, notion: Notion, delta: float) -> Bound:
        every = tuple(tried(route, releases, notion, delta) for route in self._within)
        best = least(every)
        if best is None or best.bound is None:
            reasons = "; ".join(f"{each.route}: {each.reason}" for each in every)
            raise InputError("releases", reasons, "a route for each part")
        return best.bound


def _parts(releases: Releases) -> list[list[int]]:
    """Places of releases that share independent groups, directly or through others."""
    parts: list[tuple[set[tuple[int, int]], list[int]]] = []
    for place, release in enumerate(releases.about_everybody):
        groups, places = set(_groups(release)), [place]
        for own, others in [each for each in parts if each[0] & groups]:
            groups |= own
            places += others
            parts.remove((own, others))
        parts.append((groups, sorted(places)))
    return sorted(places for _, places in parts)


def _groups(release: Release) -> Iterator[tuple[int, int]]:
    """The types of group, by law and place in it, that have a record which moves the answer."""
    for law, (world, joint) in enumerate(zip(release.record_worlds, release.joints, strict=True)):
        width = len(joint.strata())
        moving = {place % width for place, (spread, *_) in enumerate(world.spreads()) if any(spread.reach)}
        yield from ((law, place) for place, group in enumerate(joint.groups()) if group & moving)


def _why_not(releases: Releases) -> str:
    """The first two releases that ask one group, and the first person of it."""
    asked = [set(_groups(release)) for release in releases.about_everybody]
    for second, groups in enumerate(asked):
        for first, others in enumerate(asked[:second]):
            if shared := groups & others:
                law, place = min(shared)
                person = min(releases.about_everybody[0].joints[law].factors()[place].people)
                return (
                    f"releases {first + 1} and {second + 1} both ask the group of records that person {person} is in, "
                    f"and the record of person {person} is not independent of all that another part asks"
                )
    return "there is one release only"
