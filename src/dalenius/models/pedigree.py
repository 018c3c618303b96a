"""A pedigree: relatives whose genotypes depend on each other by Mendel's laws, at one place of the genome.

A parent with g of two minor alleles passes one on with probability g/2. A parent who is not listed passes one on with
the allele's frequency f, as in a population in Hardy–Weinberg proportions, and independently of everybody. So a
founder, who has no listed parent, has 0, 1 and 2 minor alleles with (1 - f)², 2f(1 - f) and f².
"""

from pathlib import Path
from typing import Annotated, Final, Literal, final

import numpy as np
from pydantic import Field, field_validator, model_validator

from dalenius.arrays import Array
from dalenius.bounds import UNIT
from dalenius.errors import InputError
from dalenius.fields import Level, Probability, RecordValue
from dalenius.joints.joint import Stratum
from dalenius.joints.network import NetworkLaw, Records, bayesian_network
from dalenius.joints.tree_messages import Potential
from dalenius.models.family_members import Member, check_family, read_members
from dalenius.models.model import Model, percent
from dalenius.process import Process
from dalenius.sentences.sentence import Name, commas, counted, said, semicolons
from dalenius.text_files import read_text

_RAREST: Final = 1e-75
"""Least frequency, and least chance of a trait: the product of two frequencies and a chance does not underflow."""
_STAGES: Final = ("genotype", "trait")
_ALLELES: Final = (0, 1, 2)
_COLUMNS: Final = ("id", "father", "mother")
"""The columns of a file, where it does not call them otherwise."""


