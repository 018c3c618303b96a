"""The worst of many views, and their channels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

from dalenius.bounds import Enclosure
from dalenius.channel import FiniteChannel, Release
from dalenius.channel.finite.likelihoods import counted
from dalenius.channel.finite.records import RecordWorld
from dalenius.channel.peak import Largest
from dalenius.channel.sensitivity import spread_of
from dalenius.joints import Subject
from dalenius.knowledge.view import View
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law


@final
@dataclass(frozen=True)
class Worst:
    """lower <= the worst over all background knowledge <= upper; view: where the lower end is attained."""

    lower: float
    upper: float
    view: View | None
    rule: str


@final
class WorstOf:
    """The worst of many, with the first view, in the order added, that may be the worst (see `Largest`)."""

    def __init__(self) -> None:
        self._first = Largest[Worst]()

    def add(self, found: Worst) -> None:
        if found.view is not None:
            self._first.add(Enclosure(found.lower, found.upper), found)

    @property
    def lower(self) -> float:
        """Values up to this need no further evaluation."""
        return self._first.lower

    @property
    def worst(self) -> Worst:
        first = self._first.first
        return NOBODY if first is None else Worst(self._first.lower, self._first.upper, first.view, first.rule)


NOBODY: Final = Worst(0.0, 0.0, None, "nobody's record touches the answer")


def channel_of(
    release: Release,
    world: RecordWorld,
    subject: Subject,
    law: Law,
    lattice: Lattice,
    names: tuple[str, ...],
    axes: Sequence[int] | None = None,
) -> FiniteChannel:
    """axes: of the answer's coordinates that the law is of; all where None."""
    noise = release.noise.on(range(len(names)) if axes is None else axes)
    spread = spread_of(world.joint.strata(), world.scores, subject.stratum)
    likelihood = counted(noise.likelihood(law, lattice), subject)
    return FiniteChannel(subject, lambda: likelihood, lattice, noise, spread, names, release.secrets.pairs_of(subject))


def is_asked(release: Release, world: RecordWorld, person: int) -> bool:
    firsts = release.secrets.firsts(world.joint)
    return firsts is None or world.joint.subject_of(person).person in firsts
