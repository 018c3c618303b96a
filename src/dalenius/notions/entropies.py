"""Relative entropy and mutual information privacy (IP Thm 1, IDP Thm 2 and 3), and how much an output helps whoever
guesses the secret: min-entropy (Smith 2009), g-leakage (Alvim et al. 2012).

Of two days alike with .9, counted with Laplace noise of scale 2, the output says 0.071863 nats of a day on average, at
most 0.091294 as relative entropy, and whoever guesses the day is right e^0.303154 = 1.354 times as often:

>>> import dalenius as dl
>>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
>>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
>>> notions = MutualInformationPrivacy(), RelativeEntropyPrivacy(), MinEntropyPrivacy(), GLeakage(gain="gini")
>>> [round(notion.leakage(release).epsilon, 6) for notion in notions]
[0.071863, 0.091294, 0.303154, 0.130625]
"""

from collections.abc import Callable, Sequence
from functools import reduce
from math import inf, isfinite, log, log1p
from typing import Annotated, ClassVar, Final, Literal, TypeAlias, final

import numpy as np
from pydantic import BeforeValidator, Field

from dalenius import wings
from dalenius.bounds import UNIT, Enclosure, largest
from dalenius.channel import Channel, Release
from dalenius.channel.leakage import NOTHING, Found, Leakage, worst, worst_of
from dalenius.channel.leakages_from_likelihoods import Likelihoods
from dalenius.channel.person import PersonKey, person_number
from dalenius.channel.record_world import RecordWorld
from dalenius.errors import InputError, Meaningless
from dalenius.joints import Joint
from dalenius.laws.integrals.convex_functionals import Vulnerability
from dalenius.laws.integrals.expected_gain import ExpectedGain, Quadratic
from dalenius.laws.leakage_of_one_output import PointwiseLoss, PosteriorDivergence
from dalenius.notions.notion import Delta, Notion, Proof, Properties
from dalenius.notions.promises_in_words import folds

_INFORMATION_GIVEN: Final = wings.Part[Callable[[Release, RecordWorld, Sequence[int]], Leakage]](
    "information given records"
)


@final
class RelativeEntropyPrivacy(Notion):
    """D(S | Y=y ‖ S) <= epsilon for every output y, in nats; with delta > 0, for all but outputs of probability delta:
    Pr[D(S | Y ‖ S) > epsilon] <= delta. Companion `reverse`: the largest D(S ‖ S | Y=y), whatever delta is.

    The leakage at delta > 0 is the least epsilon that has this delta. More noise may raise it: a tail obeys no data
    processing. A scale that `exact` finds keeps the promise; that none below does is certain only of those next to it.
    """

    _later: ClassVar[tuple[str, ...]] = ("delta",)

    kind: Literal["relative_entropy"] = "relative_entropy"
    delta: Delta = 0.0

    @property
    def properties(self) -> Properties:
        return Properties(implied_by="inferential", has_delta=True, also=("reverse",))

    def leakage_of(self, channel: Channel) -> Leakage:
        """In nats; the companion is never weakened by delta."""
        found = channel.divergence()
        if not self.delta:
            return Leakage.of(found.forward, reverse=found.reverse.value)
        tails = [each.tail("divergence") for each in channel.singly("tails")]
        forward = worst_of(Found(tail.law.quantile(self.delta), tail.witness) for tail in tails)
        return Leakage.of(forward, reverse=found.reverse.value)

    def delta_at(self, channel: Channel, epsilon: float) -> Enclosure:
        chances = [each.tail("divergence").law.chance(epsilon) for each in channel.singly("tails")]
        return reduce(largest, chances, Enclosure(0.0, 0.0))

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

    _later: ClassVar[tuple[str, ...]] = ("given",)

    kind: Literal["mutual_information"] = "mutual_information"
    given: Annotated[tuple[PersonKey, ...], Field(min_length=1)] | None = None

    @property
    def properties(self) -> Properties:
        kept_by: Proof = "inferential" if self.given is None else "group"
        return Properties(implied_by=kept_by, of_channels=self.given is None)

    def leakage_of(self, channel: Channel) -> Leakage:
        """I(S; Y); with `given`, what one channel bounds of it: the record's entropy."""
        if self.given is None:
            return Leakage.of(channel.information())
        # Without the others' records a channel cannot say it; no output says more than there is to know.
        log_prior = channel.finite(self.kind).log_prior
        return Leakage(0.0, max(float(-np.sum(np.exp(log_prior) * log_prior)), 0.0) * (1 + 1e-12), None)

    def leakage(self, release: Release) -> Leakage:
        """In nats; with `given`, the worst over all laws of the model and all people who are not given."""
        if self.given is None:
            return super().leakage(release)
        release.worlds.check_plain_records("mutual information given records")
        self.check_secret(release)
        found = [
            _INFORMATION_GIVEN.function(release, world, self._known(world.joint)) for world in release.worlds.plain
        ]
        return worst([NOTHING, *found])

    def check_secret(self, release: Release) -> None:
        """Meaningless for who is absent, and for records that are real numbers."""
        if self.given is not None and (release.secret == "absence" or release.secret == "number"):
            kind = "absent" if release.secret == "absence" else "gaussian"
            raise Meaningless("notion.given", list(self.given), f"nothing given beside model {kind}")

    def rests_on(self) -> tuple[str, ...]:
        """That the adversary knows those people's records, by name or number."""
        if self.given is None:
            return ()
        return (f"the adversary knows the records of {', '.join(map(str, self.given))}, and no other",)

    def _known(self, joint: Joint) -> list[int]:
        """The given people's numbers; InputError for nobody's, and for the same person by number and name."""
        numbers: list[int] = []
        for person in self.given or ():
            number = person_number(joint, person, "notion.given")
            if number in numbers:
                raise InputError("notion.given", person, f"person {number} once")
            numbers.append(number)
        return numbers


