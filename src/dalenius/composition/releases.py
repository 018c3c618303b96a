"""Several releases of the same records, kept as data: an accountant composes them.

Take two counts of a pair whose records are alike with probability 0.9, each with Laplace noise of scale 4. The routes
`conversion` and `joint` bound what both leak together by 0.897 nats, `weak_dependence` by 0.918 and `group` by 1. The
tightest is `joint`, the first of equal ones. Its lower end, also 0.897, serves all routes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

from dalenius.channel import Release, Secrets, checked
from dalenius.errors import InputError
from dalenius.frozen_section import shown
from dalenius.models import Model
from dalenius.noise import NoNoise, is_complete
from dalenius.queries import Several


@final
@dataclass(frozen=True)
class Releases:
    """Several releases of the same records, each with its query and its noise, drawn independently.

    Args:
        each: The releases, at least one, of the same model, secrets and adversary, each with a noise of known scale.
        adaptive: Whether later questions, or their noise, may depend on earlier outputs. The releases are then those of
            the branch that was taken. A route's bound holds if in every branch the sum that the route adds up
            (its filter) stays within the sum of this one. False, the default, means that all were fixed beforehand.

    Raises:
        InputError: For no release, for different models, secrets or adversaries, and for a noise without a scale.

    Example:
        >>> from dalenius import Count, InferentialPrivacy, Laplace, Table, compose
        >>> pair = Table(records=((0, 0), (0, 1), (1, 0), (1, 1)), probabilities=(0.45, 0.05, 0.05, 0.45))
        >>> both = Releases((Release(pair, Count(), Laplace(scale=4)),) * 2)
        >>> len(both), round(compose(both, InferentialPrivacy()).bound.upper, 6)
        (2, 0.897003)
    """

    each: tuple[Release, ...]
    adaptive: bool = False

    def __post_init__(self) -> None:
        if not self.each:
            raise InputError("releases", "none", "one release or more")
        for number, release in enumerate(self.each, 1):
            # A spec for `calibrate` has a scale that is still to be found.
            if not is_complete(release.noise):
                wanted = "its noise with a known scale: without one its cost is unknown"
                raise InputError(f"releases row {number}.noise.scale", "missing", wanted)
            self._check_same(number, release)

    def _check_same(self, number: int, release: Release) -> None:
        """Raises InputError where a release is about other records, secrets or knowledge than the first."""
        first = self.each[0]
        key = f"releases row {number}"
        # Because the answers without each person are those of one question, and differ from release to release.
        if _belief_of(release.model) != _belief_of(first.model):
            raise InputError(f"{key}.model", release.model.kind, "the model of release 1: all releases have one model")
        if release.secrets != first.secrets:
            raise InputError(f"{key}.secrets", "others", "the secrets of release 1")
        if release.adversary != first.adversary:
            raise InputError(f"{key}.adversary", "another", "the background knowledge of release 1")

    def __len__(self) -> int:
        return len(self.each)

    @property
    def model(self) -> Model:
        """The model of the records, the same for all releases."""
        return self.each[0].model

    def part(self, places: Sequence[int]) -> "Releases":
        """Select some of the releases.

        Args:
            places: Their places, from 0.

        Returns:
            The selected releases, in the order of the places.
        """
        return replace(self, each=tuple(self.each[place] for place in places))

    @cached_property
    def about_everybody(self) -> tuple[Release, ...]:
        """Returns the releases with every record a secret: what changes with any record of a group.

        Meaningless is raised where secrets are of several people: losses of single records say nothing about them.
        """
        self.each[0].secrets.check_of_records("the loss of a record or an independent group")
        if self.each[0].secrets == Secrets():  # as most specs have it
            return self.each
        return tuple(Release(each.model, each.query, each.noise, adversary=each.adversary) for each in self.each)

    @cached_property
    def exact(self) -> Release:
        """Returns all exact answers as one release of several coordinates, without noise."""
        first = self.each[0]
        query = Several(queries=tuple(release.query for release in self.each))
        return Release(first.model, query, NoNoise(), first.secrets, adversary=first.adversary)


def _belief_of(model: Model) -> Model | dict[str, Any]:
    """Returns the model, or its fields without the answers to one question, where it has them."""
    return model.model_dump(exclude={"answers"}) if model.gives == "answers" else model


def releases_of(each: "Sequence[Release] | Releases") -> Releases:
    """Returns the releases as they are, or a list of them, `each`, as fixed beforehand."""
    if isinstance(each, Releases):  # as a user gives them with adaptive=True
        return each
    if not isinstance(each, Sequence) or isinstance(each, str):
        raise InputError("releases", shown(each), "several releases, in a list")
    return Releases(tuple(map(checked, each)))
