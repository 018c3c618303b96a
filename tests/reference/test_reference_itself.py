"""The reference against closed forms, slower sums of its own, and the order of the notions (Theory §2, §3)."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product
from math import exp, tanh

import pytest

from tests.reference import joints
from tests.reference.channel import Channel, Combined, Noise, answer_of, channel, channel_of_secret, mp, real
from tests.reference.joints import chain, groups, household, households, independent, table, universes
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
)
from tests.reference.noises import NONE, geometric, laplace

HALF, TENTH = Fraction(1, 2), Fraction(1, 10)
FAIR = {0: HALF, 1: HALF}
EQUAL_PAIR = table([(0, 0), (1, 1)], [1 - TENTH, TENTH])
XOR = table([(a, b, a ^ b) for a in (0, 1) for b in (0, 1)], [Fraction(1, 4)] * 4)
STICKY = chain(6, [HALF, HALF], [[1 - TENTH * 3, TENTH * 3], [TENTH * 3, 1 - TENTH * 3]])
Notion = Callable[[Channel], Leakage]


def count(_: int, value: int) -> tuple[int]:
    """The sum of all records."""
    return (value,)


def each(record: int, value: int) -> tuple[int, int]:
    """Two answers: the first record, and the second."""
    return (value, 0) if record == 0 else (0, value)


def value(joint: joints.Joint, noise: Noise, notion: Notion) -> float:
    """The leakage of the sum about the first person."""
    return float(notion(channel(joint, count, 0, noise)).value)


def test_builders_agree() -> None:
    bit = {0: Fraction(2, 3), 1: Fraction(1, 3)}
    law = [Fraction(4, 9), Fraction(4, 9), Fraction(1, 9)]
    assert independent([bit, bit]) == households([(1, law)]) == household(law)
    assert independent([bit] * 4) == households([(2, law)]) == joints.product([household(law)] * 2)
    assert groups([(2, [(0,), (1,)], [Fraction(2, 3), Fraction(1, 3)])]) == independent([bit] * 2)
    assert chain(2, list(bit.values()), [list(bit.values())] * 2) == independent([bit, bit])
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
    joint = table([(0, 0), (1, 1)], [HALF, HALF])
    noise = geometric(1)
    mass = [tanh(0.5) * exp(-abs(k)) for k in range(-30, 32)]
    steps = range(1, len(mass))
    direct = sum(max(mass[j] * mass[k] - mass[j - 1] * mass[k - 1], 0) for j, k in product(steps, steps))
    assert float(delta(channel(joint, each, 0, noise), 0).value) == pytest.approx(direct, abs=1e-11)


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
    joint = table([(0, 0), (1, 1)], [HALF, HALF])
    with pytest.raises(ValueError, match="wanted 1; use geometric"):
        mutual_information(channel(joint, each, 0, laplace(1)))
    with pytest.raises(ValueError, match="not on one lattice"):
        mutual_information(channel(joint, count, 0, geometric(1, "0.3")))


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