@final
class MinEntropyPrivacy(Notion):
    """log( sum_y max_s π_s W(y|s) / max_s π_s ) <= epsilon, in nats: the chance that the best guess of the record is
    right grows by at most e^epsilon, on average over the outputs. Also called Bayes leakage; never above `information`.
    """

    kind: Literal["min_entropy"] = "min_entropy"

    @property
    def properties(self) -> Properties:
        return Properties(implied_by="inferential")

    def in_words(self, epsilon: float, chance: float | None = None) -> str:
        """How often a guess is right, not a chance of one value: rounded up."""
        # No answer, or noise that hides all of it.
        if epsilon == 0:
            return "whoever guesses the secret once is right no more often"
        return f"whoever guesses the secret once is right at most {folds(epsilon)} times as often"

    def leakage_of(self, channel: Channel) -> Leakage:
        return worst(self._one(each) for each in channel.singly(self.kind))

    def _one(self, channel: Channel) -> Leakage:
        """One subject's; of one who is absent the guess is a person, by `guesses`."""
        finite = channel.finite(self.kind)
        if len(finite.secrets) < 2:
            return NOTHING
        guesses = finite.subject.guesses
        log_prior = finite.log_prior if guesses is None else guesses
        value = gain(finite.integral(Vulnerability(log_prior)), float(np.max(log_prior)))
        return Leakage(value.lower, value.upper, finite.witness())


def gain(vulnerability: Enclosure, log_blind: float) -> Enclosure:
    """Its log above that of the best blind guess: at least 0, and at most what certainty would bring. In nats. Both are
    of guesses: log_blind is the log of the best chance before the output."""
    rounding = 16 * UNIT * (1 + abs(log_blind))
    lower = log(vulnerability.lower) - log_blind - rounding if vulnerability.lower > 0 else 0.0
    upper = log(min(vulnerability.upper, 1.0)) - log_blind + rounding
    return Enclosure(min(max(lower, 0.0), -log_blind), max(upper, 0.0))


_WANTED = "identity, gini, or rows of numbers of at least 0: a row per guess, a column per value of a record"


