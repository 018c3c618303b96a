"""Several queries, answered together in one release."""

from collections.abc import Collection, Iterator, Sequence
from typing import Literal, final

from pydantic import Field, model_validator

from dalenius.queries.query import AnyQuery, Column, Kind, Query, Weights
from dalenius.sentences.sentence import Name, phrase, said, semicolons


@final
class Several(Query):
    """Several queries, answered together in one release.

    Their common leakage is computed from the joint law of the answers, not added up (Theory §9).

    Args:
        queries: The queries; at least one.
        names: A name for each query; None (the default) for its kind and number.

    Example:
        >>> import dalenius as dl
        >>> both = dl.Several(queries=[dl.Count(), dl.Sum()])
        >>> [column.name for column in both.columns([Kind("", (0, 1), 10)])]
        ['count 1', 'sum 2']

    Notes:
        Theory §9.
    """

    kind: Literal["several"] = "several"
    queries: tuple[AnyQuery, ...] = Field(min_length=1)
    names: tuple[str, ...] | None = None

    @model_validator(mode="after")
    def _check(self) -> "Several":
        # Because a report names every answer: a name too few would shift all that follow.
        if self.names is not None and len(self.names) != len(self.queries):
            raise ValueError(f"a name for each of the {len(self.queries)} queries (there are {len(self.names)})")
        for query in self.queries:
            if query.told_apart is not None:
                raise ValueError("queries about everybody together: reports in order are a release of their own")
        return self

    @property
    def _named(self) -> Iterator[tuple[str, Query]]:
        """The queries, each with its name."""
        names = self.names or tuple(f"{query.kind} {number}" for number, query in enumerate(self.queries, 1))
        yield from zip(names, self.queries, strict=True)

    def in_one_form(self, everybody: Collection[str] = ()) -> "Several":
        return self.altered({"queries": tuple(query.in_one_form(everybody) for query in self.queries)})

    def listing(self, labels: Sequence[str]) -> "Several":
        return self.altered({"queries": tuple(query.listing(labels) for query in self.queries)})

    @property
    def words(self) -> str:
        if self.names is None:
            return semicolons(phrase(query.words) for query in self.queries)
        return semicolons(said("named", name=Name(name), words=phrase(query.words)) for name, query in self._named)

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
