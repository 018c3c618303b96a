"""The reference against the numbers of Theory §9, §11 and §12, closed forms, slower sums of its own, and what can be
seen by eye; and the order of the notions (Theory §2, §3)."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product
from math import exp, tanh

import pytest

from tests.reference import joints
from tests.reference.bayesian import Knowing, bayesian, between, given, known_sets
from tests.reference.channel import (
    Channel,
    Combined,
    Noise,
    Score,
    answer_of,
    channel,
    channel_of_secret,
    channels,
    mp,
    real,
)
from tests.reference.joints import Joint, chain, groups, household, households, independent, table, universes
from tests.reference.leakages import (
    Leakage,
    delta,
    differential,
    expected_gain,
    inferential,
    information,
    information_two_sided,
    mutual_information,
    relative_entropy,
    relative_entropy_reverse,
    worst,
)
from tests.reference.noises import NONE, geometric, laplace

HALF, TENTH = Fraction(1, 2), Fraction(1, 10)
FAIR = {0: HALF, 1: HALF}
ALIKE = table([(0, 0), (1, 1)], [HALF, HALF])
EQUAL_PAIR = table([(0, 0), (1, 1)], [1 - TENTH, TENTH])
XOR = table([(a, b, a ^ b) for a in (0, 1) for b in (0, 1)], [Fraction(1, 4)] * 4)
Notion = Callable[[Channel], Leakage]


def count(_: int, value: int) -> tuple[int]:
    """The sum of all records."""
    return (value,)


def each(record: int, value: int) -> tuple[int, int]:
    """Two answers: the first record, and the second."""
    return (value, 0) if record == 0 else (0, value)


def of_everybody(joint: Joint, score: Score, noise: Noise, notion: Notion) -> Leakage:
    return worst(map(notion, channels(joint, score, len(next(iter(joint))), noise)))


def value(joint: Joint, noise: Noise, notion: Notion) -> float:
    """The worst person's leakage of the sum."""
    return float(of_everybody(joint, count, noise, notion).value)


@pytest.mark.parametrize(
    ("joint", "noise", "notion", "expected"),
    [
        (EQUAL_PAIR, geometric(1), inferential, 2),
        (EQUAL_PAIR, geometric(1), information, 1.505971),
        (EQUAL_PAIR, geometric(1), information_two_sided, 1.909565),
        (EQUAL_PAIR, geometric(1), relative_entropy, 0.407677),
        (EQUAL_PAIR, geometric(1), mutual_information, 0.106714),
        (XOR, laplace(1), inferential, 1.433781),
        (XOR, laplace(1), information, 0.479322),
        (XOR, laplace(1), relative_entropy, 0.203305),
        (XOR, laplace(1), mutual_information, 0.067168),
    ],
)
def test_theory_12_small(joint: Joint, noise: Noise, notion: Notion, expected: float) -> None:
    assert value(joint, noise, notion) == pytest.approx(expected, abs=5.1e-7)


def symmetric_chain(stay: str) -> Joint:
    """Six binary records, uniform start (Theory §12)."""
    same, other = Fraction(stay), 1 - Fraction(stay)
    return chain([HALF, HALF], [[[same, other], [other, same]]] * 5)


@pytest.mark.parametrize(("stay", "expected"), [(".5", 0.5), (".7", 1.065), (".9", 2.120), (".999", 2.989)])
def test_theory_12_chain_leakage(stay: str, expected: float) -> None:
    assert value(symmetric_chain(stay), geometric(2), inferential) == pytest.approx(expected, abs=5.1e-4)


@pytest.mark.parametrize(("stay", "scale"), [(".5", 1.0), (".7", 2.13648), (".9", 4.35882), (".999", 5.98160)])
def test_theory_12_chain_least_scale(stay: str, scale: float) -> None:
    """The first is 1 exactly, the records being independent."""
    assert value(symmetric_chain(stay), geometric(scale + 1e-5), inferential) <= 1
    assert value(symmetric_chain(stay), geometric(scale - 1e-5), inferential) > 1


