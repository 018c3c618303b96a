"""Large networks of known shape, and the exact laws of small ones."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

import numpy as np

from dalenius.joints import Joint, people_of
from dalenius.laws.convolution import Coefficients, law_of
from dalenius.laws.law import Law
from dalenius.models import Network
from tests.reference.joints import Joint as Table, Value


def _uniform(seed: int) -> Iterator[float]:
    while True:
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        yield seed / 2**64


def grid(side: int) -> Network:
    """Bits on a square, each with those above and left of it as parents."""
    nodes = []
    for i in range(side):
        for j in range(side):
            parents = [f"{x},{y}" for x, y in ((i - 1, j), (i, j - 1)) if min(x, y) >= 0]
            rows = [[1 - p, p] for p in (0.1, 0.4, 0.3, 0.8)[: 2 ** len(parents)]]
            nodes.append({"name": f"{i},{j}", "parents": parents, "probabilities": rows})
    return Network(nodes=nodes)


def laws_of_the_sum(joint: Joint) -> dict[int, Law]:
    """Of the sum of all records (twice, where they are halves), by the first person of each class."""
    values = [value for stratum in joint.strata() for value in stratum.values]
    transform = Coefficients(np.array([2 * value for value in values], dtype=np.int64)[:, None])
    return {subject.person: law_of(elements) for subject, elements in joint.mean_product(transform)}


def exact_laws(table: Table, person: int) -> Mapping[Value, dict[int, Fraction]]:
    """The same in fractions, by that person's value: masses of the value and twice the sum together."""
    found: dict[Value, dict[int, Fraction]] = {}
    for row, chance in table.items():
        at = found.setdefault(row[person - 1], {})
        total = int(2 * sum(row))
        at[total] = at.get(total, Fraction(0)) + chance
    return found


def assert_exact(joint: Joint, table: Table) -> None:
    """Everybody's law of the sum and prior, to 1e-12 of each mass and within what it says of its own error."""
    laws = laws_of_the_sum(joint)
    for person in people_of(joint):
        subject = joint.subject_of(person)
        law = laws[subject.person]
        found, claimed = law.log_mass(), law.error + subject.class_error
        exact = exact_laws(table, person)
        assert set(subject.secrets) == set(exact)
        for secret, log_prior, row in zip(subject.secrets, subject.log_prior, found, strict=True):
            mass = sum(exact[secret].values(), Fraction(0))
            assert abs(log_prior - _log(mass)) <= 1e-12
            for place, log_mass in enumerate(row, law.start[0]):
                chance = exact[secret].get(place, Fraction(0)) / mass
                assert (log_mass > -np.inf) == (chance > 0)
                assert chance == 0 or abs(log_mass - _log(chance)) <= min(claimed, 1e-11)


def _log(number: Fraction) -> float:
    """With the exponent taken out first: the number may be far below any double."""
    shift = number.denominator.bit_length() - number.numerator.bit_length()
    return float(np.log(float(number * Fraction(2) ** shift)) - shift * np.log(2.0))
