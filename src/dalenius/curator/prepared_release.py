"""One certified release: its noise, what it costs, what its promise rests on, and its draw, for what was paid for.

Let a count of two households of four be within 10 of the exact one in 95 % of cases. In each household 0, 1 or all are
infected. `noise_within` finds geometric noise of scale 3.51681108, `prepared` what that leaks and costs and its
certificate, all without a look at the data. `Prepared.drawn` draws, once the ledger has been debited.
"""

import abc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, final

from dalenius.bisection import bisected
from dalenius.bounds import NO_END, Enclosure, either, near_to_digits
from dalenius.calibration import (
    CONFIDENCE,
    Calibration,
    ExactMethod,
    advice,
    calibrate,
    expected_error,
    half_widths,
    improbable,
    kept_by,
    noised_by,
    precision,
    with_companion_losses,
)
from dalenius.channel import Release
from dalenius.composition import compose
from dalenius.curator.certificate import Certificate, ReleaseTerms
from dalenius.curator.cost_of_releases import Entry, cost_of
from dalenius.curator.drawn_output import check_reportable, drawn_output
from dalenius.curator.recorded_answers import Publication, risk_json
from dalenius.errors import InputError, Refused
from dalenius.noise import Noise, is_complete
from dalenius.notions import Leakage, Notion
from dalenius.omitted import with_omitted
from dalenius.sentences.recorded import with_sentences
from dalenius.spec.precision_shown import precision_json, precision_rows

_EXACT: Final = "leaves an answer exact: an adversary who knows all other records learns this one"
_ALLOWED: Final = '(to release it nevertheless, write kind = "none" in [noise] or pass --allow-exact)'

_COMPUTED: Final = "the leakage of the given noise was computed"
_BOUND: Final = "the given noises together leak at most this: the leakage of their differential losses, composed"


class ReadTable(Protocol):
    """A table whose values may be read: what is asked of it has been paid for."""

    def answer(self, release: Release) -> tuple[int, ...]:
        """Returns the exact answer to the query of a `release`, in lattice steps."""

    def cells(self, columns: Sequence[str]) -> Mapping[str, Sequence[Any]]:
        """Returns the cells of these columns, in the order of the rows."""


@dataclass(frozen=True)
class Ready(abc.ABC):
    """A release as far as it may go before it is paid for, whatever is drawn.

    Attributes:
        cost: What it costs.
        confidence: That of the intervals of its answers.
        advised: Advice where these would be wider than what the model expects; None where not.
        calibration: Its noise; None where that is no noise of a spec.
    """

    cost: Entry
    confidence: float
    advised: str | None
    calibration: Calibration | None

    @abc.abstractmethod
    def drawn_from(self, table: ReadTable) -> Publication:
        """Reads the `table`, and returns what goes out: it is to be paid for by now."""

    @abc.abstractmethod
    def restated(self, published: Publication) -> Publication:
        """Returns an earlier answer to the same question, `published`, with intervals of this one's confidence."""

    @abc.abstractmethod
    def widths(self) -> Mapping[str, float | None]:
        """Returns by the answer's name how far the exact answer may be from what goes out (`Quote.half_widths`)."""

    @abc.abstractmethod
    def risk(self) -> Mapping[str, Any] | None:
        """Returns what it leaks in odds (`risk_json`)."""


