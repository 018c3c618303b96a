"""Groups of whose law only intervals are known: enclosures of the worst law, against brute force.

A delta, and Gaussian noise, for groups of whose law only intervals are known: bounded, against laws within them.

An epidemic whose probabilities are intervals: households of all values inside keep the bounds.

Intervals in parts of a product and of linked stages, in one of several beliefs, and beside known records.
"""

from fractions import Fraction
from math import inf
from random import Random

import numpy as np
import pytest

import dalenius as dl
from dalenius.calibration import calibrate
from dalenius.channel import Release
from dalenius.channel.adversary import Adversary
from dalenius.channel.leakage import Leakage
from dalenius.fields import Chance
from dalenius.laws.box import Box
from dalenius.models import Households, Independent, Model
from dalenius.noise import Gaussian, Noise
from dalenius.notions import InferentialPrivacy, InformationPrivacy, Notion
from dalenius.queries import Count
from tests.intervals.laws_inside import contains

ROW: tuple[Chance, ...] = ((0.85, 0.95), (0.02, 0.06), 0.0, 0.0, (0.03, 0.09))
SUPREMA = {
    "inferential": dl.InferentialPrivacy(),
    "raised": dl.InformationPrivacy(),
    "forward": dl.RelativeEntropyPrivacy(),
}


def release(row: tuple[Chance, ...], scale: float = 1.0, count: int = 100, noise: Noise | None = None) -> dl.Release:
    chosen = dl.Laplace(scale=scale) if noise is None else noise
    return dl.Release(dl.Households(count=count, infected=row), dl.Count(), chosen)


@pytest.mark.parametrize(("scale", "leaked"), [(1.0, 3.92061), (3.0, 1.29296)])
def test_the_numbers_of_the_theory(scale: float, leaked: float) -> None:
    found = dl.InferentialPrivacy().leakage(release(ROW, scale))
    assert found.lower <= leaked + 5e-6
    assert found.upper >= leaked - 5e-6
    assert found.upper - found.lower <= 2e-6


def test_laws_within_that_leak_more_than_any_extreme_one() -> None:
    """The worst law may be on an edge of the set: extreme laws are a lower bound, of ratios too (Result 21.4)."""
    found = dl.InferentialPrivacy().leakage(release(ROW, 0.1))
    rows = [tuple(law.tolist()) for law in Box.of(ROW).vertices]
    extreme = max(dl.InferentialPrivacy().leakage(release(row, 0.1)).upper for row in rows)
    edge = dl.InferentialPrivacy().leakage(release((0.91419698, 0.02, 0.0, 0.0, 0.06580302), 0.1))
    assert extreme < found.lower - 0.005
    assert edge.lower <= found.upper
    assert edge.upper >= found.lower - 1e-6


def test_a_point_set_is_the_point() -> None:
    """Also where the other numbers leave an interval no room."""
    point, asked = release((0.9, 0.04, 0.0, 0.0, 0.06)), release(((0.85, 0.95), 0.04, 0, 0, 0.06))
    assert not asked.worlds.over
    for notion in (*SUPREMA.values(), dl.MutualInformationPrivacy()):
        one, other = notion.leakage(point), notion.leakage(asked)
        assert one.lower == pytest.approx(other.lower, abs=1e-9)
        assert one.upper == pytest.approx(other.upper, abs=1e-9)


def test_where_the_group_leaks_most_at_an_answer_inside_the_rest_counts() -> None:
    """A group of two whose extremes say little: alone it leaks most in the middle, and the ends are a lower bound."""
    records = ((0, 0), (0, 2), (1, 1), (2, 0), (2, 2))
    chances: tuple[Chance, ...] = ((0.2, 0.3), (0.02, 0.04), (0.3, 0.5), (0.02, 0.04), (0.2, 0.3))
    one = dl.Release(dl.Table(records=records, probabilities=chances), dl.Sum(), dl.Laplace(scale=0.5))
    several = dl.Groups(types=(dl.GroupType(count=20, records=records, probabilities=chances),))
    many = dl.Release(several, dl.Sum(), dl.Laplace(scale=0.5))
    alone, beside = (dl.InformationPrivacy().leakage(each) for each in (one, many))
    assert alone.upper - alone.lower <= 2e-6
    assert beside.upper == pytest.approx(alone.upper, abs=2e-6)
    assert beside.lower <= alone.upper


