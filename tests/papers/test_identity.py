"""IDP Def 3, Thm 1, Props 1–4, Lemma 4, Thms 2 and 3, Cors 1 and 2, Remark 1; IP Def 3, Thm 1, Props 1, 2, 4, Cor 2."""

from fractions import Fraction
from math import inf

from mpmath import mp

import dalenius as dl
from tests.papers import enumerated as by
from tests.papers.drawn import cases, dependent, independent_records, law, mechanism, universe
from tests.reference.joints import Joint, gather, product

CLOSE = mp.mpf(10) ** -12
BITS2, BITS3 = universe([2, 2]), universe([2, 2, 2])
HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
XOR = gather((row, QUARTER) for row in BITS3 if sum(row) % 2 == 0)


def people(joint: Joint) -> range:
    return range(len(next(iter(joint))))


def test_theorem_1_odds(block: int) -> None:
    """IDP Thm 1, both directions: the least e^ε of Def 3 is the least of posterior against prior odds."""
    for random in cases(block):
        joint, rows = dependent(random, random.choice([2, 3]))
        found = by.seen(joint, mechanism(random, rows, empty=random.choice([0.0, 0.1])), [0])
        odds: list[by.Ratio] = [Fraction(0)]
        for r in found.outputs:
            after = found.posterior(r)
            pairs = [(t, u) for t in found.prior for u in found.prior]
            # Pr[t|r] Pr[t'] <= e^ε Pr[t'|r] Pr[t]: Eq 12, with the denominators multiplied out.
            odds += [by.over(after[t] * found.prior[u], after[u] * found.prior[t]) for t, u in pairs]
        assert max(odds) == by.identity(found)


def test_lemma_4_and_what_follows(block: int) -> None:
    """IDP Lemma 4, Thms 2 and 3; IP Thm 1 and Prop 1: each number is at most the one before."""
    for random in cases(block):
        joint, rows = dependent(random, random.choice([1, 2, 3]))
        made = mechanism(random, rows, empty=random.choice([0.0, 0.1]))
        for person in people(joint):
            found = by.seen(joint, made, [person])
            odds, raised, lowered = by.identity(found), by.information(found), by.lowering(found)
            assert max(raised, lowered) <= odds
            after = [found.posterior(r) for r in found.outputs]
            forward = max(by.relative_entropy(each, found.prior) for each in after)
            assert forward <= by.log(raised) + CLOSE
            assert max(by.relative_entropy(found.prior, each) for each in after) <= by.log(lowered) + CLOSE
            assert by.mutual(found) <= forward + CLOSE


def test_proposition_2_independent_records(block: int) -> None:
    """IDP Prop 2, Cors 1 and 2; IP Prop 4 and Cor 2: what follows from differential privacy of independent records."""
    for random in cases(block):
        joint, rows = independent_records(random, random.choice([2, 3]))
        made = mechanism(random, rows)
        most = by.differential(made)
        for person in people(joint):
            found = by.seen(joint, made, [person])
            assert by.identity(found) <= most
            assert by.information(found) <= most
            assert by.mutual(found) <= by.log(most) + CLOSE
            for r in found.outputs:
                after = found.posterior(r)
                assert by.relative_entropy(found.prior, after) <= by.log(most) + CLOSE
                assert by.relative_entropy(after, found.prior) <= by.log(most) + CLOSE


def test_dependent_records_break_proposition_2() -> None:
    """IDP Example 2: e^2ε where e^ε is promised."""
    joint, made = gather([((0, 0), HALF), ((1, 1), HALF)]), by.noised_sum(BITS2, HALF)
    assert by.differential(made) == 2
    assert by.worst_identity(joint, made) == 4


def test_the_converse_of_proposition_2_fails() -> None:
    """IDP §4, IP §IV: independent records, identity private at e^ε < 1.3, differential only at 40."""
    rare = Fraction(1, 1000)
    joint = product([gather([((0,), HALF), ((1,), HALF)]), gather([((0,), 1 - rare), ((1,), rare)])])
    chances = [Fraction(1, 2), Fraction(2, 5), Fraction(1, 100)]
    made = {row: {0: chances[sum(row)], 1: 1 - chances[sum(row)]} for row in BITS2}
    assert by.identity(by.seen(joint, made, [0])) < Fraction(13, 10)
    assert by.differential(made) == 40


