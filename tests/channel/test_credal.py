"""Groups of whose law only intervals are known: enclosures of the worst law, against brute force."""

from fractions import Fraction
from itertools import product
from math import inf

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from dalenius.calibration import calibrate, compare
from dalenius.channel import Release
from dalenius.channel.leakage import Leakage
from dalenius.errors import DaleniusError, InputError, Meaningless
from dalenius.laws.box import Box
from dalenius.models import Groups, GroupType, Households, HouseholdType, Independent, Model, Table
from dalenius.noise import Gaussian, Geometric, Laplace, Noise
from dalenius.notions import (
    BayesianPrivacy,
    DifferentialIdentifiability,
    DifferentialPrivacy,
    InferentialPrivacy,
    InformationPrivacy,
    MutualInformationPrivacy,
    RelativeEntropyPrivacy,
    audit,
)
from dalenius.queries import Count, Max, Sum
from dalenius.schema import Chance
from tests.pace import draws
from tests.reference import credal

ROW: tuple[Chance, ...] = ((0.85, 0.95), (0.02, 0.06), 0.0, 0.0, (0.03, 0.09))
SUPREMA = {
    "inferential": InferentialPrivacy(),
    "raised": InformationPrivacy(),
    "forward": RelativeEntropyPrivacy(),
}


def release(row: tuple[Chance, ...], scale: float = 1.0, count: int = 100, noise: Noise | None = None) -> Release:
    chosen = Laplace(scale=scale) if noise is None else noise
    return Release(Households(count=count, infected=row), Count(), chosen)


@pytest.mark.parametrize(("scale", "leaked"), [(1.0, 3.92061), (3.0, 1.29296)])
def test_the_numbers_of_the_theory(scale: float, leaked: float) -> None:
    found = InferentialPrivacy().leakage(release(ROW, scale))
    assert found.lower <= leaked + 5e-6
    assert found.upper >= leaked - 5e-6
    assert found.upper - found.lower <= 2e-6


def test_a_fine_grid_is_never_above_and_hardly_below() -> None:
    lower, upper = (
        [Fraction(85, 100), Fraction(2, 100), Fraction(3, 100)],
        [Fraction(95, 100), Fraction(6, 100), Fraction(9, 100)],
    )
    worst = dict.fromkeys(("inferential", "raised", "lowered", "forward", "reverse"), 0.0)
    for nobody, one, everybody in credal.grid(lower, upper, 8):
        law = credal.household([nobody, one, Fraction(0), Fraction(0), everybody])
        found = credal.leaked(law, 0, (0, 1), 1.0)
        worst = {name: max(value, found[name]) for name, value in worst.items()}
    asked = audit(release(ROW), list(SUPREMA.values()))
    moved = asked["information"].companions["two_sided"]
    reverse = asked["relative_entropy"].companions["reverse"]
    found_here = {
        "inferential": asked["inferential"].upper,
        "raised": asked["information"].upper,
        "lowered": moved.upper,
        "forward": asked["relative_entropy"].upper,
        "reverse": reverse.upper,
    }
    for name, value in worst.items():
        assert value <= found_here[name], name
        if name not in ("forward", "reverse"):
            assert found_here[name] <= value * 1.01 + 2e-6, name
    assert found_here["inferential"] <= worst["inferential"] + 3e-6


def intervals(size: int) -> st.SearchStrategy[tuple[tuple[float, float], ...]]:
    """Of a law and of what may be added to it or taken away."""

    def row(draw: tuple[list[int], list[int], list[int]]) -> tuple[tuple[float, float], ...]:
        weights, less, more = draw
        law = np.array(weights) / sum(weights)
        low = law * (1 - np.array(less) / 8)
        return tuple(zip(low.tolist(), np.minimum(1.0, law * (1 + np.array(more) / 4) + 1e-9).tolist(), strict=True))

    entries = st.lists(st.integers(1, 40), min_size=size, max_size=size)
    eighths = st.lists(st.integers(0, 8), min_size=size, max_size=size)
    return st.tuples(entries, eighths, eighths).map(row)


@given(intervals(5), st.sampled_from([0.3, 1.0, 4.0]))
@example(((0.0, 1.0),) * 5, 1.0)
@draws(60)
def test_never_below_random_laws_and_all_vertices(row: tuple[tuple[float, float], ...], scale: float) -> None:
    box = Box.of(row)
    laws = np.concatenate([box.sample(np.random.default_rng(1), 2000), box.vertices()])
    size = len(row) - 1
    ones = np.arange(size + 1)
    asked = audit(release(row, scale), list(SUPREMA.values()))
    prior = laws @ (ones / size)
    laws, prior = laws[(prior > 1e-9) & (prior < 1 - 1e-9)], prior[(prior > 1e-9) & (prior < 1 - 1e-9)]
    most = dict.fromkeys(SUPREMA, 0.0)
    for output in ones:
        noise = np.exp(-np.abs(output - ones) / scale)
        posterior = laws @ (ones / size * noise) / (laws @ noise)
        up, down = np.log(posterior / prior), np.log((1 - posterior) / (1 - prior))
        most["inferential"] = max(most["inferential"], float(np.abs(up - down).max()))
        most["raised"] = max(most["raised"], float(np.maximum(up, down).max()))
        most["forward"] = max(most["forward"], float((posterior * up + (1 - posterior) * down).max()))
    for name, notion in SUPREMA.items():
        found = asked[notion.kind]
        assert most[name] <= found.upper * (1 + 1e-9) + 1e-9
        if name != "forward":
            assert found.upper - found.lower <= 1e-3 * found.upper + 1e-6


