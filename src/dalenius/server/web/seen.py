"""What an analyst sees, in the words and numbers of the templates."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isinf, isnan
from typing import Any, Final, final
from urllib.parse import urlencode

from dalenius.curator import Budgets, DataSet, Measure, Paid, Quote, Recorded, Session
from dalenius.curator.amounts import nats_above, spending_of
from dalenius.pages.numbers import near, up
from dalenius.server.web.bars import Bar, bar, bar_after
from dalenius.server.web.fields import kinds_with_forms
from dalenius.server.web.odds import Fact, afterwards, example
from dalenius.server.web.site import Link, data_url
from dalenius.spec.precision import percent, precision_columns
from dalenius.tables import Condition

NAMED: Final = 4


@final
@dataclass(frozen=True)
class MeasureSeen:
    name: str
    description: str
    records: str
    kinds: tuple[Link, ...]


def measures_of(session: Session) -> tuple[MeasureSeen, ...]:
    """What may be asked, by the form."""
    return tuple(_measure(session, each) for each in session.measures)


def _measure(session: Session, found: Measure) -> MeasureSeen:
    kinds = kinds_with_forms(session.data.kinds_for(session.analyst, found))
    ask = data_url(session.data.name, "ask")
    links = tuple(Link(kind, f"{ask}?{urlencode({'measure': found.name, 'kind': kind})}") for kind in kinds)
    return MeasureSeen(found.name, found.description, _records(found), links)


def _records(found: Measure) -> str:
    if isinstance(found.value, Condition):
        return "1 where it holds, else 0"
    ends = ["any" if end is None else near(end) for end in (found.lower, found.upper)]
    if found.lower is None and found.upper is None:
        return "as they are in the table"
    step = "" if found.step is None else f", in steps of {near(found.step)}"
    return f"{ends[0]} to {ends[1]}{step}"


def labelled(data: DataSet, measure: Measure | None) -> bool:
    """Whether people can be told apart by a label in what is asked."""
    named = data.source.label is not None or (measure is not None and measure.label is not None)
    return named and "labels" in data.public


def bars_of(found: Budgets, name: str) -> tuple[Bar, ...]:
    own = () if found.own is None else (bar("Your own share", found.own),)
    return (*own, bar(f"{name}, all analysts together", found.data))


@final
@dataclass(frozen=True)
class Quoted:
    """What a query would cost. key: with which it may be asked."""

    key: str
    question: str
    free: bool
    advice: str | None
    rows: tuple[Fact, ...]
    bars: tuple[Bar, ...]


def quoted(found: Quote, session: Session, key: str, question: str) -> Quoted:
    now = session.budget()
    own = () if found.own is None or now.own is None else (bar_after("Your own share", now.own, found.own),)
    bars = (*own, bar_after(f"{session.data.name}, all analysts together", now.data, found.budget))
    rows = (*_costs(found), *_precise(found), *_means(found, session.data))
    return Quoted(key, question, found.free, advised(found.advised), rows, bars)


def _costs(found: Quote) -> list[Fact]:
    if found.cost is None:
        return [Fact("Cost", "nothing: the same question has its answer already")]
    beside = found.cost.group_loss
    more = "no bound, beside others" if isinf(beside) else f"at most {up(beside)} nats more, whatever the others are"
    return [
        Fact("Cost, alone", f"{up(found.cost.leakage)} nats, if nothing else is ever asked of these data"),
        Fact("Cost, beside others", more),
    ]


def _precise(found: Quote) -> list[Fact]:
    rows = []
    chosen = found.calibration
    if chosen is not None and not isnan(chosen.expected_error):
        rows.append(Fact("Expected error", f"± {near(chosen.expected_error, 3)}"))
    if found.confidence is not None and found.half_widths:
        rows.append(_interval(percent(found.confidence), found.half_widths))
    if chosen is not None:
        rows.append(Fact("Noise", chosen.noise.words))
    return rows


def _interval(confidence: str, widths: Mapping[str, float | None]) -> Fact:
    said = [f"{_width(width)} {f'for {name}' if name else ''}".strip() for name, width in widths.items()]
    name = f"{confidence} interval"
    if len(said) == 1:
        return Fact(name, said[0])
    more = (f"and {len(said) - NAMED} more",) if len(said) > NAMED else ()
    return Fact(name, "", (*said[:NAMED], *more))


def _width(width: float | None) -> str:
    return "the noise does not say" if width is None else f"± {up(width)}"


def _means(found: Quote, data: DataSet) -> list[Fact]:
    if found.calibration is None or found.cost is None:
        return []
    said = example(data.notion, found.cost.leakage)
    return [] if said is None else [Fact("For a person", said)]


@final
@dataclass(frozen=True)
class PaidSeen:
    """A row of the history; url: None where there is no answer."""

    entry: int
    asked: str
    answer: str
    cost: str
    when: str
    url: str | None


def paid(found: Paid, data: str) -> PaidSeen:
    done, body = found.recorded, found.debit.body
    cost, when = up(leaked(body)), when_of(body)
    if done is None:
        lost = "failed, though it was paid for" if found.failed else "lost, though it was paid for"
        return PaidSeen(found.debit.number, "unknown", lost, cost, when, None)
    several = len(done.published.answers)
    answer = value(done.published.answers[0]) if several == 1 else f"{several} answers"
    return PaidSeen(done.entry, asked(done), answer, cost, when, data_url(data, "answers", str(done.entry)))


def leaked(body: Mapping[str, Any]) -> float:
    """What a debit's release leaks by itself, in nats."""
    return nats_above(spending_of(body["leakage"]))


