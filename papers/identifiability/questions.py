"""What DI §8 asks of UCI Adult: four queries of each attribute, the readings of their sensitivity, two adversaries."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NamedTuple, final

import numpy as np

import dalenius as dl
from dalenius.left_out import LeftOut
from dalenius.queries import Query
from dalenius.tally import tally_of_people
from papers.numbers import Array, IntArray

PEOPLE: Final = 32_561
QUERIES: Final[dict[str, Query]] = {"sum": dl.Sum(), "average": dl.Mean(), "min": dl.Min(), "max": dl.Max()}


@final
@dataclass(frozen=True)
class Adversary:
    """name, and the bounds on anybody's probability of being the absent one."""

    name: str
    least: float
    greatest: float

    def betas(self, steps: int = 41) -> Array:
        """What β is shown: up to 1/P_max - 1, which it must stay below."""
        return np.geomspace(1e-3, min(100.0, (1 / self.greatest - 1) * (1 - 1e-6)), steps)

    @property
    def bounds(self) -> str:
        """In words."""
        least, greatest = (f"1/{round(1 / value):,}" if value else "0" for value in (self.least, self.greatest))
        if least == greatest:
            return f"$P_{{min}}$ = $P_{{max}}$ = {least}"
        return f"$P_{{min}}$ = {least}, $P_{{max}}$ = {greatest}"


WEAK: Final = Adversary("weak", 1 / PEOPLE, 1 / PEOPLE)
STRONG: Final = Adversary("strong", 0.0, 1 / 10)


class Point(NamedTuple):
    """An (α, β), and the noise over the answer that the paper prints for it."""

    alpha: float
    beta: float
    printed: float


@final
@dataclass(frozen=True)
class Question:
    """A query of an attribute: its answer over everybody, and the range of the answers without one person.

    for_one: the sensitivity in this table if each value were one person's, for an extreme. universe, presence: Θ of DI
    Def 5 and Δ of Def 2 over all tables of as many people with values from the least to the greatest.
    """

    query: str
    attribute: str
    answer: Fraction
    left_out: LeftOut
    for_one: float | None
    universe: float
    presence: float

    @property
    def name(self) -> str:
        return f"{self.query}({self.attribute})"

    @property
    def here(self) -> float:
        """The sensitivity in this very table."""
        return self.left_out.sensitivity


def question_of(query: str, attribute: str, values: IntArray) -> Question:
    kind = QUERIES[query]
    everyone = dl.Universe(n=len(values), lower=float(values.min()), upper=float(values.max()))
    worst = kind.worst_case(everyone)
    total, extremes = int(values.sum()), {"min": int(values.min()), "max": int(values.max())}
    for_one = kind.left_out(tally_of_people(np.unique(values))).sensitivity if query in extremes else None
    return Question(
        query,
        attribute,
        Fraction(extremes.get(query, total), len(values) if query == "average" else 1),
        kind.left_out(tally_of_people(values)),
        for_one,
        float(worst.identifiability),
        float(worst.presence),
    )


def exact_scale(question: Question, at: Point, adversary: Adversary) -> float:
    """The least of Laplace noise, over the answer."""
    prior = "uniform" if adversary is WEAK else dl.PriorRange(min=adversary.least, max=adversary.greatest)
    release = dl.Release(dl.Absent(prior=prior).with_left_out(question.left_out), QUERIES[question.query], dl.Laplace())
    notion = dl.DifferentialIdentifiability(alpha=at.alpha, beta=at.beta)
    return dl.calibrate(release, notion, "exact").noise.known_scale() / abs(float(question.answer))