@pytest.mark.slow
def test_calibrated_for_every_law() -> None:
    notion = dl.InferentialPrivacy(epsilon=0.7)
    found = dl.calibrate(release(ROW, 1.0), notion)
    assert found.sound
    assert "over all laws within the intervals" in found.why
    assert found.leakage.upper <= (notion.epsilon or inf)
    less = notion.leakage(release(ROW, (found.noise.scale or 0.0) * 0.999))
    assert less.upper > (notion.epsilon or inf)


def test_more_people_cost_nothing() -> None:
    few: list[Leakage] = [dl.InferentialPrivacy().leakage(release(ROW, 1.0, count)) for count in (1, 75_000_000)]
    assert few[0].upper == few[1].upper
    assert few[0].lower == few[1].lower


def test_points_are_the_point_model() -> None:
    rows_of = [[[0.96, 0.96], 0.04], [0.1, [0.9, 0.9]]]
    same = dl.Chain(n=5, initial=[[0.8, 0.8], 0.2], transition=rows_of)
    point = dl.Chain(n=5, initial=[0.8, 0.2], transition=[[0.96, 0.04], [0.1, 0.9]])
    for notion in (dl.InferentialPrivacy(), dl.InformationPrivacy(), dl.MutualInformationPrivacy()):
        one, other = (notion.leakage(dl.Release(model, dl.Count(), dl.Laplace(scale=1.0))) for model in (same, point))
        assert one.upper == pytest.approx(other.upper, rel=1e-9)


def test_intervals_of_no_width_come_close_to_the_point() -> None:
    def around(p: float) -> list[float]:
        return [p - 1e-11, p + 1e-11]

    model = dl.Chain(
        n=4, initial=[around(0.8), around(0.2)], transition=[[around(0.96), around(0.04)], [around(0.1), around(0.9)]]
    )
    point = dl.Chain(n=4, initial=[0.8, 0.2], transition=[[0.96, 0.04], [0.1, 0.9]])
    for notion in (dl.InferentialPrivacy(), dl.InformationPrivacy(), dl.RelativeEntropyPrivacy()):
        wide = notion.leakage(dl.Release(model, dl.Count(), dl.Laplace(scale=1.0)))
        exact = notion.leakage(dl.Release(point, dl.Count(), dl.Laplace(scale=1.0)))
        assert wide.lower <= exact.upper + 1e-8
        # A divergence is bounded by the two ratios alone, whatever the prior.
        near = 2.0 if isinstance(notion, dl.RelativeEntropyPrivacy) else 1.005
        assert exact.lower <= wide.upper <= exact.upper * near


def test_pairs_and_people_narrow_what_is_asked() -> None:
    model = dl.Chain(n=5, values=(0, 1, 2), initial=[0.4, 0.3, 0.3], transition=[[[0.2, 0.5]] * 3] * 3)
    every = dl.InferentialPrivacy().leakage(dl.Release(model, dl.Sum(), dl.Laplace(scale=1.0)))
    pairs = dl.Secrets(people=(2,), pairs=((0, 1),))
    some = dl.InferentialPrivacy().leakage(dl.Release(model, dl.Sum(), dl.Laplace(scale=1.0), pairs))
    assert some.upper < every.upper
    assert some.witness is not None
    assert some.witness.person == 2
    assert {some.witness.secret, some.witness.against} == {0, 1}


def test_a_long_alternating_chain_has_an_upper_end() -> None:
    """Both sides are taken at their own worst outputs: several times what a record leaks alone."""
    rows = [[[0.2, 0.4], [0.6, 0.8]], [[0.7, 0.9], [0.1, 0.3]]]
    model = dl.Chain(n=80, initial=[[0.5, 0.7], [0.3, 0.5]], transition=rows)
    found = dl.InferentialPrivacy().leakage(dl.Release(model, dl.Count(), dl.Laplace(scale=1.0)))
    assert found.lower <= 1.0 <= found.upper < 6.0


ROW_OF_CREDAL_DELTAS: tuple[Chance, ...] = ((0.5, 0.7), (0.1, 0.3), (0.05, 0.2), (0.05, 0.3))


