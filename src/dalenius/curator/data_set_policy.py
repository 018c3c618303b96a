"""A data set of a policy: a table of people, its budget, what may be asked about it, and who may ask it.

Let "measles" have a budget of 2 nats. Ana may spend 1.5 of it on counts and sums of who is ill, and Bob all of it on
counts. `kinds_for` has what both the measure and the analyst allow, and `allowed` refuses the rest by name, before any
table is looked at.
"""

from collections.abc import Mapping
from fractions import Fraction
from os.path import normpath
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias, final

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, field_validator, model_validator

from dalenius.calibration import ExactMethod, methods
from dalenius.curator.learned_measure import ALLOWED, LearnedMeasure, check_rows, reads_all_rows
from dalenius.curator.limits import LONGEST_NAME, MOST_VALUES
from dalenius.curator.policy_names import Name, check_once
from dalenius.curator.query_parts import kinds_in, names_labels
from dalenius.curator.schedule import Schedule
from dalenius.errors import InputError
from dalenius.fields import AtMost, Finite, Positive
from dalenius.frozen_section import Frozen
from dalenius.models import AnyModel, lawless
from dalenius.notions import AnyNotion, Notion
from dalenius.queries import QUERIES, AnyQuery
from dalenius.spec.condition import MISSING_VALUE, Condition, Conditions, Missing
from dalenius.spec.data_section import Source
from dalenius.tables.table_identity import Key, table_keys


def _known(kinds: tuple[str, ...]) -> tuple[str, ...]:
    # The project's queries, those of installed packages, and those of modules plugged in.
    there = [*(str(each.model_fields["kind"].default) for each in QUERIES.classes()), *ALLOWED]
    for kind in kinds:
        if kind not in there:
            raise ValueError(f"kinds of query, each one of {', '.join(there)} (there is no {kind!r})")
    if not kinds:
        raise ValueError("one or more kinds of query, or none of this key for all of them")
    return kinds


# Kinds that there are.
QueryKinds = Annotated[tuple[str, ...], AfterValidator(_known)]


def _value(given: Any) -> str | Condition | Conditions:
    # As a source has its value: its words are said again without its key, which is the measure's here.
    try:
        return Source(value=given).value
    except InputError as error:
        raise ValueError(error.wanted) from None


_MeasuredValue = Annotated[str | Condition | Conditions, BeforeValidator(_value)]


@final
class Measure(Frozen):
    """A column of a data set that may be asked about.

    Attributes:
        name: The measure's name.
        description: Words for analysts.
        value: A column, or a condition on one, which is 1 where it holds and else 0.
        lower: The least number, to which lower ones are clipped.
        upper: The greatest number.
        step: The step to which numbers are rounded.
        missing: What a missing answer means; it is refused where this is left out.
        per_person: What several rows of one person make, as in a spec.
        label: The column, or columns, that queries may tell people apart by, instead of the data set's.
        model: What anybody may believe of it; of several, in a model of kind any, the worst counts.
        queries: The kinds that may be asked; all where it is left out.
    """

    name: Name
    description: str = ""
    value: _MeasuredValue
    lower: Finite | None = None
    upper: Finite | None = None
    step: Positive | None = None
    missing: Missing | None = None
    per_person: Literal["any", "sum", "max"] | None = None
    label: str | tuple[str, ...] | None = None
    model: AnyModel
    queries: QueryKinds | None = None

    @model_validator(mode="after")
    def _checked(self) -> "Measure":
        """Refuses what could not be asked of any table as the policy is read."""
        if lawless(self.model) or self.model.gives != "laws":
            raise ValueError(f"a model of what records are, not {self.model.kind}: answers are noised under its law")
        try:
            # Because the data set names the column of ids, any name will do here.
            self.source_in(Source(value=self.value, person="person" if self.per_person else None))
        except InputError as error:
            raise ValueError(error.wanted) from None
        return self

    def source_in(self, source: Source) -> Source:
        """Returns the data set's source, with this measure as its value."""
        given = {key: getattr(source, key) for key in source.model_fields_set}
        own = ("value", "lower", "upper", "step", "missing", "per_person")
        named = given | {key: value for key in own if (value := getattr(self, key)) is not None}
        return Source(**(named if self.label is None else named | {"label": self.label}))

    @property
    def possible(self) -> tuple[Fraction | str, ...] | None:
        """Returns all values that what is declared allows, ascending; None where it does not say, or for too many."""
        silent = (MISSING_VALUE,) if self.missing == "value" else ()
        summed = self.per_person == "sum"
        if not isinstance(self.value, str) and not summed:
            return Fraction(0), Fraction(1), *silent
        # Because what is summed without a step is whole, its step is 1; and a condition counts from 0.
        own_step = 1.0 if self.step is None and summed else self.step
        own_lower = 0.0 if self.lower is None and not isinstance(self.value, str) else self.lower
        if own_lower is None or self.upper is None or own_step is None:
            return None
        low, high, step = (Fraction(repr(end)) for end in (own_lower, self.upper, own_step))
        many = int((high - low) / step) + 1
        return None if many > MOST_VALUES else (*(low + place * step for place in range(many)), *silent)


