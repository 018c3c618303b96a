"""Relative entropy and mutual information privacy (IP Thm 1, IDP Thm 2 and 3)."""

from typing import Annotated, ClassVar, Literal, final

import numpy as np
from pydantic import Field

from dalenius import wings
from dalenius.bounds import Enclosure
from dalenius.channel import Channel, Leakage, Release
from dalenius.channel.adversary import number_of
from dalenius.channel.leakage import NOTHING, worst
from dalenius.channel.likelihoods import Likelihoods
from dalenius.channel.secrets import Person
from dalenius.errors import InputError, Meaningless
from dalenius.joints import Joint
from dalenius.laws.losses import PointwiseLoss, PosteriorDivergence
from dalenius.notions.notion import Delta, Notion, Proof


@final
class RelativeEntropyPrivacy(Notion):
    """D(S | Y=y ‖ S) <= epsilon for every output y, in nats; with delta > 0, for all but outputs of probability delta:
    Pr[D(S | Y ‖ S) > epsilon] <= delta. Companion `reverse`: the largest D(S ‖ S | Y=y), whatever delta is.

    The leakage at delta > 0 is the least epsilon that has this delta. More noise may raise it: a tail obeys no data
    processing. A scale that `exact` finds keeps the promise; that none below does is certain only of those next to it.
    """

    also: ClassVar[tuple[str, ...]] = ("reverse",)
    has_delta: ClassVar[bool] = True
    later: ClassVar[tuple[str, ...]] = ("delta",)

    implied_by: ClassVar[Proof] = "inferential"

    kind: Literal["relative_entropy"] = "relative_entropy"
    delta: Delta = 0.0

    def leakage_of(self, channel: Channel) -> Leakage:
        found = channel.divergence()
        forward = channel.divergence_at(self.delta) if self.delta > 0 else found.forward
        return Leakage.of(forward, reverse=found.reverse.value)

    def delta_at(self, channel: Channel, epsilon: float) -> Enclosure:
        return channel.divergence_tail(epsilon)

    def loss(self, channel: Likelihoods) -> PointwiseLoss | None:
        return PosteriorDivergence(channel.log_prior) if self.delta == 0 else None


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
        if self.given is not None and (release.secret == "absence" or release.secret == "number"):
            kind = "absent" if release.secret == "absence" else "gaussian"
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
