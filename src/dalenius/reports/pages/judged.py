"""The release of a spec, with its noise and what this really leaks, and how exposed people are, worst first."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from dalenius.absent.rho import RhoIdentifiability
from dalenius.bounds import Enclosure, near_to_digits
from dalenius.calibration import CONFIDENCE, Calibration, calibrate, expected_error, judged_beside
from dalenius.calibration.found import kept_by
from dalenius.channel import Release
from dalenius.channel.finite.channel import FiniteChannel
from dalenius.errors import InputError
from dalenius.joints import Subject
from dalenius.notions import InferentialPrivacy, InformationPrivacy, Notion, audit, leakages
from dalenius.schema import RecordValue
from dalenius.spec import Spec, bound, check_people
from dalenius.tables import Held, People

USUAL: Final[tuple[Notion, ...]] = (InformationPrivacy(), InferentialPrivacy())
"""What is told of a noise that promises nothing."""


@final
@dataclass(frozen=True)
class Judged:
    """spec: bound to its table; text: as it was written; promises: none where only the noise is given; given: whether
    the spec gives the noise itself; calibration: the noise and all that it leaks; people: the table, if there is one;
    confidence: of intervals."""

    spec: Spec
    text: str
    release: Release
    calibration: Calibration
    promises: tuple[Notion, ...]
    given: bool
    people: People | None = None
    confidence: float = CONFIDENCE

    def clause(self, value: object, record: str) -> str:
        """That a record is this value, in the words of the table's condition if it has one; record: whose."""
        return f"{record} is {value}" if self.spec.data is None else self.spec.data.clause(value, record)


def judged(spec: Spec, text: str, folder: Path, data: Held | None = None, confidence: float = CONFIDENCE) -> Judged:
    """folder: what the data's path is relative to; data: a table instead of the spec's own. InputError for a spec with
    neither a noise nor a promise, for a model that gives no law of the records, and for a table of other people."""
    if spec.of_moments or spec.model.lawless:
        raise InputError("model.kind", spec.model.kind, "a model that gives the law of the records")
    given = spec.gives_noise
    if not given and not spec.notions:
        raise InputError("spec", "neither noise nor promise", "a section [noise], or a [notion] with an epsilon")
    open_ended = given and spec.promises is None and (spec.notion is None or spec.notion.epsilon is None)
    promises = () if open_ended else spec.all_promises()
    read, people = bound(spec, folder, data)
    if given:
        release = read.audited()
        _check_people(release, people)
        found = _audited(release, promises, read.notions)
    else:
        asked = read.calibrated()
        _check_people(asked, people)
        found = calibrate(asked, promises)
        release = asked.with_noise(found.noise)
    return Judged(read, text, release, found, promises, given, people, confidence)


def _check_people(release: Release, people: People | None) -> None:
    if people is not None and release.finite_worlds:
        check_people(release.strata, people.tally())


def _audited(release: Release, promises: tuple[Notion, ...], named: tuple[Notion, ...]) -> Calibration:
    """The noise as it is given, with what it leaks of the promises, or else of the usual notions."""
    if promises:
        notions, found = promises, leakages(release, promises)
    else:
        usual = {notion.kind: notion for notion in (*USUAL, *named)}
        if release.of_absence:
            usual.setdefault("rho", RhoIdentifiability())
        known = audit(release, tuple(usual.values()))
        notions, found = tuple(usual[kind] for kind in known), list(known.values())
    error = expected_error(release)
    why = "the spec gives the noise, and what it leaks was computed"
    noise, kept = release.noise, kept_by(notions, found)
    return judged_beside(Calibration("given", True, why, noise, error, found[0], promises=kept), release)


@final
@dataclass(frozen=True)
class Exposed:
    """One class of exchangeable people under the law where it is exposed most. law: its place among the model's; label:
    of their records; raised: the most any output raises the log of a chance of theirs, in nats; value: that chance's.
    """

    subject: Subject
    law: int
    label: str
    raised: Enclosure
    value: RecordValue | None

    @property
    def person(self) -> int:
        return self.subject.person

    def channel(self, release: Release) -> FiniteChannel:
        """Made anew: those of all classes together may not fit."""
        made = release.finite_worlds[self.law].channels(release.noise)
        return next(channel for channel in made if channel.subject.person == self.person)


def exposed(judged: Judged) -> list[Exposed]:
    """All classes of whom an output may leak something, the worst first; of those that differ by roundings only, the
    first person. None where records are real numbers, or the secret is who is absent."""
    found: dict[int, Exposed] = {}
    for law, world in enumerate(judged.release.finite_worlds):
        strata = world.joint.strata()
        for channel in world.channels(judged.release.noise):
            raised, witness = channel.movement().raised
            value = None if witness is None else witness.secret
            own = Exposed(channel.subject, law, strata[channel.subject.stratum].label, raised, value)
            if own.person not in found or _order(own) < _order(found[own.person]):
                found[own.person] = own
    return sorted(found.values(), key=_order)


def _order(each: Exposed) -> tuple[float, int]:
    return -near_to_digits(each.raised.upper, 6), each.person


def alike(found: Sequence[Exposed]) -> list[Exposed]:
    """Of those in order, the ones that are exposed as much as the first but for roundings."""
    return [each for each in found if _order(each)[0] == _order(found[0])[0]]
