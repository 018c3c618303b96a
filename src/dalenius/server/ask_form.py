"""The form of a question: the keys of an ask, each as JSON writes it; one that is left blank is left out.

Ana writes 0,25 as epsilon: her form comes back with "a number, such as 0.25 (with a point, not a comma)" at that field.
With 0.25 it comes back with the price, and a button that asks. A second click is the same question, which is free:

>>> _value("epsilon", "0.25"), _value("measure", "ill"), _value("query", '{"kind": "count"}')
(0.25, 'ill', {'kind': 'count'})
"""

from collections.abc import Mapping
from typing import Any, Final

from dalenius.curator import PolicyAsk, read_ask
from dalenius.errors import InputError
from dalenius.server.json_values import NotJson, json_value

KEYS: Final = ("measure", "query", "learned", "epsilon", "within", "noise", "confidence")
"""The fields of the form."""
_OF_A_MEASURE: Final = ("measure", "query", "confidence")
_TEXTS: Final = ("measure", "learned")
_NUMBERS: Final = ("epsilon", "within", "confidence")


def ask_of(fields: Mapping[str, str]) -> PolicyAsk:
    """Returns the ask that a form says; InputError names the key, the value and what was wanted."""
    said = {key: text for key in KEYS if (text := fields.get(key, "").strip())}
    # Because these fields are never blank, they mean nothing where something is to be learned.
    left = {key: text for key, text in said.items() if "learned" not in said or key not in _OF_A_MEASURE}
    return read_ask({key: _value(key, text) for key, text in left.items()})


def _value(key: str, text: str) -> Any:
    """Returns what a field says: a name as it is, all else as JSON; InputError has words for the field."""
    if key in _TEXTS:
        return text
    try:
        return json_value(text.encode())
    except NotJson as error:
        number = "a number, such as 0.25 (with a point, not a comma)"
        raise InputError(key, text, number if key in _NUMBERS else str(error)) from None