@final
class NotAllowed(InputError):
    """The refusal of what the policy does not allow the analyst; nothing was paid, and no data decide it."""


@final
class NotOpen(InputError):
    """The refusal of a table that is not what the policy says.

    What is wrong with it depends on the data, and is for the curator's own check; the analyst is told this sentence.
    """

    def __init__(self, data: str) -> None:
        super().__init__("data", data, "a table that is as the policy says: its curator must check it")


@final
class TooHeavy(InputError):
    """The refusal of an ask whose noise takes more time or memory than the service gives one ask; nothing was paid."""

    def __init__(self, key: str, asked: str, given: str) -> None:
        wanted = f"a question whose noise is found within {given}: fewer answers at once, or noise with its scale"
        super().__init__(key, asked, wanted)


@final
class Analyst(Frozen):
    """An analyst of a data set.

    Attributes:
        name: The analyst's name.
        epsilon: The most this analyst may spend of the data set's budget, in nats; all of it where it is left out.
        measures: The names of what may be asked about; all of the data set's where left out.
        queries: The kinds of query that may be asked; all where left out.
    """

    name: Name
    epsilon: Positive | None = None
    measures: tuple[Name, ...] | None = Field(default=None, min_length=1)
    queries: QueryKinds | None = None


_Public: TypeAlias = Literal["people", "households", "labels"]
_GIVEN_BY_MEASURES: Final = ("value", "lower", "upper", "step", "missing", "per_person")


def _source(given: Any) -> Any:
    if not isinstance(given, Mapping):
        return given
    for key in _GIVEN_BY_MEASURES:
        if key in given:
            raise ValueError(f"no {key} here: each of the measures says its own")
    if "name" in given:
        raise ValueError("no name here: it is the data set's")
    if "practice" in given:
        raise ValueError("no practice here: every data set has a table to practise on, drawn from its model")
    return {**given, "value": "value"}


