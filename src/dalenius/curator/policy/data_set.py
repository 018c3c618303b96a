"""A table of people, its budget, who may ask what of it, and what somebody may not do."""

from collections.abc import Mapping
from os.path import normpath
from typing import Annotated, Any, Final, Literal, TypeAlias, final

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from dalenius.calibration import ExactMethod, methods
from dalenius.curator.policy.measure import Measure
from dalenius.curator.policy.named import Name, QueryKinds, check_once, kinds_in, names_labels
from dalenius.errors import InputError
from dalenius.notions import AnyNotion, Notion
from dalenius.queries import AnyQuery
from dalenius.schema import Frozen, Positive
from dalenius.tables import Source


@final
class NotAllowed(InputError):
    """The policy does not allow it to whoever asks; nothing was paid, and nothing of it depends on the data."""


@final
class NotOpen(InputError):
    """The table is not what the policy says. What is wrong with it depends on the data, and is for the curator's own
    check; whoever asks is told this sentence."""

    def __init__(self, data: str) -> None:
        super().__init__("data", data, "a table that is as the policy says: its curator is to check it")


@final
class TooHeavy(InputError):
    """To find its noise takes more time or memory than the service gives one ask; nothing was paid."""

    def __init__(self, kind: str, given: str) -> None:
        wanted = f"a question whose noise is found within {given}: fewer answers at once, or noise with its scale"
        super().__init__("ask.query", kind, wanted)


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


Public: TypeAlias = Literal["people", "households", "labels"]
GIVEN_BY_MEASURES: Final = ("value", "lower", "upper", "step")


def _source(given: Any) -> Any:
    if not isinstance(given, Mapping):
        return given
    for key in GIVEN_BY_MEASURES:
        if key in given:
            raise ValueError(f"no {key} here: each of the measures says its own")
    if "name" in given:
        raise ValueError("no name here: it is the data set's")
    return {**given, "value": "value"}


@final
class DataSet(Frozen):
    """name: to which the budget belongs, whatever file or table the people are in; source: where they are; notion:
    what is promised of everything that is ever answered, its epsilon the whole budget; analysts, measures: who may ask
    about what. version: of the table; the same question gets its answer again until the owner names another one.
    frozen: whether the owner says that the table of a version never changes: only then are losses converted together.
    public: what analysts may be shown of the table beside answers. method: that chooses the noise;
    accept_unsound: whether it may be one of which it is not proven that it keeps the promise.
    """

    name: Name
    description: str = ""
    source: Annotated[Source, BeforeValidator(_source)]
    version: Annotated[str, Field(min_length=1, max_length=100)] = "1"
    frozen: bool = Field(default=False, strict=True)
    notion: AnyNotion
    measures: Annotated[tuple[Measure, ...], Field(min_length=1)]
    analysts: Annotated[tuple[Analyst, ...], Field(min_length=1)]
    public: tuple[Public, ...] = ("people", "households", "labels")
    method: str = ExactMethod.name
    accept_unsound: bool = Field(default=False, strict=True)

    @field_validator("notion")
    @classmethod
    def _promised(cls, notion: Notion) -> Notion:
        if notion.epsilon is None:
            raise ValueError("an epsilon, the data set's whole budget in nats, or a phrase that stands for one")
        return notion

    @field_validator("measures")
    @classmethod
    def _each_once(cls, measures: tuple[Measure, ...], info: ValidationInfo) -> tuple[Measure, ...]:
        check_once([measure.name for measure in measures], "measure")
        source = info.data.get("source")
        columns = {None if source is None else source.household}.union(
            *(measure.belief.household_columns for measure in measures)
        )
        if len(columns - {None}) > 1:
            named = ", ".join(sorted(column for column in columns if column is not None))
            raise ValueError(f"one household column for all that is promised of these people (there are {named})")
        return measures

    @field_validator("method")
    @classmethod
    def _known(cls, method: str) -> str:
        names = [each.name for each in methods()]
        if method not in names:
            raise ValueError(f"one of {', '.join(names)}")
        return method

    @field_validator("analysts")
    @classmethod
    def _within(cls, analysts: tuple[Analyst, ...], info: ValidationInfo) -> tuple[Analyst, ...]:
        check_once([analyst.name for analyst in analysts], "analyst")
        notion, measures = info.data.get("notion"), info.data.get("measures")
        for analyst in analysts:
            if notion is not None and analyst.epsilon is not None and analyst.epsilon > notion.epsilon:
                cap = f"epsilon = {analyst.epsilon!r} of {analyst.name!r} is above it"
                raise ValueError(f"caps within the data set's budget of {notion.epsilon!r} nats ({cap})")
            known = None if measures is None else [measure.name for measure in measures]
            for name in analyst.measures or ():
                if known is not None and name not in known:
                    raise ValueError(
                        f"measures of this data set, each one of {', '.join(known)} ({analyst.name!r} has {name!r})"
                    )
        return analysts

    @property
    def epsilon(self) -> float:
        """The whole budget, in nats."""
        assert self.notion.epsilon is not None
        return self.notion.epsilon

    @property
    def table(self) -> tuple[str, str | None]:
        """Where it is, in one form."""
        return normpath(str(self.source.held)), self.source.table

    def promised(self, epsilon: float) -> Notion:
        """The data set's notion, with so much of its epsilon."""
        return self.notion.altered({"epsilon": epsilon})

    def analyst(self, name: str) -> Analyst:
        """NotAllowed for a name that is none of the analysts'."""
        for analyst in self.analysts:
            if analyst.name == name:
                return analyst
        raise NotAllowed("analyst", name, f"one of the analysts of data set {self.name!r}")

    def measures_of(self, analyst: Analyst) -> tuple[Measure, ...]:
        """What that analyst may ask about."""
        return tuple(each for each in self.measures if analyst.measures is None or each.name in analyst.measures)

    def kinds_for(self, analyst: Analyst, measure: Measure) -> tuple[str, ...] | None:
        """The kinds of query that analyst may ask about it, in the policy's order; None: all."""
        if measure.queries is None or analyst.queries is None:
            return measure.queries if analyst.queries is None else analyst.queries
        return tuple(kind for kind in measure.queries if kind in analyst.queries)

    def allowed(self, analyst: Analyst, measure: str, query: AnyQuery) -> Measure:
        """The measure of that name. InputError where there is none that this analyst may ask about; NotAllowed for a
        query of another kind than may be asked, or one about labels that are not public."""
        known = {each.name: each for each in self.measures_of(analyst)}
        if measure not in known:
            raise InputError("measure", measure, f"one of {', '.join(known)}")
        kinds = self.kinds_for(analyst, known[measure])
        for kind in kinds_in(query):
            if kinds is not None and kind not in kinds:
                wanted = ", ".join(kinds) or "nothing: the policy allows no kind of query here"
                raise NotAllowed("query.kind", kind, f"a kind that may be asked about {measure!r}: {wanted}")
        if "labels" not in self.public and names_labels(query):
            raise NotAllowed("query", query.kind, "no labels: they are not public in this data set")
        return known[measure]
