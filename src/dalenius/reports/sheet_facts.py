"""The facts of a sheet: what an entry of a ledger says of a release, or what is known of it before it goes out."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, final

from dalenius.calibration import expected
from dalenius.curator import History, Publication, account, paid_by_entry
from dalenius.curator.amounts import DebitSums, amount_of, as_nats, nats_above
from dalenius.curator.cost_of_releases import cost_of
from dalenius.errors import DaleniusError, InputError
from dalenius.reports.judged_spec import Before, Judged
from dalenius.reports.page_building_blocks import near, up
from dalenius.sentences.recorded import KEY, phrases_of, sentences_json
from dalenius.sentences.sentence import Name, Phrase, said
from dalenius.spec import canonical, hypotheses
from dalenius.spec.results_as_json import answer_json, calibration_json, notion_json, promises_json
from dalenius.spec.spec import question_json, question_words


@final
@dataclass(frozen=True)
class FactRow:
    """One answer: its label; the answer, or before it goes out what the model expects; the ends of its interval.

    Attributes:
        label: The answer's label, empty where there is one answer only.
        shown: The answer as it is printed.
        ends: The two ends, numbers or "-inf" and "inf"; None where the noise gives no interval.
        half: Half the interval, for an answer that is not yet drawn; None for one that is.
    """

    label: Phrase
    shown: str | tuple[str, str]
    ends: tuple[object, object] | None
    half: str | None = None


@final
@dataclass(frozen=True)
class Earlier:
    """An earlier release of the same data: the number of its entry, its time and its question in words."""

    entry: int
    time: str
    asked: Phrase


@final
@dataclass(frozen=True)
class Together:
    """Losses of all releases of the data up to one entry together, without the model, in nats; infinite if not known.

    Attributes:
        count: How many releases.
        differential: The sum of their losses between neighbours.
        group_loss: The sum of their losses of whole groups, by the ledger's rule for groups that differ.
        records: How many records the largest of all groups has.
    """

    count: int
    differential: float
    group_loss: float
    records: int


@final
@dataclass(frozen=True)
class SheetFacts:
    """All that a sheet says, before it is put into words.

    Attributes:
        certificate: The release's certificate as JSON, or what is known of it before.
        name: The data set.
        rows: The answers.
        group_loss: What the release says about a whole group of records, in nats; infinite where it is not known.
        records: How many records the largest group has; None where that is not known.
        earlier: What has gone out before.
        entry: The entry of the answers; None before they go out.
        digest: The hash of that entry.
        released: When the answers went out, an ISO time.
        asked_by: The analysts who were told.
        since: How many releases followed.
        others: How many earlier releases are not in `earlier`, as the reader of the sheet was not told them.
        spent: What all releases up to this one spend, and the budget, in nats; before it goes out without it.
        together: What all releases up to this one say without the model; None before it goes out.
        elsewhere: How many answers of other data sets the ledger holds.
    """

    certificate: Mapping[str, Any]
    name: str
    rows: tuple[FactRow, ...]
    group_loss: float
    records: int | None
    earlier: tuple[Earlier, ...]
    entry: int | None = None
    digest: str = ""
    released: str = ""
    asked_by: tuple[str, ...] = ()
    since: int = 0
    others: int = 0
    spent: tuple[float, float] | None = None
    together: Together | None = None
    elsewhere: int = 0

    @property
    def is_practice(self) -> bool:
        """Whether the answers are of a table to practise on, and about nobody."""
        return "practice" in self.certificate


def facts_of_entry(history: History, entry: int, reader: str | None = None) -> SheetFacts:
    """Collects what the entry of this number in a `history` says.

    Args:
        history: What is in a ledger.
        entry: The number of an entry with answers.
        reader: The analyst for whom the sheet is: only what they were told is listed. None for its owner.

    Raises:
        InputError: For an entry that has no answers, or answers without a certificate.
    """
    name, paid = paid_by_entry(history, entry)
    found, body = paid.recorded, paid.debit.body
    if found is None or not found.published.certificate:
        raise InputError("--entry", entry, "an entry with a certificate: a program released these answers without one")
    certificate = found.published.certificate
    # Because a policy may keep who lives with whom to itself, the size of the largest group is as hidden as whom a
    # certificate is most about.
    hidden = "measure" in certificate and certificate.get("leakage", {}).get("witness") is None
    all_before = [each for each in account(history, name).paid if each.debit.number < paid.debit.number]
    before = [each for each in all_before if reader is None or reader in each.recipients]
    return SheetFacts(
        certificate,
        name,
        _answered(found.published),
        inf if hidden else as_nats(amount_of(body["group_loss"])),
        None if hidden else body.get("records"),
        tuple(Earlier(each.debit.number, str(each.debit.body.get("time", "")), each.question) for each in before),
        entry=entry,
        digest=found.hash,
        released=str(certificate.get("released", body.get("time", ""))),
        asked_by=paid.recipients if reader is None else (reader,),
        since=found.since,
        others=len(all_before) - len(before),
        spent=(as_nats(amount_of(body["spent"])), found.budget.initial) if "spent" in body else None,
        together=_together(history, name, paid.debit.number, hidden),
        # Because a policy need not tell an analyst of the other data sets, only the owner's sheet counts them.
        elsewhere=history.answers_elsewhere(name) if reader is None else 0,
    )


def _together(history: History, name: str, last: int, hidden: bool) -> Together:
    """Sums up the debits of a data set up to the one numbered `last`; hidden: whether the groups' sizes are."""
    sums = DebitSums()
    for debit in history.debited(name):
        if debit.number <= last:
            sums = sums.with_debit(debit.body)
    # Because people may have moved between two versions of a table, a group of one may be any people to another.
    group = inf if hidden else nats_above(max(sums.group, sum(sums.by_period.values())))
    return Together(sums.count, nats_above(sums.differential), group, sums.largest)


