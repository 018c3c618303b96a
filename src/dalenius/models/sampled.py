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
from typing import Literal, final

from pydantic import Field

from dalenius.errors import InputError, listed
from dalenius.joints import Belief, Joint, count_people, finite_law
from dalenius.joints.sampled_law import Draw, SampledLaw
from dalenius.models.model import AnyModel, Model, Readable
from dalenius.models.sample import Sample
from dalenius.sentences.sentence import phrase, said, semicolons


def amplified(epsilon: float, rate: float) -> float:
    """Returns the textbook's claim of what a person's loss of `epsilon` nats becomes, if drawn at this `rate`.

    Args:
        epsilon: The loss of a person who is certainly asked, in nats.
        rate: The probability of being drawn.
    """
    return log1p(rate * expm1(epsilon))


def draw_from(population: Joint, sample: Sample) -> Draw:
    """Returns the draw of a sample from a population.

    Args:
        population: The law of everybody's records.
        sample: The way the sample is drawn.

    Raises:
        InputError: The size is above the population's, or a label has no rate, or a rate no label.
    """
    whole = sample.of == "households"
    if sample.size is not None:
        groups = sum(factor.count for factor in population.factors())
        everybody = groups if whole else count_people(population)
        if sample.size > everybody:
            units = "groups of people who depend on each other" if whole else "people"
            raise InputError("sample.size", sample.size, f"at most {everybody:,}, as many {units} as there are")
        return Draw(sample.size / everybody, whole, sample.size)
    if isinstance(sample.rate, Mapping):
        _check_labels(sample.rate, population)
    assert sample.rate is not None
    return Draw(sample.rate, whole)


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
        a given size is that of independent draws, given how many there are. The claim of amplification is by Balle,
        Barthe and Gaboardi (2018).
    """

    kind: Literal["sampled"] = "sampled"
    population: AnyModel
    sample: Sample = Field(...)

    @property
    def words(self) -> str:
        draw = said("sample_drawn", draw=self.sample.words)
        return semicolons([draw, said("population", model=phrase(self.population.words))])

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
        return tuple(SampledLaw(law, draw_from(law, self.sample)) for law in found)

    def drawn(self) -> Sample:
        return self.sample

    def parts_of(self) -> tuple[Model, ...]:
        return (self.population,)

    def rests_on(self) -> tuple[str, ...]:
        """Returns the assumptions about the draw, in words."""
        whom = said("drawn_already" if self.sample.drawn == "already" else "drawn_for_this")
        return (
            *self.population.rests_on(),
            whom,
            said("sample_secret"),
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
