"""Several queries answered together: one release, whose output is the list of all answers."""

from collections.abc import Iterator, Sequence
from typing import Literal, final

from pydantic import Field, model_validator

from dalenius.queries.query import Column, InnerQuery, Kind, Query, Weights


@final
class Several(Query):
    """queries: what they leak together is computed from their joint law, not added up (Theory §9). names: of each, by
    default its kind and number."""

    kind: Literal["several"] = "several"
    queries: tuple[InnerQuery, ...] = Field(min_length=1)
    names: tuple[str, ...] | None = None

    @model_validator(mode="after")
    def _check(self) -> "Several":
        if self.names is not None and len(self.names) != len(self.queries):
            raise ValueError(f"a name for each of the {len(self.queries)} queries (there are {len(self.names)})")
        return self

    @property
    def _named(self) -> Iterator[tuple[str, Query]]:
        names = self.names or tuple(f"{query.kind} {number}" for number, query in enumerate(self.queries, 1))
        yield from zip(names, self.queries, strict=True)

    @property
    def words(self) -> str:
        if self.names is None:
            return "; ".join(query.words for query in self.queries)
        return "; ".join(f"{name}: {query.words}" for name, query in self._named)

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        return tuple(
            Column(f"{name} {column.name}".rstrip(), column.scores, column.combine)
            for name, query in self._named
            for column in query.columns(strata)
        )

    def linear(self, labels: Sequence[str]) -> tuple[Weights, ...]:
        return tuple(
            Weights(f"{name} {each.name}".rstrip(), each.of)
            for name, query in self._named
            for each in query.linear(labels)
        )
