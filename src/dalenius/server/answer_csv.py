"""Answers as CSV: a row for each, which says of itself whether it is practice.

>>> release = {"answers": [3], "labels": ["=A1"], "interval": [[1, "inf"]], "confidence": 0.95}
>>> print(csv_of(release, "ill", "12"), end="")
practice,entry,asked,label,answer,low,high,confidence,exact
no,12,ill,'=A1,3,1,inf,0.95,
"""

import csv
import io
from typing import Any, Final

COLUMNS: Final = ("practice", "entry", "asked", "label", "answer", "low", "high", "confidence", "exact")
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def csv_of(release: dict[str, Any], asked: str, entry: str) -> str:
    """Returns answers as CSV, with a row of names.

    Args:
        release: A release or a practice answer, as the API answers it.
        asked: The question in words.
        entry: The number of the entry in the ledger; empty for practice.
    """
    answers = release["answers"]
    ends = release.get("interval") or [None] * len(answers)
    exact = release.get("exact") or [""] * len(answers)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for label, answer, pair, own in zip(release["labels"], answers, ends, exact, strict=True):
        low, high = pair or ("", "")
        practice = "yes" if release.get("practice") else "no"
        cells = [practice, entry, _cell(asked), _cell(label), _cell(answer), low, high]
        writer.writerow([*cells, release.get("confidence", ""), own])
    return text.getvalue()


def _cell(value: Any) -> Any:
    """Returns a cell; a text that a spreadsheet would take for a formula with an apostrophe before it."""
    if not isinstance(value, str) or not value.startswith(_FORMULA):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value
