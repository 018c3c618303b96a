"""Mutual information privacy: what an output reveals about a record on average (IP Thm 1, IDP Thm 3)."""

from typing import Annotated, ClassVar, Literal, final

import numpy as np
from pydantic import Field

from dalenius import wings
from dalenius.channel import Channel, Leakage, Release
from dalenius.channel.adversary import number_of
from dalenius.channel.leakage import NOTHING, worst
from dalenius.channel.secrets import Person
from dalenius.errors import InputError, Meaningless
from dalenius.joints import Joint
from dalenius.notions.notion import Notion, Proof


@final
class MutualInformationPrivacy(Notion):
    """I(S; Y) <= epsilon, in nats.

    given: people K, by number or name. Then I(X_i; Y | X_K) = Σ_{x_K} Pr[x_K] I(X_i; Y | X_K = x_K) <= epsilon for
    every person i outside K: on average over what the records of K are, to somebody who knows them; by enumeration of
    their values (TooLarge beyond 1024 combinations). More or less than I(X_i; Y): given the others' sum, a sum reveals
    a record; given the record of a member of a household where all are alike, it reveals nothing.
    """

    later: ClassVar[tuple[str, ...]] = ("given",)
    adds_given_record: ClassVar[bool] = True

    kind: Literal["mutual_information"] = "mutual_information"
    given: Annotated[tuple[Person, ...], Field(min_length=1)] | None = None

    @property
    def of_channels(self) -> bool:
        return self.given is None

    @property
    def implied_by(self) -> Proof:
        return "inferential" if self.given is None else "group"

    def leakage_of(self, channel: Channel) -> Leakage:
        """I(S; Y); with `given`, what one channel bounds of it: the record's entropy."""
        if self.given is None:
            return Leakage.of(channel.information())
        log_prior = channel.finite(self.kind).log_prior
        return Leakage(0.0, max(float(-np.sum(np.exp(log_prior) * log_prior)), 0.0) * (1 + 1e-12), None)

    def leakage(self, release: Release) -> Leakage:
        if self.given is None:
            return super().leakage(release)
        release.check_plain_records("mutual information given records")
        self.check_secret(release)
        given = wings.found(wings.PARTS["information given records"])
        found = [given(release, world, self._known(world.joint)) for world in release.record_worlds]
        return worst([NOTHING, *found])

    def check_secret(self, release: Release) -> None:
        if self.given is not None and (release.of_absence or release.real):
            kind = "absent" if release.of_absence else "gaussian"
            raise Meaningless("notion.given", list(self.given), f"nothing given beside model {kind}")

    def rests_on(self) -> tuple[str, ...]:
        if self.given is None:
            return ()
        return (f"the adversary knows the records of {', '.join(map(str, self.given))}, and no other",)

    def _known(self, joint: Joint) -> list[int]:
        numbers: list[int] = []
        for person in self.given or ():
            number = number_of(joint, person, "notion.given")
            if number in numbers:
                raise InputError("notion.given", person, f"person {number} once")
            numbers.append(number)
        return numbers