def test_proposition_1_composition(block: int) -> None:
    """IDP Prop 1: ratios multiply where the outputs are independent given each record, which is checked. So it is
    where all records are functions of each other, and where two mechanisms read independent records."""
    for random in cases(block):
        sizes = [2, 2] if random.random() < 0.5 else [3, 3]
        if random.random() < 0.5:
            joint = law(random, [(x, x) for x in range(sizes[0])], 0.0)
            mechanisms = [mechanism(random, universe(sizes)) for _ in range(2)]
        else:
            joint = product([law(random, universe([2, 2])), law(random, universe([2]))])
            first, second = mechanism(random, universe([2, 2])), mechanism(random, universe([2]))
            mechanisms = [{row: first[row[:2]] for row in BITS3}, {row: second[row[2:]] for row in BITS3}]
        both = by.together(mechanisms)
        for person in people(joint):
            found = by.seen(joint, both, [person])
            alone = [by.seen(joint, each, [person]) for each in mechanisms]
            for value, given in found.likelihood.items():
                for (one, other), chance in given.items():
                    assert chance == alone[0].likelihood[value][one] * alone[1].likelihood[value][other]
        assert by.worst_identity(joint, both) <= Fraction(by.worst_identity(joint, mechanisms[0])) * Fraction(
            by.worst_identity(joint, mechanisms[1])
        )


def test_proposition_1_needs_its_hypothesis() -> None:
    """E4′: three parities of fair bits say nothing each, and everything together."""
    joint = gather((row, Fraction(1, 8)) for row in BITS3)
    parities = [
        by.function(BITS3, lambda row: row[0] ^ row[1]),
        by.function(BITS3, lambda row: row[1] ^ row[2]),
        by.function(BITS3, lambda row: row[0] ^ row[1] ^ row[2]),
    ]
    assert [by.worst_identity(joint, each) for each in parities] == [1, 1, 1]
    assert by.worst_identity(joint, by.together(parities)) == inf


def test_conditional_information_under_differential_privacy(block: int) -> None:
    """IP Prop 2: I(X_i; Y | X_(i)) <= ε, whatever the dependence."""
    for random in cases(block, many=100):
        joint, rows = dependent(random, random.choice([2, 3]))
        made = mechanism(random, rows)
        for person in people(joint):
            assert by.mutual_given_others(joint, made, person) <= by.log(by.differential(made)) + CLOSE


def test_conditional_information_under_identity_privacy() -> None:
    """E15: IDP Prop 4 promises it of identity privacy. Two fair bits of which the exclusive or goes out: 0, and ln
    2."""
    joint = gather((row, QUARTER) for row in BITS2)
    made = by.function(BITS2, lambda row: row[0] ^ row[1])
    assert by.worst_identity(joint, made) == 1
    assert abs(by.mutual_given_others(joint, made, 0) - mp.log(2)) < CLOSE
    # With the project: the exclusive or as a kernel on the count.
    fair = dl.Independent(n=2, probabilities=[0.5])
    odd = dl.Kernel(answers=[0, 1, 2], probabilities=[[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    release = dl.Release(fair, dl.Count(), odd)
    assert dl.audit(release)["inferential"].upper < 1e-12
    given = dl.MutualInformationPrivacy(given=[2]).leakage(release)
    assert given.lower <= mp.log(2) <= given.upper


def test_conditional_information_says_nothing_of_dependence() -> None:
    """IP §III after Prop 2: of two equal bits, published as they are, 0 is left to be said given the other; ln 2
    was."""
    joint = gather([((0, 0), HALF), ((1, 1), HALF)])
    made = by.function(BITS2, lambda row: row[0])
    assert by.mutual_given_others(joint, made, 0) == 0
    assert abs(by.mutual(by.seen(joint, made, [0])) - mp.log(2)) < CLOSE


def test_remark_1() -> None:
    """Without identity privacy at ε both may exceed ε: of a bit flipped with probability 1/10, at e^ε = 3/2, which
    its ratio of 9 breaks. The reverse relative entropy is ln(5/3) > ln(3/2), and I = .368 > ε for e^ε = 1.4."""
    joint = gather([((0,), HALF), ((1,), HALF)])
    made = {(x,): {r: Fraction(9, 10) if r == x else Fraction(1, 10) for r in (0, 1)} for x in (0, 1)}
    found = by.seen(joint, made, [0])
    assert by.identity(found) == 9
    assert abs(by.relative_entropy(found.prior, found.posterior(0)) - mp.log(Fraction(5, 3))) < CLOSE
    assert by.mutual(found) > mp.log(mp.mpf(14) / 10)


def test_information_of_certain_data_is_nothing(block: int) -> None:
    """E17: IP §III has I(X; Y) <= ε too strong, for where Pr[X = x''] = 1 it would bound M(x)/M(x''). There it is 0,
    whatever the mechanism; near there it is at most the entropy of the data set."""
    for random in cases(block):
        rows = universe([2, 2])
        made = mechanism(random, rows, empty=0.3)
        certain = random.choice(rows)
        assert by.mutual(by.seen({certain: Fraction(1)}, made, [0, 1])) == 0
        rare = Fraction(1, 10**6)
        nearly = {row: rare if row != certain else 1 - 3 * rare for row in rows}
        entropy = -mp.fsum(mp.mpf(p.numerator) / p.denominator * by.log(p) for p in nearly.values())
        assert by.mutual(by.seen(nearly, made, [0, 1])) <= entropy < mp.mpf("1e-4")
