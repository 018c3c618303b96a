"""Random models and mechanisms, in fractions of small numbers; the same ones every time."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product as cartesian
from random import Random

from tests.papers.enumerated import Mechanism
from tests.reference.joints import Assignment, Joint, gather, product


def cases(block: int, few: int = 12, many: int = 120) -> Iterator[Random]:
    """One generator a case."""
    for number in range(few if block == 0 else many):
        yield Random(f"{block} {number}")


def universe(sizes: Sequence[int]) -> list[Assignment]:
    return list(cartesian(*(range(size) for size in sizes)))


def sizes_of(random: Random, people: int) -> list[int]:
    return [random.choice([2, 2, 3]) for _ in range(people)]


def law(random: Random, rows: Sequence[Assignment], empty: float = 0.2) -> Joint:
    """Some rows are impossible."""
    weights = [0 if random.random() < empty else random.randint(1, 9) for _ in rows]
    if not any(weights):
        weights[0] = 1
    return gather((row, Fraction(weight, sum(weights))) for row, weight in zip(rows, weights, strict=True))


def mechanism(
    random: Random, rows: Sequence[Assignment], outputs: int = 3, empty: float = 0.0, weigh: tuple[int, int] = (1, 12)
) -> Mechanism:
    """Any law of the output for every record sequence."""
    made = {}
    for row in rows:
        weights = [0 if random.random() < empty else random.randint(*weigh) for _ in range(outputs)]
        weights = weights if any(weights) else [1] * outputs
        made[row] = {r: Fraction(weight, sum(weights)) for r, weight in enumerate(weights)}
    return made


def independent_records(random: Random, people: int) -> tuple[Joint, list[Assignment]]:
    sizes = sizes_of(random, people)
    return product([law(random, universe([size]), 0.1) for size in sizes]), universe(sizes)


def dependent(random: Random, people: int) -> tuple[Joint, list[Assignment]]:
    rows = universe(sizes_of(random, people))
    return law(random, rows), rows


def groups(random: Random, sizes: Sequence[int]) -> tuple[Joint, list[Assignment]]:
    """Independent groups of bits, dependent within: mostly weakly."""
    blocks = []
    for size in sizes:
        rows, base = universe([2] * size), random.choice([1, 20, 100])
        weights = [base + random.randint(0, 9) for _ in rows]
        blocks.append(gather((row, Fraction(w, sum(weights))) for row, w in zip(rows, weights, strict=True)))
    return product(blocks), universe([2] * sum(sizes))


def gentle(random: Random, rows: Sequence[Assignment], outputs: int = 3) -> Mechanism:
    """Ratios between record sequences that differ little."""
    return mechanism(random, rows, outputs, weigh=(20, 30))
