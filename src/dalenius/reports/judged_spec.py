"""A spec with its noise judged, from which a page for its signer is written before anything goes out."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, final

from dalenius.absent.notions import RhoIdentifiability
from dalenius.calibration import CONFIDENCE, Calibration, calibrate, group_advice, kept_by
from dalenius.calibration.accuracy import expected_error, with_companion_losses
from dalenius.channel import Release
from dalenius.curator import Budget
from dalenius.curator.earlier_releases import earlier_releases
from dalenius.errors import InputError
from dalenius.models import lawless
from dalenius.notions import InferentialPrivacy, InformationPrivacy, Notion, audit, leakages
from dalenius.sentences.sentence import Phrase
from dalenius.spec import Spec
from dalenius.tables import People, TableLike, check_people
from dalenius.tables.binding import bound_to_table
from dalenius.tables.check import near_advice, near_households
from dalenius.tables.true_answer import check_no_texts

# Where a noise promises nothing, these are told.
_USUAL: Final[tuple[Notion, ...]] = (InformationPrivacy(), InferentialPrivacy())


class Before(Protocol):
    """A ledger's account of a table's releases, as `curator.earlier_releases.EarlierReleases` has it."""

    @property
    def name(self) -> str: ...
    @property
    def shown(self) -> str: ...
    @property
    def rows(self) -> tuple[tuple[str, ...], ...]: ...
    @property
    def sentences(self) -> tuple[str, ...]: ...
    @property
    def refused(self) -> bool: ...
    @property
    def spent(self) -> str: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def budget(self) -> Budget | None: ...
    @property
    def asked(self) -> tuple[Phrase, ...]: ...
    @property
    def elsewhere(self) -> int: ...


@final
@dataclass(frozen=True)
class Judged:
    """The subject of a page: a release, its leakage, and the table it is of.

    Attributes:
        spec: The spec, bound to its table.
        text: The spec as it was written.
        release: The release, with its noise.
        calibration: The noise and all that it leaks, in nats.
        promises: The promises; none where only the noise is given.
        given: Whether the spec gives the noise itself.
        people: The table; None where there is none.
        confidence: The confidence of intervals, between 0 and 1.
        before: The ledger's releases of the table; None where there is no ledger.
        few: The few people who set the noise for everybody, in words; None where there are none.
        of_table: What is supposed of the table's keys, in words.
    """

    spec: Spec
    text: str
    release: Release
    calibration: Calibration
    promises: tuple[Notion, ...]
    given: bool
    people: People | None = None
    confidence: float = CONFIDENCE
    before: Before | None = None
    few: str | None = None
    of_table: tuple[str, ...] = ()

    def clause(self, value: object, record: str) -> str:
        """Writes that a `record` is this `value`, in the words of the table's condition if it has one."""
        return f"{record} is {value}" if self.spec.data is None else self.spec.data.clause(value, record)


def judge(
    spec: Spec,
    text: str,
    folder: Path,
    data: TableLike | None = None,
    confidence: float = CONFIDENCE,
    ledger: str | None = None,
    advise: Callable[[str], object] = str,
) -> Judged:
    """Finds the release of a spec with its noise, given or the least that keeps the promises, and all that it leaks.

    Args:
        spec: The spec, with a noise or a promise.
        text: The spec as it was written, which the page repeats.
        folder: What the data's path is relative to.
        data: A table instead of the spec's own; None for the spec's.
        confidence: The confidence of intervals, between 0 and 1.
        ledger: The ledger of the table's releases; None for the one beside it, if there is one.
        advise: Is called with each line of what is doubtful in the table, before anything is computed.

    Raises:
        InputError: For a spec with neither a noise nor a promise, for a model that gives no law of the records, and for
            a table of other people.
    """
    if spec.of_moments or lawless(spec.model):
        raise InputError("model.kind", spec.model.kind, "a model that gives the law of the records")
    given = spec.gives_noise
    if not given and not spec.notions:
        raise InputError("spec", "neither noise nor promise", "a section [noise], or a [notion] with an epsilon")
    open_ended = given and spec.promises is None and (spec.notion is None or spec.notion.epsilon is None)
    promises = () if open_ended else spec.all_promises()
    read, people = (spec, None) if spec.data is None and data is None else bound_to_table(spec, folder, data)
    for line in () if people is None else near_advice(people):
        advise(line)
    keys, few = () if people is None else near_households(people), None
    # Because a given noise is taken as it is, only another one is calibrated.
    if given:
        release = read.audited()
        _check_people(release, people)
        found = _audited(release, promises, read.notions)
    else:
        noiseless = read.calibrated()
        _check_people(noiseless, people)
        found = calibrate(noiseless, promises)
        few = group_advice(noiseless, found, confidence, lambda each: calibrate(each, promises))
        release = noiseless.with_noise(found.noise)
    before: Before | None = earlier_releases(spec, people, release, found, promises, ledger)
    return Judged(read, text, release, found, promises, given, people, confidence, before, few, keys)


def _check_people(release: Release, people: People | None) -> None:
    """Raises InputError where the table is of other people than the model: the page would be about nobody."""
    # Because people who are told apart have labels of their own, which no table has.
    if people is not None and release.query.told_apart is None and release.worlds.finite:
        check_no_texts(people, (world.record_strata for world in release.worlds))
        check_people(release.worlds[0].record_strata, people.tally())


def _audited(release: Release, promises: tuple[Notion, ...], named: tuple[Notion, ...]) -> Calibration:
    """Returns the given noise, with what it leaks by the promises, or else by the usual notions."""
    if promises:
        notions, found = promises, leakages(release, promises)
    else:
        # Where nothing is promised, the page tells what everybody asks first, and what the spec names.
        usual = {notion.kind: notion for notion in (*_USUAL, *named)}
        if release.secret == "absence":
            usual.setdefault("rho", RhoIdentifiability())
        known = audit(release, tuple(usual.values()))
        notions, found = tuple(usual[kind] for kind in known), list(known.values())
    error = expected_error(release)
    why = "the spec gives the noise, and what it leaks was computed"
    noise, kept = release.noise, kept_by(notions, found)
    return with_companion_losses(Calibration("given", True, why, noise, error, found[0], promises=kept), release)