def when_of(body: Mapping[str, Any]) -> str:
    """As in 2026-11-23 01:02; blank of entries that do not say."""
    return str(body.get("time", ""))[:16].replace("T", " ")


def asked(done: Recorded) -> str:
    """What was asked, in words."""
    said = next((row[1] for row in done.published.words if row[0] == "asked"), "")
    return said or "a release"


def advised(advice: str | None) -> str | None:
    """As a sentence."""
    return None if advice is None else f"{advice[:1].upper()}{advice[1:]}."


def value(answer: Fraction | str) -> str:
    if isinstance(answer, str):
        return answer
    return f"{answer.numerator:,}" if answer.denominator == 1 else f"{float(answer):,.10g}"


@final
@dataclass(frozen=True)
class Row:
    label: str
    value: str
    interval: str


@final
@dataclass(frozen=True)
class AnswerSeen:
    entry: int
    asked: str
    confidence: str
    rows: tuple[Row, ...]
    warning: str | None
    advice: str | None
    odds: tuple[str, ...]
    certificate: tuple[Fact, ...]
    json: str


def answer(found: Paid, data: DataSet, spent: float) -> AnswerSeen:
    """One that has been drawn. spent: of the data set by now, in nats."""
    done = found.recorded
    assert done is not None
    certificate = done.published.certificate
    _, cells = precision_columns(certificate)
    between = [cell[0] for cell in cells] or ["none"] * len(done.published.answers)
    confidence = percent(certificate["confidence"]) if "confidence" in certificate else ""
    named = zip(done.published.labels, done.published.answers, between, strict=True)
    rows = tuple(Row(label, value(each), interval) for label, each, interval in named)
    odds = afterwards(data.notion, leaked(found.debit.body), spent)
    shown = json.dumps(dict(certificate), indent=2, ensure_ascii=False)
    return AnswerSeen(
        done.entry,
        asked(done),
        confidence,
        rows,
        certificate.get("warning"),
        advised(certificate.get("advice")),
        tuple(odds),
        _facts(done),
        shown,
    )


def _facts(done: Recorded) -> tuple[Fact, ...]:
    """The certificate's rows, what has one name together; and where it is in the ledger."""
    named: dict[str, list[str]] = {}
    for name, said in done.words:
        named.setdefault(name.strip(), []).append(said)
    rows = [_fact(name, said) for name, said in named.items() if name not in ("asked", "advice", "warning")]
    return (*rows, Fact("In the ledger", f"entry {done.entry}, hash {done.hash}"))


def _fact(name: str, said: Sequence[str]) -> Fact:
    shown = f"{name[:1].upper()}{name[1:]}"
    return Fact(shown, said[0]) if len(said) == 1 else Fact(shown, "", tuple(said))
