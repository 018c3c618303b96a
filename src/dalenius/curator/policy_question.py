"""The question of an analyst under a policy, as a certificate names it."""

from dataclasses import dataclass
from typing import Any, Final, final

from dalenius.curator.data_set_policy import DataSet, Measure
from dalenius.queries import Query

_ALL: Final = "nothing else is released of these people outside this ledger"
_TOGETHER: Final = (
    "people who are in one group in one measure's model are in one group, or alone, in every other measure's model; "
    "groups are independent of each other in all measures together"
)
_OF_EACH: Final = "the promise is about each value of a person that was asked about, and about no other value"
_PUBLIC: Final = "how many people there are is public"
_FROZEN: Final = "the table never changes, as its owner says"
_MOVING: Final = (
    "if the table changes between answers, people who are connected by groups at any answer are no more than the "
    "largest group at one answer"
)


@final
@dataclass(frozen=True)
class PolicyQuestion:
    """The question of an analyst under a policy: of which data set, measure and query.

    The measure's columns, and how many people there are where that is not public, are its owner's and are not said.
    """

    data: DataSet
    measure: Measure
    query: Query

    @property
    def words(self) -> str:
        """The question as an analyst knows it: by the measure's name, not by its column."""
        return f"{self.measure.name}: {self.query.words}{f', {self.data.version}' if self.data.schedule else ''}"

    def hypotheses(self) -> list[str]:
        """Returns what counting any analyst's questions on one budget supposes (for several measures Result 9.12)."""
        return hypotheses(self.data, len(self.data.measures) + len(self.data.learned) > 1)

    def as_json(self) -> dict[str, Any]:
        """Returns what takes the place of the spec in a certificate: the policy's model, and the measure's name."""
        model = self.measure.model.self_contained().model_dump(mode="json", exclude_none=True)
        described = {"measure_in_words": self.measure.description} if self.measure.description else {}
        described |= {"period": self.data.version} if self.data.schedule else {}
        query = self.query.model_dump(mode="json", exclude_none=True)
        return {"model": model, "asked": self.words, "measure": self.measure.name, **described, "query": query}

    def rows(self) -> list[list[str]]:
        """Returns the question in words, as rows of two."""
        described = [["measure", self.measure.description]] if self.measure.description else []
        return [["asked", self.words], *described, ["model", self.measure.model.words]]


def hypotheses(data: DataSet, several: bool) -> list[str]:
    """Returns what counting questions about one data set on one budget supposes.

    Args:
        data: The data set.
        several: Whether there are several measures, whose models may group people otherwise (Result 9.12).
    """
    together = [_TOGETHER, _OF_EACH] if several else []
    periods = [] if data.schedule is None else data.schedule.hypotheses()
    return [_PUBLIC, _FROZEN if data.frozen else _MOVING, *together, *periods, _ALL]