@final
class Pedigree(Model):
    """Relatives, each with a number of minor alleles: founders by Hardy and Weinberg, children by Mendel.

    People are numbered in the order of the rows, and called by their ids. Relatives may marry: loops are no harder
    than trees. A record is 0, 1 or 2. With a penetrance it lists two stages, `genotype` and `trait`.

    Args:
        file: The table of people, with a row for each. A relative path is relative to the spec's folder, or to where
            the program runs if there is no spec. None (the default) where `people` has the rows.
        id: The column of the file that names each person.
        father: The column of the father's id; empty, `NA` or `0` for a father who is not listed.
        mother: The column of the mother's id, in the same way.
        people: The rows themselves: id, father and mother of each person, with "" for a parent who is not listed.
        allele_frequency: The probability f of the minor allele in the population, above 0 and below 1.
        penetrance: The probabilities of the trait given 0, 1 and 2 minor alleles; None (the default) for no trait.
        confidence: The confidence that the true law is among the model's, between 0 and 1, where they were fitted to
            other data; None (the default) where the law is assumed.

    Example:
        A child of two people of the population is one of the population: it has a minor allele with 1 - .9² = .19.

        >>> import dalenius as dl
        >>> import numpy as np
        >>> rows = [("I1", "", ""), ("I2", "", ""), ("I3", "I1", "I2")]
        >>> (law,) = dl.Pedigree(people=rows, allele_frequency=0.1).joints()
        >>> np.exp(law.subject_of(law.number_of("I3")).log_prior).round(6).tolist()
        [0.81, 0.18, 0.01]
        >>> np.exp(law.given({1: 2}).subject_of(3).log_prior).round(6).tolist()
        [0.9, 0.1]

    Notes:
        Lauritzen and Sheehan, Statistical Science 18(4), 2003, compute on such networks by junction trees.
    """

    kind: Literal["pedigree"] = "pedigree"
    file: Path | None = None
    id: Annotated[str, Field(min_length=1)] = _COLUMNS[0]
    father: Annotated[str, Field(min_length=1)] = _COLUMNS[1]
    mother: Annotated[str, Field(min_length=1)] = _COLUMNS[2]
    people: tuple[tuple[str, str, str], ...] | None = None
    allele_frequency: Level
    penetrance: tuple[Probability, Probability, Probability] | None = None

    @field_validator("allele_frequency")
    @classmethod
    def _frequent(cls, frequency: float) -> float:
        if min(frequency, 1 - frequency) < _RAREST:
            raise ValueError(f"a frequency of at least {_RAREST:g}, and below 1")
        return frequency

    @field_validator("penetrance")
    @classmethod
    def _three(cls, chances: tuple[float, float, float] | None) -> tuple[float, float, float] | None:
        if chances is not None and not all(chance == 0 or _RAREST <= chance <= 1 for chance in chances):
            raise ValueError(
                f"three chances of the trait given 0, 1 and 2 minor alleles, each 0 or at least {_RAREST:g}"
            )
        return chances

    @field_validator("people")
    @classmethod
    def _related(cls, people: tuple[tuple[str, str, str], ...] | None) -> tuple[tuple[str, str, str], ...] | None:
        if people is not None:
            check_family([Member(*row) for row in people])
        return people

    @model_validator(mode="after")
    def _check(self) -> "Pedigree":
        # Because a pedigree has one source.
        if (self.people is None) == (self.file is None):
            raise ValueError("either file or people")
        # Because rows in the spec have no names of columns.
        if self.file is None and (self.id, self.father, self.mother) != _COLUMNS:
            raise ValueError("id, father and mother beside file only: they name its columns")
        return self

    @property
    def words(self) -> str:
        frequency = percent(self.allele_frequency)
        if self.people is not None:
            inherited = counted("relative", "relatives", len(self.people), frequency=frequency)
        else:
            inherited = said("relatives_of_file", file=Name(self.file.name if self.file else ""), frequency=frequency)
        if self.penetrance is None:
            return inherited
        return semicolons([inherited, said("penetrance", chances=commas(map(percent, self.penetrance)))])

    def in_folder(self, folder: Path) -> "Pedigree":
        return self if self.file is None else self.altered({"file": folder / self.file})

    def self_contained(self) -> "Pedigree":
        if self.file is None:
            return self
        columns = dict(zip(("id", "father", "mother"), _COLUMNS, strict=True))
        return self.altered({"people": self.members(), "file": None, **columns})

    def members(self) -> tuple[Member, ...]:
        """Returns the people, read from the file if one is given.

        Raises:
            InputError: If the file has a fault; the message says what is wrong and with whom.
        """
        if self.file is None:
            return tuple(Member(*row) for row in self.people or ())
        found = read_members(read_text(self.file, "model.file"), (self.id, self.father, self.mother), self.file.name)
        # Because registers are kept by hand: the error names the file and the person.
        try:
            check_family(found)
        except ValueError as error:
            raise InputError("model.file", str(self.file), str(error)) from None
        return tuple(found)

    def joints(self) -> tuple[NetworkLaw]:
        """Returns one law: a network with a node for each person."""
        members = self.members()
        place = {member.name: number for number, member in enumerate(members)}
        states, shown = self._states()
        alleles = np.array([genotype for genotype, _ in states])
        shares = np.array([share for _, share in states])
        passed = alleles / 2
        potentials = []
        for number, member in enumerate(members):
            parents = tuple(place[parent] for parent in member.parents)
            table = _inherited(passed, len(parents), self.allele_frequency)[..., alleles] * shares
            potentials.append(Potential((*parents, number), table))
        # Because 1 - f, products of two and their sum are rounded, as is a trait's chance: five roundings a person.
        error = 5 * UNIT * len(members)
        stratum = Stratum("", shown, len(members))
        records = Records(tuple(place), (0,) * len(members), (stratum,), error, ("individual", "pedigree"))
        return (bayesian_network(records, potentials),)

    def _states(self) -> tuple[list[tuple[int, float]], tuple[RecordValue, ...]]:
        """Returns the genotype and the trait's chance given it of each possible value of a record, and the values."""
        if self.penetrance is None:
            return [(genotype, 1.0) for genotype in _ALLELES], _ALLELES
        both = [
            (genotype, trait, chance if trait else 1 - chance)
            for genotype, chance in zip(_ALLELES, self.penetrance, strict=True)
            for trait in (0, 1)
        ]
        # Because a value of probability 0 is none that a record can have.
        possible = [(genotype, trait, chance) for genotype, trait, chance in both if chance > 0]
        values = tuple(Process(_STAGES, (genotype, trait)) for genotype, trait, _ in possible)
        return [(genotype, chance) for genotype, _, chance in possible], values


def _inherited(passed: Array, parents: int, frequency: float) -> Array:
    """Returns Pr[0, 1, 2 minor alleles | the listed parents' values], an axis for each of so many parents first.

    passed: the probability that a parent with each value passes one on; an unlisted one does with the `frequency`.
    """
    one = passed[:, None] if parents == 2 else passed if parents == 1 else np.asarray(frequency)
    other = passed[None, :] if parents == 2 else np.asarray(frequency)
    none, both = (1 - one) * (1 - other), one * other
    return np.stack([none, one * (1 - other) + (1 - one) * other, both], axis=-1)
