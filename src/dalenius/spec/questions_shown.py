"""The leakage of each question alone, and of all together, as tables and JSON."""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, Final

from dalenius.bounds import either
from dalenius.notions import Difference, Leakage, Notion, difference
from dalenius.spec.questions import Question
from dalenius.spec.results_as_json import enclosure_json, leakage_json
from dalenius.spec.results_in_words import enclosed, nats

_FIELDS: Final = {
    "together": "together",
    "most_alone": "largest_single",
    "sum_alone": "sum_of_singles",
    "above_most": "above_most",
    "above_sum": "above_sum",
}
"""The field of a `Difference` that each key of the JSON has."""


def questions_json(
    questions: Sequence[Question],
    by_question: Mapping[str, Sequence[Leakage]],
    notions: Sequence[Notion],
    together: Mapping[str, Leakage],
) -> dict[str, Any]:
    """Returns the JSON of questions alone and together.

    It has alone: each question with its noise and its leakage by notion; difference: by notion (see `Difference`).

    Args:
        questions: The questions of the spec.
        by_question: The leakages of each alone, by its name, in the order of the notions.
        notions: The notions by which leakage is measured, in the spec's order.
        together: The leakages of all together, by the notion's kind.
    """
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
    """Returns columns and rows: by notion the leakage of each question alone, and of all together.

    The last columns say how much that is above the largest and above the sum. `by_question`, `notions` and `together`
    are as for `questions_json`.
    """
    # Because a line has room for few columns, each of up to four questions has one.
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
    """Compares all together with the questions alone, for each notion by which all together have a leakage."""
    found = []
    for place, notion in enumerate(notions):
        if notion.kind in together:
            found.append((notion.kind, difference(together[notion.kind], [own[place] for own in by_question.values()])))
    return found


def _json(found: Difference) -> dict[str, Any]:
    return {key: enclosure_json(getattr(found, name), "epsilon") for key, name in _FIELDS.items()}


def _signed(value: float) -> str:
    """Writes the nats of a difference, which may be below 0."""
    return nats(0.0) if abs(value) < 1e-9 else f"-{nats(-value)}" if value < 0 else nats(value)
