"""Which promise implies which, as public JSON and as a table."""

from typing import Any, Final

from dalenius.bounds import Enclosure
from dalenius.channel import Release
from dalenius.cli.output import Further, print_table, say
from dalenius.knowledge.relations import Relations, relations
from dalenius.spec.results import enclosure_json
from dalenius.spec.words import nats

COLUMNS: Final = ("from", "to", "nats", "nats", "in general", "here", "why")


def relations_json(found: Relations) -> dict[str, Any]:
    """arrows: in order; left_out: by quantity, why it has no number."""
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


def relations_table(found: Relations) -> list[list[str]]:
    """Rows of COLUMNS."""
    return [
        [
            row.start.name,
            row.end.name,
            _said(row.start.value),
            _said(row.end.value),
            "always" if row.always else "no",
            "holds" if row.holds else "fails",
            row.source,
        ]
        for row in found.rows
    ]


def _said(value: Enclosure) -> str:
    if value.upper < 1e-9:
        return nats(0.0)
    if value.lower == value.upper or value.upper - value.lower <= max(1e-6 * value.upper, 1e-9):
        return nats(value.middle)
    return f"{nats(value.lower)} to {nats(value.upper)}"


def implied_by(release: Release) -> Further:
    """With the numbers of this release."""
    found = relations(release)
    return Further({"relations": relations_json(found)}, lambda: _say(found))


def _say(found: Relations) -> None:
    print_table("Which promise implies which", COLUMNS, relations_table(found))
    for name, why in found.left_out.items():
        say(f"{name} is left out: {why}")
