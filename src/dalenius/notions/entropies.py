"""Notions that average over outputs: relative entropy and mutual information privacy (IP Thm 1, IDP Thm 2 and 3).

Two days are alike with .9 and counted with Laplace noise of scale 2. The output says 0.071863 nats of a day on average,
and at most 0.091294 as relative entropy:

>>> import dalenius as dl
>>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
>>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
>>> [round(each.leakage(release).epsilon, 6) for each in (MutualInformationPrivacy(), RelativeEntropyPrivacy())]
[0.071863, 0.091294]
"""

from collections.abc import Callable, Sequence
from typing import Annotated, ClassVar, Final, Literal, Self, final

import numpy as np
from pydantic import Field, model_validator

from dalenius import wings
from dalenius.bounds import Enclosure
from dalenius.channel import Channel, Release
from dalenius.channel.leakage import NOTHING, Leakage, worst
from dalenius.channel.likelihoods import Likelihoods
from dalenius.channel.person import person_number
from dalenius.channel.record_world import RecordWorld
from dalenius.errors import InputError, Meaningless
from dalenius.fields import PersonKey
from dalenius.joints import Joint
from dalenius.laws.leakage_of_one_output import PointwiseLoss, PosteriorDivergence
from dalenius.notions.notion import Delta, Notion, Proof, Properties
from dalenius.sentences.sentence import Name, commas, said

_INFORMATION_GIVEN: Final = wings.Part[Callable[[Release, RecordWorld, Sequence[int]], Leakage]](
    "information given records"
)


@final
class RelativeEntropyPrivacy(Notion):
    """Relative entropy privacy: D(S | Y=y ‖ S) <= epsilon for every output y, in nats.

    With delta > 0 it holds for all but outputs of probability delta: Pr[D(S | Y ‖ S) > epsilon] <= delta. The leakage
    at delta > 0 is the least epsilon that has this delta. The leakage's companion `reverse` is the largest D(S ‖ S |
    Y=y), whatever delta is. With `reverse` that number is the leakage, and its companion `forward` is the other.

    Args:
        reverse: Whether the promise is of D(S ‖ S | Y=y), which also bounds how nearly an output rules a value out.
            False (the default) for D(S | Y=y ‖ S). It takes no delta.
        delta: The probability of outputs for which the promise need not hold, at least 0 and below 1; 0 by default.
        epsilon: The promise, in nats, a finite number above 0. None (the default) where only the leakage is asked for.
        factor: Refused, as the phrases below: this kind is promised by its epsilon.
        odds: Refused.
        from_: Refused.
        to: Refused.
        advantage: Refused.

    Example:
        Two days alike with .9, counted with Laplace noise of scale 2:

        >>> import dalenius as dl
        >>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
        >>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
        >>> round(dl.RelativeEntropyPrivacy().leakage(release).epsilon, 6)
        0.091294

    Notes:
        IP Thm 1, IDP Thm 2. More noise may raise the leakage at a delta: a tail obeys no data processing. A scale that
        `exact` finds keeps the promise; that no smaller one does is certain only of those next to it.
    """

    _later: ClassVar[tuple[str, ...]] = ("delta", "reverse")

    kind: Literal["relative_entropy"] = "relative_entropy"
    delta: Delta = 0.0
    reverse: bool = False

    @model_validator(mode="after")
    def _without_delta(self) -> Self:
        """Refuses a delta of the reverse: InputError."""
        if self.reverse and self.delta:
            raise InputError("notion.delta", self.delta, "0 with reverse = true, whose tail is not computed")
        return self

    @property
    def properties(self) -> Properties:
        also = "forward" if self.reverse else "reverse"
        return Properties(implied_by="inferential", has_delta=not self.reverse, also=(also,))

    @property
    def called(self) -> str:
        return f"reverse {self.kind}" if self.reverse else self.kind

    def leakage_of(self, channel: Channel) -> Leakage:
        """Returns what the channel leaks, in nats; the companion is never weakened by delta.

        Args:
            channel: The channel of one subject, or of all subjects of a law.
        """
        found = channel.divergence()
        if self.reverse:
            return Leakage.of(found.reverse, forward=found.forward.value)
        if not self.delta:
            return Leakage.of(found.forward, reverse=found.reverse.value)
        return Leakage.of(channel.quantile("divergence", self.delta), reverse=found.reverse.value)

    def delta_at(self, channel: Channel, epsilon: float) -> Enclosure:
        if self.reverse:
            return super().delta_at(channel, epsilon)
        return channel.chance("divergence", epsilon)

    def loss(self, channel: Likelihoods) -> PointwiseLoss | None:
        return None if self.delta or self.reverse else PosteriorDivergence(channel.log_prior)


