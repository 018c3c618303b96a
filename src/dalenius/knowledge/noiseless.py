"""Noiseless privacy: inferential with a δ, to somebody who knows some of the other records (NP Def 2; Theory §7)."""

from collections.abc import Sequence
from math import inf
from sys import float_info
from typing import Annotated, ClassVar, Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from dalenius.bounds import Enclosure, either, largest
from dalenius.calibration.method_base import Calibration, Method, check_records_notion, promised
from dalenius.channel import Channel, Likelihoods, Release
from dalenius.channel.leakage import NOTHING, Witness, worst
from dalenius.channel.record_world import RecordWorld
from dalenius.errors import InputError, Meaningless, Refused
from dalenius.fields import Probability
from dalenius.knowledge.any_records import how_many
from dalenius.knowledge.bounded_number import worst_view
from dalenius.knowledge.delta_given_knowledge import KnowingView, LeastDelta, LeastEpsilon, WorstView
from dalenius.laws.integrals.privacy_profile import leads
from dalenius.noise import NoNoise
from dalenius.notions import Leakage
from dalenius.notions.log_ratios import delta_of
from dalenius.notions.notion import Notion, Properties
from dalenius.notions.promise_as_phrase import OF_ODDS, Phrase
from dalenius.sentences.sentence import said

# A share of all records is below 1: an adversary who knows every record has nothing to learn.
Fraction = Annotated[Probability, Field(ge=0, lt=1, allow_inf_nan=False)]
# A δ is above 0: without one the promises are inferential and Bayesian privacy.
Slack = Annotated[Probability, Field(gt=0, lt=1, allow_inf_nan=False)]


@final
class NoiselessPrivacy(Notion):
    """Noiseless privacy: inferential with a δ, to an adversary who knows a fraction of the other records.

    It promises Pr[Y in S | X_i = a, X_K = x] <= e^epsilon Pr[Y in S | X_i = a', X_K = x] + delta for every person i,
    two values a, a' that are possible with x, every set S of outputs, every set K of at most known_fraction·n other
    people, and every x. There are n records, those of [adversary] included, which are known in addition. The leakage is
    the least epsilon that has this delta. The noise is the release's, which may be none.

    Args:
        delta: The probability δ with which the promise need not hold, above 0 and below 1.
        known_fraction: The fraction of all records that the adversary may know, at least 0 and below 1; 0 by default.
        adversary: `active`, the only choice: the worst x is taken, as by an adversary who chooses the known values.
        epsilon: The promise, in nats, a finite number above 0. None (the default) where only the leakage is asked for,
            or where a phrase stands for it.
        factor: The phrase "no chance grows more than so many times": a number above 1, for epsilon = ln factor.
        odds: The phrase "the odds between two values change at most so many times": a number above 1, for epsilon = ln
            odds.
        from_: With `to`, the phrase "a chance of `from_` stays at or below `to`", by odds; the key `from` in a spec. A
            probability above 0 and below 1.
        to: The chance that `from_` stays at or below, a probability above `from_` and below 1.
        advantage: The phrase "a guess between two equally likely values is right with probability at most (1 +
            advantage)/2": a number above 0 and below 1.

    Example:
        Take 100 independent fair bits, counted without noise. To an adversary who knows none of them, the leakage at
        delta = 0.001 is 0.4632 nats:

        >>> import dalenius as dl
        >>> release = dl.Release(dl.Independent(n=100, values=[0, 1], probabilities=[0.5, 0.5]), "count", "none")
        >>> round(dl.NoiselessPrivacy(delta=0.001).leakage(release).epsilon, 4)
        0.4632

    Notes:
        NP Def 2; Theory §7. An active adversary chooses the known values. The leakage is then at least what a passive
        adversary, who knows the values as they are, learns on average (Desfontaines et al. 2019; Result 7.11). To an
        adversary who knows half of those bits 0.7192 nats leak; δ(0.5) is 0.000599 and 0.00613. The hypothesis is that
        the bits are independent and fair. It says nothing of bits that depend on each other. A witness's outputs are S,
        less what the known records of other groups than the person's add.
    """

    _phrases: ClassVar[tuple[Phrase, ...]] = OF_ODDS
    _later: ClassVar[tuple[str, ...]] = ("adversary",)

    kind: Literal["noiseless"] = "noiseless"
    delta: Slack
    known_fraction: Fraction = 0.0
    adversary: Literal["active"] = "active"

    @property
    def promised_delta(self) -> float:
        return self.delta

    @property
    def properties(self) -> Properties:
        return Properties(
            implied_by="inferential" if self.known_fraction == 0 else "group",
            linear="known",
            of_channels=False,
            has_delta=True,
            background_fraction=self.known_fraction,
        )

    def leakage_of(self, channel: Channel) -> Leakage:
        """Returns what the channel leaks, in nats, to an adversary without further background knowledge.

        Args:
            channel: The channel of one subject, or of all subjects of a law.
        """
        view = KnowingView(channel.finite(self.kind))
        value = view.epsilon(self.delta)
        return _leakage(WorstView(value.lower, value.upper, view))

    def leakage(self, release: Release) -> Leakage:
        """Returns the least ε, in nats, that has this delta, the worst over all known sets.

        lower < upper where these are too many.

        Args:
            release: The model, the query and the noise.

        Raises:
            InputError: Records are real numbers and some would be known.
            Meaningless: The secret is who is absent.
        """
        _check_records(release, self.known_fraction)
        release.secrets.check_no_stage()
        # Because jointly normal records have no list of values: if nobody is known, their channel has its own curve.
        real = release.all_channels() if release.secret == "number" else ()
        found = [NOTHING, *(Leakage.of(channel.least_epsilon("ratio", self.delta)) for channel in real)]
        for world in release.worlds.plain:
            known = how_many(world, self.known_fraction)
            found.append(_leakage(worst_view(release, world, known, LeastEpsilon(self.delta))))
        return worst(found)

    def delta_at(self, channel: Channel, epsilon: float) -> Enclosure:
        """Returns the least delta at which the channel keeps epsilon, given none of the other records.

        Args:
            channel: The channel of one subject.
            epsilon: The promise, in nats.

        Returns:
            An enclosure of the delta, a probability.
        """
        return KnowingView(channel.finite(self.kind)).delta(epsilon)

    def least_delta(self, release: Release, epsilon: float, compared: bool = False) -> Enclosure:
        release.secrets.check_no_stage()
        bound = self.delta if compared else None
        return delta_curve(release, [epsilon], self.known_fraction, bound)[0]

    def rests_on(self) -> tuple[str, ...]:
        share = said("knows_share", share=self.known_fraction) if self.known_fraction else said("knows_nobody")
        return (share,)