def release_of_credal_deltas(row: tuple[Chance, ...], noise: Noise, count: int = 1) -> Release:
    return Release(Households(count=count, infected=row), Count(), noise)


@pytest.mark.lengthy
def test_epsilon_and_delta_are_each_other_s_inverse() -> None:
    asked = release_of_credal_deltas(ROW_OF_CREDAL_DELTAS, Gaussian(scale=1.5))
    for notion in (InferentialPrivacy(delta=0.05), InformationPrivacy(delta=0.05)):
        found = notion.leakage(asked)
        delta = notion.least_delta(asked, found.upper)
        assert found.lower == 0
        assert delta is not None
        assert 0.05 * (1 - 1e-9) <= delta.upper <= 0.05


def test_gaussian_noise_without_a_delta_has_no_bound() -> None:
    found = InferentialPrivacy().leakage(release_of_credal_deltas(ROW_OF_CREDAL_DELTAS, Gaussian(scale=1.5)))
    assert (found.lower, found.upper) == (0.0, inf)


def test_calibrated_at_a_delta() -> None:
    """Independent bits: whatever their chances, Gaussian noise of a differential delta."""
    model = Independent(values=(0, 1), n=40, probabilities=(((0.2, 0.4), (0.6, 0.8)),))
    found = calibrate(Release(model, Count(), Gaussian(scale=1.0)), InferentialPrivacy(epsilon=1.0, delta=1e-3))
    exact = Release(Independent(n=1, probabilities=(0.5,)), Count(), Gaussian(scale=1.0))
    alone = calibrate(exact, InferentialPrivacy(epsilon=1.0, delta=1e-3))
    assert found.noise.scale == pytest.approx(alone.noise.scale, rel=1e-3)


WIDE = dl.Epidemic(community=(0.05, 0.1), household=(0.1, 0.2))


def inside(random: Random) -> dl.Epidemic:
    return dl.Epidemic(community=random.uniform(0.05, 0.1), household=random.uniform(0.1, 0.2))


def households(epidemic: dl.Epidemic, sizes: dict[int, int]) -> dl.Households:
    homes: dict[tuple[tuple[str, int], ...], int] = {(("", size),): count for size, count in sizes.items()}
    return dl.Households(by="home", epidemic=epidemic).with_compositions(homes)


@pytest.mark.parametrize("size", [2, 9])
def test_every_law_inside_is_in_the_box(size: int) -> None:
    box, random = WIDE.box(size), Random(size)
    for _ in range(40):
        assert contains(box, inside(random).infected(size))


def test_chances_of_at_least_so_many_grow_with_both() -> None:
    """What the box rests on (Result 21.17); single chances do not."""
    tails = []
    for community in (0.05, 0.3, 0.6):
        law = np.array(dl.Epidemic(community=community, household=0.2).infected(4))
        tails.append(law[::-1].cumsum()[::-1])
    assert all((np.diff(np.array(tails), axis=0) >= -1e-15).ravel())
    single = [dl.Epidemic(community=c, household=0.2).infected(4)[2] for c in (0.05, 0.3, 0.9)]
    assert single[0] < single[1] > single[2]


@pytest.mark.slow
def test_no_values_inside_leak_more() -> None:
    release = dl.Release(households(WIDE, {2: 3, 4: 2}), dl.Count(), dl.Laplace(scale=2.0))
    for notion in (dl.InferentialPrivacy(), dl.InformationPrivacy()):
        found = notion.leakage(release)
        random, most = Random(5), 0.0
        for _ in range(8):
            point = dl.Release(households(inside(random), {2: 3, 4: 2}), dl.Count(), dl.Laplace(scale=2.0))
            leaked = notion.leakage(point)
            assert leaked.lower <= found.upper
            most = max(most, leaked.upper)
        assert found.lower <= found.upper <= 1.15 * found.lower
        assert most <= found.upper


LOWER = [Fraction(5, 10), Fraction(1, 10), Fraction(1, 20), Fraction(1, 20)]
UPPER = [Fraction(7, 10), Fraction(3, 10), Fraction(1, 5), Fraction(3, 10)]
ROW_OF_CREDAL_PARTS: tuple[Chance, ...] = tuple((float(a), float(b)) for a, b in zip(LOWER, UPPER, strict=True))
HOME = dl.Households(count=2, infected=ROW_OF_CREDAL_PARTS)
POINT = dl.Households(count=3, infected=(0.9, 0.04, 0, 0, 0.06))
DAYS = dl.Chain(n=4, transition=[[0.9, 0.1], [0.3, 0.7]], initial=[0.5, 0.5])
NOTIONS: tuple[Notion, ...] = (dl.InferentialPrivacy(), dl.InformationPrivacy())


