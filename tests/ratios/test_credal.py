"""Groups of whose law only intervals are known: enclosures of the worst law, against brute force."""

from math import inf
from typing import Any

import pytest

import dalenius as dl
from dalenius.channel.leakage import Leakage
from dalenius.laws.box import Box
from dalenius.noise import Noise
from dalenius.schema import Chance

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
    rows = [tuple(law.tolist()) for law in Box.of(ROW).vertices()]
    extreme = max(dl.InferentialPrivacy().leakage(release(row, 0.1)).upper for row in rows)
    edge = dl.InferentialPrivacy().leakage(release((0.91419698, 0.02, 0.0, 0.0, 0.06580302), 0.1))
    assert extreme < found.lower - 0.005
    assert edge.lower <= found.upper
    assert edge.upper >= found.lower - 1e-6


def test_a_point_set_is_the_point() -> None:
    """Also where the other numbers leave an interval no room."""
    point, asked = release((0.9, 0.04, 0.0, 0.0, 0.06)), release(((0.85, 0.95), 0.04, 0, 0, 0.06))
    assert not asked.credal
    for notion in (*SUPREMA.values(), dl.MutualInformationPrivacy(), dl.BayesianPrivacy()):
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


def test_next_to_no_noise() -> None:
    scale = 1e-9
    found = dl.InferentialPrivacy().leakage(release(ROW, scale))
    assert found.lower <= 4 / scale <= found.upper * (1 + 1e-9)
    assert found.lower > 100


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
        n=4,
        initial=[around(0.8), around(0.2)],
        transition=[[around(0.96), around(0.04)], [around(0.1), around(0.9)]],
    )
    point = dl.Chain(n=4, initial=[0.8, 0.2], transition=[[0.96, 0.04], [0.1, 0.9]])
    for notion in (dl.InferentialPrivacy(), dl.InformationPrivacy(), dl.RelativeEntropyPrivacy()):
        wide = notion.leakage(dl.Release(model, dl.Count(), dl.Laplace(scale=1.0)))
        exact = notion.leakage(dl.Release(point, dl.Count(), dl.Laplace(scale=1.0)))
        assert wide.lower <= exact.upper + 1e-8
        assert exact.lower <= wide.upper <= exact.upper * 1.005


def test_pairs_and_people_narrow_what_is_asked() -> None:
    model = dl.Chain(n=5, values=(0, 1, 2), initial=[0.4, 0.3, 0.3], transition=[[[0.2, 0.5]] * 3] * 3)
    every = dl.InferentialPrivacy().leakage(dl.Release(model, dl.Sum(), dl.Laplace(scale=1.0)))
    pairs = dl.Secrets(people=(2,), pairs=((0, 1),))
    some = dl.InferentialPrivacy().leakage(dl.Release(model, dl.Sum(), dl.Laplace(scale=1.0), pairs))
    assert some.upper < every.upper
    assert some.witness is not None
    assert some.witness.person == 2
    assert {some.witness.secret, some.witness.against} == {0, 1}


def network(nodes: list[Any]) -> dl.Network:
    return dl.Network(
        nodes=tuple(
            dl.Node(name=f"n{i}", parents=tuple(f"n{p}" for p in parents), probabilities=rows if parents else rows[0])
            for i, (parents, rows) in enumerate(nodes)
        )
    )


def test_what_shares_no_cause_is_not_counted() -> None:
    one, turned = [[0.8, 0.9], [0.1, 0.2]], [[0.1, 0.3], [0.7, 0.9]]
    apart = [((), [one]), ((), [one]), ((0, 1), [one, turned, turned, one])]
    found = dl.InferentialPrivacy().leakage(dl.Release(network(apart), dl.Sum(), dl.Laplace(scale=1.0)))
    # The causes are independent of each other: two records move, or three where the effect is the secret.
    assert found.upper == pytest.approx(3.0)
    alone = dl.Release(network([((), [one]), ((), [one])]), dl.Sum(), dl.Laplace(scale=1.0))
    assert dl.InferentialPrivacy().leakage(alone).upper == pytest.approx(1.0)


def test_a_long_alternating_chain_has_an_upper_end() -> None:
    """Both sides are taken at their own worst outputs: several times what a record leaks alone."""
    rows = [[[0.2, 0.4], [0.6, 0.8]], [[0.7, 0.9], [0.1, 0.3]]]
    model = dl.Chain(n=80, initial=[[0.5, 0.7], [0.3, 0.5]], transition=rows)
    found = dl.InferentialPrivacy().leakage(dl.Release(model, dl.Count(), dl.Laplace(scale=1.0)))
    assert found.lower <= 1.0 <= found.upper < 6.0


def test_chances_of_those_move_of_whom_no_pair_is_asked() -> None:
    """The first record has neither 0 against 2, and is raised most: found beside a law inside the intervals."""
    rows, pairs = [[0, 0], [5, 0], [0, 2], [5, 2]], dl.Secrets(pairs=[[0, 2]])
    intervals = dl.Table(records=rows, probabilities=[[0.399, 0.401], [0.099, 0.101], [0.099, 0.101], [0.399, 0.401]])
    inside = dl.Table(records=rows, probabilities=[0.4, 0.1, 0.1, 0.4])
    for notion in (dl.InformationPrivacy(), dl.RelativeEntropyPrivacy(), dl.InferentialPrivacy()):
        one, all_ = (
            notion.leakage(dl.Release(model, dl.Sum(), dl.Laplace(scale=1.0), pairs)) for model in (inside, intervals)
        )
        assert one.lower <= all_.upper
