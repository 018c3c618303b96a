"""A sample of a population: the query asks some people only, who are drawn at random, and nobody knows who they are.

Being drawn by chance hides a person. The textbook says by how much: if a noise leaks ε about a person who is asked, it
leaks ln(1 + q(e^ε - 1)) about one who is drawn with probability q. That holds for people who are drawn alone and do not
depend on each other. Four people of a household who are always alike, q = .1 and ε = 1: the claim is .159 nats. It is
1.850 = ln(.9 + .1 e⁴) if the household is drawn as one.

>>> import dalenius as dl
>>> alike = dl.Households(count=1, infected=[0.5, 0.0, 0.0, 0.0, 0.5])
>>> drawn = dl.Sampled(population=alike, sample=dl.Sample(rate=0.1, of="households"))
>>> release = dl.Release(drawn, dl.Count(), dl.Laplace(scale=1.0))
>>> round(amplified(1.0, 0.1), 3), round(dl.InferentialPrivacy().leakage(release).epsilon, 3)
(0.159, 1.85)
"""

from collections.abc import Mapping
from math import expm1, log1p
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, final

from pydantic import BeforeValidator, Field, model_validator

from dalenius.errors import InputError, listed
from dalenius.fields import AnyCount
from dalenius.frozen_section import Frozen
from dalenius.joints import Belief, Joint, count_people, finite_law
from dalenius.joints.sampled_law import Draw, SampledLaw
from dalenius.models.model import AnyModel, Model, Readable, percent

Drawn: TypeAlias = Literal["already", "here"]
"""Who draws the sample: whoever made the table, before; or this library, at the release, from a table of everybody."""


def amplified(epsilon: float, rate: float) -> float:
    """Returns the textbook's claim of what a person's loss of `epsilon` nats becomes, if drawn at this `rate`.

    Args:
        epsilon: The loss of a person who is certainly asked, in nats.
        rate: The probability of being drawn.
    """
    return log1p(rate * expm1(epsilon))


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
    def words(self) -> str:
        """The draw, as a sentence without a full stop."""
        units = "households" if self.of == "households" else "people"
        if self.size is not None:
            return f"{self.size:,} {units} are drawn without replacement, each set of them being equally likely"
        if isinstance(self.rate, Mapping):
            rates = ", ".join(f"{percent(rate)} of those labelled {label}" for label, rate in self.rate.items())
            return f"each person is drawn alone, with {rates}"
        assert self.rate is not None
        unit = "household is drawn as one" if self.of == "households" else "person is drawn alone"
        return f"each {unit}, with {percent(self.rate)}"

    def of_population(self, population: Joint) -> Draw:
        """Returns the draw from a population.

        Args:
            population: The law of everybody's records.

        Raises:
            InputError: The size is above the population's, or a label has no rate, or a rate no label.
        """
        whole = self.of == "households"
        if self.size is not None:
            groups = sum(factor.count for factor in population.factors())
            everybody = groups if whole else count_people(population)
            if self.size > everybody:
                units = "groups of people who depend on each other" if whole else "people"
                raise InputError("sample.size", self.size, f"at most {everybody:,}, as many {units} as there are")
            return Draw(self.size / everybody, whole, self.size)
        if isinstance(self.rate, Mapping):
            _check_labels(self.rate, population)
        assert self.rate is not None
        return Draw(self.rate, whole)


def _check_labels(rates: Mapping[str, float], population: Joint) -> None:
    """Raises InputError unless every label of the population has a rate, and each rate is one of a label."""
    labels = [label for label, people in population.labelled().items() if people]
    if labels == [""]:
        raise InputError("sample.of", "strata", "people with labels: the model's people have none")
    for label in labels:
        if label not in rates:
            shown = f"also a rate for people labelled {label!r}" if label else "labels for all people of the model"
            raise InputError("sample.rate", f"rates of {listed(rates)}", shown)
    for label in rates:
        if label not in labels:
            raise InputError(f"sample.rate.{label}", rates[label], f"a label that people have ({listed(labels)})")


