"""The form of a question: kinds and labels to tick, and the ask that they stand for.

Ana ticks *sum*, Harbour and *one answer for each label*. That is the query `{"kind": "sum", "labels": ["Harbour"],
"per_label": true}`; a link may hold a query, which is shown as ticks again where it can be:

>>> ticks_of({"kind": "sum", "labels": ["Harbour"], "per_label": True})
{'kind': 'sum', 'per_label': 'on', 'label.0': 'Harbour'}
>>> ticks_of({"kind": "sum", "weights": {"Harbour": 2}}) is None
True
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from dalenius.curator import Measure, PolicyAsk, read_ask
from dalenius.errors import InputError
from dalenius.server.json_values import NotJson, json_value
from dalenius.spec.results_as_json import answer_json

KEYS: Final = ("measure", "query", "learned", "epsilon", "within", "noise", "confidence")
TEXTS: Final = ("measure", "kind", "per_label", "query", "learned", "epsilon", "within", "noise", "confidence")
"""Fields of the form; beside them each ticked label is a field of its own."""
_LABEL: Final = "label."
_OF_A_MEASURE: Final = ("measure", "query", "confidence")
_NAMES: Final = ("measure", "learned")
_NUMBERS: Final = ("epsilon", "within", "confidence")
KINDS: Final[Mapping[str, str]] = {
    "count": "how many records are 1",
    "sum": "the sum of the records",
    "mean": "the mean of the records",
    "max": "the largest record",
    "min": "the smallest record",
    "histogram": "how many records have each value, of everybody",
}
"""Kinds of query that may be ticked, and what each asks; others are written as JSON."""
_OF_BITS: Final = ("count", "histogram")
MOST_CELLS: Final = 30
"""Values of a measure up to which a histogram may be ticked."""


def kinds_to_tick(measure: Measure, allowed: Sequence[str] | None) -> list[tuple[str, str]]:
    """Returns the kinds of query that may be ticked for a measure, each with what it asks.

    Args:
        measure: The measure.
        allowed: The kinds that the policy allows; None for all.
    """
    bits = measure.possible is not None and {*measure.possible} <= {0, 1}
    found = allowed if allowed is not None else _OF_BITS if bits else tuple(KINDS)
    return [(kind, KINDS[kind]) for kind in KINDS if kind in found and (kind != "histogram" or _cells(measure))]


def _cells(measure: Measure) -> list[list[Any]]:
    """Returns a cell for each value of a measure; none where they are not declared, or are many."""
    values = measure.possible or ()
    return [] if len(values) > MOST_CELLS else [[answer_json(value)] for value in values]


def ticks_of(query: Any) -> dict[str, str] | None:
    """Returns the fields of the form that stand for a query; None where only JSON says it."""
    if not isinstance(query, dict) or not query.keys() <= {"kind", "labels", "per_label"}:
        return None
    kind, labels, each = query.get("kind"), query.get("labels") or [], query.get("per_label", False)
    if (
        not isinstance(kind, str)
        or kind not in KINDS
        or not isinstance(labels, list)
        or not all(isinstance(label, str) for label in labels)
    ):
        return None
    return {"kind": kind, **({"per_label": "on"} if each is True else {}), **labels_as_fields(labels)}


def fields_asking(measure: str, kind: str) -> dict[str, str]:
    """Returns the fields of a form that asks for that kind of query about a measure."""
    return {"measure": measure} | ({"kind": kind} if kind in KINDS else {"query": f'{{"kind": "{kind}"}}'})


def labels_as_fields(labels: Sequence[str]) -> dict[str, str]:
    """Returns the fields of ticked labels."""
    return {f"{_LABEL}{place}": label for place, label in enumerate(labels)}


def ticked(fields: Mapping[str, str]) -> list[str]:
    """Returns the labels that are ticked in the `fields` of a form, in their order."""
    return list(dict.fromkeys(value for key, value in fields.items() if key.startswith(_LABEL)))


def ask_of(fields: Mapping[str, str], measure: Measure | None, instead: Mapping[str, Any] | None = None) -> PolicyAsk:
    """Returns the ask that a form says; InputError names the key, the value and what was wanted.

    Args:
        fields: The fields of the form.
        measure: The measure of that name; None where there is none.
        instead: Keys that take the place of epsilon and within.
    """
    texts = {key: text for key in KEYS if (text := fields.get(key, "").strip())}
    # Because these fields are never blank, they mean nothing where something is to be learned.
    left = {key: text for key, text in texts.items() if "learned" not in texts or key not in _OF_A_MEASURE}
    found = {key: value_of(key, text) for key, text in left.items()}
    if "learned" not in found and "query" not in found and fields.get("kind"):
        found["query"] = _query(fields, measure)
    if instead is not None:
        found = {**{key: value for key, value in found.items() if key not in ("epsilon", "within")}, **instead}
    return read_ask(found)


def value_of(key: str, text: str) -> Any:
    """Returns what a field of the form says: a name as it is, all else as JSON.

    Args:
        key: The name of the field.
        text: The text in it.

    Raises:
        InputError: For a text that is no JSON, in words for the field.
    """
    if key in _NAMES:
        return text
    try:
        return json_value(text.encode())
    except NotJson as error:
        number = "a number, such as 0.25 (with a point, not a comma)"
        raise InputError(key, text, number if key in _NUMBERS else str(error)) from None


def _query(fields: Mapping[str, str], measure: Measure | None) -> dict[str, Any]:
    """Returns the query that the ticks say."""
    query: dict[str, Any] = {"kind": fields["kind"]}
    if fields["kind"] == "histogram" and measure is not None:
        query["cells"] = _cells(measure)
    if labels := ticked(fields):
        query["labels"] = labels
    if fields.get("per_label"):
        query["per_label"] = True
    return query


def filled(fields: Mapping[str, str]) -> dict[str, str]:
    """Returns the fields as the form shows them: a query that a link or an earlier form has as JSON in ticks.

    An empty form has a count in it, to begin with.
    """
    form = dict.fromkeys(TEXTS, "") | {"confidence": "0.95"} | dict(fields)
    if not form["query"].strip():
        return form if form["kind"] else form | {"kind": "count"}
    try:
        ticks = ticks_of(json_value(form["query"].encode()))
    except NotJson:
        ticks = None
    return form if ticks is None else form | {"query": ""} | ticks
