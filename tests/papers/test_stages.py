"""IP Def 5, Props 7 and 8, Cor 5: the same people in several data sets, each with a mechanism of its own.

A record is the tuple of a person's data, stage by stage; mechanisms are independent of each other given all of it.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product as cartesian
from math import log
from random import Random

import pytest
from mpmath import mp

import dalenius as dl
from tests.papers import enumerated as by
from tests.papers.drawn import cases, law, mechanism, universe
from tests.reference.joints import Assignment, Joint, gather

CLOSE = mp.mpf(10) ** -12
HALF = Fraction(1, 2)


def staged(mechanisms: Sequence[by.Mechanism], rows: Sequence[Assignment]) -> by.Mechanism:
    """IP Def 5, Eq 23: stage t reads everybody's data of stage t."""
    by_stage = [
        {row: each[tuple(record[stage] for record in row)] for row in rows} for stage, each in enumerate(mechanisms)
    ]
    return by.together(by_stage)


def record_of(person: int, stage: int) -> Callable[[Assignment], Assignment]:
    """A secret: one person's record in one data set."""
    return lambda row: (row[person][stage],)


def copied(joint: Joint, stages: int) -> Joint:
    """All stages are equal."""
    return gather((tuple((value,) * stages for value in row), chance) for row, chance in joint.items())


def linked(first: Joint, second: Joint) -> Joint:
    """Two stages that are independent of each other, people by people."""
    return gather(
        (tuple(zip(one, other, strict=True)), p * q) for one, p in first.items() for other, q in second.items()
    )


def test_proposition_7_equal_stages(block: int) -> None:
    """IP Prop 7: the ratio of each value is that of its first stage, and so is the information; and both are those of
    ordinary composition on the one data set."""
    for random in cases(block, few=20, many=480):
        rows = universe([2, random.choice([2, 3])])
        joint, several = law(random, rows), [mechanism(random, rows, 2) for _ in range(2)]
        processes = copied(joint, 2)
        made, plain = staged(several, list(processes)), by.together(several)
        for person in (0, 1):
            whole = by.seen(processes, made, [person])
            first = by.seen_of(processes, made, record_of(person, 0))
            once = by.seen(joint, plain, [person])
            for value in once.prior:
                assert whole.likelihood[((value[0],) * 2,)] == first.likelihood[value] == once.likelihood[value]
            assert abs(by.mutual(whole) - by.mutual(first)) < CLOSE


def test_proposition_8_independent_stages(block: int) -> None:
    """IP Prop 8: ratios multiply and information adds up, whatever the dependence within a stage."""
    for random in cases(block, few=20, many=480):
        rows = universe([2, 2])
        first, second = law(random, rows), law(random, rows)
        several = [mechanism(random, rows, 2) for _ in range(2)]
        processes = linked(first, second)
        made = staged(several, list(processes))
        for person in (0, 1):
            whole = by.seen(processes, made, [person])
            stages = [by.seen(joint, each, [person]) for joint, each in zip((first, second), several, strict=True)]
            for ((one, other),), chances in whole.likelihood.items():
                for r in whole.outputs:
                    wanted = [
                        stage.likelihood[value,][part] / stage.marginal(part)
                        for stage, value, part in zip(stages, (one, other), r, strict=True)
                    ]
                    assert chances[r] / whole.marginal(r) == wanted[0] * wanted[1]
            assert abs(by.mutual(whole) - sum(map(by.mutual, stages))) < CLOSE


def test_proposition_8_needs_independent_stages() -> None:
    """Copies do not multiply: two answers about one bit say less than the product of the largest ratios."""
    joint = gather([((0,), HALF), ((1,), HALF)])
    made = {(x,): {r: Fraction(3, 4) if r == x else Fraction(1, 4) for r in (0, 1)} for x in (0, 1)}
    processes = copied(joint, 2)
    both = by.seen(processes, staged([made, made], list(processes)), [0])
    assert by.information(by.seen(joint, made, [0])) == Fraction(3, 2)
    assert by.information(both) == Fraction(9, 5) < Fraction(3, 2) ** 2


