"""Queries that are learned from a table: centres of clusters, a linear classifier, and degrees.

Each says which columns it reads, makes its estimator, and names the numbers that go out:

>>> query = KMeansQuery(columns=["age"], bounds=[17, 90], clusters=3)
>>> query.read, query.words
(('age',), '3 centres of age, within public bounds')
"""

import abc
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Self, TypeAlias, final

import numpy as np
from pydantic import Field, model_validator

from dalenius.arrays import Array
from dalenius.errors import InputError
from dalenius.fields import Finite, Positive
from dalenius.frozen_section import Frozen
from dalenius.sentences.sentence import Figure, Name, commas, said

_Name = Annotated[str, Field(min_length=1)]
_Ends: TypeAlias = Finite | tuple[Finite, ...]
Cells: TypeAlias = Mapping[str, Sequence[Any]]
"""The cells of a table's columns, by column, in the order of the rows."""


class LearnedQuery(Frozen, abc.ABC):
    """A query that is learned by an estimator of `dependent`."""

    kind: str

    @property
    @abc.abstractmethod
    def words(self) -> str:
        """The query in words."""

    @property
    @abc.abstractmethod
    def read(self) -> tuple[str, ...]:
        """The columns that are read."""

    @property
    def texts(self) -> frozenset[str]:
        """The columns whose cells are texts, whatever they look like; none by default."""
        return frozenset()

    @property
    def hides_edges(self) -> bool:
        """Whether one edge is hidden, and not all that one person's record holds; false by default."""
        return False

    def people_of(self, rows: int) -> int:
        """Returns how many people a table of so many `rows` is about: by default one in each row."""
        return rows

    @abc.abstractmethod
    def estimator(self, **how: Any) -> Any:
        """Makes the unfitted estimator.

        Args:
            how: The promise and the method, as every estimator of `dependent` takes them.
        """

    @abc.abstractmethod
    def arguments(self, cells: Cells) -> tuple[Any, ...]:
        """Returns the arguments of `fit`, made of these `cells`; InputError for a cell that is not what was wanted."""

    @abc.abstractmethod
    def blank(self, rows: int) -> tuple[Any, ...]:
        """Returns arguments of `fit` that are of nobody, for a table of so many `rows`."""

    @abc.abstractmethod
    def answers(self, fitted: Any) -> dict[str, float]:
        """Returns the numbers that go out, by label, of a `fitted` estimator."""


class _OfColumns(LearnedQuery, abc.ABC):
    """Columns of numbers, which are public with their bounds.

    Attributes:
        columns: The columns of numbers.
        bounds: The lower and the upper bound, each one number or one for each column: rows are clipped to them.
    """

    columns: Annotated[tuple[_Name, ...], Field(min_length=1)]
    bounds: tuple[_Ends, _Ends]

    @model_validator(mode="after")
    def _check(self) -> Self:
        """Raises ValueError for a column that is named twice, and for bounds of other columns."""
        if len(set(self.columns)) < len(self.columns):
            raise ValueError("each column once")
        for end in self.bounds:
            if isinstance(end, tuple) and len(end) != len(self.columns):
                raise ValueError(f"bounds for each of the {len(self.columns)} columns (there are {len(end)})")
        return self

    def _rows(self, cells: Cells) -> Array:
        """Returns the rows of numbers (rows, columns)."""
        return np.column_stack([_numbers(column, cells[column]) for column in self.columns])

    def _nobody(self, rows: int) -> Array:
        return np.zeros((rows, len(self.columns)))


@final
class KMeansQuery(_OfColumns):
    """Centres of clusters, and how many people are in each.

    Attributes:
        columns: The columns of numbers.
        bounds: Their public bounds.
        clusters: How many centres.
        steps: How many Lloyd's steps; None for as many as the promise is worth.
    """

    kind: Literal["kmeans"] = "kmeans"
    clusters: Annotated[int, Field(ge=1)] = 8
    steps: Annotated[int, Field(ge=1)] | None = None

    @property
    def words(self) -> str:
        return said("centres", count=self.clusters, columns=commas(map(Name, self.columns)))

    @property
    def read(self) -> tuple[str, ...]:
        return self.columns

    def estimator(self, **how: Any) -> Any:
        # Because scikit-learn takes a second to import, estimators are imported where one is made.
        from dalenius.dependent.k_means import KMeans

        return KMeans(self.clusters, bounds=self.bounds, steps=self.steps, **how)

    def arguments(self, cells: Cells) -> tuple[Any, ...]:
        return (self._rows(cells),)

    def blank(self, rows: int) -> tuple[Any, ...]:
        return (self._nobody(rows),)

    def answers(self, fitted: Any) -> dict[str, float]:
        found: dict[str, float] = {
            said("centre_column", place=place, column=Name(column)): each
            for place, centre in enumerate(fitted.cluster_centers_, 1)
            for column, each in zip(self.columns, centre, strict=True)
        }
        return found | {said("near_centre", place=place): each for place, each in enumerate(fitted.counts_, 1)}


