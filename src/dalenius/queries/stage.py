"""A query about one stage of a process, or one of several linked tables."""

from collections.abc import Collection, Sequence
from typing import Literal, final

from dalenius.errors import InputError
from dalenius.fields import StageName
from dalenius.process import Process
from dalenius.queries.query import AnyQuery, Column, Kind, Query


@final
class Stage(Query):
    """A query of one data set of several, about the values that the same people have there.

    It goes with model `Linked`.

    Args:
        stage: The data set's name; its number, from 1, if stages are only counted.
        query: The question about the values that records have there.

    Example:
        >>> import dalenius as dl
        >>> dl.Stage(stage="after", query=dl.Count()).words
        'at stage after, how many records are 1'
    """

    kind: Literal["stage"] = "stage"
    stage: StageName
    query: AnyQuery

    def in_one_form(self, everybody: Collection[str] = ()) -> "Stage":
        return self.altered({"query": self.query.in_one_form(everybody)})

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
        """Returns the people with their values at the stage, slot by slot."""
        processes = [value for value in kind.values if isinstance(value, Process)]
        # The case of a stage of a model of one data set, which a spec copied from a linked one may name.
        if len(processes) < len(kind.values):
            raise InputError("query.stage", self.stage, "a model with stages (kind linked)")
        names = processes[0].stages
        # The case of a name of no stage: a typing error, or a model of other data sets.
        if self.stage not in names:
            raise InputError("query.stage", self.stage, f"one of the model's stages {list(names)}")
        place = names.index(self.stage)
        return Kind(kind.label, tuple(process.values[place] for process in processes), kind.people)
