"""What may be asked about: a value of each person, what anybody may believe of it, and whether the two fit."""

from fractions import Fraction
from typing import Annotated, Any as Anything, Final, final

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator, model_validator

from dalenius.curator.policy.named import Name, QueryKinds
from dalenius.errors import InputError
from dalenius.models import Any, AnyModel, Model
from dalenius.schema import Finite, Frozen, Positive, RecordValue
from dalenius.tables import Condition, Source

MOST_VALUES: Final = 100_000


def _value(given: Anything) -> str | Condition:
    try:
        return Source(value=given).value
    except InputError as error:
        raise ValueError(error.wanted) from None


Value = Annotated[str | Condition, BeforeValidator(_value)]


@final
class Measure(Frozen):
    """value: a column, or a condition on one, which is 1 where it holds and else 0; lower, upper, step: what a number
    is clipped and rounded to; label: the column that queries may tell people apart by, instead of the data set's.

    model: what anybody may believe of it; models: several, of which the worst counts. queries: the kinds that may be
    asked; all where it is left out.
    """

    name: Name
    description: str = ""
    value: Value
    lower: Finite | None = None
    upper: Finite | None = None
    step: Positive | None = None
    label: str | None = None
    models: Annotated[tuple[AnyModel, ...], Field(min_length=1)] | None = None
    model: AnyModel | None = None
    queries: QueryKinds | None = None

    @field_validator("model")
    @classmethod
    def _one(cls, model: Model | None, info: ValidationInfo) -> Model | None:
        several = info.data.get("models", ())  # not there: refused already
        if model is not None and several:
            raise ValueError("no section model beside models: write it as one of them")
        if model is None and several is None:
            raise ValueError("a section model, or several in models: what anybody may believe of it")
        return model

    @model_validator(mode="after")
    def _checked(self) -> "Measure":
        for model in self.every_model:
            if model.lawless or model.reveals_answers:
                raise ValueError(f"a model of what records are, not {model.kind}: answers are noised under its law")
        try:
            self.source_in(Source(value=self.value))
        except InputError as error:
            raise ValueError(error.wanted) from None
        return self

    @property
    def every_model(self) -> tuple[Model, ...]:
        """All of which the worst counts."""
        return self.models if self.models is not None else () if self.model is None else (self.model,)

    @property
    def belief(self) -> Model:
        """The model of what is asked; where there are several, the class of them."""
        models = self.every_model
        return models[0] if len(models) == 1 else Any(models=models)

    def source_in(self, source: Source) -> Source:
        """The data set's source, with this measure as its value."""
        given = {key: getattr(source, key) for key in source.model_fields_set}
        own = {"value": self.value, "lower": self.lower, "upper": self.upper, "step": self.step}
        named = given | {key: value for key, value in own.items() if value is not None}
        return Source(**(named if self.label is None else named | {"label": self.label}))

    @property
    def possible(self) -> tuple[Fraction, ...] | None:
        """All values that what is declared allows, in ascending order; None where it does not say, or of too many."""
        if isinstance(self.value, Condition):
            return Fraction(0), Fraction(1)
        if self.lower is None or self.upper is None or self.step is None:
            return None
        low, high, step = (Fraction(repr(end)) for end in (self.lower, self.upper, self.step))
        many = int((high - low) / step) + 1
        return None if many > MOST_VALUES else tuple(low + place * step for place in range(many))


SHOWN: Final = 5


def check_model(model: Model, measure: Measure, key: str) -> None:
    """InputError where they differ, or where the model's records are not of finitely many values. key: of the model."""
    possible = measure.possible
    declared = None if possible is None else {_shown(each) for each in possible}
    for belief in model.joints():
        if not belief.strata():
            raise InputError(key, model.kind, "a model whose records have finitely many values")
        for stratum in belief.strata():
            modelled = {_shown(each) for each in stratum.values}
            if declared is not None and declared - modelled:
                said = "a model whose records can have every value that the measure declares"
                raise InputError(key, f"records that are never {_few(declared - modelled)}", said)
            if declared is not None and modelled - declared:
                said = "a model of the values that the measure declares"
                raise InputError(key, f"records that may be {_few(modelled - declared)}", said)


def _shown(value: RecordValue | Fraction) -> str:
    """1 and 1.0 are one value, and the text "1" is another."""
    return repr(value) if isinstance(value, str) else str(Fraction(str(value)))


def _few(values: set[str]) -> str:
    return " or ".join(sorted(values)[:SHOWN])