@final
@dataclass(frozen=True)
class Prepared(Ready):
    """A release of a query, as far as it may go before it is paid for.

    Attributes:
        calibration: Its noise.
        chosen: The release with that noise.
        terms: Its promises, and what they rest on.
    """

    calibration: Calibration
    chosen: Release
    terms: ReleaseTerms

    def drawn_from(self, table: ReadTable) -> Publication:
        """Reads the exact answer from the `table`, and draws what goes out."""
        return self.drawn(table.answer(self.chosen))

    def drawn(self, answer: tuple[int, ...]) -> Publication:
        """Returns what goes out for an `answer` of `true_answer`, in lattice steps: it is to be paid for by now."""
        drawn = drawn_output(self.chosen, answer)
        found = precision(self.chosen, drawn, self.confidence, self.advised)
        said = Certificate(self.terms, self.calibration, drawn, found, improbable(self.chosen, drawn))
        return Publication(drawn, self.chosen.scores.names, said.as_json(), said.rows())

    def restated(self, published: Publication) -> Publication:
        """Returns what went out before for the same question, `published`, with intervals of this one's confidence.

        That costs nothing. It stays as it was where the table has changed since in what is public, so that the
        intervals were of other noise.
        """
        said, answers = published.certificate, published.answers
        if said.get("confidence", self.confidence) == self.confidence:
            return published
        before = precision(self.chosen, answers, float(said["confidence"]), said["advice"])
        if precision_json(before, answers)["interval"] != said["interval"]:
            return published
        found = precision(self.chosen, answers, self.confidence, self.advised)
        rows = [list(row) for row in published.words if row[0] not in ("interval", "advice")]
        place = next(place for place, row in enumerate(published.words) if row[0] == "interval")
        words = [*rows[:place], *precision_rows(found), *rows[place:]]
        certificate = with_sentences({**said, **precision_json(found, answers)}, advice=found.advice)
        return replace(published, certificate=certificate, words=words)

    def widths(self) -> Mapping[str, float | None]:
        """Returns the half-widths of the intervals."""
        return half_widths(self.chosen, self.calibration.noise, self.confidence)

    def risk(self) -> Mapping[str, Any] | None:
        """Returns what the first promise means at what is leaked."""
        kept = self.calibration.promises[0]
        return risk_json(kept.notion, kept.leakage.upper)


def _calibration_of(release: Release, promises: Sequence[Notion], method: str) -> Calibration:
    """The release's own noise, where its scale is given and keeps the promises; else the method's.

    Refused where the given scale breaks one of them.
    """
    if not is_complete(release.noise):
        return calibrate(release, promises, method)
    # Because somebody chose the scale, for its precision or as another system has it: it is kept or refused.
    found = [_leakage(notion, release) for notion in promises]
    leakages = [leakage for leakage, _ in found]
    for notion, leakage in zip(promises, leakages, strict=True):
        if notion.epsilon is None or leakage.upper > notion.epsilon:
            promised = "none" if notion.epsilon is None else f"{notion.epsilon:g}"
            noise = release.noise
            said = f"{noise.kind} noise of scale {noise.scale:g}" if noise.scale else noise.words
            raise Refused(f"{said} {_leaks(leakage)} ({notion.called}), the promise is {promised}")
    why, kept = next((why for _, why in found if why != _COMPUTED), _COMPUTED), kept_by(promises, leakages)
    # Because noise that is proven against adversaries who know all others serves a model that contradicts itself too.
    of_records = all(notion.properties.implied_by == "record" for notion in promises)
    against = None if of_records else release.worlds.contradiction
    sound, why = (True, why) if against is None else (False, against)
    why = with_omitted(why, release.omitted)
    given = Calibration("given", sound, why, release.noise, expected_error(release), leakages[0], promises=kept)
    return with_companion_losses(given, release)


def _leaks(leakage: Leakage) -> str:
    """Writes a verb and what is known of it, in nats."""
    found = Enclosure(leakage.lower, leakage.upper)
    # Because neither end is known, "at least 0 nats" would say nothing in the words of a finding.
    if found.half_open and found.lower <= 0:
        return f"leaks an amount of which {NO_END}"
    return f"leaks {either(found, '{:.6g} nats'.format)}"


def _leakage(notion: Notion, release: Release) -> tuple[Leakage, str]:
    """Returns the leakage, and how it is known; a bound where Gaussian noise has no known joint law of outputs."""
    try:
        return notion.leakage(release), _COMPUTED
    except InputError as error:
        parts = release.noise.by_coordinate(len(release.names))
        # For several answers with Gaussian noise, or such beside other noise, losses are composed instead.
        if error.key != "noise.kind" or not any(part.shape.gaussian for part in parts):
            raise
    found = compose((release,), notion).bound.value
    return Leakage(found.lower, found.upper, None), _BOUND