def test_laws_within_that_leak_more_than_any_extreme_one() -> None:
    """The worst law may be on an edge of the set: extreme laws are a lower bound, of ratios too (Result 21.4)."""
    found = InferentialPrivacy().leakage(release(ROW, 0.1))
    rows = [tuple(law.tolist()) for law in Box.of(ROW).vertices()]
    extreme = max(InferentialPrivacy().leakage(release(row, 0.1)).upper for row in rows)
    edge = InferentialPrivacy().leakage(release((0.91419698, 0.02, 0.0, 0.0, 0.06580302), 0.1))
    assert extreme < found.lower - 0.005
    assert edge.lower <= found.upper
    assert edge.upper >= found.lower - 1e-6


@pytest.mark.parametrize("row", [((0.9, 0.9), 0.04, 0, 0, 0.06), ((0.85, 0.95), 0.04, 0, 0, 0.06)])
def test_a_point_set_is_the_point(row: tuple[Chance, ...]) -> None:
    point = release((0.9, 0.04, 0.0, 0.0, 0.06))
    asked = release(row)
    assert not asked.credal
    for notion in (*SUPREMA.values(), MutualInformationPrivacy(), BayesianPrivacy()):
        one, other = notion.leakage(point), notion.leakage(asked)
        assert one.lower == pytest.approx(other.lower, abs=1e-9)
        assert one.upper == pytest.approx(other.upper, abs=1e-9)


@pytest.mark.slow
def test_others_with_laws_of_their_own_add_nothing() -> None:
    """Whatever the laws of three households within the intervals, none leaks more than a household alone, and one far
    out leaks as much in the limit (Results 21.1 and 21.2)."""
    rows: tuple[Chance, ...] = ((0.5, 0.8), (0.0, 0.3), (0.1, 0.4))
    corners = [[Fraction(str(round(each, 12))) for each in law] for law in Box.of(rows).vertices().tolist()]
    found = audit(release(rows, 1.0, count=3), list(SUPREMA.values()))
    most = dict.fromkeys(SUPREMA, 0.0)
    for laws in product(corners, repeat=3):
        joint = credal.beside([credal.household(law) for law in laws])
        for name, value in credal.leaked(joint, 0, (0, 1), 1.0).items():
            if name in most:
                most[name] = max(most[name], value)
    for name, notion in SUPREMA.items():
        assert most[name] <= found[notion.kind].upper + 1e-9
    assert most["inferential"] >= found["inferential"].lower - 1e-9


def test_where_the_group_leaks_most_at_an_answer_inside_the_rest_counts() -> None:
    """A group of two whose extremes say little: alone it leaks most in the middle, and the ends are a lower bound."""
    records = ((0, 0), (0, 2), (1, 1), (2, 0), (2, 2))
    chances: tuple[Chance, ...] = ((0.2, 0.3), (0.02, 0.04), (0.3, 0.5), (0.02, 0.04), (0.2, 0.3))
    one = Release(Table(records=records, probabilities=chances), Sum(), Laplace(scale=0.5))
    several = Groups(types=(GroupType(count=20, records=records, probabilities=chances),))
    many = Release(several, Sum(), Laplace(scale=0.5))
    alone, beside = (InformationPrivacy().leakage(each) for each in (one, many))
    assert alone.upper - alone.lower <= 2e-6
    assert beside.upper == pytest.approx(alone.upper, abs=2e-6)
    assert beside.lower <= alone.upper


def test_bayesian_is_no_less_than_inferential_and_that_of_the_worst_law() -> None:
    asked = release(((0.3, 0.6), (0.1, 0.3), (0.05, 0.2), (0.2, 0.4)), 1.0, count=5)
    found = BayesianPrivacy().leakage(asked)
    assert found.upper >= InferentialPrivacy().leakage(asked).lower
    assert found.upper - found.lower <= 2e-6
    box = Box.of(((0.3, 0.6), (0.1, 0.3), (0.05, 0.2), (0.2, 0.4)))
    for law in [*box.vertices(), *box.sample(np.random.default_rng(2), 20)]:
        row = tuple((law / law.sum()).tolist())
        assert BayesianPrivacy().leakage(release(row, 1.0, count=1)).lower <= found.upper + 1e-9