def noiseless_delta(release: Release, epsilon: float, known_fraction: float = 0.0) -> Enclosure:
    """Returns the least δ at which the release is noiseless(ε, δ) to somebody who knows a fraction of the records.

    Args:
        release: The model, the query and the noise, which may be none.
        epsilon: The promise ε, in nats, a finite number of at least 0.
        known_fraction: The fraction of all records that the adversary may know, at least 0 and below 1; 0 by default.

    Returns:
        An enclosure of the δ, a probability.

    Raises:
        InputError: epsilon or known_fraction is out of range, or records are real numbers and some would be known.
        Meaningless: The secret is who is absent.

    Example:
        >>> import dalenius as dl
        >>> release = dl.Release(dl.Independent(n=100, values=[0, 1], probabilities=[0.5, 0.5]), "count", "none")
        >>> round(dl.noiseless_delta(release, 0.5).upper, 6)
        0.000599
    """
    return delta_curve(release, [epsilon], known_fraction)[0]


def delta_curve(
    release: Release, epsilons: Sequence[float], known_fraction: float = 0.0, bound: float | None = None
) -> tuple[Enclosure, ...]:
    """Returns `noiseless_delta` at every ε; the laws are made once.

    Args:
        release: The model, the query and the noise, which may be none.
        epsilons: The promises ε, in nats, finite numbers of at least 0.
        known_fraction: The fraction of all records that the adversary may know, at least 0 and below 1; 0 by default.
        bound: A δ that the results are only compared with, so that they may be known less closely; None (the default)
            where they are asked for.

    Returns:
        An enclosure of the δ, a probability, for each ε.

    Raises:
        InputError: An ε or known_fraction is out of range, or records are real numbers and some would be known.
        Meaningless: The secret is who is absent.

    Example:
        >>> import dalenius as dl
        >>> release = dl.Release(dl.Independent(n=100, values=[0, 1], probabilities=[0.5, 0.5]), "count", "none")
        >>> [round(each.upper, 4) for each in dl.delta_curve(release, [0.0, 0.5])]
        [0.0796, 0.0006]
    """
    if not 0 <= known_fraction < 1:
        raise InputError("known_fraction", known_fraction, "a number of at least 0 and below 1")
    for epsilon in epsilons:
        if not 0 <= epsilon < float("inf"):
            raise InputError("epsilon", epsilon, "a finite number of at least 0")
    _check_records(release, known_fraction)
    found = [delta_of(release, epsilon) if release.secret == "number" else Enclosure(0.0, 0.0) for epsilon in epsilons]
    for world in release.worlds.plain:
        known = how_many(world, known_fraction)
        if known:
            # Because the worst known set may be another one at each ε.
            worsts = [worst_view(release, world, known, LeastDelta(epsilon, bound)) for epsilon in epsilons]
            own = [Enclosure(each.lower, each.upper) for each in worsts]
        else:
            own = _given_nothing(release, world, epsilons, bound)
        found = [largest(one, other) for one, other in zip(found, own, strict=True)]
    return tuple(found)


def _given_nothing(
    release: Release, world: RecordWorld, epsilons: Sequence[float], bound: float | None
) -> list[Enclosure]:
    """Returns the δ at each ε without known records; each channel is made once, then discarded."""
    found = [Enclosure(0.0, 0.0)] * len(epsilons)
    for channel in world.complete(release.noise):
        view = KnowingView(channel)
        found = [
            largest(one, view.delta(epsilon, one.lower, bound)) for one, epsilon in zip(found, epsilons, strict=True)
        ]
    return found


