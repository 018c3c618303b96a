"""A query about one stage of records that list several values, or about all stages together."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final, Literal, final

from dalenius.errors import InputError
from dalenius.fields import PersonKey, StageName
from dalenius.process import Process
from dalenius.queries.query import AnyQuery, Column, Kind, Query
from dalenius.sentences.sentence import Name, phrase, said

_WANTED: Final = "a model with stages (kind linked, or chain with members)"


@final
class Stage(Query):
    """A query about one of the values that each record lists, or about all of them.

    A record of model `Linked` lists one value per data set, and a record of a `Chain` with members one value per
    member: both are stages.

    Args:
        stage: The name of the data set or member; its number, from 1, if they are only counted. None (the default) for
            all of them, whose answers are added up.
        query: The question about the values that records have there.

    Example:
        >>> import dalenius as dl
        >>> dl.Stage(stage="after", query=dl.Count()).words
        'at stage after, how many records are 1'
    """

    kind: Literal["stage"] = "stage"
    stage: StageName | None = None
    query: AnyQuery

    def in_one_form(self, everybody: Collection[str] = ()) -> "Stage":
        return self.altered({"query": self.query.in_one_form(everybody)})

    @property
    def asks_labels(self) -> bool:
        return self.query.asks_labels

    @property
    def told_apart(self) -> tuple[PersonKey, ...] | Literal["everybody"] | None:
        return self.query.told_apart

    @property
    def words(self) -> str:
        asked = phrase(self.query.words)
        if self.stage is None:
            return said("at_all_stages", question=asked)
        return said("at_stage", stage=Name(self.stage), question=asked)

    @property
    def value_bounds(self) -> tuple[float, float] | None:
        return self.query.value_bounds

    def columns(self, strata: Sequence[Kind]) -> tuple[Column, ...]:
        if self.stage is not None:
            return self.query.columns([self._there(kind, self.stage) for kind in strata])
        listed = [self.query.columns([self._there(kind, name) for kind in strata]) for name in _stages(strata)]
        return tuple(map(_added_up, zip(*listed, strict=True)))

    def _there(self, kind: Kind, stage: str) -> Kind:
        """Returns the people with their values at `stage`, slot by slot."""
        processes = [value for value in kind.values if isinstance(value, Process)]
        # The case of a stage of a model of one data set, which a spec copied from a linked one may name.
        if len(processes) < len(kind.values):
            raise InputError("query.stage", stage, _WANTED)
        names = processes[0].stages
        # The case of a name of no stage: a typing error, or a model of other data sets.
        if stage not in names:
            raise InputError("query.stage", stage, f"one of the model's stages {list(names)}")
        place = names.index(stage)
        return replace(kind, values=tuple(process.values[place] for process in processes))


def _stages(strata: Sequence[Kind]) -> tuple[str, ...]:
    """Returns the names of the stages of all people's records. InputError where records have none."""
    first = next((value for kind in strata for value in kind.values), None)
    if not isinstance(first, Process):
        raise InputError("query.kind", "stage", _WANTED)
    return first.stages


def _added_up(columns: Sequence[Column]) -> Column:
    """Returns the coordinate that adds up one coordinate of each stage."""
    first = columns[0]
    # Because the largest of several stages' sums is no sum of what records add.
    if any(column.combine != "sum" for column in columns):
        raise InputError("query.query", first.combine, "a count or a sum: answers of all stages are added up")
    scores = zip(*(column.filled() for column in columns), strict=True)
    return Column(first.name, tuple(sum(each, Fraction(0)) for each in scores))
