"""Conversion over sets of laws: never below any law, near the worst, and a point's answer for a point."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from dalenius.conversion import ApproximateProfile, Conversion, GaussianProfile, PrivacyProfile, PureProfile, largest
from dalenius.conversion.credal.rays import rays
from dalenius.conversion.dependence import dependences
from dalenius.conversion.program import solve
from dalenius.conversion.pure import pure_leakage
from dalenius.joints import CredalGroups, Joint
from dalenius.models import Any, Chain, Groups, Households, Model, Network, Node, Table
from dalenius.models.groups import GroupType

HOME = ((0.85, 0.95), (0.02, 0.06), 0.0, 0.0, (0.03, 0.09))
PAIR = ((0, 0), (0, 1), (1, 0), (1, 1))
LOOSE = ((0.4, 0.6), (0.05, 0.1), (0.0, 0.2), (0.3, 0.4))
CUBE = tuple(product((0, 1), repeat=3))


def table(rows: Sequence[Sequence[int]], rng: np.random.Generator, width: float) -> Table:
    chances = rng.dirichlet(np.full(len(rows), 0.8))
    ends = [(float(p * (1 - width * rng.random())), float(min(1, p * (1 + width * rng.random())))) for p in chances]
    return Table(records=tuple(map(tuple, rows)), probabilities=tuple(ends))


def laws(model: Model, rng: np.random.Generator, drawn: int) -> list[Joint]:
    """Drawn and extreme ones of a set of groups of one type."""
    (belief,) = model.joints()
    assert isinstance(belief, CredalGroups)
    box = belief.blocks[0].box
    return [belief.at([law]) for law in (*box.vertices(), *box.sample(rng, drawn))]


def pure_at(law: Joint, nats: float, steps: int, information: bool) -> float:
    return max(pure_leakage(each, nats, steps).lower for each in dependences(law, information))


def delta_at(law: Joint, profile: PrivacyProfile, epsilon: float, information: bool) -> float:
    found = (solve(each, profile, epsilon, 1, None, None, True) for each in dependences(law, information))
    return max(each.delta.lower for each in found)


def test_a_household_leaks_as_much_as_its_count_does() -> None:
    """Result 21.26: Laplace noise on the count attains it (Theory §16: 3.92061)."""
    found = Conversion(Households(count=250, infected=HOME), PureProfile(1.0), "replace").epsilon(0.0)
    assert found.value.lower <= 3.92061311006 <= found.value.upper <= found.value.lower + 2e-6
    assert (found.secret, found.against) == (1, 0)


@pytest.mark.parametrize("information", [False, True])
@pytest.mark.parametrize("rows", [PAIR, pytest.param(tuple(product((0, 1, 2), (0, 1))), marks=pytest.mark.slow)])
def test_pure_never_below_a_law(rows: tuple[tuple[int, int], ...], information: bool) -> None:
    rng = np.random.default_rng(5)
    model = table(rows, rng, 0.7)
    for steps, neighbours in ((1, "replace"), (2, "add_remove")):
        found = Conversion(model, PureProfile(0.6), neighbours, information).epsilon(0.0).value  # type: ignore[arg-type]
        most = max(pure_at(law, 0.6, steps, information) for law in laws(model, rng, 8))
        assert most <= found.upper * (1 + 1e-12)
        assert found.lower <= found.upper <= found.lower + 3e-6
        assert found.lower <= most * 1.1


@pytest.mark.slow
@pytest.mark.parametrize("information", [False, True])
def test_pure_never_below_a_thousand_laws(information: bool) -> None:
    rng = np.random.default_rng(6)
    model = table(CUBE, rng, 0.5)
    found = Conversion(model, PureProfile(0.6), "replace", information).epsilon(0.0).value
    most = max(pure_at(law, 0.6, 1, information) for law in laws(model, rng, 300))
    assert most <= found.upper * (1 + 1e-12)
    assert found.upper <= found.lower + 3e-6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("profile", "information"),
    [(ApproximateProfile(0.4, 0.01), False), (GaussianProfile(0.4), False), (ApproximateProfile(0.4, 0.01), True)],
)
def test_delta_never_below_a_law(profile: PrivacyProfile, information: bool) -> None:
    rng = np.random.default_rng(7)
    model = Table(records=PAIR, probabilities=LOOSE)
    asked = Conversion(model, profile, "replace", information)
    found = asked.delta(0.3).value
    most = max(delta_at(law, profile, 0.3, information) for law in laws(model, rng, 20))
    assert most <= found.upper * (1 + 1e-9)
    assert found.lower <= found.upper <= found.lower * 1.2
    assert found.lower <= most * (1 + 1e-9)
    bit = asked.attaining(0.3)
    assert bit is not None
    assert bit.delta == pytest.approx(found.lower, rel=1e-9)


@pytest.mark.slow
def test_many_intervals_are_bounded_from_both_sides() -> None:
    rng = np.random.default_rng(8)
    model = table(CUBE, rng, 0.1)
    profile = ApproximateProfile(0.3, 0.001)
    found = Conversion(model, profile, "replace").delta(0.4).value
    assert max(delta_at(law, profile, 0.4, False) for law in laws(model, rng, 0)[:6]) <= found.upper
    assert found.lower > 0.6 * found.upper


POINTS: tuple[tuple[Model, Model], ...] = (
    (
        Table(records=PAIR, probabilities=((0.4, 0.4), 0.1, 0.1, (0.4, 0.4))),
        Table(records=PAIR, probabilities=(0.4, 0.1, 0.1, 0.4)),
    ),
    (
        Chain(n=4, initial=((0.5, 0.5), 0.5), transition=(((0.8, 0.8), 0.2), (0.3, 0.7))),
        Chain(n=4, initial=(0.5, 0.5), transition=((0.8, 0.2), (0.3, 0.7))),
    ),
)


@pytest.mark.parametrize(("boxed", "point"), POINTS)
def test_a_point_has_the_points_answer(boxed: Model, point: Model) -> None:
    for profile, delta in ((PureProfile(0.7), 0.0), (ApproximateProfile(0.7, 1e-3), 1e-2)):
        one, other = (Conversion(each, profile, "replace").epsilon(delta).value for each in (boxed, point))
        assert one.upper == pytest.approx(other.upper, abs=1e-9)
        assert one.lower == pytest.approx(other.lower, abs=1e-9)


def test_a_point_beside_intervals_and_a_narrow_set() -> None:
    """The larger of both types; and a set that is nearly a point leaks what the point does."""
    twins = GroupType(count=2, records=PAIR, probabilities=(0.45, 0.05, 0.05, 0.45))
    loose = GroupType(count=2, records=PAIR, probabilities=((0.24, 0.26), (0.24, 0.26), (0.24, 0.26), (0.24, 0.26)))
    both = Conversion(Groups(types=(loose, twins)), PureProfile(1.0), "replace").epsilon(0.0).value
    alone = Conversion(Groups(types=(twins,)), PureProfile(1.0), "replace").epsilon(0.0).value
    assert both.upper == pytest.approx(alone.upper, abs=3e-6)
    near = tuple((p - 1e-7, p + 1e-7) for p in (0.45, 0.05, 0.05, 0.45))
    found = Conversion(Table(records=PAIR, probabilities=near), PureProfile(1.0), "replace").epsilon(0.0).value
    assert found.upper == pytest.approx(alone.upper, abs=1e-5)


@pytest.mark.slow
def test_back_from_a_promise() -> None:
    model = Households(count=2, infected=HOME)
    least = largest(Conversion(model, PureProfile(1.0), "replace"), PureProfile, 1.0, 0.0)
    asked = Conversion(model, PureProfile(least), "replace")
    assert asked.keeps(1.0, 0.0)
    assert not asked.with_profile(PureProfile(least * 1.0001)).keeps(1.0, 0.0)
    assert least == pytest.approx(0.2584189, abs=1e-6)


def test_several_sets_count_as_the_worst() -> None:
    wide, narrow = Households(count=1, infected=HOME), Households(count=1, infected=(0.9, 0.04, 0.0, 0.0, 0.06))
    both = Conversion(Any(models=(narrow, wide)), PureProfile(1.0), "replace").epsilon(0.0).value
    assert both.upper == Conversion(wide, PureProfile(1.0), "replace").epsilon(0.0).value.upper


def test_tests_of_bits_are_counted_as_maps_of_cubes() -> None:
    """Whole numbers on the corners of a cube, neighbours apart by one: 2, 6, 38."""
    for bits, count in ((1, 2), (2, 6), (3, 38)):
        states = np.array(list(product((0, 1), repeat=bits)))
        found = rays((states[:, None] != states[None]).sum(axis=-1))
        assert found is not None
        assert len(np.unique(found, axis=0)) == count


@pytest.mark.slow
def test_networks_and_chains_enclose_every_law() -> None:
    rng = np.random.default_rng(9)
    rows = (((0.6, 0.9), (0.1, 0.4)), ((0.2, 0.5), (0.5, 0.8)))
    ends = np.array(rows)[:, 0]

    def drawn() -> tuple[tuple[float, ...], ...]:
        one = ends[:, 0] + (ends[:, 1] - ends[:, 0]) * rng.integers(0, 3, 2) / 2
        return tuple((float(p), float(1 - p)) for p in one)

    first = Node(name="a", probabilities=((0.3, 0.6), (0.4, 0.7)))
    tree = Network(nodes=(first, *(Node(name=x, parents=("a",), probabilities=rows) for x in "bc")))
    chain = Chain(n=3, initial=((0.3, 0.6), (0.4, 0.7)), transition=rows)

    def some(kind: Model) -> Model:
        p = float(rng.uniform(0.3, 0.6))
        if kind is tree:
            others = (Node(name=x, parents=("a",), probabilities=drawn()) for x in "bc")
            return Network(nodes=(Node(name="a", probabilities=(p, 1 - p)), *others))
        return Chain(n=3, initial=(p, 1 - p), transition=(drawn(), drawn()))

    for kind, information in product((tree, chain), (False, True)):
        pure = Conversion(kind, PureProfile(0.5), "replace", information).epsilon(0.0).value
        delta = Conversion(kind, GaussianProfile(0.5), "replace", information).delta(0.2).value
        for _ in range(3):
            (law,) = some(kind).finite_joints()
            assert pure_at(law, 0.5, 1, information) <= pure.upper
            assert delta_at(law, GaussianProfile(0.5), 0.2, information) <= delta.upper
        assert pure.lower <= pure.upper <= 1.25 * pure.lower
        assert delta.lower == 0
