"""Noiseless privacy: inferential with a δ, to somebody who knows some of the other records (NP Def 2; Theory §7)."""

from collections.abc import Iterable, Sequence
from typing import Annotated, ClassVar, Literal, final

from pydantic import Field

from dalenius.bounds import Enclosure, largest
from dalenius.channel import Channel, Release
from dalenius.channel.finite.records import RecordWorld
from dalenius.channel.leakage import NOTHING, Leakage, worst
from dalenius.channel.witness import Witness
from dalenius.errors import InputError, Meaningless
from dalenius.knowledge.bounded import how_many, worst_view
from dalenius.knowledge.events import region
from dalenius.knowledge.view import LeastDelta, LeastEpsilon, View
from dalenius.knowledge.worst import Worst
from dalenius.notions.log_ratios import delta_of
from dalenius.notions.notion import Linear, Notion, Proof
from dalenius.notions.wording import OF_ODDS, Phrase
from dalenius.schema import Probability

Fraction = Annotated[Probability, Field(ge=0, lt=1, allow_inf_nan=False)]
Slack = Annotated[Probability, Field(gt=0, lt=1, allow_inf_nan=False)]


@final
class NoiselessPrivacy(Notion):
    """Pr[Y in S | X_i = a, X_K = x] <= e^epsilon Pr[Y in S | X_i = a', X_K = x] + delta for every person i, two values
    a, a' that are possible with x, every set S of outputs, every set K of at most known_fraction·n other people, and
    every x; n: how many records there are, those of [adversary] included, which are known in addition.

    adversary: `active`: the worst x is taken, as by an adversary who chooses the known values, which is at least what
    one learns on average who knows them as they are (Desfontaines et al. 2019; Result 7.11).

    The leakage is the least epsilon that has this delta. The noise is the release's, which may be none. A witness's
    outputs are S, less what the known records of other groups than the person's add.
    """

    of_channels: ClassVar[bool] = False
    phrases: ClassVar[tuple[Phrase, ...]] = OF_ODDS
    has_delta: ClassVar[bool] = True
    linear: ClassVar[Linear] = "known"
    later: ClassVar[tuple[str, ...]] = ("adversary",)

    kind: Literal["noiseless"] = "noiseless"
    delta: Slack
    known_fraction: Fraction = 0.0
    adversary: Literal["active"] = "active"

    @property
    def implied_by(self) -> Proof:
        return "inferential" if self.known_fraction == 0 else "group"

    @property
    def promised_delta(self) -> float:
        return self.delta

    @property
    def background_fraction(self) -> float:
        return self.known_fraction

    def leakage_of(self, channel: Channel) -> Leakage:
        """What the channel leaks to an adversary without further background knowledge."""
        view = View(channel.finite(self.kind))
        value = view.epsilon(self.delta)
        return _leakage(Worst(value.lower, value.upper, view, ""), value)

    def leakage(self, release: Release) -> Leakage:
        _check_records(release, self.known_fraction)
        release.secrets.check_whole()
        found = [self._of_real_numbers(release)]
        for world in release.record_worlds:
            known = how_many(world, self.known_fraction)
            found.append(self._known(release, world, known))
        return worst(found)

    def delta_at(self, channel: Channel, epsilon: float) -> Enclosure:
        return View(channel.finite(self.kind)).delta(epsilon)

    def least_delta(self, release: Release, epsilon: float) -> Enclosure:
        release.secrets.check_whole()
        return noiseless_delta(release, epsilon, self.known_fraction)

    def _known(self, release: Release, world: RecordWorld, known: int) -> Leakage:
        seen = worst_view(release, world, known, LeastEpsilon(self.delta))
        return _leakage(seen, Enclosure(seen.lower, seen.upper))

    def rests_on(self) -> tuple[str, ...]:
        share = f"at most a fraction {self.known_fraction:g}" if self.known_fraction else "none"
        return (f"of everybody else's records the adversary knows {share}",)

    def _of_real_numbers(self, release: Release) -> Leakage:
        channels = release.all_channels() if release.real else ()
        return worst([NOTHING, *(Leakage.of(channel.ratio_at(self.delta)) for channel in channels)])


def noiseless_delta(release: Release, epsilon: float, known_fraction: float = 0.0) -> Enclosure:
    """The least δ at which the release is noiseless(ε, δ) to somebody who knows that fraction of the records."""
    return delta_curve(release, [epsilon], known_fraction)[0]


def delta_curve(release: Release, epsilons: Sequence[float], known_fraction: float = 0.0) -> tuple[Enclosure, ...]:
    """noiseless_delta at every ε; the laws are made once. InputError for an ε below 0, or a fraction that is none."""
    if not 0 <= known_fraction < 1:
        raise InputError("known_fraction", known_fraction, "a number of at least 0 and below 1")
    for epsilon in epsilons:
        if not 0 <= epsilon < float("inf"):
            raise InputError("epsilon", epsilon, "a finite number of at least 0")
    _check_records(release, known_fraction)
    found = [delta_of(release, epsilon) if release.real else Enclosure(0.0, 0.0) for epsilon in epsilons]
    for world in release.record_worlds:
        known = how_many(world, known_fraction)
        own = _one_by_one(release, world, known, epsilons) if known else _many(release, world, epsilons)
        found = [largest(one, other) for one, other in zip(found, own, strict=True)]
    return tuple(found)


def _many(release: Release, world: RecordWorld, epsilons: Sequence[float]) -> list[Enclosure]:
    """Each channel made once, then discarded."""
    found = [Enclosure(0.0, 0.0)] * len(epsilons)
    for channel in world.channels(release.noise):
        view = View(channel)
        found = [largest(one, view.delta(epsilon)) for one, epsilon in zip(found, epsilons, strict=True)]
    return found


def _one_by_one(release: Release, world: RecordWorld, known: int, epsilons: Iterable[float]) -> list[Enclosure]:
    found = []
    for epsilon in epsilons:
        seen = worst_view(release, world, known, LeastDelta(epsilon))
        found.append(Enclosure(seen.lower, seen.upper))
    return found


def _check_records(release: Release, known_fraction: float) -> None:
    """InputError where the secret is who is absent, or real numbers would be known."""
    if release.of_absence:
        raise Meaningless("model.kind", "absent", "a model of records for noiseless privacy")
    release.check_plain_records("noiseless privacy")
    if release.real and known_fraction > 0:
        raise InputError("notion.known_fraction", known_fraction, "0 for records that are real numbers")


def _leakage(seen: Worst, value: Enclosure) -> Leakage:
    return Leakage(value.lower, value.upper, None if seen.view is None else _witness(seen.view, value.lower))


def _witness(view: View, epsilon: float) -> Witness | None:
    channel = view.channel
    if not view.curves:
        return None
    one, other = view.worst_pair(epsilon)
    return Witness(
        person=channel.subject.person,
        who=channel.subject.who + view.said,
        secret=channel.secrets[one],
        against=channel.secrets[other],
        answers=channel.names,
        known=view.known,
        what=channel.subject.what,
        outputs=region(channel, one, other, epsilon),
    )
