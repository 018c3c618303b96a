"""Several releases of the same records, kept as data: what an accountant composes.

A way from single releases to what all of them leak together: what it bounds, and what it rests on.

Two counts of a pair that is alike with .9, each with Laplace noise of scale 4: the routes `conversion` and `joint` give
.897 nats, `weak_dependence` .918 and `group` 1. The tightest is `joint`, the first of equal ones, and its lower end,
.897 too, is everybody's.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import final

from dalenius.channel import Release, Secrets, checked
from dalenius.errors import InputError
from dalenius.frozen_section import shown
from dalenius.models import Model
from dalenius.noise import NoNoise, is_complete
from dalenius.queries import Several


@final
@dataclass(frozen=True)
class Releases:
    """Releases of the same records under the same model, each with its query and its noise, drawn independently.

    adaptive: whether what is asked later, or its noise, may depend on earlier outputs. The releases are then those of
    the branch that was taken, and a route's bound holds if every branch keeps what the route adds up (its filter)
    within that of this one. InputError for none at all, for different models, secrets or background knowledge, and for
    a noise that is not known.
    """

    each: tuple[Release, ...]
    adaptive: bool = False

    def __post_init__(self) -> None:
        if not self.each:
            raise InputError("releases", "none", "one release or more")
        for number, release in enumerate(self.each, 1):
            # A spec for `calibrate`, whose scale is still to be found.
            if not is_complete(release.noise):
                wanted = "its noise with a known scale: what it cost is not known without"
                raise InputError(f"releases row {number}.noise.scale", "missing", wanted)
            self._check_same(number, release)

    def _check_same(self, number: int, release: Release) -> None:
        """InputError where a release is about other records, secrets or knowledge than the first."""
        first = self.each[0]
        key = f"releases row {number}"
        if release.model != first.model:
            raise InputError(
                f"{key}.model", release.model.kind, "the model of release 1: what is believed is one thing"
            )
        if release.secrets != first.secrets:
            raise InputError(f"{key}.secrets", "others", "the secrets of release 1")
        if release.adversary != first.adversary:
            raise InputError(f"{key}.adversary", "another", "the background knowledge of release 1")

    def __len__(self) -> int:
        return len(self.each)

    @property
    def model(self) -> Model:
        """What the adversary believes about the records."""
        return self.each[0].model

    def part(self, places: Sequence[int]) -> "Releases":
        """Some of them, by their places from 0."""
        return replace(self, each=tuple(self.each[place] for place in places))

    @cached_property
    def about_everybody(self) -> tuple[Release, ...]:
        """The same with every record a secret: what changes with any record of a group. Meaningless where secrets are
        of several people: losses of single records say nothing of them."""
        self.each[0].secrets.check_of_records("the loss of a record or an independent group")
        if self.each[0].secrets == Secrets():  # as most specs have it
            return self.each
        return tuple(Release(each.model, each.query, each.noise, adversary=each.adversary) for each in self.each)

    @cached_property
    def exact(self) -> Release:
        """All exact answers as one of several coordinates, release by release."""
        first = self.each[0]
        query = Several(queries=tuple(release.query for release in self.each))
        return Release(first.model, query, NoNoise(), first.secrets, adversary=first.adversary)


def releases_of(each: "Sequence[Release] | Releases") -> Releases:
    """The sequence itself, or one that was fixed beforehand."""
    if isinstance(each, Releases):  # as whoever says adaptive=True gives them
        return each
    if not isinstance(each, Sequence) or isinstance(each, str):
        raise InputError("releases", shown(each), "several releases, in a list")
    return Releases(tuple(map(checked, each)))