@final
class DataSet(Frozen):
    """A data set of a policy.

    Attributes:
        name: The name to which the budget belongs, whatever file or table the people are in.
        description: Words for analysts.
        source: Where the people are.
        version: The table's; the same question gets its answer again until the owner names another one.
        frozen: Whether the owner says that the table of a version never changes: only then are losses converted
            together.
        notion: The promise about everything that is ever answered, its epsilon the whole budget.
        measures: What may be asked about.
        learned: What may be learned from the table.
        analysts: Who may ask.
        public: What analysts may be shown of the table beside answers.
        method: The method that chooses the noise.
        accept_unsound: Whether it may be one that is not proven to keep the promise.
        schedule: How often the table is asked, a version each time, and how values go on; None for no schedule.
    """

    name: Name
    description: str = ""
    source: Annotated[Source, BeforeValidator(_source)]
    version: Annotated[str, Field(min_length=1), AtMost(LONGEST_NAME)] = "1"
    frozen: bool = Field(default=False, strict=True)
    notion: AnyNotion
    measures: Annotated[tuple[Measure, ...], Field(min_length=1)]
    learned: tuple[LearnedMeasure, ...] = ()
    analysts: Annotated[tuple[Analyst, ...], Field(min_length=1)]
    public: tuple[_Public, ...] = ("people", "households", "labels")
    method: str = ExactMethod.name
    accept_unsound: bool = Field(default=False, strict=True)
    schedule: Schedule | None = None

    @field_validator("notion")
    @classmethod
    def _promised(cls, notion: Notion) -> Notion:
        """Checks the promise of a data set, which is its budget too."""
        if notion.epsilon is None:
            raise ValueError("an epsilon, the data set's whole budget in nats, or a phrase that stands for one")
        return notion

    @field_validator("measures")
    @classmethod
    def _each_once(cls, measures: tuple[Measure, ...], info: ValidationInfo) -> tuple[Measure, ...]:
        """Checks that groups are the same in all measures: Result 9.12 supposes it, and prices rest on it."""
        check_once([measure.name for measure in measures], "measure")
        source = info.data.get("source")
        columns = {None if source is None else source.household}.union(
            *(measure.model.household_columns for measure in measures)
        )
        if len(columns - {None}) > 1:
            named = ", ".join(sorted(column for column in columns if column is not None))
            raise ValueError(f"one household column for all that is promised of these people (there are {named})")
        return measures

    @field_validator("learned")
    @classmethod
    def _learnable(cls, learned: tuple[LearnedMeasure, ...], info: ValidationInfo) -> tuple[LearnedMeasure, ...]:
        """Refuses what the data set's promise says nothing of, and a table whose rows are not its people."""
        known = info.data
        if not learned or not {"source", "notion", "measures"} <= known.keys():
            return learned
        check_once([each.name for each in (*known["measures"], *learned)], "measure")
        check_rows(known["source"], known["measures"])
        for each in learned:
            each.spec(known["notion"], known["notion"].epsilon, False)
        return learned

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
        """Refuses a cap above the budget, or a measure that there is not: a slip of the owner's."""
        check_once([analyst.name for analyst in analysts], "analyst")
        notion, measures = info.data.get("notion"), info.data.get("measures")
        learned = info.data.get("learned", ())
        for analyst in analysts:
            if notion is not None and analyst.epsilon is not None and analyst.epsilon > notion.epsilon:
                cap = f"epsilon = {analyst.epsilon!r} of {analyst.name!r} is above it"
                raise ValueError(f"caps within the data set's budget of {notion.epsilon!r} nats ({cap})")
            known = None if measures is None else [measure.name for measure in (*measures, *learned)]
            for name in analyst.measures or ():
                if known is not None and name not in known:
                    raise ValueError(
                        f"measures of this data set, each one of {', '.join(known)} ({analyst.name!r} has {name!r})"
                    )
        return analysts

    @field_validator("schedule")
    @classmethod
    def _scheduled(cls, schedule: Schedule | None, info: ValidationInfo) -> Schedule | None:
        if schedule is not None and {"version", "frozen", "notion", "measures"} <= info.data.keys():
            schedule.check(info.data["version"], info.data["frozen"], info.data["notion"], len(info.data["measures"]))
        return schedule

    @property
    def epsilon(self) -> float:
        """The whole budget, in nats."""
        assert self.notion.epsilon is not None
        return self.notion.epsilon

    @property
    def table(self) -> frozenset[Key] | None:
        """The place of the table by the policy, in one form for all spellings; None where it does not say.

        No file is looked at: the curator tells links to one file (`DistinctTables`).
        """
        location = self.source.location
        if location is None:
            return None
        if isinstance(location, Path):
            return frozenset({("path", normpath(location), self.source.table)})
        return table_keys(location, self.source.table)

    def promised(self, epsilon: float) -> Notion:
        """Returns the data set's notion, with so much of its epsilon."""
        return self.notion.altered({"epsilon": epsilon})

    def analyst(self, name: str) -> Analyst:
        """Returns the analyst of this name; NotAllowed for a name that is none of the analysts'."""
        for analyst in self.analysts:
            if analyst.name == name:
                return analyst
        raise NotAllowed("analyst", name, f"one of the analysts of data set {self.name!r}")

    def measures_of(self, analyst: Analyst) -> tuple[Measure, ...]:
        """Returns the measures that an analyst may ask about."""
        return tuple(each for each in self.measures if analyst.measures is None or each.name in analyst.measures)

    @property
    def read_to_learn(self) -> frozenset[str]:
        """The columns that are read where something is learned."""
        return frozenset(column for each in self.learned for column in each.query.read)

    @property
    def whole_measure(self) -> Measure:
        """The first measure that counts each row as a person: its table is read to learn from."""
        return next(each for each in self.measures if reads_all_rows(each))

    def learned_by(self, analyst: Analyst) -> tuple[LearnedMeasure, ...]:
        """Returns what an `analyst` may have learned."""
        return tuple(
            each
            for each in self.learned
            if (analyst.measures is None or each.name in analyst.measures)
            and (analyst.queries is None or each.query.kind in analyst.queries)
        )

    def allowed_to_learn(self, analyst: Analyst, name: str) -> LearnedMeasure:
        """Returns what is learned under that `name`; NotAllowed where there is none that this analyst may ask for."""
        known = {each.name: each for each in self.learned_by(analyst)}
        if name not in known:
            wanted = f"one of {', '.join(known)}" if known else "nothing: the policy lets you learn nothing here"
            raise NotAllowed("learned", name, wanted)
        return known[name]

    def kinds_for(self, analyst: Analyst, measure: Measure) -> tuple[str, ...] | None:
        """Returns the kinds of query that an `analyst` may ask about a `measure`, in the policy's order, or None.

        None stands for all kinds.
        """
        if measure.queries is None or analyst.queries is None:
            return measure.queries if analyst.queries is None else analyst.queries
        return tuple(kind for kind in measure.queries if kind in analyst.queries)

    def allowed(self, analyst: Analyst, measure: str, query: AnyQuery) -> Measure:
        """Returns the measure of that name.

        InputError where there is none that this analyst may ask about; NotAllowed for a query of another kind than may
        be asked, or one about labels that are not public.
        """
        known = {each.name: each for each in self.measures_of(analyst)}
        if measure not in known:
            raise InputError("measure", measure, f"one of {', '.join(known)}")
        kinds = self.kinds_for(analyst, known[measure])
        for kind in kinds_in(query):
            if kinds is not None and kind not in kinds:
                wanted = ", ".join(kinds) or "nothing: the policy allows no kind of query here"
                raise NotAllowed("query.kind", kind, f"a kind that may be asked about {measure!r}: {wanted}")
        # Because the owner has said that it is nobody's business how many people live where.
        if "labels" not in self.public and names_labels(query):
            raise NotAllowed("query", query.kind, "no labels: they are not public in this data set")
        return known[measure]
