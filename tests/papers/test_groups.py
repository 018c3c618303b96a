"""IP Def 4, Cor 1, Props 3 and 6: groups of people as the secret, and compositions that reveal everything."""

from collections.abc import Sequence
from fractions import Fraction
from math import inf

import dalenius as dl
from tests.papers import enumerated as by
from tests.papers.drawn import cases, dependent, independent_records, mechanism, universe
from tests.reference.joints import Assignment, gather

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


def remainder(rows: Sequence[Assignment], weights: Sequence[int], sides: int) -> by.Mechanism:
    """Publishes a weighted sum modulo a number."""
    return by.function(rows, lambda row: sum(w * x for w, x in zip(weights, row, strict=True)) % sides)


def test_corollary_1_independent_groups(block: int) -> None:
    """IP Def 4, Cor 1: of ℓ independent people e^ℓε, by inferential privacy even."""
    for random in cases(block, many=100):
        joint, rows = independent_records(random, 3)
        made = mechanism(random, rows, 2)
        ratio = Fraction(by.differential(made))
        for chosen in by.all_groups(joint):
            found = by.seen(joint, made, chosen)
            assert by.information(found) <= by.identity(found) <= ratio ** len(chosen)


def test_what_groups_leak_is_bounded_by_their_law(block: int) -> None:
    """E12: whatever the mechanism, what IP Props 3 and 6 let go to infinity is at most 1/Pr[x_I]."""
    for random in cases(block):
        joint, rows = dependent(random, 3)
        made = by.together([mechanism(random, rows, 2, empty=0.3), mechanism(random, rows, 2, empty=0.3)])
        for chosen in by.all_groups(joint):
            found = by.seen(joint, made, chosen)
            for r in found.outputs:
                for value, law in found.likelihood.items():
                    assert law[r] / found.marginal(r) <= 1 / found.prior[value]


def test_proposition_3_for_given_sources() -> None:
    """E12: two fair bits, and any mechanism: at most 4. With the exclusive or, 0-private of each, it is 2."""
    joint = gather((row, QUARTER) for row in universe([2, 2]))
    made = by.function(universe([2, 2]), lambda row: row[0] ^ row[1])
    assert by.worst_information(joint, made) == 1
    assert by.information(by.seen(joint, made, [0, 1])) == 2
    assert by.identity(by.seen(joint, made, [0, 1])) == inf


def test_proposition_3_as_corrected() -> None:
    """E12: over all sources there is no bound. Two numbers of m, and their sum modulo m: nothing of each, ln m of
    both."""
    sides = 5
    rows = universe([sides, sides])
    joint = gather((row, Fraction(1, sides**2)) for row in rows)
    made = remainder(rows, [1, 1], sides)
    assert by.worst_identity(joint, made) == 1
    assert by.information(by.seen(joint, made, [0, 1])) == sides


def test_proposition_6_as_corrected() -> None:
    """E12: X1 + X2 and X1 + 2 X2 modulo m say nothing of anybody, and together everything: ln m of each."""
    sides = 5
    rows = universe([sides, sides])
    joint = gather((row, Fraction(1, sides**2)) for row in rows)
    answers = [remainder(rows, [1, n], sides) for n in (1, 2)]
    assert [by.worst_identity(joint, each) for each in answers] == [1, 1]
    assert by.worst_information(joint, by.together(answers)) == sides


def test_one_person_is_enough() -> None:
    """Information privacy does not add up for a single record either: of three values, one is confused with the
    second, then with the third. ln 2 and ln 2, when it is rare, together nearly ln 100."""
    joint = gather([((0,), Fraction(1, 100)), ((1,), Fraction(99, 200)), ((2,), Fraction(99, 200))])
    rows = universe([3])
    both = [by.function(rows, confused.__contains__) for confused in ([(0,), (1,)], [(0,), (2,)])]
    # Where 0 is not the secret, its complement is no rarer than .495: no chance grows more than 2.03-fold.
    assert [by.worst_information(joint, each) < Fraction(203, 100) for each in both] == [True, True]
    assert by.worst_information(joint, by.together(both)) == 100


def test_the_project_composes_no_information() -> None:
    """IP Prop 6 with the project: two parities of three fair bits, by a kernel on one label's count, leak nothing
    alone, and the third record together: all but the first bit are in one, all in the other."""
    bits = dl.Independent(n=3, probabilities=[0.5])
    odd = dl.Kernel(answers=[0, 1, 2, 3], probabilities=[[1.0, 0.0], [0.0, 1.0]] * 2)
    assert dl.audit(dl.Release(bits, dl.Count(), odd))["information"].upper < 1e-12
    joint = gather((row, Fraction(1, 8)) for row in universe([2, 2, 2]))
    rows = universe([2, 2, 2])
    all_of, some = (remainder(rows, weights, 2) for weights in ([1, 1, 1], [0, 1, 1]))
    assert by.worst_information(joint, all_of) == by.worst_information(joint, some) == 1
    assert by.worst_information(joint, by.together([all_of, some])) == 2
