"""A row of the conformance table: a class, what it means to the reference, and examples of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, final

Example = TypeVar("Example")


@final
@dataclass(frozen=True)
class Row(Generic[Example]):
    """kind: the class; meaning: how the reference reads its spec; examples: by name."""

    kind: type
    meaning: Callable[..., Any]
    examples: dict[str, Example]


def examples(rows: tuple[Row[Example], ...]) -> dict[str, Example]:
    """All rows' examples, by name."""
    return {name: example for row in rows for name, example in row.examples.items()}


def row_of(rows: tuple[Row[Example], ...], of: Example) -> Row[Example]:
    """The row of its class."""
    return next(row for row in rows if row.kind is type(of))