def facts_of_practice(published: Publication, name: str) -> SheetFacts:
    """Collects the facts of an answer that was practised.

    Args:
        published: The answer, with its certificate.
        name: The name of the data set that the practice table stands for.
    """
    return SheetFacts(published.certificate, f"practice of {name}", _answered(published), inf, None, ())


def _answered(published: Publication) -> tuple[FactRow, ...]:
    """Returns a row for each answer that went out, with its interval."""
    ends = published.certificate.get("interval", [None] * len(published.answers))
    # Because most labels are the user's own, certificates have sentences for others only.
    own = KEY in published.certificate and "labels" in published.certificate[KEY]
    labels = phrases_of(published.certificate, "labels", published.labels) if own else map(Name, published.labels)
    return tuple(
        FactRow(label, f"{answer_json(answer)}", None if pair is None else (pair[0], pair[1]))
        for label, answer, pair in zip(labels, published.answers, ends, strict=True)
    )


def facts_before(judged: Judged) -> SheetFacts:
    """Collects what is known of a release, `judged`, before its answers go out."""
    spec, found, promises = judged.spec, judged.calibration, judged.promises
    outside = said("nothing_else_alone" if judged.before is None else "nothing_else")
    rests = [*hypotheses(spec, promises), *judged.of_table, outside, said("other_data_sets")]
    certificate = {
        **question_json(spec),
        **({"notion": notion_json(promises[0]), **promises_json(promises)} if promises else {}),
        **calibration_json(found),
        "confidence": judged.confidence,
        "hypotheses": rests,
        **sentences_json(asked=question_words(spec), model=spec.model.words, noise=found.noise.words, hypotheses=rests),
    }
    group_loss, records = _of_groups(judged)
    before = judged.before
    budget = None if before is None or not before.rows else before.budget
    return SheetFacts(
        certificate,
        judged.people.name if before is None and judged.people is not None else "" if before is None else before.name,
        _expected_rows(judged),
        group_loss,
        records,
        () if before is None else _rows_before(before),
        spent=None if budget is None else (budget.spent, budget.initial),
        elsewhere=0 if before is None else before.elsewhere,
    )


def _rows_before(before: Before) -> tuple[Earlier, ...]:
    """Returns what a ledger holds of the table already, the oldest first."""
    rows = zip(before.rows, before.asked, strict=True)
    return tuple(Earlier(int(row[0]), row[1].replace(" UTC", "+00:00"), asked) for row, asked in rows)


def _of_groups(judged: Judged) -> tuple[float, int | None]:
    """Returns what the release says about a whole group, in nats, and how many records one has at most."""
    promises = judged.promises or tuple(kept.notion for kept in judged.calibration.promises)
    try:
        cost = cost_of(judged.release, promises, canonical(judged.spec), judged.calibration.leakage.upper)
    except DaleniusError:  # such as of secrets of several people
        return inf, None
    return cost.group_loss, cost.records


def _expected_rows(judged: Judged) -> tuple[FactRow, ...]:
    """Returns a row for each answer: what the model expects, and how far the answer may be off."""
    by_name = {each.name: each for each in expected(judged.release, judged.confidence)}
    rows = []
    for name in judged.release.names:
        each = by_name.get(name)
        if each is None:
            rows.append(FactRow(Name(name), "", None))
            continue
        ends = each.interval
        shown = near(float(each.low)), near(float(each.high))
        if ends is None:
            rows.append(FactRow(Name(name), shown, None))
        elif judged.release.noise.shape.additive:
            rows.append(FactRow(Name(name), shown, None, up((ends.upper - ends.lower) / 2)))
        else:
            rows.append(FactRow(Name(name), shown, (near(ends.lower), near(ends.upper))))
    return tuple(rows)
