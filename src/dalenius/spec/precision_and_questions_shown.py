"""How precise released answers are, and what several questions leak alone and together: as public JSON and in words.

>>> share_in_percent(0.95), _between([3, "inf"]), _between(["-inf", 3])
('95 %', 'at least 3', 'at most 3')
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import inf, isinf
from typing import Any, Final

from dalenius.bounds import Enclosure, either
from dalenius.calibration import Precision
from dalenius.notions import Difference, Leakage, Notion, difference
from dalenius.spec.questions_and_derived_numbers import Question
from dalenius.spec.results_as_json import enclosure_json, leakage_json, number
from dalenius.spec.results_in_words import enclosed, nats

KEYS = ("confidence", "interval", "relative", "advice")


def precision_json(found: Precision, answers: Sequence[Fraction | str]) -> dict[str, Any]:
    """confidence; interval: for each answer its two ends, or null; relative: half the interval over the answer's size,
    or null where that is 0; advice."""
    pairs = list(zip(found.intervals, answers, strict=True))
    return {
        "confidence": found.confidence,
        "interval": [None if each is None else [_end(each.lower), _end(each.upper)] for each, _ in pairs],
        "relative": [_relative(each, answer) for each, answer in pairs],
        "advice": found.advice,
    }


def precision_rows(found: Precision) -> list[list[str]]:
    """What the intervals mean, and what they are worth."""
    if all(each is None for each in found.intervals):
        return [["interval", "none: the noise does not say where the answer lies"]]
    shown = [
        ["interval", f"each holds the exact answer in at least {share_in_percent(found.confidence)} of such releases"]
    ]
    return shown if found.advice is None else [*shown, ["advice", found.advice]]


def precision_columns(certificate: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Two columns' names, and for each answer what stands there; none where the certificate has no intervals."""
    if "interval" not in certificate:
        return [], []
    cells = [
        [_between(interval), "" if relative is None else "any" if isinstance(relative, str) else f"{relative:.2%}"]
        for interval, relative in zip(certificate["interval"], certificate["relative"], strict=True)
    ]
    return [f"{share_in_percent(certificate['confidence'])} interval", "± of the answer"], cells


def share_in_percent(share: float) -> str:
    return f"{(100 * Decimal(str(share))).normalize():f} %"


def _relative(interval: Enclosure | None, answer: Fraction | str) -> float | str | None:
    """Half the interval over the answer's size, to six digits; None where there is no such share."""
    # Randomised response answers in words; and of an answer of 0 nothing is half.
    if interval is None or isinstance(answer, str) or answer == 0:
        return None
    half = (interval.upper - interval.lower) / 2
    return number(half if isinf(half) else float(f"{half / abs(float(answer)):.6g}"))


def _end(value: float) -> int | float | str | None:
    return int(value) if value.is_integer() else number(value)


def _between(interval: Sequence[int | float | str] | None) -> str:
    """An interval as people say it; with an infinite end the other one only."""
    if interval is None:
        return "none"
    low, high = (each if isinstance(each, str) else f"{each:.10g}" for each in interval)
    if low == "-inf":
        return "any" if high == "inf" else f"at most {high}"
    return f"at least {low}" if high == "inf" else f"{low} to {high}"


_FIELDS: Final = {
    "together": "together",
    "most_alone": "largest_single",
    "sum_alone": "sum_of_singles",
    "above_most": "above_most",
    "above_sum": "above_sum",
}
"""By key of the JSON, what it is of a `Difference`."""


def questions_json(
    questions: Sequence[Question],
    by_question: Mapping[str, Sequence[Leakage]],
    notions: Sequence[Notion],
    together: Mapping[str, Leakage],
) -> dict[str, Any]:
    """alone: each question with its noise and its leakage by notion; difference: by notion (see `Difference`)."""
    each = [
        {
            "name": name,
            "query": question.query.model_dump(mode="json", exclude_none=True),
            "noise": None if question.noise is None else question.noise.model_dump(mode="json", exclude_none=True),
            "times": question.times,
            "leakage": {notion.kind: leakage_json(own) for notion, own in zip(notions, found, strict=True)},
        }
        for question, (name, found) in zip(questions, by_question.items(), strict=True)
    ]
    return {"alone": each, "difference": {kind: _json(own) for kind, own in _by_notion(by_question, notions, together)}}


def questions_table(
    by_question: Mapping[str, Sequence[Leakage]], notions: Sequence[Notion], together: Mapping[str, Leakage]
) -> tuple[list[str], list[list[str]]]:
    """Columns and rows: by notion what each question leaks alone, what all leak together, and how much that is above
    the largest and above the sum."""
    # Questions with a column each.
    names = [*by_question] if len(by_question) <= 4 else []
    rows = []
    for place, (kind, own) in enumerate(_by_notion(by_question, notions, together)):
        single = [enclosed(by_question[name][place]) for name in names]
        most = [own.largest_single, own.sum_of_singles, own.together, own.above_most, own.above_sum]
        rows.append([kind, *single, *(either(each, _signed, least=1e-9, floor=-inf) for each in most)])
    return ["notion", *names, "most alone", "sum", "together", "above most", "above sum"], rows


def _by_notion(
    by_question: Mapping[str, Sequence[Leakage]], notions: Sequence[Notion], together: Mapping[str, Leakage]
) -> list[tuple[str, Difference]]:
    """Of each notion that all together have a leakage of: how that compares with the questions alone."""
    found = []
    for place, notion in enumerate(notions):
        if notion.kind in together:
            found.append((notion.kind, difference(together[notion.kind], [own[place] for own in by_question.values()])))
    return found


def _json(found: Difference) -> dict[str, Any]:
    return {key: enclosure_json(getattr(found, name), "epsilon") for key, name in _FIELDS.items()}


def _signed(value: float) -> str:
    """Nats of a difference, which may be below 0."""
    return nats(0.0) if abs(value) < 1e-9 else f"-{nats(-value)}" if value < 0 else nats(value)
