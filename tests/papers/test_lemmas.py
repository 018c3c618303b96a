"""IDP Defs 1 and 2, Lemmas 1–3; IP Defs 1 and 2, Lemmas 1–5: what is said of numbers, data sets and mechanisms."""

from collections import Counter
from fractions import Fraction
from itertools import product as cartesian
from math import inf
from random import Random

from tests.papers import enumerated as by
from tests.papers.drawn import cases, dependent, mechanism, universe
from tests.reference.joints import Assignment, gather

HALF = Fraction(1, 2)


def dataset(row: Assignment) -> Assignment:
    """The multiset of a record sequence."""
    return tuple(sorted(row))


def apart(one: Assignment, other: Assignment) -> int:
    """‖x - y‖₁ of the histograms."""
    first, second = Counter(one), Counter(other)
    return (first - second).total() + (second - first).total()


def test_definition_1(block: int) -> None:
    """IDP Def 1, IP Def 1: the law of the data set is that of its sequences, added up, and is one."""
    for random in cases(block):
        joint, _ = dependent(random, 3)
        law: dict[Assignment, Fraction] = {}
        for row, chance in joint.items():
            law[dataset(row)] = law.get(dataset(row), Fraction(0)) + chance
        assert sum(law.values()) == 1
        assert all(chance == sum(joint[row] for row in joint if dataset(row) == y) for y, chance in law.items())


def of_datasets(random: Random, universes: list[str]) -> dict[Assignment, dict[int, Fraction]]:
    """A mechanism that treats sequences of one data set alike, by data set."""
    sets = sorted({dataset(row) for row in cartesian(*universes)})
    return {y: dict(law) for y, law in mechanism(random, sets).items()}


def test_definition_2_and_lemma_4_of_groups(block: int) -> None:
    """IDP Def 2, IP Def 2: neighbours are data sets at a distance of 2, and sequences that differ in one record are.
    IP Lemma 4: from one data set to another it takes half their distance in steps that stay inside the universe,
    also where people have different records to choose from (exchange of representatives)."""
    for random in cases(block, many=80):
        universes = random.choice([["ab", "bc", "ac"], ["ab", "ab"], ["ab", "bc", "cd"], ["abc", "bd"]])
        made = of_datasets(random, universes)
        steps = [(x, y) for x in made for y in made if apart(x, y) == 2]
        most = max(by.over(made[x][r], made[y][r]) for x, y in steps for r in made[x])
        for x in made:
            for y in made:
                assert apart(x, y) % 2 == 0
                assert all(made[x][r] <= Fraction(most) ** (apart(x, y) // 2) * made[y][r] for r in made[x])
        rows = [tuple(row) for row in cartesian(*universes)]
        for one, other in cartesian(rows, rows):
            if sum(a != b for a, b in zip(one, other, strict=True)) == 1:
                assert apart(one, other) == 2


def test_lemma_1_monotone_fractions(block: int) -> None:
    """IDP Lemma 1, IP Lemma 2: of (α₀x + α₁)/(β₀x + β₁), on an interval without the pole."""
    for random in cases(block, few=40):
        a, b, c, d = (Fraction(random.randint(-9, 9)) for _ in range(4))
        x, y = sorted(Fraction(random.randint(-40, 40), random.randint(1, 9)) for _ in range(2))
        if (c * x + d) * (c * y + d) <= 0:
            continue
        rises = (a * y + b) / (c * y + d) - (a * x + b) / (c * x + d)
        assert rises >= 0 if a * d > b * c else rises <= 0


def test_lemma_1_across_its_pole() -> None:
    """E17: as written it has no interval. -1/x has α₀β₁ > α₁β₀ and falls from 1 at -1 to -1 at 1."""
    alpha, beta = (0, -1), (1, 0)
    assert alpha[0] * beta[1] > alpha[1] * beta[0]
    falls = [Fraction(alpha[0] * x + alpha[1], beta[0] * x + beta[1]) for x in (-1, 1)]
    assert falls == [1, -1]


def test_lemmas_2_and_3_mediants(block: int) -> None:
    """IDP Lemmas 2 and 3, IP Lemmas 3 and 5, where some weight is positive: all of it on one attains the bounds."""
    for random in cases(block, few=40):
        n = random.randint(1, 5)
        a, b = ([Fraction(random.randint(1, 20)) for _ in range(n)] for _ in range(2))
        c, d = ([Fraction(random.randint(0, 3)) for _ in range(n)] for _ in range(2))
        if not any(c) or not any(d):
            continue
        c, d = ([each / sum(law) for each in law] for law in (c, d))
        ratios = [x / y for x, y in zip(a, b, strict=True)]
        own = sum(w * x for w, x in zip(c, a, strict=True)) / sum(w * y for w, y in zip(c, b, strict=True))
        assert min(ratios) <= own <= max(ratios)
        mixed = sum(w * x for w, x in zip(c, a, strict=True)) / sum(w * y for w, y in zip(d, b, strict=True))
        assert min(a) / max(b) <= mixed <= max(a) / min(b)


def test_bounds_on_information_are_approached(block: int) -> None:
    """IP §IV says that (17) and (18) are attained, by Lemma 5. Its (15) and (16) are; but of the secret's value x_i
    the denominator holds a share of at least Pr[x_i]. So information is below max M(x_i, ·)/M(x'_i, ·) wherever
    that is above 1, and near it where x_i is rare."""
    for random in cases(block):
        high, low = Fraction(random.randint(11, 19), 20), Fraction(random.randint(1, 10), 20)
        made = {(0,): {0: high, 1: 1 - high}, (1,): {0: low, 1: 1 - low}}
        gains = []
        for chance in (Fraction(1, 2), Fraction(1, 1000)):
            found = by.seen(gather([((0,), chance), ((1,), 1 - chance)]), made, [0])
            gains.append(found.likelihood[0,][0] / found.marginal(0))
        assert gains[0] < gains[1] < high / low
        assert gains[1] > high / low * Fraction(98, 100)


def test_lemma_1_of_information_privacy(block: int) -> None:
    """IP Lemma 1: differential privacy adds up where the mechanisms' noises are independent of each other."""
    for random in cases(block, many=60):
        rows = universe([2, random.choice([2, 3])])
        several = [mechanism(random, rows, 2) for _ in range(random.choice([2, 3]))]
        total = Fraction(1)
        for each in several:
            total *= Fraction(by.differential(each))
        assert by.differential(by.together(several)) <= total


def test_lemma_1_of_information_privacy_needs_independent_noise() -> None:
    """The record masked by a fair bit, and that bit: 0 and 0, together everything."""
    rows = universe([2])
    both = {(x,): {(x ^ z, z): HALF for z in (0, 1)} for (x,) in rows}
    outputs = {r for law in both.values() for r in law}
    whole = {row: {r: law.get(r, Fraction(0)) for r in outputs} for row, law in both.items()}
    for place in (0, 1):
        alone = {
            row: {v: sum((p for r, p in law.items() if r[place] == v), Fraction(0)) for v in (0, 1)}
            for row, law in whole.items()
        }
        assert by.differential(alone) == 1
    assert by.differential(whole) == inf
