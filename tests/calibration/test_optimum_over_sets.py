"""The optimum over sets of laws: promises under every law, bounds, and laws that are not of the set."""

from fractions import Fraction
from functools import cache
from itertools import product
from math import log

import numpy as np
import pytest

from dalenius.calibration import Calibration, ClampedMethod, OptimalMethod, calibrate
from dalenius.calibration.optimal.program import Objective
from dalenius.channel import Release
from dalenius.errors import DaleniusError, InputError, Meaningless, TooLarge
from dalenius.laws.credal.box import Box
from dalenius.models import Any, Chain, Households, Independent, Model, Table
from dalenius.noise import Geometric, Kernel
from dalenius.notions import DifferentialPrivacy, InferentialPrivacy, InformationPrivacy, Notion
from dalenius.queries import Count, Sum
from dalenius.schema import Chance
from tests.cases import in_turn
from tests.reference import credal

ROW: tuple[Chance, ...] = ((0.85, 0.95), (0.02, 0.06), 0.0, 0.0, (0.03, 0.09))
INFERENTIAL, INFORMATION = InferentialPrivacy(epsilon=1.0), InformationPrivacy(epsilon=1.0)


def asked(model: Model) -> Release:
    return Release(model, Count(), Geometric())


def homes(row: tuple[Chance, ...] = ROW, count: int = 3) -> Households:
    return Households(count=count, infected=row)


@cache
def optimum(notion: Notion, objective: Objective = "absolute", model: Model | None = None) -> Calibration:
    return OptimalMethod(objective).calibrate(asked(model or homes()), notion)


def rows_of(found: Calibration) -> np.ndarray:
    assert isinstance(found.noise, Kernel)
    return np.array(found.noise.probabilities)


@pytest.mark.parametrize(
    ("notion", "objective"),
    [
        (INFERENTIAL, "absolute"),
        pytest.param(INFERENTIAL, "squared", marks=pytest.mark.slow),
        pytest.param(INFERENTIAL, "worst", marks=pytest.mark.slow),
        pytest.param(INFORMATION, "absolute", marks=pytest.mark.slow),
    ],
)
def test_audited_and_near_the_bound(notion: Notion, objective: Objective) -> None:
    found = optimum(notion, objective)
    assert found.sound
    assert notion.leakage(asked(homes()).with_noise(found.noise)) == found.leakage
    assert found.leakage.upper <= 1
    assert found.leakage.lower > 1 - 1e-9
    assert found.details["lower_bound"] <= found.details["achieved"]
    assert found.details["lower_bound"] == pytest.approx(found.details["achieved"], rel=1e-4)


def test_no_drawn_law_and_no_extreme_one_breaks_the_promise_or_errs_more() -> None:
    """Each household has a law of its own. The worst come close; under laws beyond the set the promise is broken."""
    found, generator, box = optimum(INFERENTIAL), np.random.default_rng(18), Box.of(ROW)
    rows, ill = rows_of(found), np.arange(5) / 4
    errors = np.abs(np.subtract.outer(np.arange(13), np.array(found.noise.outputs))) * rows  # type: ignore[attr-defined]
    laws = [*box.sample(generator, 3000).reshape(-1, 3, 5), *map(np.array, product(box.vertices().tolist(), repeat=3))]
    leaked, erred = [], []
    for each in laws:
        rest = np.convolve(each[1], each[2])
        one, none = (np.convolve(each[0] * share, rest) @ rows / (each[0] @ share) for share in (ill, 1 - ill))
        seen = one + none > 0
        leaked.append(np.abs(np.log(one[seen] / none[seen])).max())
        erred.append(np.convolve(each[0], rest) @ errors.sum(axis=1))
    assert 0.99 < max(leaked) <= 1
    assert found.expected_error * (1 - 1e-12) <= max(erred) <= found.expected_error * (1 + 1e-12)
    wider: tuple[Chance, ...] = ((0.84, 0.96), (0.02, 0.06), 0.0, 0.0, (0.02, 0.1))
    assert INFERENTIAL.leakage(asked(homes(wider)).with_noise(found.noise)).lower > 1.001


def test_a_point_s_optimum_breaks_the_promise() -> None:
    point = optimum(INFERENTIAL, model=homes((0.9, 0.04, 0.0, 0.0, 0.06)))
    assert INFERENTIAL.leakage(asked(homes()).with_noise(point.noise)).lower > 1.05


@pytest.mark.parametrize("notion", [INFERENTIAL, pytest.param(INFORMATION, marks=pytest.mark.slow)])
def test_not_below_the_optimum_at_any_member(notion: Notion) -> None:
    over = optimum(notion)
    members = [*Box.of(ROW).vertices().tolist(), Box.of(ROW).point.tolist()]
    points = [optimum(notion, model=homes(tuple(law))) for law in members]
    assert max(each.expected_error for each in points) < over.details["lower_bound"]
    every = Any(models=[homes(tuple(law)) for law in members])  # finitely many laws, alike in all households
    assert optimum(notion, model=every).details["lower_bound"] <= over.expected_error


def test_smaller_sets_need_less() -> None:
    inner: tuple[Chance, ...] = ((0.87, 0.93), (0.03, 0.05), 0.0, 0.0, (0.04, 0.08))
    assert optimum(INFERENTIAL, model=homes(inner)).expected_error < optimum(INFERENTIAL).details["lower_bound"]


