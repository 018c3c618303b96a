"""A learned measure of a policy: clusters or a classifier that analysts may have, with public bounds.

The owner says what is learned, from which columns, and what multiplies the noise. An analyst says how much of the
budget it may take.

>>> groups = {"kind": "kmeans", "columns": ["age"], "bounds": [17, 90], "clusters": 3}
>>> LearnedMeasure(name="groups", query=groups, dependence={"method": "group", "size": 4}).query.words
'3 centres of age, within public bounds'
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Protocol, Self, final

from pydantic import Field, ValidationError, field_validator, model_validator

from dalenius.curator.learned_queries import ClassifierQuery, KMeansQuery
from dalenius.curator.learned_spec import Dependence, LearnedSource, LearnedSpec
from dalenius.curator.policy_names import Name
from dalenius.frozen_section import Frozen, first_problem
from dalenius.models import AnyModel
from dalenius.notions import Notion
from dalenius.spec.data_section import Source

ALLOWED: Final = ("kmeans", "classifier")
"""Kinds of learned queries that a policy may allow."""
_DEGREES: Final = "degrees"


class Answered(Protocol):
    """How a measure reads the rows of its table."""

    @property
    def missing(self) -> Any:
        """The meaning of a missing answer."""

    @property
    def per_person(self) -> Any:
        """The value that several rows of one person make."""


@final
class LearnedMeasure(Frozen):
    """A model or a set of numbers that may be learned from a data set's table.

    Attributes:
        name: The name that analysts ask for.
        description: Words for analysts.
        query: What is learned: centres of clusters, or a linear classifier.
        dependence: What multiplies the noise. Whether it may be unsound is the data set's `accept_unsound`.
        model: How people's records depend on each other; None for a method that needs none.
    """

    name: Name
    description: str = ""
    query: Annotated[KMeansQuery | ClassifierQuery, Field(discriminator="kind")]
    dependence: Dependence = Dependence()
    model: AnyModel | None = None

    @field_validator("query", mode="before")
    @classmethod
    def _of_people(cls, given: Any) -> Any:
        """Refuses degrees, which are learned from a table of edges."""
        if isinstance(given, dict) and given.get("kind") == _DEGREES:
            raise ValueError("kmeans or classifier: degrees are of a table of edges, which dalenius release reads")
        return given

    @model_validator(mode="after")
    def _checked(self) -> Self:
        if self.dependence.accept_unsound:
            raise ValueError("no dependence.accept_unsound: the data set's accept_unsound says it")
        if self.model is not None and self.model.household_columns:
            raise ValueError("a model that reads no table, or method group with dependence.size")
        return self

    def in_folder(self, folder: Path) -> "LearnedMeasure":
        """Reads the model's files, whose paths are relative to the `folder`."""
        return self if self.model is None else self.altered({"model": self.model.in_folder(folder)})

    def spec(self, notion: Notion, epsilon: float, accept_unsound: bool) -> LearnedSpec:
        """Writes what is asked as a spec.

        Args:
            notion: The data set's promise. A delta of it is left to answers with Gaussian noise: learning needs none.
            epsilon: The share of the budget, in nats.
            accept_unsound: Whether the method may be one that no theorem proves.

        Raises:
            ValueError: For a promise that the method does not make.
        """
        plain = {"epsilon": epsilon} | ({"delta": 0.0} if notion.promised_delta else {})
        sections = {
            "query": self.query,
            "notion": notion.altered(plain),
            "dependence": self.dependence.altered({"accept_unsound": accept_unsound}),
            "model": self.model,
            "data": LearnedSource(),
        }
        try:
            return LearnedSpec.model_validate(sections)
        except ValidationError as error:
            raise ValueError(first_problem(error, "", sections).wanted) from None


def reads_all_rows(measure: Answered) -> bool:
    """Says whether a `measure` counts each row as a person."""
    return measure.missing != "leave_out" and measure.per_person is None


def check_rows(source: Source, measures: Sequence[Answered]) -> None:
    """Raises ValueError where the rows of the table are not its people.

    Args:
        source: The data set's source.
        measures: Its measures.
    """
    for key in ("stage", "where", "others"):
        if getattr(source, key) not in (None, "refuse"):
            raise ValueError(f"a source without {key}: learning reads all rows, one a person")
    if not any(map(reads_all_rows, measures)):
        raise ValueError("a measure that counts each row as a person, without per_person and leave_out")
