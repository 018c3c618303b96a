"""The release of a spec with what it really leaks, and who is most exposed.

Of 200 people in households of one to five the five of the only household of five are most exposed, as whoever lives
with more people has more to lose.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from dalenius.absent.notions import RhoIdentifiability
from dalenius.bounds import Enclosure, near_to_digits
from dalenius.calibration import CONFIDENCE, Calibration, calibrate, expected_error, judged_beside
from dalenius.calibration.method import kept_by
from dalenius.channel import Release
from dalenius.channel.finite_channel import FiniteChannel
from dalenius.errors import InputError
from dalenius.field_types import RecordValue
from dalenius.joints import Subject
from dalenius.models import lawless
from dalenius.notions import InferentialPrivacy, InformationPrivacy, Notion, audit, leakages
from dalenius.spec import Spec, bound
from dalenius.tables import Held, People, check_people

# What is told of a noise that promises nothing.
_USUAL: Final[tuple[Notion, ...]] = (InformationPrivacy(), InferentialPrivacy())


@final
@dataclass(frozen=True)
class Judged:
    """What a page is about: a release, what it leaks, and the table it is of.

    spec: bound to its table; text: as it was written; promises: none where only the noise is given; given: whether
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


def judge(spec: Spec, text: str, folder: Path, data: Held | None = None, confidence: float = CONFIDENCE) -> Judged:
    """The spec's release with its noise, given or the least that keeps the promises, and all that it leaks.

    folder: what the data's path is relative to; data: a table instead of the spec's own. InputError for a spec with
    neither a noise nor a promise, for a model that gives no law of the records, and for a table of other people."""
    if spec.of_moments or lawless(spec.model):
        raise InputError("model.kind", spec.model.kind, "a model that gives the law of the records")
    given = spec.gives_noise
    if not given and not spec.notions:
        raise InputError("spec", "neither noise nor promise", "a section [noise], or a [notion] with an epsilon")
    open_ended = given and spec.promises is None and (spec.notion is None or spec.notion.epsilon is None)
    promises = () if open_ended else spec.all_promises()
    read, people = bound(spec, folder, data)
    # A spec that gives its noise is taken as it is; else the noise is the least that keeps the promises.
    if given:
        release = read.audited()
        _check_people(release, people)
        found = _audited(release, promises, read.notions)
    else:
        noiseless = read.calibrated()
        _check_people(noiseless, people)
        found = calibrate(noiseless, promises)
        release = noiseless.with_noise(found.noise)
    return Judged(read, text, release, found, promises, given, people, confidence)


def _check_people(release: Release, people: People | None) -> None:
    """InputError where the table is of other people than the model: the page would be about nobody."""
    if people is not None and release.worlds.finite:
        check_people(release.worlds[0].strata, people.tally())


def _audited(release: Release, promises: tuple[Notion, ...], named: tuple[Notion, ...]) -> Calibration:
    """The noise as it is given, with what it leaks of the promises, or else of the usual notions."""
    if promises:
        notions, found = promises, leakages(release, promises)
    else:
        # Nothing is promised: what is told is what everybody asks first, and what the spec names.
        usual = {notion.kind: notion for notion in (*_USUAL, *named)}
        if release.secret == "absence":
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
        """The number of the first person of the class; 0 where it is anybody."""
        return self.subject.person

    def channel(self, release: Release) -> FiniteChannel:
        """The channel of this class: made anew, since those of all classes together may not fit into memory."""
        made = release.worlds.finite[self.law].complete(release.noise)
        return next(channel for channel in made if channel.subject.person == self.person)


def exposed(judged: Judged) -> list[Exposed]:
    """All classes of whom an output may leak something, the worst first; of those that differ by roundings only, the
    first person. None where records are real numbers, or the secret is who is absent."""
    found: dict[int, Exposed] = {}
    for law, world in enumerate(judged.release.worlds.finite):
        strata = world.joint.strata()
        for channel in world.complete(judged.release.noise):
            raised, witness = channel.movement().raised
            value = None if witness is None else witness.secret
            own = Exposed(channel.subject, law, strata[channel.subject.stratum].label, raised, value)
            # Under each law of a model the same person may be exposed otherwise: the worst counts.
            if own.person not in found or rank(own) < rank(found[own.person]):
                found[own.person] = own
    return sorted(found.values(), key=rank)


def rank(each: Exposed) -> tuple[float, int]:
    """By which classes are sorted, to six digits: of equals processors would differ about who is first."""
    return -near_to_digits(each.raised.upper, 6), each.person