@final
class ClassifierQuery(_OfColumns):
    """The weights of a linear classifier.

    Attributes:
        columns: The columns of numbers.
        bounds: Their public bounds.
        label: The column of labels.
        classes: The labels that there may be.
        learner: What is fitted: `logistic` regression, or `svc`, a linear support vector machine.
        regularization: Λ, for rows scaled to length 1.
    """

    kind: Literal["classifier"] = "classifier"
    label: _Name
    classes: Annotated[tuple[str | int, ...], Field(min_length=2)]
    learner: Literal["logistic", "svc"] = "logistic"
    regularization: Positive = 0.01

    @property
    def words(self) -> str:
        return said("weights", columns=commas(map(Name, self.columns)), label=Name(self.label))

    @property
    def read(self) -> tuple[str, ...]:
        return (*self.columns, self.label)

    def estimator(self, **how: Any) -> Any:
        from dalenius.dependent.linear_classifiers import LinearSVC, LogisticRegression

        kind = LogisticRegression if self.learner == "logistic" else LinearSVC
        return kind(bounds=self.bounds, classes=list(self.classes), regularization=self.regularization, **how)

    def arguments(self, cells: Cells) -> tuple[Any, ...]:
        rows, classes = self._rows(cells), {str(each): each for each in self.classes}
        labels = [str(each) for each in cells[self.label]]
        if strange := sum(each not in classes for each in labels):
            wanted = f"one of query.classes in every row ({strange:,} of {len(labels):,} are not)"
            raise InputError("query.label", self.label, wanted)
        return rows, np.array([classes[each] for each in labels])

    def blank(self, rows: int) -> tuple[Any, ...]:
        return self._nobody(rows), np.array([self.classes[row % len(self.classes)] for row in range(rows)])

    def answers(self, fitted: Any) -> dict[str, float]:
        # Because a margin above 0 says the second of two classes, its weights alone go out.
        names = [Name(f"{each}") for each in (fitted.classes_ if len(fitted.classes_) > 2 else fitted.classes_[1:])]
        found = {
            said("weight_for", column=Name(column), label=name): each
            for name, weights in zip(names, fitted.coef_, strict=True)
            for column, each in zip(self.columns, weights, strict=True)
        }
        return found | {
            said("intercept_for", label=name): each for name, each in zip(names, fitted.intercept_, strict=True)
        }


@final
class DegreesQuery(LearnedQuery):
    """How many people have 0, 1, 2, .. edges.

    Attributes:
        ends: The two columns of people.
        people: How many people there are, with and without edges.
        max_degree: How many edges of a person count at most.
        neighbours: What is hidden: all edges of a `person`, or one `edge`.
    """

    kind: Literal["degrees"] = "degrees"
    ends: tuple[_Name, _Name]
    people: Annotated[int, Field(ge=1)]
    max_degree: Annotated[int, Field(ge=1)] = 10
    neighbours: Literal["person", "edge"] = "person"

    @property
    def words(self) -> str:
        return said("degrees", people=self.people, most=Figure(f"{self.max_degree}"))

    @property
    def read(self) -> tuple[str, ...]:
        return self.ends

    @property
    def texts(self) -> frozenset[str]:
        return frozenset(self.ends)

    @property
    def hides_edges(self) -> bool:
        return self.neighbours == "edge"

    def people_of(self, rows: int) -> int:
        return self.people

    def estimator(self, **how: Any) -> Any:
        from dalenius.dependent.degree_distribution import DegreeDistribution

        return DegreeDistribution(self.people, max_degree=self.max_degree, neighbours=self.neighbours, **how)

    def arguments(self, cells: Cells) -> tuple[Any, ...]:
        ends = np.array([[str(each) for each in cells[end]] for end in self.ends]).T
        if (several := len(np.unique(ends))) > self.people:
            raise InputError("query.people", self.people, f"at least the {several:,} that have edges")
        return (ends,)

    def blank(self, rows: int) -> tuple[Any, ...]:
        return (np.zeros((0, 2), dtype=np.int64),)

    def answers(self, fitted: Any) -> dict[str, float]:
        last = self.max_degree
        return {
            said("edges_or_more" if degree == last else "edges", degree=degree): each
            for degree, each in enumerate(fitted.counts_)
        }


def _numbers(column: str, cells: Sequence[Any]) -> Array:
    """Returns the cells of a `column` as numbers; InputError where one is none."""
    try:
        found = np.array([float(each) for each in cells])
    except (TypeError, ValueError):
        raise InputError("query.columns", column, "a column of numbers") from None
    if not np.isfinite(found).all():
        raise InputError("query.columns", column, "a column of finite numbers")
    return found