@final
class MutualInformationPrivacy(Notion):
    """Mutual information privacy: I(S; Y) <= epsilon, in nats.

    Args:
        given: The people K whose records the adversary knows, by number from 1 or by name; None (the default) for
            nobody. With `given` the leakage is I(X_i; Y | X_K) = Σ_{x_K} Pr[x_K] I(X_i; Y | X_K = x_K), the worst over
            every person i outside K, on average over what the records of K are. It is computed by enumeration of their
            values: TooLarge beyond 1024 combinations.
        epsilon: The promise, in nats, a finite number above 0. None (the default) where only the leakage is asked for.
        factor: Refused, as the phrases below: this kind is promised by its epsilon.
        odds: Refused.
        from_: Refused.
        to: Refused.
        advantage: Refused.

    Example:
        Two days alike with .9, counted with Laplace noise of scale 2:

        >>> import dalenius as dl
        >>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
        >>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
        >>> leakages = (notion.leakage(release) for notion in (
        ...     dl.MutualInformationPrivacy(), dl.MutualInformationPrivacy(given=[2])))
        >>> [round(each.epsilon, 4) for each in leakages]
        [0.0719, 0.0096]

    Notes:
        IP Thm 1, IDP Thm 3. I(X_i; Y | X_K) may be more or less than I(X_i; Y). Given the others' sum, a sum reveals a
        record. Given the record of a member of a household where all are alike, it reveals nothing.
    """

    _later: ClassVar[tuple[str, ...]] = ("given",)

    kind: Literal["mutual_information"] = "mutual_information"
    given: Annotated[tuple[PersonKey, ...], Field(min_length=1)] | None = None

    @property
    def properties(self) -> Properties:
        kept_by: Proof = "inferential" if self.given is None else "group"
        return Properties(implied_by=kept_by, of_channels=self.given is None)

    def leakage_of(self, channel: Channel) -> Leakage:
        """Returns I(S; Y) of the channel, in nats; with `given`, what one channel bounds of it: the record's entropy.

        Args:
            channel: The channel of one subject, or of all subjects of a law.
        """
        if self.given is None:
            return Leakage.of(channel.information())
        # Because a channel without the others' records cannot tell; no output says more than there is to know.
        log_prior = channel.finite(self.kind).log_prior
        return Leakage(0.0, max(float(-np.sum(np.exp(log_prior) * log_prior)), 0.0) * (1 + 1e-12), None)

    def leakage(self, release: Release) -> Leakage:
        """Returns the mutual information, in nats.

        With `given` it is the worst over all laws of the model and all people who are not given.

        Args:
            release: The model, the query and the noise.

        Raises:
            Meaningless: `given`, where the secret is who is absent, or records are real numbers or secrets several
                people's.
            InputError: `given` names an unknown person, or a person twice.
            TooLarge: There are too many combinations of the given records.
        """
        if self.given is None:
            return super().leakage(release)
        release.worlds.check_plain_records("mutual information given records")
        self.check_secret(release)
        found = [
            _INFORMATION_GIVEN.function(release, world, self._known(world.joint)) for world in release.worlds.plain
        ]
        return worst([NOTHING, *found])

    def check_secret(self, release: Release) -> None:
        """Checks that the notion is defined for such secrets.

        Args:
            release: The model, the query and the noise.

        Raises:
            Meaningless: `given`, where the secret is who is absent, or records are real numbers.
        """
        if self.given is not None and (release.secret == "absence" or release.secret == "number"):
            kind = "absent" if release.secret == "absence" else "gaussian"
            raise Meaningless("notion.given", list(self.given), f"nothing given beside model {kind}")

    def rests_on(self) -> tuple[str, ...]:
        """Returns that the adversary knows those people's records, by name or number."""
        if self.given is None:
            return ()
        return (said("knows_only", people=commas(Name(f"{each}") for each in self.given)),)

    def _known(self, joint: Joint) -> list[int]:
        """Returns the given people's numbers.

        InputError for nobody's, and for the same person by number and name.
        """
        numbers: list[int] = []
        for person in self.given or ():
            number = person_number(joint, person, "notion.given")
            if number in numbers:
                raise InputError("notion.given", person, f"person {number} once")
            numbers.append(number)
        return numbers