@final
class Sampled(Model):
    """A sample of a population, where the adversary does not know who is in it. All answers ask the same sample.

    The answer is that of the people in the sample: a count of a tenth of the people is about a tenth of the
    population's. Divide it by the rate to estimate the population's (Horvitz and Thompson); that costs nothing. A
    secret is anybody's record, whether the person is in the sample or not.

    Args:
        population: The model of everybody's records; each has finitely many values.
        sample: The way the sample is drawn.
        confidence: The confidence that the true law is among the model's, between 0 and 1, where they were fitted to
            other data; None (the default) where the law is assumed.

    Example:
        Each of a thousand people is drawn with probability 0.1, and a count of the ill has Laplace noise of scale 1. It
        leaks 1 nat of the population, and 0.159 nats of the sample.

        >>> import dalenius as dl
        >>> people = dl.Independent(n=1000, probabilities=[0.3])
        >>> survey = dl.Sampled(population=people, sample=dl.Sample(rate=0.1))
        >>> releases = [dl.Release(model, "count", dl.Laplace(scale=1.0)) for model in (people, survey)]
        >>> [round(dl.InferentialPrivacy().leakage(each).epsilon, 3) for each in releases]
        [1.0, 0.159]

    Notes:
        The generating function φ of a record, or of a household that is drawn as one, becomes (1 - q) + qφ. A sample of
        a given size is that of independent draws, given how many there are. The claim of amplification is that of Balle,
        Barthe and Gaboardi (2018).
    """

    kind: Literal["sampled"] = "sampled"
    population: AnyModel
    sample: Sample = Field(...)

    @property
    def words(self) -> str:
        draw = f"answers are those of a sample, and nobody knows who is in it: {self.sample.words}"
        return f"{draw}; the population: {self.population.words}"

    def joints(self) -> tuple[Belief, ...]:
        """Returns the law of a sample for each law of the population.

        Raises:
            InputError: If records of the population have no finite list of values, or the sample does not fit it.
        """
        model = self.population
        laws = [finite_law(law) for law in (model.joints() if model.gives == "laws" else ())]
        found = [law for law in laws if law is not None]
        # Because a sample of a sample is one of other chances: it is written as one draw.
        if not found or len(found) < len(laws) or any(law.sampling_rate is not None for law in found):
            wanted = "a model of everybody's records with finitely many values, without intervals"
            raise InputError("sample", f"a sample of model {model.kind}", wanted)
        return tuple(SampledLaw(law, self.sample.of_population(law)) for law in found)

    def drawn(self) -> Sample:
        return self.sample

    def parts_of(self) -> tuple[Model, ...]:
        return (self.population,)

    def rests_on(self) -> tuple[str, ...]:
        """Returns the assumptions about the draw, in words."""
        whom = (
            "the table has the sample only: it was drawn so before, and whoever drew it told nobody who is in it"
            if self.sample.drawn == "already"
            else "the sample was drawn for this release alone, by the operating system's secure generator"
        )
        return (
            *self.population.rests_on(),
            whom,
            "who is in the sample stays secret, also after the release, and the draw does not depend on the records",
        )

    @property
    def household_columns(self) -> frozenset[str]:
        return self.population.household_columns

    def bound(self, table: Readable) -> "Sampled":
        found = self.population.bound(table)
        # Because a table of the sample does not say how the population's households are made.
        if self.sample.drawn == "already" and found is not self.population:
            wanted = 'a model that gives its people itself, or drawn = "here" and a table of everybody'
            raise InputError("sample.drawn", "already", wanted)
        return self.altered({"population": found})

    def in_folder(self, folder: Path) -> "Sampled":
        return self.altered({"population": self.population.in_folder(folder)})

    def self_contained(self) -> "Sampled":
        return self.altered({"population": self.population.self_contained()})
