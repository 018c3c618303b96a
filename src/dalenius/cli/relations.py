"""The relations between promises, which of them implies which, printed by `audit --relations`."""

from typing import Any, Final

from dalenius.bounds import Enclosure, either
from dalenius.channel import Release
from dalenius.cli.output import Further, print_table, say
from dalenius.knowledge.notion_hierarchy import Relations, relations
from dalenius.spec.results_as_json import enclosure_json
from dalenius.spec.results_in_words import nats

_COLUMNS: Final = ("from", "to", "nats", "nats", "in general", "here", "why")


def _said(value: Enclosure) -> str:
    """Writes nats; what is 0 up to rounding is said as 0, and both ends where they differ."""
    if value.upper < 1e-9:
        return nats(0.0)
    return either(value, nats, least=1e-9)


def implied_by(release: Release) -> Further:
    """Returns which promise implies which, with the numbers of this `release`."""
    found = relations(release)
    return Further({"relations": _json(found)}, lambda: _say(found))


def _json(found: Relations) -> dict[str, Any]:
    """Returns the relations ready for JSON.

    arrows: in order; left_out: by quantity, why it has no number.
    """
    arrows = [
        {
            "from": {"quantity": row.start.name, **enclosure_json(row.start.value, "epsilon")},
            "to": {"quantity": row.end.name, **enclosure_json(row.end.value, "epsilon")},
            "always": row.always,
            "holds": row.holds,
            "source": row.source,
        }
        for row in found.rows
    ]
    return {"arrows": arrows, "left_out": [{"quantity": name, "why": why} for name, why in found.left_out.items()]}


def _say(found: Relations) -> None:
    """Prints the relations as a table, and below it what was left out."""
    rows = []
    for row in found.rows:
        general, here = "always" if row.always else "no", "holds" if row.holds else "fails"
        ends = row.start.name, row.end.name, _said(row.start.value), _said(row.end.value)
        rows.append([*ends, general, here, row.source])
    print_table("Which promise implies which", _COLUMNS, rows)
    for name, why in found.left_out.items():
        say(f"{name} is left out: {why}")
