"""Several queries answered together: one release, whose output is the list of all answers."""

from collections.abc import Sequence
from typing import Literal, final

from pydantic import Field

from dalenius.queries.query import Column, InnerQuery, Kind, Query, Weights


@final
class Several(Query):
    """queries: what they leak together is computed from their joint law, not added up (Theory §9)."""

    kind: Literal["several"] = "several"
    queries: tuple[InnerQuery, ...] = Field(min_length=1)

    @property
    def words(self) -> str:
        return "; ".join(query.words for query in self.queries)

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        return tuple(
            Column(f"{query.kind} {number} {column.name}".rstrip(), column.scores, column.combine)
            for number, query in enumerate(self.queries, 1)
            for column in query.columns(strata)
        )

    def linear(self, labels: Sequence[str]) -> tuple[Weights, ...]:
        return tuple(
            Weights(f"{query.kind} {number} {each.name}".rstrip(), each.of)
            for number, query in enumerate(self.queries, 1)
            for each in query.linear(labels)
        )
