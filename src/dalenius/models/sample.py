"""The way a sample is drawn: its rate or its size, its units, and who draws it."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias, final

from pydantic import BeforeValidator, model_validator

from dalenius.fields import AnyCount
from dalenius.frozen_section import Frozen
from dalenius.models.model import percent
from dalenius.sentences.sentence import Name, Phrase, commas, said

Drawn: TypeAlias = Literal["already", "here"]
"""Who draws the sample: the maker of the table, before, or this library, at the release, from a table of everybody."""

SAMPLING_ERROR: Final = "not in the errors and intervals: these are of the noise, about the exact answer of the sample"
"""What every statement of accuracy leaves out where a sample is asked."""


def _rate(given: Any) -> Any:
    """Checks one rate, or a rate for each label. ValueError for any outside (0, 1]."""
    # Because pydantic would name the union's members in the path, this is read here and not left to the union.
    named = given.items() if isinstance(given, Mapping) else [("", given)]
    for label, rate in named:
        shown = f" ({label} has {rate})" if label else ""
        if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 < rate <= 1:
            raise ValueError(f"a rate above 0 and at most 1{shown}")
    return {label: float(rate) for label, rate in named} if isinstance(given, Mapping) else float(given)


@final
class Sample(Frozen):
    """The way a sample is drawn from the people of a model: a section [sample] of a spec.

    Give either `rate` or `size`.

    Args:
        rate: The probability of being drawn, above 0 and at most 1, independently of all others. With `of = "strata"`,
            a rate for each label of people. None (the default) beside `size`.
        size: The number of people, or of households, that are drawn without replacement, each such set being equally
            likely. None (the default) beside `rate`.
        of: The units of the draw: `people` (the default), each alone; `households`, where each group of people who
            depend on each other is drawn as one; or `strata`, where each person is drawn alone, at the rate of the
            person's label.
        drawn: Who draws the sample: `already` (the default) where the table of a release has the people of the sample
            only, `here` where it has everybody, and each release draws a new sample by the operating system's secure
            generator.

    Example:
        >>> import dalenius as dl
        >>> dl.Sample(rate={"north": 0.1, "south": 0.2}, of="strata").words
        'each person is drawn alone, with 10 % of those labelled north, 20 % of those labelled south'
        >>> dl.Sample(size=500).words
        '500 people are drawn without replacement, each set of them being equally likely'
    """

    rate: Annotated[float | dict[str, float], BeforeValidator(_rate)] | None = None
    size: AnyCount | None = None
    of: Literal["people", "households", "strata"] = "people"
    drawn: Drawn = "already"

    @model_validator(mode="after")
    def _check(self) -> "Sample":
        if (self.rate is None) == (self.size is None):
            raise ValueError("either rate or size")
        several = isinstance(self.rate, Mapping)
        if self.of == "strata" and not several:
            raise ValueError('of = "strata" beside a rate for each label, such as rate = { north = 0.1, south = 0.2 }')
        if several and self.of != "strata":
            raise ValueError('of = "strata" beside several rates')
        return self

    @property
    def rates(self) -> frozenset[float]:
        """The rates at which people or households are drawn; empty where the size is given."""
        if isinstance(self.rate, Mapping):
            return frozenset(self.rate.values())
        return frozenset() if self.rate is None else frozenset([self.rate])

    @property
    def words(self) -> Phrase:
        """The draw, as a sentence without a full stop."""
        homes = self.of == "households"
        if self.size is not None:
            return said("households_drawn" if homes else "people_drawn", size=self.size)
        if isinstance(self.rate, Mapping):
            rates = (said("rate_of_label", rate=percent(p), label=Name(label)) for label, p in self.rate.items())
            return said("person_drawn", rate=commas(rates))
        assert self.rate is not None
        return said("household_drawn" if homes else "person_drawn", rate=percent(self.rate))
