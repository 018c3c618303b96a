"""One certified release: the ledger first, then the noise."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

from dalenius.calibration import (
    CONFIDENCE,
    Calibration,
    ExactMethod,
    advice,
    calibrate,
    expected_error,
    judged_beside,
    kept_by,
    noised_by,
    precision,
    promises_of,
)
from dalenius.channel import Release
from dalenius.composition import compose, group_loss
from dalenius.curator.certificate import ReleaseCertificate
from dalenius.curator.costs import cost_of
from dalenius.curator.ledger import Budget, Ledger, Publication, Recorded
from dalenius.curator.request import Request
from dalenius.curator.spending import Entry
from dalenius.errors import InputError, Refused
from dalenius.notions import Leakage, Notion

EXACT: Final = "leaves an answer exact: whoever knows all other records learns this one"
ALLOWED: Final = '(to release it nevertheless, write kind = "none" in [noise] or pass --allow-exact)'

COMPUTED: Final = "the leakage of the given noise was computed"
BOUND: Final = "the leakage of the given noises together is at most this: that of their differential losses, composed"

Certify = Callable[[Calibration], ReleaseCertificate | None]
"""The certificate of a calibration; None where none is wanted."""


@final
@dataclass(frozen=True)
class Released:
    """The released answers, one per name, with their noise, the budget left, and the ledger's record."""

    names: tuple[str, ...]
    answers: tuple[Fraction | str, ...]
    calibration: Calibration
    budget: Budget
    recorded: Recorded


def _calibration_of(release: Release, promises: Sequence[Notion]) -> Calibration:
    """The release's own noise, where its scale is given and keeps the promises; else the least that does.

    Refused where the given scale breaks one of them.
    """
    if not release.noise.is_complete:
        return calibrate(release, promises, ExactMethod())
    found = [_leakage(notion, release) for notion in promises]
    leakages = [leakage for leakage, _ in found]
    for notion, leakage in zip(promises, leakages, strict=True):
        if notion.epsilon is None or leakage.upper > notion.epsilon:
            said = f"{release.noise.kind} noise of scale {release.noise.scale or 0:g}"
            raise Refused(f"{said} leaks {leakage.upper:.6g} nats ({notion.kind}), the promise is {notion.epsilon}")
    why, kept = next((why for _, why in found if why != COMPUTED), COMPUTED), kept_by(promises, leakages)
    given = Calibration("given", True, why, release.noise, expected_error(release), leakages[0], promises=kept)
    return judged_beside(given, release)


def _leakage(notion: Notion, release: Release) -> tuple[Leakage, str]:
    """And how it is known; a bound of it, of Gaussian noise of which no joint law of the outputs is known here."""
    try:
        return notion.leakage(release), COMPUTED
    except InputError as error:
        parts = release.noise.each(len(release.names))
        if error.key != "noise.kind" or not any(part.gaussian_deviation for part in parts):
            raise
    found = compose((release,), notion).bound.value
    return Leakage(found.lower, found.upper, None), BOUND


def release_once(
    release: Release,
    notion: Notion | Sequence[Notion],
    answer: tuple[int, ...],
    ledger: Ledger,
    data: str,
    budget: float,
    spec: str,
    allow_exact: bool = False,
    delta: float = 0.0,
) -> Released:
    """`release_asked` for data named by their fingerprint only, without a certificate, and paid for each time."""
    request = Request(data, data, spec, budget, once=True, delta=delta)
    return release_asked(release, notion, answer, ledger, request, lambda _: None, allow_exact)


def release_asked(
    release: Release,
    notion: Notion | Sequence[Notion],
    answer: tuple[int, ...],
    ledger: Ledger,
    request: Request,
    certify: Certify,
    allow_exact: bool = False,
    confidence: float = CONFIDENCE,
    advise: Callable[[str], None] = lambda _: None,
) -> Released:
    """Calibrate, debit, and only then draw. notion: one promise, or several, which are all kept; answer: in lattice
    steps. The same request again gets the answers that the
    ledger keeps. confidence: of the interval of each answer, which the certificate states; advise: is told before the
    debit where the intervals will be wider than what the model expects.

    Meaningless where secrets are of several people: what is spent adds up record by record.

    Refused where some possible answer would go out exactly, unless the release itself says that no noise is added or
    allow_exact does: the promise holds for the adversary it is about, but whoever knows all other records learns the
    last one. Whether it is refused does not depend on the answer.
    """
    release.secrets.check_of_records("the ledger")
    promises = promises_of(notion)
    calibration = _calibration_of(release, promises)
    if not calibration.sound:
        raise Refused(f"method {calibration.method} is not sound here: {calibration.why}")
    if calibration.exact and not (allow_exact or release.noise.adds_nothing):
        what = "the noise given" if release.noise.is_complete else "the least noise that keeps the promise"
        instead = noised_by(release, promises[0], calibration)
        raise Refused(f"{what}, {calibration.noise.kind}, {EXACT}; {instead} {ALLOWED}")
    certificate = certify(calibration)
    chosen, names = release.with_noise(calibration.noise), release.scores.names
    advised = advice(chosen, confidence)
    kinds = " and ".join(notion.kind for notion in promises)
    leaks = max(each.leakage.upper for each in calibration.promises)
    delta = max(promise.promised_delta or 0.0 for promise in promises)
    cost = cost_of(chosen, promises, Entry(request.spec, kinds, leaks, group_loss(chosen), delta=delta))

    def draw() -> Publication:
        drawn = calibration.noise.draw(answer, release.lattice)
        found = precision(chosen, drawn, confidence, advised)
        said = ({}, ()) if certificate is None else (certificate.as_json(drawn, found), certificate.rows(found))
        return Publication(drawn, names, *said)

    def before() -> None:
        if advised is not None:
            advise(advised)

    done = ledger.release(request, cost, draw, before)
    return Released(names, done.published.answers, calibration, done.budget, done)
