"""Normal noise: refusals, the exact curve of one answer, tails, many people.

Noises that differ from question to question: against enumeration, and what they refuse.
"""

from fractions import Fraction
from itertools import product
from math import inf

import mpmath
import numpy as np
import pytest

from dalenius import (
    Count,
    Gaussian,
    Geometric,
    Households,
    Independent,
    Laplace,
    NoNoise,
    Release,
    Several,
    Sum,
    Table,
    audit,
    delta_of,
)
from dalenius.channel import posterior
from dalenius.laws.lattice import Lattice
from dalenius.noise import Noise, mean_error, separate
from dalenius.noise.gaussian import gaussian_delta, gaussian_scale
from dalenius.notions import InferentialPrivacy, InformationPrivacy, MutualInformationPrivacy, differential_loss
from dalenius.queries import Max, Query
from tests.cases import in_turn
from tests.conformance.populations import laws_given_a_record
from tests.conformance.table import NOISES, row_of, worlds_of
from tests.reference import channel, leakages, noises, questions
from tests.reference.chain import exact
from tests.reference.channel import mp

PAIR = Table(records=((0, 0), (1, 1)), probabilities=(0.9, 0.1))


@pytest.mark.parametrize(("epsilon", "scale"), [(0.0, 6.0), (4.0, 0.2), (4.0, 6.0)])
def test_one_bit_is_the_curve_of_balle_and_wang(epsilon: float, scale: float) -> None:
    """δ from 1 to 1e-130, against 40 digits and against the closed form."""
    found = delta_of(Release(Independent(probabilities=(0.3,)), Count(), Gaussian(scale=scale)), epsilon)
    with mpmath.workdps(200):
        half, rest = 1 / (2 * mpmath.mpf(scale)), mpmath.mpf(epsilon) * scale
        wanted = mpmath.ncdf(half - rest) - mpmath.exp(epsilon) * mpmath.ncdf(-half - rest)
        assert found.lower <= wanted <= found.upper
        assert found.upper - found.lower <= 1e-8 * found.upper
        assert abs(gaussian_delta(1.0, scale, epsilon) - wanted) <= 1e-11 * wanted
    assert not found.lower <= gaussian_delta(1.0, scale * (1 + 1e-6), epsilon) <= found.upper


def test_least_scale_of_the_curve() -> None:
    for epsilon, delta in ((0.1, 1e-12), (5.0, 0.3)):
        scale = gaussian_scale(Fraction(2), epsilon, delta)
        assert gaussian_delta(2.0, scale, epsilon) <= delta < gaussian_delta(2.0, scale * (1 - 1e-9), epsilon)


def test_limits_are_where_the_answers_end() -> None:
    """An answer that only one value of the record can reach gives it away, far enough out."""
    found = audit(Release(PAIR, Sum(), Gaussian(scale=40.0)))
    assert found["differential"].lower == found["inferential"].lower == inf
    assert found["information"].epsilon == pytest.approx(2.302585092994046, rel=1e-12)
    assert found["information"].witness is not None
    assert found["information"].witness.output == (inf,)
    assert found["mutual_information"].upper < 1e-3


@pytest.mark.slow
def test_many_people() -> None:
    """Numbers whose windows of answers are found, against the whole row of answers."""
    infected = (0.9, 0.04, 0.0, 0.0, 0.06)
    found = delta_of(Release(Households(count=100, infected=infected), Count(), Gaussian(scale=5.0)), 1.0)
    ((prior, laws),) = laws_given_a_record(((100, infected),))
    given: dict[int, channel.Law] = {
        own: {(Fraction(answer),): exact(p) for answer, p in enumerate(law)} for own, law in enumerate(laws)
    }
    truth = channel.Channel({own: exact(p) for own, p in enumerate(prior)}, given, noises.gaussian(5))
    with mp.workdps(30):
        wanted = leakages.delta(truth, 1.0, closed=True).value
    assert abs(found.middle - wanted) <= 1e-9 * wanted


VALUES = (0, 1, 2)
RECORDS = list(product(VALUES, repeat=2))
WEIGHTS = [Fraction(1 + (7 * i * i + 3 * sum(r) + 5 * r[0] * r[1]) % 11, 1) for i, r in enumerate(RECORDS)]
CHANCES = [weight / sum(WEIGHTS) for weight in WEIGHTS]
MODEL = Table(records=RECORDS, probabilities=[float(p) for p in CHANCES])
EXACT = list(worlds_of(MODEL)[0].joint.items())

ASKED: dict[str, tuple[Query, questions.Asked]] = {
    "ones": (Count(values=(1,)), (lambda r: r.count(1), noises.NONE)),
    "twos": (Count(values=(2,)), (lambda r: r.count(2), noises.NONE)),
    "sum": (Sum(), (sum, noises.NONE)),
    "most": (Max(), (max, noises.NONE)),
}
LAP, GEO = Laplace(scale=1.7), Geometric(scale=0.8)
CASES: dict[str, dict[str, Noise]] = {
    "two scales": {"ones": GEO, "twos": Geometric(scale=2.5)},
    "two kinds": {"ones": GEO, "sum": LAP},
    "an exact one": {"ones": NoNoise(), "sum": Geometric(scale=3.0)},
    "four": {"ones": GEO, "twos": Geometric(scale=2.5), "sum": LAP, "most": Geometric(scale=1.1)},
}