def _check_records(release: Release, known_fraction: float) -> None:
    """Raises an error where the secret is who is absent, or real numbers would be known."""
    if release.secret == "absence":
        raise Meaningless("model.kind", "absent", "a model of records for noiseless privacy")
    release.worlds.check_plain_records("noiseless privacy")
    # Because there is a law of jointly normal records some of which are known, but no search for the worst of them.
    if release.secret == "number" and known_fraction > 0:
        raise InputError("notion.known_fraction", known_fraction, "0 for records that are real numbers")


def _leakage(worst_known: WorstView) -> Leakage:
    """Makes a leakage, in nats, with a witness where some record touches the answer."""
    witness = None if worst_known.view is None else _witness(worst_known.view, worst_known.lower)
    return Leakage(worst_known.lower, worst_known.upper, witness)


def _witness(view: KnowingView, epsilon: float) -> Witness | None:
    """Makes the witness: whose record, which two values, what is known, and the event at this ε that leaks most.

    None where there is no pair of values.
    """
    channel = view.channel
    # A record may have one value, or no pair of its values in secrets.pairs.
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
        outputs=_region(channel, one, other, epsilon),
    )


_Interval: TypeAlias = tuple[float, float]


def _region(channel: Likelihoods, one: int, other: int, epsilon: float) -> tuple[_Interval, ...] | None:
    """Returns the event that leaks most, as intervals of outputs, in the query's unit; None where it is no set of such.

    Ends are included, where outputs are the lattice points of one answer: without noise, or with geometric.
    """
    shape = channel.mechanism.shape
    # Because two counts have an event in the plane, and continuous noise has one between the lattice's points.
    if channel.lattice.axes > 1 or not (shape.adds_nothing or (shape.exponential and shape.needs_lattice)):
        return None
    found = _of_points(channel, one, other, epsilon)
    if shape.adds_nothing:
        return found
    # Because all likelihoods fall at the same rate beyond the box, an interval that reaches its end goes on.
    ends = _named(channel, 0), _named(channel, len(channel.likelihood.base) - 1)
    return tuple((-inf if low == ends[0] else low, inf if high == ends[1] else high) for low, high in found)


def _of_points(channel: Likelihoods, one: int, other: int, epsilon: float) -> tuple[_Interval, ...]:
    """Returns the intervals; impossible outputs between two outputs of the event do not split one."""
    law = channel.likelihood
    # Because at an infinite ε the event is what the other value cannot cause, no finite log-ratio belongs to it.
    leading = leads(law, one, other, min(epsilon, float_info.max))
    possible = np.max(law.relative[[one, other]], axis=0) > -inf
    places = np.flatnonzero(possible)
    return tuple((_named(channel, places[a]), _named(channel, places[b])) for a, b in _runs(leading[possible]))


def _named(channel: Likelihoods, place: float) -> float:
    """Returns a place in the box, in the query's unit."""
    return float(channel.lattice.steps[0]) * (float(place) + channel.likelihood.start[0])


def _runs(leading: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Returns the first and last index of each run of True."""
    edges = np.diff(np.concatenate([[0], leading.astype(np.int8), [0]]))
    return [(int(a), int(b)) for a, b in zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1, strict=True)]


@final
class NoiselessMethod(Method):
    """Method that adds no noise, where the exact answer keeps the promise under this model.

    Elsewhere it says what the answer leaks.
    """

    name: ClassVar[str] = "noiseless"
    reads_channel: ClassVar[bool] = True

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        epsilon = promised(notion)
        check_records_notion(notion)
        notion.check(release)
        bare = release.with_noise(NoNoise())
        leakage = notion.leakage(bare)
        # Because there is nothing to tune: less leakage than the exact answer's needs noise.
        if leakage.upper > epsilon:
            raise Refused(_reached(bare, notion, epsilon, leakage))
        why = "the exact answer keeps the promise: under this model the other records are noise enough"
        return Calibration(self.name, True, why, NoNoise(), 0.0, leakage)


def _reached(bare: Release, notion: Notion, epsilon: float, leakage: Leakage) -> str:
    """Says why the exact answer does not keep the promise: what it leaks, and with which δ it would keep it."""
    # A notion without a δ, such as inferential privacy, has no curve to say more of.
    if notion.properties.background_fraction is None or notion.promised_delta is None:
        return f"without noise the answer leaks {_said(leakage)}, promised {epsilon:g}"
    delta = noiseless_delta(bare, epsilon, notion.properties.background_fraction)
    least = f"{delta.upper:.6g}" if delta.upper - delta.lower <= 1e-6 * delta.upper else f"up to {delta.upper:.6g}"
    at_delta = f"epsilon = {_said(leakage)} at delta = {notion.promised_delta:g}"
    return f"without noise: {at_delta}, and delta = {least} at epsilon = {epsilon:g}"


def _said(leakage: Leakage) -> str:
    """Writes a leakage in nats, with as many digits as are known."""
    # ∞ where one value alone can cause an output, with more than δ; no upper end where known sets are too many to list.
    if leakage.lower == inf:
        return "∞"
    return either(Enclosure(leakage.lower, leakage.upper), floor=-inf)
