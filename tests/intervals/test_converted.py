"""Conversion over sets of laws: never below any law, near the worst, and a point's answer for a point."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from dalenius.conversion import ApproximateProfile, Conversion, GaussianProfile, PrivacyProfile, PureProfile
from dalenius.conversion.conditional_law_of_others import dependences
from dalenius.conversion.group_linear_program import solve
from dalenius.conversion.leaked_epsilon import pure_leakage
from dalenius.intervals.groups_with_intervals import CredalGroups
from dalenius.joints import Joint
from dalenius.models import Chain, Households, Model, Network, Node, Table, finite_joints
from tests.intervals.laws_inside import drawn_from

HOME = ((0.85, 0.95), (0.02, 0.06), 0.0, 0.0, (0.03, 0.09))
PAIR = ((0, 0), (0, 1), (1, 0), (1, 1))
LOOSE = ((0.4, 0.6), (0.05, 0.1), (0.0, 0.2), (0.3, 0.4))


def table(rows: Sequence[Sequence[int]], rng: np.random.Generator, width: float) -> Table:
    chances = rng.dirichlet(np.full(len(rows), 0.8))
    ends = [(float(p * (1 - width * rng.random())), float(min(1, p * (1 + width * rng.random())))) for p in chances]
    return Table(records=tuple(map(tuple, rows)), probabilities=tuple(ends))


def laws(model: Model, rng: np.random.Generator, drawn: int) -> list[Joint]:
    """Drawn and extreme ones of a set of groups of one type."""
    (belief,) = model.joints()
    assert isinstance(belief, CredalGroups)
    box = belief.blocks[0].box
    return [belief.at([law]) for law in (*box.vertices, *drawn_from(box, rng, drawn))]


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
def test_pure_never_below_a_law(information: bool) -> None:
    rng = np.random.default_rng(5)
    model = table(PAIR, rng, 0.7)
    for steps, neighbours in ((1, "replace"), (2, "add_remove")):
        found = Conversion(model, PureProfile(0.6), neighbours, information).epsilon(0.0).value  # type: ignore[arg-type]
        most = max(pure_at(law, 0.6, steps, information) for law in laws(model, rng, 8))
        assert most <= found.upper * (1 + 1e-12)
        assert found.lower <= found.upper <= found.lower + 3e-6
        assert found.lower <= most * 1.1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("profile", "information"),
    [(ApproximateProfile(0.4, 0.01), False), (GaussianProfile(0.4), False), (ApproximateProfile(0.4, 0.01), True)],
)
def test_delta_never_below_a_law(profile: PrivacyProfile, information: bool) -> None:
    rng = np.random.default_rng(7)
    model = Table(records=PAIR, probabilities=LOOSE)
    found = Conversion(model, profile, "replace", information).delta(0.3).value
    most = max(delta_at(law, profile, 0.3, information) for law in laws(model, rng, 20))
    assert most <= found.upper * (1 + 1e-9) <= most * 1.3
    assert found.lower == 0


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
            (law,) = finite_joints(some(kind))
            assert pure_at(law, 0.5, 1, information) <= pure.upper
            assert delta_at(law, GaussianProfile(0.5), 0.2, information) <= delta.upper
        assert pure.lower == (0.0 if information else pytest.approx(0.5))
        assert delta.lower == 0
