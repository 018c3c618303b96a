"""What an analyst sees, in the words and numbers of the templates."""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import isinf, isnan
from typing import Any, Final, NamedTuple, TypeAlias

from dalenius.curator import Budget, Budgets, DataSet, Measure, Paid, Quote, Recorded, Session
from dalenius.curator.amounts import amount_of, nats_above
from dalenius.notions import Notion, in_words
from dalenius.notions.wording import becomes, folds, percent, raised, raised_by_odds, right_guess
from dalenius.reports.page_parts import down, near, up
from dalenius.server.form import kinds_with_forms
from dalenius.server.site import data_url
from dalenius.spec.answers import percent as in_percent, precision_columns
from dalenius.spec.source import Condition

BEFORE: Final = (0.001, 0.01, 0.1, 0.5)


class Fact(NamedTuple):
    """A row of two; points: what is said, where it is several things."""

    name: str
    said: str
    points: tuple[str, ...] = ()


class Promise(NamedTuple):
    """said: in a sentence; rows: with its numbers."""

    said: str
    rows: tuple[Fact, ...]


class Believed(NamedTuple):
    """What may be thought of a person: before, after all of the budget, and after what is spent by now."""

    before: str
    whole: str
    now: str


def of_odds(notion: Notion) -> bool:
    """Whether it bounds the odds between two values; chances alone if not."""
    return "odds" in notion.phrases


def after(notion: Notion, epsilon: float, before: float) -> str | None:
    """The most that a chance becomes; None where the notion says nothing of chances."""
    if not notion.phrases:
        return None
    grown = raised_by_odds if of_odds(notion) else raised
    return together(percent(grown(before, epsilon)))


def example(notion: Notion, epsilon: float) -> str | None:
    """What a chance that tells something becomes, for somebody of whom the notion speaks; None where it says nothing of
    chances.

    With a delta no posterior is bounded for every output: what is, is how often the better guess is right.
    """
    if not notion.phrases:
        return None
    sentence = f"{notion.to_whom}, {_example(notion, epsilon)}" if notion.to_whom else _example(notion, epsilon)
    return f"{sentence[0].upper()}{sentence[1:]}"


def _example(notion: Notion, epsilon: float) -> str:
    delta = notion.promised_delta
    if isinf(epsilon):
        return "what somebody thought of a person may become a certainty."
    if delta and of_odds(notion):
        right = together(percent(right_guess(epsilon, delta)))
        return f"somebody who guesses between two equally likely values of a person is right with at most {right}."
    return f"except with probability {delta:g}, {_raised(notion, epsilon)}" if delta else _raised(notion, epsilon)


def _raised(notion: Notion, epsilon: float) -> str:
    if epsilon == 0:
        return "nothing that somebody thought of a person changes."
    before, end = map(together, becomes(of_odds(notion), epsilon))
    grows = "the odds between two values change at most" if of_odds(notion) else "no chance grows more than"
    likely = f"what somebody thought {before} likely of a person they think at most {end} likely afterwards."
    return f"{grows} {folds(epsilon)}-fold: {likely}"


def promise(notion: Notion) -> Promise:
    """Of a data set: what holds once all of its budget is spent."""
    epsilon = notion.epsilon or 0.0
    said = example(notion, epsilon)
    named = notion.kind.replace("_", " ")
    words = in_words(notion)
    sentence = said if said is not None else f"At most {epsilon:g} nats leak of any person."
    delta = f", at delta {notion.promised_delta:g}" if notion.promised_delta else ""
    rows = [Fact("Notion", f"{named} privacy"), Fact("Budget", f"{epsilon:g} nats{delta}")]
    if words is not None:
        grow = "Odds change" if of_odds(notion) else "Chances grow"
        rows += [Fact(grow, f"at most e to the budget = {folds(epsilon)}-fold")]
        rows += [Fact("In words", f"{words[0].upper()}{words[1:]}.")]
    return Promise(f"Whatever is asked, all answers together: {sentence[0].lower()}{sentence[1:]}", tuple(rows))


def believed(notion: Notion, spent: float) -> tuple[Believed, ...]:
    """By what was thought before. None where the notion says nothing of chances, or holds but for a delta."""
    if not notion.phrases or notion.promised_delta or notion.epsilon is None:
        return ()
    found = []
    for before in BEFORE:
        whole, now = after(notion, notion.epsilon, before), after(notion, spent, before)
        found.append(Believed(chance(before), whole or "", now or ""))
    return tuple(found)


def chance(share: float) -> str:
    return together(f"{(100 * Decimal(str(share))).normalize():f} %")


def together(number: str) -> str:
    """So that no line breaks between a number and its sign."""
    return number.replace(" ", "\N{NO-BREAK SPACE}")


