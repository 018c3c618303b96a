"""One certified release, noised or rounded to a grid: what it costs, and under how much noise; its draw, which is for
what has been paid for."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from math import fsum, inf
from typing import Final, final

from dalenius.bisection import bisected
from dalenius.bounds import near_to_digits
from dalenius.calibration import (
    CONFIDENCE,
    Calibration,
    ExactMethod,
    Precision,
    advice,
    calibrate,
    expected_error,
    half_widths,
    improbable,
    judged_beside,
    kept_by,
    noised_by,
    precision,
)
from dalenius.certificates import Rounding
from dalenius.channel import Release
from dalenius.channel.adversary import Adversary
from dalenius.composition import Releases, compose, converted, group_loss, record_losses
from dalenius.conversion import PrivacyProfile
from dalenius.curator.amounts import ALONE
from dalenius.curator.certificate import GridCertificate, ReleaseCertificate
from dalenius.curator.ledger import Ledger
from dalenius.curator.publication import Publication, Recorded
from dalenius.curator.request import Request
from dalenius.curator.spending import Entry
from dalenius.errors import InputError, Refused, TooLarge
from dalenius.noise import Noise
from dalenius.notions import Leakage, Notion, notions_of


def cost_of(release: Release, promises: Sequence[Notion], spec: str, leakage: float) -> Entry:
    """What it costs alone and beside others; leakage: its own, in nats, rounded up.

    Beside others it is counted as one that no records are known of: others of these data are for adversaries who know
    none, or other ones. Nothing is converted then, as that supposes that none are known. Where answers are known no
    group is independent of others, and beside others it costs more than any budget.
    """
    kinds = " and ".join(notion.kind for notion in promises)
    delta = max(promise.promised_delta or 0.0 for promise in promises)
    alone = Entry(
        spec,
        kinds,
        leakage,
        inf,
        implied_by=tuple(dict.fromkeys(promise.implied_by for promise in promises)),
        keeps_delta=all(promise.keeps_delta for promise in promises),
        delta=delta,
    )
    knows = bool(release.adversary.known or release.adversary.answers)
    plain = release.altered(adversary=Adversary()) if knows else release
    if release.adversary.answers or plain.lattice != release.lattice:
        return alone
    found = _of_one(plain, replace(alone, group_loss=group_loss(plain), records=plain.group_size))
    found = replace(found, together=_together(plain))
    if knows or not plain.is_finite:
        return found
    return replace(found, identity=_identity(plain, spec), convert=Converting(plain))


def _of_one(release: Release, entry: Entry) -> Entry:
    """With what it loses between data sets that differ in one record."""
    if not release.is_finite:
        farthest = release.noise.group_loss(release.sensitivity, release.lattice.axes)
        return replace(entry, differential=farthest, pure=farthest)
    losses = record_losses(Releases((release,)))
    return replace(
        entry,
        differential=max((loss.total for loss in losses), default=0.0),
        gaussian=max((loss.mu for loss in losses), default=0.0),
        pure=max((fsum(loss.pure) for loss in losses), default=0.0),
    )


@final
class Converting:
    """What a profile of losses comes to under the model of a release, rounded up; infinite where it is not known. What
    it found is not pickled: it is found again."""

    def __init__(self, release: Release) -> None:
        self._release, self._found = release, lru_cache(self._of)

    def __call__(self, profile: PrivacyProfile, delta: float) -> float:
        return self._found(profile, delta)

    def __reduce__(self) -> tuple[type["Converting"], tuple[Release]]:
        return Converting, (self._release,)

    def _of(self, profile: PrivacyProfile, delta: float) -> float:
        try:
            return converted(self._release, profile, delta)
        except (InputError, TooLarge):
            return inf


def _identity(release: Release, spec: str) -> str:
    """SHA-256 of the model and of the columns that are read, in one canonical text: of the same bytes, the same law of
    the same records."""
    try:
        read = json.loads(spec)
    except json.JSONDecodeError:
        read = None
    columns = read.get("data") if isinstance(read, dict) else None
    model = release.model.self_contained().model_dump(mode="json", exclude_none=True)
    return sha256(json.dumps([model, columns], sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _together(release: Release) -> str:
    """SHA-256 of what says who is in a group with whom: the columns of a table, or else the model."""
    if release.group_size == 1:
        return ALONE
    columns = sorted(release.model.household_columns)
    said = columns or release.model.self_contained().model_dump(mode="json", exclude_none=True)
    return sha256(json.dumps(said, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


_EXACT: Final = "leaves an answer exact: whoever knows all other records learns this one"
_ALLOWED: Final = '(to release it nevertheless, write kind = "none" in [noise] or pass --allow-exact)'

_COMPUTED: Final = "the leakage of the given noise was computed"
_BOUND: Final = "the leakage of the given noises together is at most this: that of their differential losses, composed"

# The certificate of a calibration; None where none is wanted.
Certify = Callable[[Calibration], ReleaseCertificate | None]


@final
@dataclass(frozen=True)
class Prepared:
    """A release as far as it may go before it is paid for: its noise, and what it costs; chosen: the release with that
    noise; confidence: of the intervals of its answers; advised: where these would be wider than what the model expects.
    """

    calibration: Calibration
    cost: Entry
    chosen: Release
    certificate: ReleaseCertificate | None
    confidence: float
    advised: str | None

    def drawn(self, answer: tuple[int, ...]) -> Publication:
        """What goes out for that exact answer, in lattice steps: it is to be paid for by now."""
        drawn = self.calibration.noise.draw(answer, self.chosen.lattice)
        found = precision(self.chosen, drawn, self.confidence, self.advised)
        kept = self.certificate
        if kept is None:
            return Publication(drawn, self.chosen.scores.names, {}, ())
        warned = improbable(self.chosen, drawn)
        said = (kept.as_json(drawn, found, warned), kept.rows(found, warned))
        return Publication(drawn, self.chosen.scores.names, *said)


def _calibration_of(release: Release, promises: Sequence[Notion], method: str) -> Calibration:
    """The release's own noise, where its scale is given and keeps the promises; else the method's.

    Refused where the given scale breaks one of them.
    """
    if not release.noise.is_complete:
        return calibrate(release, promises, method)
    found = [_leakage(notion, release) for notion in promises]
    leakages = [leakage for leakage, _ in found]
    for notion, leakage in zip(promises, leakages, strict=True):
        if notion.epsilon is None or leakage.upper > notion.epsilon:
            promised = "none" if notion.epsilon is None else f"{notion.epsilon:g}"
            noise = release.noise
            said = f"{noise.kind} noise of scale {noise.scale:g}" if noise.scale else noise.words
            raise Refused(f"{said} leaks {leakage.upper:.6g} nats ({notion.kind}), the promise is {promised}")
    why, kept = next((why for _, why in found if why != _COMPUTED), _COMPUTED), kept_by(promises, leakages)
    against = None if all(notion.implied_by == "record" for notion in promises) else release.contradiction
    sound, why = (True, why) if against is None else (False, against)
    given = Calibration("given", sound, why, release.noise, expected_error(release), leakages[0], promises=kept)
    return judged_beside(given, release)


def _leakage(notion: Notion, release: Release) -> tuple[Leakage, str]:
    """And how it is known; a bound of it, of Gaussian noise of which no joint law of the outputs is known here."""
    try:
        return notion.leakage(release), _COMPUTED
    except InputError as error:
        parts = release.noise.each(len(release.names))
        if error.key != "noise.kind" or not any(part.gaussian_deviation for part in parts):
            raise
    found = compose((release,), notion).bound.value
    return Leakage(found.lower, found.upper, None), _BOUND


def prepared(
    release: Release,
    notion: Notion | Sequence[Notion],
    spec: str,
    certify: Certify,
    allow_exact: bool = False,
    confidence: float = CONFIDENCE,
    accept_unsound: bool = False,
    method: str = ExactMethod.name,
) -> Prepared:
    """A release as far as it may go before it is paid for: neither ledger nor table are needed. notion: one promise, or
    several, which are all kept; spec: what is asked, in one canonical text; confidence: of the interval of each answer,
    which the certificate states; method: that chooses the noise, where its scale is not given; accept_unsound: whether
    it may be one that is not proven.

    Meaningless where secrets are of several people: what is spent adds up record by record. InputError where the noise
    is too large to be drawn.

    Refused where some possible answer would go out exactly, unless the release itself says that no noise is added or
    allow_exact does: the promise holds for the adversary it is about, but whoever knows all other records learns the
    last one. Whether it is refused does not depend on the answer.
    """
    release.secrets.check_of_records("the ledger")
    promises = notions_of(notion)
    calibration = _calibration_of(release, promises, method)
    if not (calibration.sound or accept_unsound):
        raise Refused(f"method {calibration.method} is not sound here: {calibration.why}")
    if calibration.exact and not (allow_exact or release.noise.adds_nothing):
        what = "the noise given" if release.noise.is_complete else "the least noise that keeps the promise"
        instead = noised_by(release, promises[0], calibration)
        raise Refused(f"{what}, {calibration.noise.kind}, {_EXACT}; {instead} {_ALLOWED}")
    chosen = release.with_noise(calibration.noise)
    if chosen.noise.additive:  # noise too large to be drawn is refused before it is paid for
        chosen.noise.draw((0,) * chosen.lattice.axes, chosen.lattice)
    # Of the first promise: the budget is in its nats. What else is promised of this release is kept by its noise.
    cost = cost_of(chosen, promises, spec, calibration.leakage.upper)
    return Prepared(calibration, cost, chosen, certify(calibration), confidence, advice(chosen, confidence))


def release_rounded(
    rounding: Rounding, answer: Fraction, ledger: Ledger, request: Request, certificate: GridCertificate
) -> Recorded:
    """Debit, and only then round. Its loss between groups is infinite, so that it is the only release of its data: it
    is protected by the data's own randomness, of which a second answer would leave less (Theory §9). The same request
    again gets the cell that the ledger keeps."""
    certified = rounding.certificate
    if not certified.sound or certified.events != "all":
        raise Refused(f"certificate {certified.name} does not hold for all events")

    def cell() -> Publication:
        released = (Fraction(rounding.released(answer)),)
        found = Precision(1.0, (rounding.cell(answer),))
        return Publication(released, ("",), certificate.as_json(released, found), certificate.rows(found))

    return ledger.release(request, cost_rounded(rounding, request, certificate.promises), cell)


def cost_rounded(rounding: Rounding, request: Request, promises: Sequence[Notion]) -> Entry:
    """What it costs: all there is, as no other release may join it."""
    first = promises[0]
    epsilon, delta = rounding.certificate.epsilon, first.promised_delta or 0.0
    return Entry(request.spec, first.kind, epsilon, inf, delta=delta)


_DIGITS: Final = 9
_LEAST: Final = 1e-12


def noise_within(release: Release, within: float, confidence: float) -> Noise:
    """The release's kind of noise with the largest scale, to nine digits, of which the half-width is at most `within`.
    It looks at no data. InputError where there is none."""
    kind = release.noise
    if kind.is_complete:
        raise InputError("ask.noise", kind.kind, kind.instead)

    def fits(scale: float) -> bool:
        found = half_widths(release, kind.with_scale(scale), confidence).values()
        return all(each is not None and each <= within for each in found)

    high = within
    while not fits(high):
        high /= 2
        if high < _LEAST * within:
            raise InputError("ask.within", within, f"a distance that {kind.kind} noise can keep to")
    while fits(2 * high):
        high *= 2
    low, _ = bisected(fits, high, 2 * high, absolute=high / 2**60)
    rounded = near_to_digits(low, _DIGITS)
    return kind.with_scale(rounded if rounded <= low and fits(rounded) else near_to_digits(low * (1 - 2e-9), _DIGITS))