def people_over_time(random: Random) -> tuple[Joint, by.Mechanism, Fraction]:
    """Two independent people, dependent over time, and what their mechanisms say of a person's whole process at
    most."""
    one = law(random, universe([2, 2]))
    two = law(random, universe([2, 2]))
    joint = gather(((a, b), p * q) for a, p in one.items() for b, q in two.items())
    rows = list(cartesian(universe([2, 2]), universe([2, 2])))
    made = staged([mechanism(random, universe([2, 2]), 2) for _ in range(2)], rows)
    return joint, made, Fraction(by.differential(made))


def test_corollary_5(block: int) -> None:
    """IP Cor 5 of Thm 1 and Prop 4, for mechanisms that are ε-differentially private of a person's whole process."""
    for random in cases(block, many=100):
        joint, made, ratio = people_over_time(random)
        for person in (0, 1):
            found = by.seen(joint, made, [person])
            raised = by.information(found)
            assert raised <= ratio
            divergences = [by.relative_entropy(found.posterior(r), found.prior) for r in found.outputs]
            assert max(divergences) <= by.log(raised) + CLOSE
            assert by.mutual(found) <= max(divergences) + CLOSE


def test_corollary_5_is_not_stage_by_stage() -> None:
    """E17: if ε is each stage's, one rare bit in two stages, each at e^ε = 3, gives 25/3: it is nearly 2ε."""
    rare = Fraction(1, 100)
    processes = copied(gather([((0,), 1 - rare), ((1,), rare)]), 2)
    made = {(x,): {r: Fraction(3, 4) if r == x else Fraction(1, 4) for r in (0, 1)} for x in (0, 1)}
    assert by.differential(made) == 3
    assert by.worst_information(processes, staged([made, made], list(processes))) == Fraction(25, 3)


def test_the_project_reads_linked_stages() -> None:
    """Two people in two data sets: a record for each, labelled by the stage, and a noised count of each. What both
    say of a person's record of the first stage, and that copies are ordinary composition (Prop 7)."""
    chances = [5, 1, 2, 3, 1, 4, 2, 6]
    rows = [((a, c), (b, d)) for a, b, c, d in universe([2, 2, 2, 2]) if a != 1 or b != 1 or c != d][: len(chances)]
    processes = gather((row, Fraction(chance, sum(chances))) for row, chance in zip(rows, chances, strict=True))
    flat = [[person[stage] for stage in (0, 1) for person in row] for row in processes]
    table = dl.Table(
        records=flat, probabilities=[float(p) for p in processes.values()], labels=["one", "one", "two", "two"]
    )
    same = [by.noised_sum(universe([2, 2]), HALF)] * 2
    release = dl.Release(table, dl.Count(per_label=True), dl.Geometric(scale=1 / log(2)))
    audited = dl.audit(release, [dl.InferentialPrivacy(), dl.InformationPrivacy()])
    made = staged(same, list(processes))
    each = [by.seen_of(processes, made, record_of(person, stage)) for person in (0, 1) for stage in (0, 1)]
    assert audited["inferential"].epsilon == pytest.approx(float(by.log(max(map(by.identity, each)))), abs=1e-12)
    assert audited["information"].epsilon == pytest.approx(float(by.log(max(map(by.information, each)))), abs=1e-12)


def test_the_project_reads_equal_stages() -> None:
    """IP Prop 7 with the project: the same count of two equal bits twice is one bit's ratio squared."""
    pair = dl.Table(records=[[0, 0], [1, 1]], probabilities=[0.75, 0.25])
    twice = dl.Release(pair, dl.Several(queries=[dl.Count(), dl.Count()]), dl.Geometric(scale=1 / log(2)))
    processes = copied(gather([((0, 0), Fraction(3, 4)), ((1, 1), Fraction(1, 4))]), 2)
    noised = by.noised_sum(universe([2, 2]), HALF)
    found = by.seen(processes, staged([noised, noised], list(processes)), [0])
    audited = dl.audit(twice)
    assert audited["inferential"].epsilon == pytest.approx(float(by.log(by.identity(found))), abs=1e-12)
    assert audited["information"].epsilon == pytest.approx(float(by.log(by.information(found))), abs=1e-12)
    assert by.identity(found) == 16