def release_of_credal_parts(model: Model) -> dl.Release:
    return dl.Release(model, dl.Count(), dl.Laplace(scale=1.0))


def test_what_needs_one_law_is_refused() -> None:
    with pytest.raises(dl.InputError, match="no known records beside intervals"):
        dl.Release(HOME, dl.Count(), dl.Laplace(scale=1.0), adversary=Adversary(known={"1": 1})).channels()
    with pytest.raises(dl.DaleniusError, match="intervals"):
        dl.BayesianPrivacy().leakage(release_of_credal_parts(HOME))


@pytest.mark.slow
def test_two_parents_beside_intervals_are_refused() -> None:
    """Said where the laws are first needed."""
    nodes = [{"name": name, "probabilities": [0.5, 0.5]} for name in "ab"]
    both = {"name": "c", "parents": ["a", "b"], "probabilities": [[[0.1, 0.2], [0.8, 0.9]], *[[0.5, 0.5]] * 3]}
    network = dl.Network.model_validate({"nodes": [*nodes, both]})
    with pytest.raises(dl.InputError, match="node c with 2 parents, wanted one parent at most"):
        dl.Release(network, dl.Count(), dl.Laplace(scale=1.0))


def test_a_part_with_intervals_beside_one_without() -> None:
    """Each is as it is alone (Result 21.30), and people are numbered on."""
    point = dl.Product(parts=(POINT, DAYS))
    whole = release_of_credal_parts(dl.Product(parts=(point, HOME)))
    assert whole.worlds.over
    people = sum(stratum.people for stratum in release_of_credal_parts(point).worlds[0].strata)
    for notion in NOTIONS:
        one, other, found = (
            notion.leakage(each) for each in (release_of_credal_parts(point), release_of_credal_parts(HOME), whole)
        )
        assert found.lower == pytest.approx(max(one.lower, other.lower), abs=1e-6)
        assert found.upper == pytest.approx(max(one.upper, other.upper), abs=1.1e-6)
        assert found.witness is not None
        assert (found.witness.person > people) == (other.upper > one.upper)


@pytest.mark.slow
def test_several_parts_with_intervals() -> None:
    """As one model of both types."""
    types = tuple(
        dl.GroupType(count=2, records=((0, 0), (0, 1), (1, 1)), probabilities=row)
        for row in (((0.5, 0.7), (0.1, 0.3), (0.1, 0.3)), ((0.5, 0.9), (0.1, 0.2), (0.05, 0.3)))
    )
    apart = dl.Product(parts=tuple(dl.Groups(types=(each,)) for each in types))
    for notion in NOTIONS:
        one, other = (
            notion.leakage(release_of_credal_parts(dl.Groups(types=types))),
            notion.leakage(release_of_credal_parts(apart)),
        )
        assert (one.lower, one.upper) == (other.lower, other.upper)


@pytest.mark.slow
def test_one_of_several_beliefs_with_intervals() -> None:
    same = dl.Households(count=2, infected=(0.9, 0.04, 0, 0.06))
    for notion in NOTIONS:
        found = notion.leakage(release_of_credal_parts(dl.AnyOf(models=(HOME, same))))
        each = [notion.leakage(release_of_credal_parts(model)) for model in (HOME, same)]
        assert found.upper == max(one.upper for one in each)


def test_a_part_that_is_one_law_is_that_law() -> None:
    """To 1e-9, beside a part that leaks less."""
    quiet = dl.Independent(values=(0, 1), probabilities=(((0.4, 0.6), (0.4, 0.6)),))
    for notion in NOTIONS:
        found, alone = (
            notion.leakage(release_of_credal_parts(dl.Product(parts=(POINT, quiet)))),
            notion.leakage(release_of_credal_parts(POINT)),
        )
        assert found.upper == pytest.approx(alone.upper, abs=1e-9)
        assert found.lower == pytest.approx(alone.lower, abs=1e-9)