def test_independent_records_and_labels() -> None:
    values = Independent(values=(0, 1, 5), n=50, probabilities=((((0.5, 0.7), (0.2, 0.4), (0.0, 0.1))),))
    found = InferentialPrivacy().leakage(Release(values, Sum(), Laplace(scale=2.0)))
    assert found.lower <= 2.5 <= found.upper
    assert found.upper - found.lower <= 1e-5
    types = (HouseholdType(infected=((0.5, 0.7), (0.1, 0.3), (0.1, 0.3)), count=4, members={"a": 1, "b": 1}),)
    by_label = Release(Households(types=types), Count(per_label=True), Geometric(scale=1.0))
    differential, inferential = (each.leakage(by_label) for each in (DifferentialPrivacy(), InferentialPrivacy()))
    assert differential.upper < inferential.lower <= inferential.upper <= 2.0 + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("notion", [InferentialPrivacy(epsilon=0.7), InformationPrivacy(epsilon=0.5)])
def test_calibrated_for_every_law(notion: InferentialPrivacy | InformationPrivacy) -> None:
    found = calibrate(release(ROW, 1.0), notion)
    assert found.sound
    assert "over all laws within the intervals" in found.why
    assert found.leakage.upper <= (notion.epsilon or inf)
    less = notion.leakage(release(ROW, (found.noise.scale or 0.0) * 0.999))
    assert less.upper > (notion.epsilon or inf)


def test_compare_says_which_methods_need_a_point_law() -> None:
    found = {each.method: each for each in compare(release(ROW), InferentialPrivacy(epsilon=1.0))}
    assert found["exact"].calibration is not None
    assert found["group"].calibration is not None
    assert found["group"].calibration.sound
    for name in ("wasserstein", "markov_quilt"):
        assert found[name].calibration is None
        assert "numbers for all probabilities" in str(found[name])
    for name in ("optimal", "clamped"):
        assert found[name].calibration is None
        assert "one law for this method" in str(found[name])


def test_audits_leave_averages_out() -> None:
    found = audit(release(ROW))
    assert set(found) == {"differential", "inferential", "information", "relative_entropy"}
    with pytest.raises(Meaningless, match="a point law for mutual_information"):
        MutualInformationPrivacy().leakage(release(ROW))


def test_two_sides_of_identifiability() -> None:
    found = DifferentialIdentifiability(alpha=0.5, beta=1.0).leakage(release(ROW))
    moved = InformationPrivacy().leakage(release(ROW))
    assert found.companions["raised"].upper == pytest.approx(moved.upper, abs=1e-9)
    assert found.upper == max(found.companions["raised"].upper, found.companions["lowered"].upper)


def test_more_people_cost_nothing() -> None:
    few: list[Leakage] = [InferentialPrivacy().leakage(release(ROW, 1.0, count)) for count in (1, 75_000_000)]
    assert few[0].upper == few[1].upper
    assert few[0].lower == few[1].lower


@pytest.mark.parametrize("scale", [1e-3, 1e-9])
def test_next_to_no_noise(scale: float) -> None:
    found = InferentialPrivacy().leakage(release(ROW, scale))
    assert found.lower <= 4 / scale <= found.upper * (1 + 1e-9)
    assert found.lower > 100


def household(row: tuple[Chance, ...]) -> Model:
    return Households(count=2, infected=row)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: household(((0.9, 0.8), 0.1)), "with lo at most hi .number 1 is .0.9, 0.8"),
        (lambda: household(((0.9, 1.2), 0.1)), "probabilities from 0 to 1 .number 1 is .0.9, 1.2"),
        (lambda: household((0.2, (0.1, 0.3))), "a law inside, of sum 1 .lower ends sum to 0.3, upper ends to 0.5"),
        (lambda: household(((0.8, 0.9), 0.3)), "a law inside, of sum 1 .lower ends sum to 1.1"),
        (lambda: household(((0.8,), 0.2)), "infected row 1.*an interval .lo, hi. of two numbers"),  # type: ignore[arg-type]
        (lambda: Independent(probabilities=((0.2, 0.4),)), "probabilities that sum to 1"),
        (lambda: Independent(probabilities=(((0.2, 0.1), 0.9),)), "with lo at most hi"),
        (lambda: Release(household(ROW), Max(), Laplace(scale=1.0)), "wanted sums of scores|values that are numbers"),
        (
            lambda: Release(household(ROW), Count(), Laplace(scale=1.0), engine="tilting"),
            "engine: tilting, wanted none",
        ),
        (
            lambda: BayesianPrivacy().leakage(release(ROW, noise=Gaussian(scale=1.0))),
            "noise.kind: gaussian, wanted laplace or geometric",
        ),
        (lambda: release(ROW).joints, "wanted a model with a point law here"),
    ],
)
def test_refused(made: object, message: str) -> None:
    assert callable(made)
    with pytest.raises(InputError, match=message) as error:
        made()
    assert "\n" not in str(error.value)
    assert isinstance(error.value, DaleniusError)


def test_a_table_of_many_rows() -> None:
    records = tuple((a, b, c) for a in range(4) for b in range(4) for c in range(4))
    chances: tuple[Chance, ...] = ((0.001, 0.1),) * len(records)
    model = Table(records=records, probabilities=chances)
    found = InferentialPrivacy().leakage(Release(model, Sum(), Laplace(scale=1.0)))
    assert 0 < found.lower <= found.upper <= 9.0 + 1e-9