def afterwards(notion: Notion, alone: float, spent: float) -> Sequence[str]:
    """Of an answer: by itself, and with everything else that was answered."""
    found = example(notion, alone)
    if found is None:
        return [f"This answer alone leaks at most {alone:.4g} nats of any person."]
    sentence = [f"By this answer alone: {found[0].lower()}{found[1:]}"]
    if spent > alone:
        together = example(notion, spent) or ""
        sentence.append(f"By all answers of these data so far: {together[0].lower()}{together[1:]}")
    return sentence


Seen: TypeAlias = Mapping[str, Any]
"""What a template shows, by the names it has there."""
NAMED: Final = 4
WIDTH: Final = 1000
"""Of a bar."""


def bar(name: str, budget: Budget, then: Budget | None = None) -> Seen:
    """A budget: what is spent is rounded up, and what is left down. then: as it would be afterwards; next: the share of
    that, from the left as well, so that what is spent already lies over it."""
    after = budget if then is None else then
    now = "" if then is None else f"{up(budget.spent)} spent now, "
    note = f"{now}{up(after.spent)} of {near(after.initial)} {'spent' if then is None else 'afterwards'}"
    return {
        "name": name,
        "left": f"{down(after.remaining)} nats left",
        "note": f"{note}, at delta {after.delta:g}" if after.delta else note,
        "spent": _share(budget),
        "next": 0 if then is None else _share(then),
    }


def _share(budget: Budget) -> int:
    if not budget.initial > 0 or isinf(budget.spent):
        return WIDTH
    return min(WIDTH, max(0, round(WIDTH * budget.spent / budget.initial)))


class MeasureSeen(NamedTuple):
    """kinds: of queries that a form can say."""

    name: str
    description: str
    records: str
    kinds: Sequence[str]


def measures_of(session: Session) -> tuple[MeasureSeen, ...]:
    """What may be asked, by the form."""
    data, analyst = session.data, session.analyst
    return tuple(
        MeasureSeen(each.name, each.description, _records(each), kinds_with_forms(data.kinds_for(analyst, each)))
        for each in session.measures
    )


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


def bars_of(found: Budgets, name: str) -> tuple[Seen, ...]:
    return bar("Your own share", found.own), bar(f"{name}, all analysts together", found.data)


def quoted(found: Quote, session: Session, key: str, question: str) -> Seen:
    """What a query would cost. key: with which it may be asked."""
    now = session.budget()
    own = () if found.own is None else (bar("Your own share", now.own, found.own),)
    return {
        "key": key,
        "question": question,
        "free": found.free,
        "advice": advised(found.advised),
        "facts": (*_costs(found), *_precise(found), *_means(found, session.data)),
        "bars": (*own, bar(f"{session.data.name}, all analysts together", now.data, found.budget)),
    }


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
        rows.append(_interval(in_percent(found.confidence), found.half_widths))
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


def paid(found: Paid, data: str) -> Seen:
    """A row of the history; url: None where there is no answer."""
    done, body = found.recorded, found.debit.body
    seen = {"cost": up(leaked(body)), "when": when_of(body)}
    if done is None:
        lost = "failed, though it was paid for" if found.failed else "lost, though it was paid for"
        return {**seen, "entry": found.debit.number, "asked": "unknown", "answer": lost, "url": None}
    several = len(done.published.answers)
    answer = value(done.published.answers[0]) if several == 1 else f"{several} answers"
    url = data_url(data, "answers", str(done.entry))
    return {**seen, "entry": done.entry, "asked": question_words(done), "answer": answer, "url": url}


def leaked(body: Mapping[str, Any]) -> float:
    """What a debit's release leaks by itself, in nats."""
    return nats_above(amount_of(body["leakage"]))


def when_of(body: Mapping[str, Any]) -> str:
    """As in 2026-11-23 01:02; blank of entries that do not say."""
    return str(body.get("time", ""))[:16].replace("T", " ")


def question_words(done: Recorded) -> str:
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


def answer(found: Paid, data: DataSet, spent: float) -> Seen:
    """One that has been drawn. spent: of the data set by now, in nats."""
    done = found.recorded
    assert done is not None
    certificate = done.published.certificate
    _, cells = precision_columns(certificate)
    between = [cell[0] for cell in cells] or ["none"] * len(done.published.answers)
    named = zip(done.published.labels, done.published.answers, between, strict=True)
    return {
        "entry": done.entry,
        "asked": question_words(done),
        "confidence": in_percent(certificate["confidence"]) if "confidence" in certificate else "",
        "rows": [{"label": label, "value": value(each), "interval": interval} for label, each, interval in named],
        "warning": certificate.get("warning"),
        "advice": advised(certificate.get("advice")),
        "odds": afterwards(data.notion, leaked(found.debit.body), spent),
        "certificate": _facts(done),
        "json": json.dumps(dict(certificate), indent=2, ensure_ascii=False),
    }


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