@pytest.mark.parametrize("width", [0.0, 1e-11])
def test_intervals_without_width_are_a_point(width: float) -> None:
    row = (0.9, 0.04, 0.0, 0.0, 0.06)
    narrow = tuple((each * (1 - width), min(each * (1 + width), 1.0)) for each in row)
    point, found = optimum(INFERENTIAL, model=homes(row)), optimum(INFERENTIAL, model=homes(narrow))
    assert found.expected_error == pytest.approx(point.expected_error, rel=1e-9 if width == 0 else 1e-6)
    assert found.leakage.upper <= 1


def test_two_people_by_hand() -> None:
    """Independent bits, each with a probability of its own: by fractions over a grid of laws."""
    found = optimum(
        InferentialPrivacy(epsilon=log(2)), model=Independent(n=2, probabilities=(((0.5, 0.7), (0.3, 0.5)),))
    )
    rows = [[Fraction(chance) for chance in row] for row in rows_of(found).tolist()]
    names = found.noise.outputs  # type: ignore[attr-defined]
    assert names == (0, 1, 2)
    laws = [
        credal.household(law)
        for law in credal.grid((Fraction(1, 2), Fraction(3, 10)), (Fraction(7, 10), Fraction(1, 2)), 8)
    ]
    each = [credal.through(credal.beside([one, other]), 0, rows) for one, other in product(laws, laws)]
    ratios, errors = [ratio for ratio, _ in each if ratio is not None], [error for _, error in each]
    assert len(ratios) == len(each)
    assert 2 * (1 - 1e-9) <= max(ratios) <= 2
    assert float(max(errors)) == pytest.approx(found.expected_error, abs=1e-12)


def test_values_and_several_sets() -> None:
    model = Independent(values=(0, 1, 5), n=3, probabilities=((((0.5, 0.7), (0.2, 0.4), (0.0, 0.1))),))
    values = OptimalMethod().calibrate(Release(model, Sum(), Geometric()), INFERENTIAL)
    assert values.leakage.upper <= 1
    assert values.details["lower_bound"] == pytest.approx(values.expected_error, rel=1e-4)
    either = Any(models=[homes(count=2), homes(((0.6, 0.7), (0.2, 0.3), 0.0, 0.0, 0.1), 2)])
    both = optimum(INFERENTIAL, model=either)
    for one in either.models:
        assert INFERENTIAL.leakage(asked(one).with_noise(both.noise)).upper <= 1
        assert optimum(INFERENTIAL, model=one).details["lower_bound"] <= both.expected_error


@pytest.mark.parametrize("notion", [INFERENTIAL, INFORMATION])
def test_the_order_of_the_methods(notion: Notion) -> None:
    release = asked(homes(count=2))
    found = {name: calibrate(release, notion, name) for name in ("optimal", "clamped", "group")}
    bounds = [found[name].details["lower_bound"] for name in ("clamped", "optimal")]
    ordered = [*bounds, *(each.expected_error for each in found.values())]
    assert ordered == sorted(ordered)
    clamped = found["clamped"]
    assert clamped.leakage.upper <= 1
    assert notion.leakage(release.with_noise(clamped.noise)) == clamped.leakage


def test_several_promises_at_once() -> None:
    promises = [InferentialPrivacy(epsilon=1.5), InformationPrivacy(epsilon=0.5)]
    found = OptimalMethod().calibrate_all(asked(homes(count=2)), promises)
    assert [each.leakage.upper <= (each.notion.epsilon or 0) for each in found.promises] == [True, True]
    assert found.details["lower_bound"] == pytest.approx(found.expected_error, rel=1e-4)


def test_nothing_is_needed_where_the_answer_leaks_little() -> None:
    """Twenty people, whose answers blur each other."""
    model = Independent(n=20, probabilities=(((0.5, 0.6), (0.4, 0.5)),))
    found = optimum(InformationPrivacy(epsilon=1.0), model=model)
    assert found.expected_error == 0
    assert calibrate(asked(model), InformationPrivacy(epsilon=1.0), "noiseless").sound


@in_turn(
    {
        "model, notion, message": [
            (homes(count=300), INFERENTIAL, "combinations of extreme laws is too large, use fewer groups"),
            (homes(), DifferentialPrivacy(epsilon=1.0), "notion.kind: differential, wanted inferential or information"),
            (homes(), InferentialPrivacy(epsilon=1.0, delta=0.1), "without a delta, beside intervals"),
            (
                Chain(n=3, transition=(((0.8, 0.9), (0.1, 0.2)), (0.3, 0.7)), initial=(0.5, 0.5)),
                INFERENTIAL,
                "wanted independent groups here, with intervals in each of several models",
            ),
            (
                Any(models=[homes(count=1), Table(records=((0, 0, 0, 0), (1, 1, 1, 1)), probabilities=(0.5, 0.5))]),
                INFERENTIAL,
                "wanted independent groups here, with intervals in each of several models",
            ),
        ],
        "method": [OptimalMethod(), ClampedMethod()],
    }
)
def test_refused(method: OptimalMethod | ClampedMethod, model: Model, notion: Notion, message: str) -> None:
    with pytest.raises((InputError, Meaningless, TooLarge), match=message) as error:
        method.calibrate(asked(model), notion)
    assert "\n" not in str(error.value)
    assert isinstance(error.value, DaleniusError)
