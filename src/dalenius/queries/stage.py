"""A query of one data set of several about the same people."""

from collections.abc import Sequence
from typing import Literal, final

from dalenius.errors import InputError
from dalenius.queries.query import Column, InnerQuery, Kind, Query
from dalenius.schema import Process, StageName


@final
class Stage(Query):
    """stage: the data set's name, or its number; query: what is asked of the values that records have there."""

    kind: Literal["stage"] = "stage"
    stage: StageName
    query: InnerQuery

    @property
    def asks_labels(self) -> bool:
        return self.query.asks_labels

    @property
    def words(self) -> str:
        return f"at stage {self.stage}, {self.query.words}"

    @property
    def value_bounds(self) -> tuple[float, float] | None:
        return self.query.value_bounds

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        return self.query.columns([self._there(kind) for kind in strata])

    def _there(self, kind: Kind) -> Kind:
        """The same people with their values at the stage, slot by slot."""
        processes = [value for value in kind.values if isinstance(value, Process)]
        if len(processes) < len(kind.values):
            raise InputError("query.stage", self.stage, "a model with stages (kind linked)")
        names = processes[0].stages
        if self.stage not in names:
            raise InputError("query.stage", self.stage, f"one of the model's stages {list(names)}")
        place = names.index(self.stage)
        return Kind(kind.label, tuple(process.values[place] for process in processes), kind.people)
