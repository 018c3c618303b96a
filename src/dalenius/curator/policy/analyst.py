"""Who may ask."""

from typing import final

from pydantic import Field, field_validator

from dalenius.curator.policy.kinds_of import QueryKinds
from dalenius.curator.policy.named import Name
from dalenius.schema import Frozen, Positive


@final
class Analyst(Frozen):
    """epsilon: the most this analyst may spend of the data set's budget, in nats; all of it where it is left out.
    measures, queries: the names of what may be asked, and the kinds of query; all of the data set's where left out."""

    name: Name
    epsilon: Positive | None = None
    measures: tuple[Name, ...] | None = Field(default=None, min_length=1)
    queries: QueryKinds | None = None

    @field_validator("measures")
    @classmethod
    def _distinct(cls, measures: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if measures is None else tuple(dict.fromkeys(measures))