def prepared(
    release: Release,
    promises: Sequence[Notion],
    spec: str,
    terms: ReleaseTerms,
    allow_exact: bool = False,
    confidence: float = CONFIDENCE,
    accept_unsound: bool = False,
    method: str = ExactMethod.name,
) -> Prepared:
    """Prepares a release as far as it may go before it is paid for: neither ledger nor table are needed.

    Whether it is refused does not depend on the answer.

    Args:
        release: The release.
        promises: The promises, which are all kept.
        spec: What is asked, in one canonical text.
        terms: The promises, and what they rest on, for the certificate.
        allow_exact: Whether a possible answer may go out exactly although the release adds noise. The promise holds for
            the adversary it is about, but one who knows all other records learns the last one.
        confidence: That of the interval of each answer, which the certificate states.
        accept_unsound: Whether the method may be one that is not proven.
        method: The method that chooses the noise, where its scale is not given.

    Raises:
        Meaningless: If secrets are of several people: spending adds up record by record.
        InputError: If the noise is too large to be drawn.
        Refused: If some possible answer would go out exactly, unless the release itself adds no noise.
    """
    release.secrets.check_of_records("the ledger")
    check_reportable(release)
    calibration = _calibration_of(release, promises, method)
    if not (calibration.sound or accept_unsound):
        raise Refused(f"method {calibration.method} is not sound here: {calibration.why}")
    # A promise may be so weak that no noise is needed, as of one nat where at most 0.9 could ever leak.
    if calibration.exact and not (allow_exact or release.noise.shape.adds_nothing):
        what = "the noise given" if is_complete(release.noise) else "the least noise that keeps the promise"
        instead = noised_by(release, promises[0], calibration)
        raise Refused(f"{what}, {calibration.noise.kind}, {_EXACT}; {instead} {_ALLOWED}")
    chosen = release.with_noise(calibration.noise)
    if chosen.noise.shape.additive:  # noise too large to be drawn is refused before it is paid for
        chosen.noise.draw((0,) * chosen.lattice.axes, chosen.lattice)
    # Because the budget is in the first promise's nats; the noise of this release keeps what else is promised.
    cost = cost_of(chosen, promises, spec, calibration.leakage.upper)
    return Prepared(cost, confidence, advice(chosen, confidence), calibration, chosen, terms)


def noise_within(release: Release, within: float, confidence: float) -> Noise:
    """Returns the release's kind of noise with the largest scale, to nine digits, whose half-width is at most `within`.

    It looks at no data. InputError where there is none.

    Args:
        release: The release, whose scale is replaced.
        within: The half-width, in the query's unit.
        confidence: That of the interval.
    """
    kind = release.noise
    if is_complete(kind):
        raise InputError("ask.noise", kind.kind, "a noise with a scale: laplace, geometric or gaussian")

    def fits(scale: float) -> bool:
        found = half_widths(release, kind.with_scale(scale), confidence).values()
        return all(each is not None and each <= within for each in found)

    high = within
    # Because the half-width grows with the scale: first one that keeps to the distance, then the largest by bisection.
    while not fits(high):
        high /= 2
        if high < 1e-12 * within:
            raise InputError("ask.within", within, f"a distance that {kind.kind} noise can keep to")
    while fits(2 * high):
        high *= 2
    low, _ = bisected(fits, high, 2 * high, absolute=high / 2**60)
    # So that the noise is the same on every processor, it has nine digits; rounded up it may pass the distance.
    rounded = near_to_digits(low, 9)
    return kind.with_scale(rounded if rounded <= low and fits(rounded) else near_to_digits(low * (1 - 2e-9), 9))
