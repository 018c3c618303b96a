"""The precision of released answers, and the leakage of several questions alone and together: as JSON and in words.

>>> share_in_percent(0.95), _between([3, "inf"]), _between(["-inf", 3])
('95 %', 'at least 3', 'at most 3')
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import isinf
from typing import Any

from dalenius.bounds import Enclosure
from dalenius.calibration import Precision
from dalenius.spec.results_as_json import number

KEYS = ("confidence", "interval", "relative", "advice")


def precision_json(found: Precision, answers: Sequence[Fraction | str]) -> dict[str, Any]:
    """Returns the JSON of the intervals `found` for `answers`.

    It has confidence; interval: for each answer its two ends, or null; relative: half the interval over the answer's
    size, or null where that is 0; advice.
    """
    pairs = list(zip(found.intervals, answers, strict=True))
    return {
        "confidence": found.confidence,
        "interval": [None if each is None else [_end(each.lower), _end(each.upper)] for each, _ in pairs],
        "relative": [_relative(each, answer) for each, answer in pairs],
        "advice": found.advice,
    }


def precision_rows(found: Precision) -> list[list[str]]:
    """Returns rows that say what the intervals `found` mean, and what they are worth."""
    if all(each is None for each in found.intervals):
        return [["interval", "none: this noise gives no interval"]]
    # Because the exact answer is no interval that holds it in most releases.
    if found.exact:
        return [["interval", "none needed: the answers are exact"]]
    holds = f"each holds the exact answer in at least {share_in_percent(found.confidence)} of such releases"
    # Because the noise alone would say more, as for a count of 2 with ± 5: from -3 to 7.
    cut = any(each is not None and each.lower == 0 for each in found.intervals)
    shown = [["interval", f"{holds}{'; no exact answer is below 0' if cut else ''}"]]
    return shown if found.advice is None else [*shown, ["advice", found.advice]]


def precision_columns(certificate: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Returns two columns' names, and each answer's cells, from a `certificate`; none where it has no intervals."""
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
    """Returns how far the exact answer may be, over the released one's size, to six digits; None where that is 0."""
    # Because randomised response answers in words, and an answer of 0 has no share.
    if interval is None or isinstance(answer, str) or answer == 0:
        return None
    far = max(interval.upper - float(answer), float(answer) - interval.lower)
    return number(far if isinf(far) else float(f"{far / abs(float(answer)):.6g}"))


def _end(value: float) -> int | float | str | None:
    return int(value) if value.is_integer() else number(value)


def _between(interval: Sequence[int | float | str] | None) -> str:
    """Writes an interval as people say it; with an infinite end the other one only."""
    if interval is None:
        return "none"
    low, high = (each if isinstance(each, str) else f"{each:.10g}" for each in interval)
    if low == "-inf":
        return "any" if high == "inf" else f"at most {high}"
    return f"at least {low}" if high == "inf" else f"{low} to {high}"
