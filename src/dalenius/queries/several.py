"""Several queries answered together: one release, whose output is the list of all answers."""

from collections.abc import Sequence
from typing import Annotated, Literal, final

from pydantic import Field

from dalenius.queries.query import Column, Kind, Query


@final
class Several(Query):
    """queries: what they tell together is computed from their joint law, not added up (THEORY §9)."""

    kind: Literal["several"] = "several"
    queries: tuple[Annotated["AnyQuery", Field(discriminator="kind")], ...] = Field(min_length=1)  # type: ignore[name-defined]  # noqa: F821

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        return tuple(
            Column(f"{query.kind} {number} {column.name}".rstrip(), column.scores)
            for number, query in enumerate(self.queries, 1)
            for column in query.columns(strata)
        )
