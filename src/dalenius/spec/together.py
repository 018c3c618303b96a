"""What the questions of a spec leak alone and together, as public JSON and in words."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from dalenius.bounds import Enclosure
from dalenius.notions import Difference, Leakage, Notion, difference
from dalenius.spec.questions import Question
from dalenius.spec.results import enclosure_json, leakage_json
from dalenius.spec.words import enclosed, nats

KEYS: Final = ("together", "most_alone", "sum_alone", "above_most", "above_sum")


def questions_json(
    questions: Sequence[Question],
    alone: Mapping[str, Sequence[Leakage]],
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
        for question, (name, found) in zip(questions, alone.items(), strict=True)
    ]
    return {"alone": each, "difference": {kind: _json(own) for kind, own in _by_notion(alone, notions, together)}}


def questions_table(
    alone: Mapping[str, Sequence[Leakage]], notions: Sequence[Notion], together: Mapping[str, Leakage]
) -> tuple[list[str], list[list[str]]]:
    """Columns and rows: by notion what each question leaks alone, what all leak together, and how much that is above
    the largest and above the sum."""
    names = [*alone] if len(alone) <= MOST_COLUMNS else []
    rows = []
    for place, (kind, own) in enumerate(_by_notion(alone, notions, together)):
        single = [enclosed(alone[name][place]) for name in names]
        most = [own.most_alone, own.sum_alone, own.together, own.above_most, own.above_sum]
        rows.append([kind, *single, *map(_said, most)])
    return ["notion", *names, "most alone", "sum", "together", "above most", "above sum"], rows


MOST_COLUMNS: Final = 4
"""Questions with a column each."""


def _by_notion(
    alone: Mapping[str, Sequence[Leakage]], notions: Sequence[Notion], together: Mapping[str, Leakage]
) -> list[tuple[str, Difference]]:
    found = []
    for place, notion in enumerate(notions):
        if notion.kind in together:
            found.append((notion.kind, difference(together[notion.kind], [own[place] for own in alone.values()])))
    return found


def _json(found: Difference) -> dict[str, Any]:
    return {key: enclosure_json(getattr(found, key), "epsilon") for key in KEYS}


def _said(found: Enclosure) -> str:
    if found.upper - found.lower <= max(1e-6 * abs(found.upper), 1e-9) or found.lower == found.upper:
        return _signed(found.middle)
    return f"{_signed(found.lower)} to {_signed(found.upper)}"


def _signed(value: float) -> str:
    return nats(0.0) if abs(value) < 1e-9 else f"-{nats(-value)}" if value < 0 else nats(value)
