"""The parts of a query, as a policy looks at it: its kinds, the queries within it, and the settings of a section.

>>> list(settings({"kind": "several", "queries": [{"kind": "count"}, {"kind": "sum"}]}, ("kind",)))
['several', 'count', 'sum']
"""

from collections.abc import Iterator
from typing import Any

from dalenius.queries import AnyQuery


def kinds_in(query: AnyQuery) -> tuple[str, ...]:
    """Returns the query's kind, and those of the queries within it: counts alone do not allow a sum within several."""
    return tuple(dict.fromkeys(settings(query.model_dump(mode="json"), ("kind",))))


def parts_of(query: AnyQuery) -> int:
    """Counts the queries that `query` is made of: those within it, or itself."""
    return max(1, sum(1 for _ in settings(query.model_dump(mode="json"), ("kind",))) - 1)


def names_labels(query: AnyQuery) -> bool:
    """Says whether a `query` asks about people by their label, so that its answers say what labels there are."""
    return any(settings(query.model_dump(mode="json"), ("labels", "per_label", "weights")))


def settings(section: Any, keys: tuple[str, ...]) -> Iterator[Any]:
    """Yields what these keys say, in a section as JSON has it and in all within it; not where it is nothing."""
    if isinstance(section, list):
        for each in section:
            yield from settings(each, keys)
    if isinstance(section, dict):
        for key, value in section.items():
            if key in keys and value:
                yield value
            yield from settings(value, keys)
