"""What is published, how precise it is, and what is assumed."""

from fractions import Fraction
from math import isnan
from typing import Final

from dalenius.bounds import Enclosure
from dalenius.calibration import Expected, advice, expected
from dalenius.pages.judged import Judged
from dalenius.pages.numbers import down, near, sentence, up
from dalenius.pages.section import Section, Table
from dalenius.spec import hypotheses
from dalenius.spec.asked import asked_words
from dalenius.spec.precision import percent

ROWS: Final = 20
CONFIDENTIAL: Final = (
    "This page was computed from the table itself, since the model is the table with one person absent: it is for "
    "whoever signs, and not for publication."
)


def published(judged: Judged) -> Section:
    names = [name for name in judged.release.names if name]
    plain = [sentence(f"what is asked: {asked_words(judged.spec)}"), _what(judged), _noise(judged), _people(judged)]
    plain.append(_error(judged))
    if judged.calibration.exact and not judged.release.noise.adds_nothing:
        plain.append("Some possible answers go out exactly as they are: whoever sees them knows them.")
    table, advised = _intervals(judged, names), advice(judged.release, judged.confidence)
    plain += [] if advised is None else [sentence(f"Poor precision: {advised}")]
    plain += [CONFIDENTIAL] if judged.spec.model.reveals_answers else []
    return Section("published", "What is published", tuple(plain), tables=() if table is None else (table,))


def assumed(judged: Judged) -> Section:
    found = [
        f"the records are taken for this: {judged.spec.model.words}",
        *hypotheses(judged.spec, judged.promises),
        "nothing else is released from the same data",
    ]
    plain = (
        "Whoever reads the answers is taken for an adversary: somebody who knows this page, the model and the noise, "
        "and reasons without error. What this page says holds as long as all of the following does.",
    )
    return Section("assumed", "What is assumed", plain, points=tuple(sentence(each) for each in found))


def _what(judged: Judged) -> str:
    count = len(judged.release.names)
    numbers = "One number is published" if count == 1 else f"{count:,} numbers are published"
    return sentence(f"{numbers}: {judged.release.noise.outcome}{'' if count == 1 else ', each'}")


def _noise(judged: Judged) -> str:
    source = "as the spec gives it" if judged.given else "the least that keeps what is promised below"
    if judged.release.noise.adds_nothing:
        return "No noise is added: whoever reads the answers reads the exact ones."
    return f"The noise is {judged.release.noise.words}, {source}."


def _people(judged: Judged) -> str:
    worlds = judged.release.finite_worlds
    labelled = (worlds[0].joint if worlds else judged.release.model.joints()[0]).labelled()
    total = sum(labelled.values())
    named = [label for label in labelled if label]
    among = f", in {len(named):,} groups by label" if len(named) > 1 else ""
    model = f"The model ({judged.spec.model.kind}) is of {total:,} {'person' if total == 1 else 'people'}{among}."
    if judged.people is None:
        return f"{model} The spec names no table of their data."
    columns = ", ".join(f"{key} from column {column}" for key, column in judged.people.source.columns.items())
    return f"{model} Their data are the {judged.people.count():,} rows of {judged.people.shown}: {columns}."


def _error(judged: Judged) -> str:
    if judged.release.noise.adds_nothing:
        return "The published answers have no error."
    off = judged.calibration.expected_error
    return (
        "No average error is defined: outputs are words, or err by the answer."
        if isnan(off)
        else f"A number is off by {near(off, 4)} on average."
    )


def _intervals(judged: Judged, names: list[str]) -> Table | None:
    noise, share = judged.release.noise, percent(judged.confidence)
    found = expected(judged.release, judged.confidence)
    if not found:
        return None
    held = f"the exact answer is within the interval in {share} of releases at least"
    rows = [_row(each, noise.additive) for each in found[:ROWS]]
    more = f" ({len(found) - ROWS:,} more answers are not shown)" if len(found) > ROWS else ""
    columns = ("answer", f"expected by the model ({share})", f"{share} interval", "± of a middling answer")
    return Table(f"How precise each answer is: {held}{more}", columns, tuple(rows))


def _row(found: Expected, additive: bool) -> tuple[str, ...]:
    range_ = f"{near(float(found.low))} to {near(float(found.high))}"
    if found.interval is None:
        return (found.name or "the answer", range_, "none: the noise does not say", "")
    half = (found.interval.upper - found.interval.lower) / 2
    return (
        found.name or "the answer",
        range_,
        _interval(found.interval, half, additive),
        _relative(half, found.middle),
    )


def _interval(interval: Enclosure, half: float, additive: bool) -> str:
    if additive:
        return f"± {up(half)}"
    return f"{down(interval.lower, 6)} to {up(interval.upper, 6)} around the middle"


def _relative(half: float, middle: Fraction) -> str:
    return "the middle is 0" if middle == 0 else f"{up(100 * half / abs(float(middle)), 3)} %"
