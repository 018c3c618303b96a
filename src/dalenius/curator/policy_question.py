"""The question of an analyst under a policy, as a certificate names it."""

from dataclasses import dataclass
from typing import Any, final

from dalenius.curator.data_set_policy import DataSet, Measure
from dalenius.queries import Query
from dalenius.sentences.sentence import Name, Phrase, phrase, said


@final
@dataclass(frozen=True)
class PolicyQuestion:
    """The question of an analyst under a policy: its data set, measure and query.

    The measure's columns, and how many people there are where that is not public, are its owner's and are not said.
    """

    data: DataSet
    measure: Measure
    query: Query

    @property
    def words(self) -> Phrase:
        """The question as an analyst knows it: by the measure's name, not by its column."""
        named = said("named", name=Name(self.measure.name), words=phrase(self.query.words))
        return (
            named if self.data.schedule is None else said("in_period", question=named, period=Name(self.data.version))
        )

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
    together = [said("groups_of_measures"), said("of_each_value")] if several else []
    periods = [] if data.schedule is None else data.schedule.hypotheses()
    table = said("table_frozen") if data.frozen else said("table_moving")
    return [said("number_public"), table, *together, *periods, said("nothing_else_of_people"), said("other_data_sets")]