def test_e2_pairwise_coefficients_are_not_enough() -> None:
    """Theory §11, E2: b solves 1/b + 19 λ(b) = ε, λ the worst log-ratio of one other person's noisy record."""
    one, everyone = Fraction(20, 2100), Fraction(1, 2100)
    joint = household([Fraction(99, 100), one, *[Fraction(0)] * 18, everyone])
    pair = household([Fraction(99, 100) + one * Fraction(18, 20), one * Fraction(2, 20), everyone])
    for promised, leaked in [(1, 1.330), (3, 4.702)]:
        low, high = 0.1, 40.0
        for _ in range(40):
            middle = (low + high) / 2
            other = channel(pair, lambda record, x: (x * record,), 0, laplace(middle))
            spent = 1 / middle + 19 * float(inferential(other).value)
            low, high = (middle, high) if spent > promised else (low, middle)
        assert float(inferential(channel(joint, count, 0, laplace(high))).value) == pytest.approx(leaked, abs=5.1e-4)


@pytest.mark.parametrize("noise", [laplace(1), geometric(1)])
def test_e4_parallel_composition_of_equal_records(noise: Noise) -> None:
    leakage = of_everybody(ALIKE, each, noise, inferential)
    assert float(leakage.value) == pytest.approx(2)
    assert leakage.output is not None
    assert len(leakage.output) == 2
    assert float(differential(each, universes(ALIKE), noise).value) == 1


@pytest.mark.parametrize("size", [1, 2, 3])
def test_longini_koopman_is_the_random_graph(size: int) -> None:
    community, member = Fraction(1, 10), Fraction(1, 3)
    by_graph = joints.household_epidemic_by_graph(size, community, member)
    assert joints.longini_koopman(size, community, member) == by_graph


def test_e4_three_exclusive_ors_give_the_record() -> None:
    """Result 9.1, errata E4′: X1⊕X2, X2⊕X3 and X1⊕X2⊕X3 each leak 0 about everyone, together they give X1."""
    rows = [(a, b, c, a ^ b, b ^ c, a ^ b ^ c) for a, b, c in product((0, 1), repeat=3)]
    joint = table(rows, [Fraction(1, 8)] * 8)
    for person in range(3):
        for kept in ((3,), (4,), (5,), (3, 4, 5)):

            def score(record: int, x: int, kept: tuple[int, ...] = kept) -> tuple[int, ...]:
                return tuple(x * (record == k) for k in kept)

            answers = channel(joint, score, person, NONE)
            assert float(inferential(answers).value) == (float("inf") if len(kept) == 3 else 0)


STICKY = symmetric_chain(".7")


def test_builders_agree() -> None:
    bit = {0: Fraction(2, 3), 1: Fraction(1, 3)}
    law = [Fraction(4, 9), Fraction(4, 9), Fraction(1, 9)]
    assert independent([bit, bit]) == households([(1, law)]) == household(law)
    assert independent([bit] * 4) == households([(2, law)]) == joints.product([household(law)] * 2)
    assert groups([(2, [(0,), (1,)], [Fraction(2, 3), Fraction(1, 3)])]) == independent([bit] * 2)
    assert chain(list(bit.values()), [[list(bit.values())] * 2]) == independent([bit, bit])
    with pytest.raises(ValueError, match="wanted exactly 1"):
        table([(0,), (1,)], [HALF, TENTH])


@pytest.mark.parametrize("epsilon", [0.0, 0.25, 0.75, 1.0, 2.0])
def test_delta_of_one_bit(epsilon: float) -> None:
    """Laplace(1): 1 - e^((ε-1)/2); geometric: the mass of {y <= 0} less e^ε times its mass one step away."""
    bit = independent([FAIR])
    assert value(bit, laplace(1), partial(delta, epsilon=epsilon)) == pytest.approx(max(1 - exp((epsilon - 1) / 2), 0))
    at_most_0 = 1 / (1 + exp(-1))
    expected = max(at_most_0 - exp(epsilon) * (1 - at_most_0), 0)
    assert value(bit, geometric(1), partial(delta, epsilon=epsilon)) == pytest.approx(expected, abs=1e-15)
    assert value(bit, NONE, partial(delta, epsilon=epsilon)) == 1