def meaning(noise: Noise) -> channel.Noise:
    found: channel.Noise = row_of(NOISES, noise).meaning(noise, Fraction(1))
    return found


def released(case: str) -> Release:
    chosen = CASES[case]
    several = Several(queries=tuple(ASKED[name][0] for name in chosen), names=tuple(chosen))
    return Release(MODEL, several, separate(list(chosen.values())))


def truths(case: str) -> list[questions.Together]:
    asked = [(ASKED[name][1][0], meaning(noise)) for name, noise in CASES[case].items()]
    return [questions.Together(EXACT, asked, person) for person in range(2)]


@pytest.mark.parametrize("case", CASES)
def test_suprema_are_those_of_enumeration(case: str) -> None:
    found = audit(released(case), [InferentialPrivacy(), InformationPrivacy()])
    for kind in ("inferential", "information"):
        truth = max(getattr(each, kind)() for each in truths(case))
        assert found[kind].lower <= truth <= found[kind].upper
        assert truth == inf or found[kind].upper - found[kind].lower < 1e-9


@pytest.mark.parametrize("case", ["two scales", "an exact one", pytest.param("two kinds", marks=pytest.mark.slow)])
def test_averages_are_those_of_enumeration(case: str) -> None:
    with mp.workdps(20):
        truth = max(each.mutual_information() for each in truths(case))
    found = MutualInformationPrivacy().leakage(released(case))
    assert found.lower <= truth <= found.upper
    assert found.upper - found.lower < 1e-9


@in_turn({"case": ["two scales", "an exact one"], "epsilon": [0.0, 0.4, 1.5]})
def test_profiles_are_those_of_enumeration(case: str, epsilon: float) -> None:
    truth = max(
        each.profile(one, other, epsilon) for each in truths(case) for one in VALUES for other in VALUES if one != other
    )
    found = InferentialPrivacy().least_delta(released(case), epsilon)
    assert found is not None
    assert found.lower <= truth <= found.upper
    assert found.upper - found.lower < 1e-9


def test_one_record_moves_each_answer_by_its_own_noise() -> None:
    found = differential_loss(released("four"))
    assert found is not None
    # 1 to 2: ones 1, twos 1, sum 1, most 1; 0 to 2: twos 1, sum 2, most 2.
    truth = max(1 / 0.8 + 1 / 2.5 + 1 / 1.7 + 1 / 1.1, 1 / 2.5 + 2 / 1.7 + 2 / 1.1)
    assert found.lower <= truth <= found.upper
    exact = differential_loss(released("an exact one"))
    assert exact is not None
    assert exact.upper == inf


@pytest.mark.parametrize("case", ["two kinds", "four"])
def test_posteriors_are_those_of_enumeration(case: str) -> None:
    outputs = {"two kinds": (-2, Fraction(7, 2)), "four": (1, 5, Fraction(9, 4), 0)}
    found = posterior(released(case), outputs[case])
    for update in found.laws[0].people:
        truth = truths(case)[update.person - 1]
        chances = truth.likelihoods(list(map(Fraction, outputs[case])))
        whole = sum(channel.real(truth.prior[s]) * w for s, w in chances.items())
        for each in update.values:
            exact = channel.real(truth.prior[each.value]) * chances[each.value] / whole  # type: ignore[index]
            assert each.posterior.lower <= exact <= each.posterior.upper
            assert each.posterior.upper - each.posterior.lower < 1e-9


def test_each_coordinate_is_drawn_by_its_own_noise() -> None:
    lattice = Lattice((Fraction(1), Fraction(1), Fraction(1, 2)))
    noise = separate([NoNoise(), Geometric(scale=1e-3), Laplace(scale=2.0)])
    drawn = [noise.draw((3, 4, 5), lattice) for _ in range(20)]
    assert {each[:2] for each in drawn} == {(Fraction(3), Fraction(4))}
    assert len({each[2] for each in drawn}) > 5


def test_a_common_scale_moves_every_part() -> None:
    noise = separate([Geometric(), NoNoise(), Laplace()], [0.5, 1.0, 3.0]).with_scale(4.0)
    assert [part.scale for part in noise.by_coordinate(3)] == [2.0, None, 12.0]
    assert noise.scale == 4.0
    assert noise.on([2]) == Laplace(scale=12.0)
    assert np.isclose(mean_error(noise, Lattice((Fraction(1),) * 3)), (1 / np.sinh(0.5) + 12) / 3)


def test_equal_parts_are_one_noise_and_are_said_once() -> None:
    assert separate([Geometric(scale=2.0)] * 3) == Geometric(scale=2.0)
    assert separate([Laplace()] * 2, [12.0, 1.0]) != Laplace()
    noise = separate([Geometric(scale=2.0), Geometric(scale=2.0), NoNoise(), Geometric(scale=2.0)])
    assert noise.words == "1 to 2: geometric, scale 2; 3: no noise; 4: geometric, scale 2"
