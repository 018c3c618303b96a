"""Adaptive games against a session about who is absent: questions chosen by the belief of by now, outputs drawn or the
worst there are. The belief here is Bayes' rule in numbers of fifty digits, for answers computed person by person."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from statistics import median
from typing import Any, Final, final

import dalenius as dl
from dalenius.absent.rounded_answers import RoundedAnswers, rounded
from dalenius.composition import Accountant, prior_belief
from dalenius.curator.absence_answers import AnswersSoFar
from dalenius.noise import Geometric
from dalenius.queries import AnyQuery
from dalenius.tally import tally_of_people
from tests.reference import belief as reference

Values = Sequence[Fraction]


def _variance(values: Values) -> Fraction:
    mean = sum(values) / Fraction(len(values))
    return sum((value - mean) ** 2 for value in values) / Fraction(len(values) - 1)


def _clipped(values: Values) -> list[Fraction]:
    return [min(max(value, Fraction(-2)), Fraction(3)) for value in values]


ASKED: Final[Sequence[tuple[AnyQuery, Callable[[Values], Fraction]]]] = (
    (dl.Sum(), lambda values: sum(values, Fraction(0))),
    (dl.Sum(lower=-2, upper=3), lambda values: sum(_clipped(values), Fraction(0))),
    (dl.Mean(), lambda values: sum(values) / Fraction(len(values))),
    (dl.Min(), min),
    (dl.Max(), max),
    (dl.Median(), lambda values: Fraction(median(values))),
    (dl.Variance(), _variance),
)
"""The queries, and what each answers of those who are there."""


@final
@dataclass(frozen=True)
class Table:
    """Two columns of everybody's values, a prior, and a promise."""

    columns: tuple[list[Fraction], list[Fraction]]
    prior: list[float]
    alpha: float
    beta: float

    @property
    def people(self) -> int:
        return len(self.prior)

    def without_each(self, column: int, asked: int) -> list[Fraction]:
        values = self.columns[column]
        return [ASKED[asked][1](values[:i] + values[i + 1 :]) for i in range(self.people)]

    def answers(self, column: int, asked: int) -> RoundedAnswers:
        values = [int(v) if v.denominator == 1 else float(v) for v in self.columns[column]]
        return rounded(ASKED[asked][0].left_out(tally_of_people(values)))


def random_table(random: Random) -> Table:
    people = random.randint(3, 6)
    parts = random.choice((1, 1, 2, 10))
    columns = [[Fraction(random.randint(-6, 9), parts) for _ in range(people)] for _ in range(2)]
    weights = [random.randint(1, 30) for _ in range(people)]
    prior = [weight / sum(weights) for weight in weights]
    beta = random.uniform(0.1, 0.95) * (1 / max(prior) - 1)
    return Table((columns[0], columns[1]), prior, random.uniform(0.05, 0.9), beta)


@final
@dataclass(frozen=True)
class Played:
    """The outcome of a game: the smallest and the largest posterior/prior of anybody at any time, and whether noise was
    found for all that was left of the promise."""

    smallest: Any
    largest: Any
    complete: bool

    def keeps(self, table: Table, slack: float = 1e-12) -> bool:
        low, high = 1 - table.alpha, 1 + table.beta
        return bool(low * (1 - slack) <= self.smallest and self.largest <= high * (1 + slack))


def play(seed: int, lie: float = 1.0) -> tuple[Table, Played]:
    """Plays one game of three answers at most, each with a share of what is left, the last with all of it.

    Args:
        seed: An even number for outputs that are drawn, an odd one for the worst output of each answer's noise.
        lie: The factor of the scale that is drawn with, beside the one that is promised.
    """
    random = Random(seed)
    table = random_table(random)
    belief = prior_belief(table.prior)
    so_far = AnswersSoFar(Accountant(table.alpha, table.beta, belief))
    absent = random.choices(range(table.people), table.prior)[0]
    first = [reference.number(Fraction(p)) for p in table.prior]
    posterior, smallest, largest, complete = first, first[0] / first[0], first[0] / first[0], False
    for left in range(random.randint(1, 3), 0, -1):
        column, asked = _chosen(random, table, posterior)
        answers = table.answers(column, asked)
        exact = [answers.index_of(i) for i in range(table.people)]
        # Because classes are known as doubles, a half may be rounded either way.
        for each, index in zip(table.without_each(column, asked), exact, strict=True):
            assert abs(each / answers.step - index) <= Fraction(1, 2) + Fraction(1, 10**9)
        room = 1 - so_far.used
        if room < 1e-6:
            break
        target = so_far.target(None if left == 1 else room / left)
        noise = so_far.noise(answers, target)
        if noise.shape.adds_nothing:
            assert len(set(exact)) == 1
            continue
        complete, scale = left == 1, answers.drawn_scale(noise.known_scale())
        told = Fraction(scale) * Fraction(lie)
        if seed % 2:
            output = _worst(table, first, posterior, exact, told)
        else:
            drawn = Geometric(scale=noise.known_scale() * lie).draw((exact[absent],), answers.lattice)
            output = int(drawn[0] / answers.step)
        posterior = reference.posterior(posterior, exact, output, told)
        ratios = [after / before for after, before in zip(posterior, first, strict=True)]
        smallest, largest = min(smallest, *ratios), max(largest, *ratios)
        belief = so_far.accountant.belief.after(answers.steps, output, scale)
        so_far = AnswersSoFar(Accountant(table.alpha, table.beta, belief))
    return table, Played(smallest, largest, complete)


def _chosen(random: Random, table: Table, posterior: Sequence[Any]) -> tuple[int, int]:
    """A random question, or the one that sets the likeliest, or the least likely, person furthest apart from others."""
    questions = [(column, asked) for column in range(2) for asked in range(len(ASKED))]
    if random.random() < 0.4:
        return random.choice(questions)
    one = random.choice((min, max))(range(table.people), key=posterior.__getitem__)

    def apart(question: tuple[int, int]) -> Fraction:
        answers = table.without_each(*question)
        others = [answer for i, answer in enumerate(answers) if i != one]
        span = max(answers) - min(answers)
        return min(abs(answer - answers[one]) for answer in others) / span if span else Fraction(-1)

    return max(questions, key=apart)


def _worst(table: Table, first: Sequence[Any], posterior: Sequence[Any], answers: list[int], scale: Fraction) -> int:
    """The output that comes nearest to an end of the promise, or passes it furthest, in shares of the promise."""
    import mpmath

    def share(output: int) -> Any:
        after = reference.posterior(posterior, answers, output, scale)
        logs = [mpmath.log(a / b) for a, b in zip(after, first, strict=True)]
        return max(max(logs) / mpmath.log(1 + table.beta), min(logs) / mpmath.log(1 - table.alpha))

    return max(sorted(set(answers)), key=share)