def test_total_variation_of_two_axes() -> None:
    """δ(0) of two independent geometric answers about equal bits, against the lattice summed far out."""
    noise = geometric(1)
    mass = [tanh(0.5) * exp(-abs(k)) for k in range(-30, 32)]
    steps = range(1, len(mass))
    direct = sum(max(mass[j] * mass[k] - mass[j - 1] * mass[k - 1], 0) for j, k in product(steps, steps))
    assert float(delta(channel(ALIKE, each, 0, noise), 0).value) == pytest.approx(direct, abs=1e-11)


@pytest.mark.parametrize("noise", [laplace("0.05"), laplace(40), geometric(2, HALF), geometric("0.01", HALF)])
def test_likelihoods_between_answers_are_those_of_the_definition(noise: Noise) -> None:
    def score(record: int, x: int) -> tuple[int]:
        return ((3 if record == 2 else 1) * x,)

    person = channel(STICKY, score, 2, noise)
    outputs = [k * HALF for k in range(-9, 30)]
    if noise.density:
        outputs += [real(output) + mp.mpf("0.123") for output in outputs]
    for output in outputs:
        found, wanted = person.likelihoods([output]), person.one_by_one([output])
        assert found.keys() == wanted.keys()
        assert all(mp.almosteq(found[each], wanted[each], mp.mpf("1e-56")) for each in wanted)


@pytest.mark.parametrize("noise", [laplace("0.3"), laplace(4)])
def test_expected_gains_in_closed_form_are_those_of_quadrature(noise: Noise) -> None:
    person = channel(STICKY, count, 2, noise)
    one, third, fifth = Fraction(1), Fraction(1, 3), Fraction(2, 5)
    for guesses in ([{0: one}, {1: one}], [{0: one}, {1: third}, {0: fifth, 1: fifth}]):
        values = [expected_gain(person, guesses, linear).value for linear in (True, False)]
        assert values[0] > 0
        assert mp.almosteq(*values, mp.mpf("1e-27"))


def test_geometric_tails_against_a_long_sum() -> None:
    pair = channel(EQUAL_PAIR, count, 0, geometric(2, HALF))
    direct = mp.mpf(0)
    for k in range(-200, 205):
        likelihood = pair.likelihoods([k * HALF])
        total = pair.mixture(likelihood)
        direct += mp.fsum(pair.weights[s] * w * mp.log(w / total) for s, w in likelihood.items())
    assert float(mutual_information(pair).value) == pytest.approx(float(direct), abs=1e-15)


def test_laplace_quadrature_against_another() -> None:
    """One tanh-sinh quadrature per unit of the line, far out, at Python's precision."""
    triple = channel(XOR, count, 0, laplace(1))
    with mp.workdps(15):

        def density(y: object) -> object:
            likelihood = triple.likelihoods([y])
            total = triple.mixture(likelihood)
            return mp.fsum(triple.weights[s] * w * mp.log(w / total) for s, w in likelihood.items())

        direct = mp.quad(density, range(-30, 33))
    assert float(mutual_information(triple).value) == pytest.approx(float(direct), abs=1e-12)


@pytest.mark.parametrize("notion", [inferential, information, information_two_sided, relative_entropy])
def test_no_output_beats_the_candidates(notion: Notion) -> None:
    """Theory §3 on a chain: outputs between and beyond support points leak no more."""

    def score(record: int, x: int) -> tuple[int]:
        return ((3 if record == 2 else 1) * x,)

    exact = channel(STICKY, score, 2, laplace(2))
    for k in range(-8, 41):
        y = Fraction(k, 4) + Fraction(1, 7)
        alone = Channel(exact.prior, exact.laws, exact.noise)
        vars(alone)["candidates"] = [(y,)]  # a cached property, filled by hand
        assert notion(alone).value <= notion(exact).value + real(Fraction(1, 10**50))