def _gain(given: object) -> object:
    """A gain by name or as rows; ValueError says which row, or entry, is none."""
    # Read here, not left to the union: pydantic would name its members in the path.
    if given in ("identity", "gini"):
        return given
    # "gni": a text is a sequence too, of letters.
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        raise ValueError(_WANTED)
    for number, row in enumerate(given, 1):
        if isinstance(row, str) or not isinstance(row, Sequence) or not row:
            raise ValueError(f"{_WANTED} (row {number} is {row!r})")
        if len(row) != len(given[0]):
            raise ValueError(f"rows of one length (row {number} has {len(row)} numbers, row 1 has {len(given[0])})")
        for entry in row:
            if isinstance(entry, bool) or not isinstance(entry, int | float) or not (isfinite(entry) and entry >= 0):
                raise ValueError(f"finite numbers of at least 0 (row {number} has {entry!r})")
    if not any(entry > 0 for row in given for entry in row):
        raise ValueError("some guess that gains something")
    return given


Rows: TypeAlias = tuple[tuple[float, ...], ...]
_Gain = Annotated[Literal["identity", "gini"] | Rows, BeforeValidator(_gain)]


@final
class GLeakage(Notion):
    """log( V(after the output) / V(before) ) <= epsilon, in nats, V the expected gain of the best guess.

    gain: a row per guess g and a column per value s of the record that is possible, in the order in which the model
    lists them; V = max_g Σ_s gain_gs Pr(s), after the output Σ_y max_g Σ_s gain_gs π_s W(y|s). `identity`: a guess of
    the record that gains 1 where it is right, as in `min_entropy`. `gini`: V = Σ_s Pr(s)², after the output
    Σ_y W(y) Σ_s Pr(s|y)²: the gain is that of a guessed distribution under the quadratic score. Never above
    `information`.
    """

    kind: Literal["g_leakage"] = "g_leakage"
    gain: _Gain = "identity"

    @property
    def properties(self) -> Properties:
        return Properties(implied_by="inferential")

    def leakage_of(self, channel: Channel) -> Leakage:
        """In nats, over the subjects of the channel."""
        if self.gain == "identity":
            return MinEntropyPrivacy().leakage_of(channel)
        return worst(self._one(each) for each in channel.singly(self.kind))

    def _one(self, channel: Channel) -> Leakage:
        """One subject's; a record with one value has nothing to be guessed."""
        assert self.gain != "identity"
        finite = channel.finite(self.kind)
        # A guess of who is absent is of a person, not of one of a record's values.
        if finite.subject.guesses is not None:
            self._refuse_absences()
        if len(finite.secrets) < 2:
            return NOTHING
        value = _quadratic(finite) if self.gain == "gini" else self._expected(finite, self.gain)
        return Leakage(value.lower, value.upper, finite.witness())

    def check_secret(self, release: Release) -> None:
        if release.secret == "absence" and self.gain != "identity":
            self._refuse_absences()

    def _refuse_absences(self) -> None:
        shown = self.gain if isinstance(self.gain, str) else "a matrix"
        raise Meaningless("notion.gain", shown, "identity where the secret is who is absent")

    def _expected(self, channel: Likelihoods, rows: Rows) -> Enclosure:
        """By a matrix of gains. InputError where it has not a column for each value that this record can have."""
        secrets = len(channel.secrets)
        if len(rows[0]) != secrets:
            values = ", ".join(map(str, channel.secrets[:20]))
            wanted = f"{secrets} of them: the record of person {channel.subject.person} can be {values}"
            raise InputError("notion.gain", f"{len(rows[0])} columns", wanted)
        with np.errstate(divide="ignore"):
            functional = ExpectedGain(channel.log_prior, np.log(np.array(rows)))
        found = channel.integral(functional)
        upper = min(found.upper, functional.most)
        lower = log(found.lower) - 4 * UNIT if found.lower > 1 else 0.0
        return Enclosure(max(lower, 0.0), max(log(upper) * (1 + 4 * UNIT) + 4 * UNIT, 0.0) if upper < inf else inf)


def _quadratic(channel: Likelihoods) -> Enclosure:
    """What a guessed distribution gains under the quadratic score, from both sides, in nats."""
    functional = Quadratic(channel.log_prior)
    found = channel.integral(functional)
    upper = min(found.upper, functional.most)
    return Enclosure(log1p(max(found.lower, 0.0)) * (1 - 4 * UNIT), log1p(upper) * (1 + 4 * UNIT))
