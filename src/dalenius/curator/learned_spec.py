"""Specs of what is learned from a table with a promise: clusters, a classifier, or a degree distribution.

>>> groups = {"kind": "kmeans", "columns": ["age"], "bounds": [17, 90], "clusters": 3}
>>> sections = {"query": groups, "notion": {"kind": "differential", "epsilon": 1}, "data": {"name": "town"}}
>>> learned_spec(sections).query.words
'3 centres of age, within public bounds'
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self, final

from pydantic import AfterValidator, Field, ValidationError, model_validator

from dalenius.curator.learned_queries import ClassifierQuery, DegreesQuery, KMeansQuery
from dalenius.dependent.names import METHODS
from dalenius.errors import InputError
from dalenius.frozen_section import Frozen, first_problem
from dalenius.models import AnyModel
from dalenius.notions import AnyNotion, Notion
from dalenius.spec import Derived, Spec, read_spec
from dalenius.spec.files_read import in_folder
from dalenius.spec.spec import sections_of, spec_from
from dalenius.spec.table_url import checked_url, is_server, path_of
from dalenius.text_files import known_encoding

LEARNED: Final = ("kmeans", "classifier", "degrees")
"""The kinds of queries that are learned."""
_Name = Annotated[str, Field(min_length=1)]
_PROMISES: Final = ("differential", "inferential", "identity", "dependent")


@final
class Dependence(Frozen):
    """Multiplier of the noise where people's records depend on each other.

    Attributes:
        method: Its name; `independent` multiplies by 1.
        size: The size of the largest group, for `group` without a model.
        accept_unsound: Whether to release by a method that no theorem proves.
    """

    method: str = "independent"
    size: Annotated[int, Field(ge=1)] | None = None
    accept_unsound: bool = False

    @model_validator(mode="after")
    def _check(self) -> Self:
        """Raises ValueError for a method that there is not, and a size beside another one."""
        if self.method not in METHODS:
            raise ValueError(f"method one of {', '.join(METHODS)}")
        if self.size is not None and self.method != "group":
            raise ValueError("size beside method group only")
        return self


@final
class LearnedSource(Frozen):
    """The table to learn from.

    Attributes:
        name: The name of the data set, to which its budget belongs; by default the file's stem.
        file: The file.
        url: Its URL instead.
        table: The table of a database, or the sheet of a workbook.
        encoding: The encoding of a text file.
        decimal: The decimal mark of a text file.
    """

    name: _Name | None = None
    file: Path | None = None
    url: Annotated[str, AfterValidator(checked_url)] | None = Field(default=None, repr=False)
    table: str | None = None
    encoding: Annotated[str, AfterValidator(known_encoding)] | None = None
    decimal: Literal[".", ","] | None = None

    @property
    def location(self) -> Path | str | None:
        """The place of the table."""
        if self.url is None:
            return self.file
        return self.url if is_server(self.url) else path_of(self.url)


@final
class LearnedSpec(Frozen):
    """The sections of a spec that learns.

    Attributes:
        query: What is learned.
        notion: What is promised.
        dependence: What multiplies the noise.
        model: How records depend on each other; None for a method that needs none.
        data: The table.
    """

    query: Annotated[KMeansQuery | ClassifierQuery | DegreesQuery, Field(discriminator="kind")]
    notion: AnyNotion
    dependence: Dependence = Dependence()
    model: AnyModel | None = None
    data: LearnedSource = LearnedSource()

    @model_validator(mode="after")
    def _check(self) -> Self:
        """Raises ValueError for a promise that the method does not make."""
        if self.notion.kind not in _PROMISES or self.notion.epsilon is None or self.notion.promised_delta:
            raise ValueError(f"notion one of {', '.join(_PROMISES)}, with epsilon and no delta")
        method = self.dependence.method
        if (method == "independent") != (self.notion.kind == "differential"):
            raise ValueError(
                "notion differential beside method independent, and inferential beside another: "
                f"the method is {method}, the notion {self.notion.kind}"
            )
        if method == "independent" and self.model is not None:
            raise ValueError("no model beside method independent, which is for people who do not depend on each other")
        if method == "group" and (self.dependence.size is None) == (self.model is None):
            raise ValueError("dependence.size or a model beside method group, one of the two")
        if method not in ("independent", "group") and self.model is None:
            raise ValueError(f"a model beside method {method}")
        return self

    @property
    def promise(self) -> Notion:
        """The notion that is promised."""
        return self.notion

    @property
    def derived(self) -> tuple[Derived, ...]:
        """Nothing: nothing is derived from what was learned."""
        return ()

    def in_encoding(self, encoding: str | None) -> "LearnedSpec":
        """Reads the table's text in another encoding; None leaves the spec as it is."""
        return self if encoding is None else self.altered({"data": self.data.altered({"encoding": encoding})})

    def question(self) -> dict[str, Any]:
        """Returns what is asked, ready for JSON: the sections without the place of the table."""
        model = None if self.model is None else self.model.self_contained().model_dump(mode="json", exclude_none=True)
        shown = self.altered({"model": None, "data": LearnedSource(table=self.data.table)})
        found = shown.model_dump(mode="json", exclude_none=True)
        return {key: value for key, value in found.items() if value} | ({} if model is None else {"model": model})


def is_learned(sections: object) -> bool:
    """Says whether these sections of a spec have a query that is learned."""
    query = sections.get("query") if isinstance(sections, Mapping) else None
    return isinstance(query, Mapping) and query.get("kind") in LEARNED


def learned_spec(sections: Mapping[str, Any], folder: Path = Path()) -> LearnedSpec:
    """Makes a spec of nested dictionaries.

    Args:
        sections: The sections by name.
        folder: The folder of the files that the model reads.

    Raises:
        InputError: For the first problem.
    """
    try:
        found = LearnedSpec.model_validate(dict(sections))
    except ValidationError as error:
        raise first_problem(error, "", sections) from None
    return found if found.model is None else found.altered({"model": found.model.in_folder(folder)})


def read_any_spec(source: Spec | LearnedSpec | Path | str | Mapping[str, Any]) -> Spec | LearnedSpec:
    """Reads a spec of either sort, as `read_spec` does.

    Args:
        source: The path of the file, "-" for standard input, or the sections by name.

    Raises:
        InputError: For something that is no spec.
    """
    if isinstance(source, LearnedSpec):
        return source
    if isinstance(source, Path | str):
        path = Path(source)
        sections = sections_of(path)
        if is_learned(sections):
            return learned_spec(sections, path.parent)
        return in_folder(spec_from(sections), path.parent)
    if isinstance(source, Mapping) and is_learned(source):
        return learned_spec(source)
    return read_spec(source)


def check_learned(terms: Mapping[str, Any]) -> None:
    """Refuses terms of a release that mean nothing for what is learned, with InputError."""
    if terms.get("budget_delta") is not None:
        raise InputError("budget delta", terms["budget_delta"], "none: what is learned has no delta")
    if terms.get("allow_exact"):
        raise InputError("allow exact", "true", "nothing: what is learned always has noise")