def test_notions_are_ordered() -> None:
    """IP Prop 1: inferential >= information >= relative entropy >= mutual information; IDP Thm 2 for the reverse."""
    for joint, noise in product((EQUAL_PAIR, XOR, STICKY), (laplace(2), geometric(2))):
        person = channel(joint, count, 0, noise)
        chainwise = [inferential, information_two_sided, information, relative_entropy, mutual_information]
        values = [notion(person).value for notion in chainwise]
        assert values == sorted(values, reverse=True)
        assert 0 < relative_entropy_reverse(person).value <= values[1]


def test_without_noise_ratios_may_be_infinite() -> None:
    person = channel(EQUAL_PAIR, count, 0, NONE)
    assert inferential(person).value == mp.inf
    assert information_two_sided(person).value == mp.inf
    assert relative_entropy_reverse(person).value == mp.inf
    assert float(information(person).value) == pytest.approx(2.302585, abs=1e-6)  # ln 10
    assert float(mutual_information(person).value) == pytest.approx(0.325083, abs=1e-6)  # entropy of the record
    assert differential(count, universes(EQUAL_PAIR), NONE).value == mp.inf


def test_a_group_is_a_secret_too() -> None:
    pair = channel_of_secret(independent([FAIR] * 3), count, lambda row: row[:2], laplace(1))
    leakage = inferential(pair)
    assert float(leakage.value) == pytest.approx(2)
    assert {leakage.secret, leakage.against} == {(0, 0), (1, 1)}


def test_one_secret_leaks_nothing() -> None:
    for noise in (laplace(1), geometric(1), NONE):
        person = channel(table([(5,)], [Fraction(1)]), count, 0, noise)
        assert inferential(person).value == 0
        assert delta(person, 0).value == 0
        assert abs(mutual_information(person).value) < 1e-50


def test_words_of_refusals() -> None:
    with pytest.raises(ValueError, match="wanted 1; use geometric"):
        mutual_information(channel(ALIKE, each, 0, laplace(1)))
    with pytest.raises(ValueError, match="not on one lattice"):
        mutual_information(channel(ALIKE, count, 0, geometric(1, "0.3")))


def test_answers_of_maxima_and_minima() -> None:
    """By hand: those who are not asked have no part; a maximum moves only above the others."""

    def score(record: int, value: int) -> tuple[int | None, ...]:
        return value, value, value if record else None

    asked = Combined(score, ("sum", "max", "min"))
    assert list(answer_of((5, 2, 7), asked)) == [14, 7, 2]
    assert list(answer_of((1, 2, 7), asked)) == [10, 7, 2]
    top = Combined(lambda record, value: (value,), ("max",))
    assert differential(top, [[0, 9], [4, 5]], laplace(1)).value == 5
    assert differential(top, [[0, 9]], laplace(1)).value == 9
    least = Combined(lambda record, value: (value,), ("min",))
    assert differential(least, [[0, 9], [4, 5]], laplace(2)).value == 2.5
    both = Combined(lambda record, value: (value, value), ("max", "min"))
    assert differential(both, [[0, 1, 2], [0, 1, 2]], laplace(1)).value == 2


@pytest.mark.parametrize("noise", [laplace(2), geometric(2)])
def test_independent_records_leak_their_own_only(noise: Noise) -> None:
    bits = independent([FAIR, {0: TENTH, 1: 1 - TENTH}])
    assert abs(bayesian(Knowing(bits, count, noise)).leakage.value - HALF) < 1e-50


def test_who_knows_one_of_three_knows_the_others_are_equal_or_not() -> None:
    found = bayesian(Knowing(XOR, count, laplace(1)))
    assert abs(found.leakage.value - 2) < 1e-50
    assert len(found.known) == 1
    nothing_known = between(XOR, count, laplace(1), 0, {}, (0, 1))
    assert mp.nstr(nothing_known.value, 7) == "1.433781"  # Theory §12


def test_known_sets_that_cannot_be_are_left_out() -> None:
    assert len(list(known_sets(XOR, 0))) == 1 + 2 + 2 + 4
    assert list(known_sets(ALIKE, 0)) == [{}, {1: 0}, {1: 1}]
    assert given(ALIKE, {1: 1}) == {(1, 1): 1}
