"""Chains with intervals against listed laws of their sets: bounds hold, and are narrow."""

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import assume, example, given, strategies as st

from dalenius.bounds import Enclosure
from dalenius.channel import Adversary, Release, Secrets
from dalenius.errors import InputError
from dalenius.models import Chain
from dalenius.models.chain import depth
from dalenius.noise import Gaussian, Geometric, Laplace, NoNoise
from dalenius.notions import (
    DifferentialPrivacy,
    InferentialPrivacy,
    InformationPrivacy,
    MutualInformationPrivacy,
    RelativeEntropyPrivacy,
    audit,
)
from dalenius.queries import Count, Sum
from tests.pace import draws
from tests.reference.credal_chain import Box, corner_laws, leakages, random_law

SICK = [[[0.94, 0.98], [0.02, 0.06]], [[0.05, 0.15], [0.85, 0.95]]]
FIRST = [[0.7, 0.9], [0.1, 0.3]]
TWO = ((Fraction(94, 100), Fraction(98, 100)), (Fraction(2, 100), Fraction(6, 100)))


def box_of(rows: Any) -> list[Box]:
    return [[(Fraction(str(low)), Fraction(str(high))) for low, high in row] for row in rows]


def ends(value: Enclosure) -> tuple[float, float]:
    return value.lower, value.upper


def bounds(model: Chain, scale: float) -> dict[str, tuple[float, float]]:
    release = Release(model, Sum() if model.values else Count(), Laplace(scale=scale))
    information = InformationPrivacy().leakage(release)
    entropy = RelativeEntropyPrivacy().leakage(release)
    ratio = InferentialPrivacy().leakage(release)
    return {
        "inferential": (ratio.lower, ratio.upper),
        "information": (information.lower, information.upper),
        "two_sided": ends(information.companions["two_sided"]),
        "relative_entropy": (entropy.lower, entropy.upper),
        "reverse": ends(entropy.companions["reverse"]),
    }


def outputs(n: int, most: int = 1) -> list[float]:
    return [x / 2 for x in range(-2, 2 * n * most + 3)]


def keep(found: dict[str, tuple[float, float]], seen: dict[str, float]) -> None:
    seen = {**seen, "two_sided": max(seen["information"], seen["lowered"])}
    for name, (_, upper) in found.items():
        assert seen[name] <= upper * (1 + 1e-12), name


@pytest.mark.slow
@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_no_corner_law_exceeds_the_bounds_and_they_are_narrow(scale: float) -> None:
    found = bounds(Chain(n=3, initial=FIRST, transition=SICK), scale)
    seen = [leakages(law, (0, 1), scale, outputs(3)) for law in corner_laws(box_of([FIRST])[0], box_of(SICK), 3)]
    worst = {name: max(each[name] for each in seen) for name in seen[0]}
    keep(found, worst)
    for name in ("inferential", "information", "relative_entropy", "reverse"):
        lower, upper = found[name]
        # Corners come close to the worst, but it may lie between them.
        assert worst[name] * (1 - 1e-9) <= upper <= worst[name] * 1.1
        assert lower >= worst[name] * 0.99
        assert upper - lower <= 0.1 * upper, name


@st.composite
def rows(draw: st.DrawFn, k: int) -> list[list[float]]:
    """A box around a law, in hundredths."""
    parts = draw(st.lists(st.integers(1, 8), min_size=k, max_size=k))
    wide = draw(st.lists(st.integers(0, 20), min_size=k, max_size=k))
    middle = [round(100 * part / sum(parts)) for part in parts]
    middle[-1] = 100 - sum(middle[:-1])
    ends = [(max(0, m - w), min(100, m + w)) for m, w in zip(middle, wide, strict=True)]
    return [[low / 100, high / 100] for low, high in ends]


@st.composite
def sets(draw: st.DrawFn) -> tuple[int, list[list[float]], list[list[list[float]]], tuple[int, ...]]:
    k = draw(st.integers(2, 3))
    n = draw(st.integers(1, 4))
    transition = [draw(rows(k)) for _ in range(k)]
    # Pairs that are all probabilities of two values are read as a matrix for each step.
    assume(depth(transition) == "matrix")
    return n, draw(rows(k)), transition, tuple(draw(st.permutations(range(k))))


@draws(25)
@given(sets(), st.sampled_from([0.4, 1.0, 3.0]), st.integers(0, 10**6))
@example((4, [[0.5, 0.5], [0.5, 0.5]], [[[0.1, 0.3], [0.7, 0.9]], [[0.6, 1.0], [0.0, 0.4]]], (0, 1)), 1.0, 1)
@example((3, [[0.0, 0.4], [0.6, 1.0]], [[[1.0, 1.0], [0.0, 0.0]], [[0.0, 0.2], [0.8, 1.0]]], (0, 1)), 1.0, 2)
def test_random_laws_of_random_sets_keep_the_bounds(
    drawn: tuple[int, list[list[float]], list[list[list[float]]], tuple[int, ...]], scale: float, seed: int
) -> None:
    n, first, transition, scores = drawn
    model = Chain(n=n, values=scores, initial=first, transition=transition)
    found = bounds(model, scale)
    random = Random(seed)
    for _ in range(12):
        law = random_law(box_of([first])[0], box_of(transition), n, random)
        keep(found, leakages(law, scores, scale, outputs(n, 2)))
    for lower, upper in found.values():
        assert 0 <= lower <= upper


def test_a_near_lie_is_caught() -> None:
    """The leakage of the intervals' middles is exceeded by other laws of the set."""
    middle = Chain(n=3, initial=[0.8, 0.2], transition=[[0.96, 0.04], [0.1, 0.9]])
    release = Release(middle, Count(), Laplace(scale=1.0))
    lie = InferentialPrivacy().leakage(release).upper
    seen = [leakages(law, (0, 1), 1.0, outputs(3)) for law in corner_laws(box_of([FIRST])[0], box_of(SICK), 3)]
    assert max(each["inferential"] for each in seen) > lie * 1.01


def test_points_are_the_point_model() -> None:
    rows_of = [[[0.96, 0.96], 0.04], [0.1, [0.9, 0.9]]]
    same = Chain(n=5, initial=[[0.8, 0.8], 0.2], transition=rows_of)
    point = Chain(n=5, initial=[0.8, 0.2], transition=[[0.96, 0.04], [0.1, 0.9]])
    for notion in (InferentialPrivacy(), InformationPrivacy(), MutualInformationPrivacy()):
        one, other = (notion.leakage(Release(model, Count(), Laplace(scale=1.0))) for model in (same, point))
        assert one.upper == pytest.approx(other.upper, rel=1e-9)


def test_intervals_of_no_width_come_close_to_the_point() -> None:
    def around(p: float) -> list[float]:
        return [p - 1e-11, p + 1e-11]

    model = Chain(
        n=4,
        initial=[around(0.8), around(0.2)],
        transition=[[around(0.96), around(0.04)], [around(0.1), around(0.9)]],
    )
    point = Chain(n=4, initial=[0.8, 0.2], transition=[[0.96, 0.04], [0.1, 0.9]])
    for notion in (InferentialPrivacy(), InformationPrivacy(), RelativeEntropyPrivacy()):
        wide = notion.leakage(Release(model, Count(), Laplace(scale=1.0)))
        exact = notion.leakage(Release(point, Count(), Laplace(scale=1.0)))
        assert wide.lower <= exact.upper + 1e-8
        assert exact.lower <= wide.upper <= exact.upper * 1.005


@pytest.mark.slow
def test_a_step_of_its_own_is_worse_than_one_law_for_all_steps() -> None:
    """Long chains: what the enclosure says of all people, and that its ends are close."""
    found = bounds(Chain(n=60, initial=FIRST, transition=SICK), 1.0)
    lower, upper = found["inferential"]
    assert lower <= upper <= lower * 1.1
    for p in (0.94, 0.98):
        for q in (0.05, 0.15):
            point = Chain(n=60, initial=[0.9, 0.1], transition=[[p, 1 - p], [q, 1 - q]])
            assert InferentialPrivacy().leakage(Release(point, Count(), Laplace(scale=1.0))).upper < upper


def test_audit_leaves_averages_out_and_they_are_refused_by_name() -> None:
    release = Release(Chain(n=6, initial=FIRST, transition=SICK), Count(), Geometric(scale=1.0))
    found = audit(release)
    assert "mutual_information" not in found
    assert found["differential"].upper == pytest.approx(1.0)
    with pytest.raises(InputError, match=r"chain with intervals, wanted a point law.*mutual_information"):
        MutualInformationPrivacy().leakage(release)


def test_pairs_and_people_narrow_what_is_asked() -> None:
    model = Chain(n=5, values=(0, 1, 2), initial=[0.4, 0.3, 0.3], transition=[[[0.2, 0.5]] * 3] * 3)
    every = InferentialPrivacy().leakage(Release(model, Sum(), Laplace(scale=1.0)))
    pairs = Secrets(people=(2,), pairs=((0, 1),))
    some = InferentialPrivacy().leakage(Release(model, Sum(), Laplace(scale=1.0), pairs))
    assert some.upper < every.upper
    assert some.witness is not None
    assert some.witness.person == 2
    assert {some.witness.secret, some.witness.against} == {0, 1}


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        ({"transition": [[[0.9, 0.2], 0.5], [0.5, 0.5]]}, r"lo at most hi \(number 1 is \[0.9, 0.2\]\)"),
        ({"transition": [[[0.2, 1.2], 0.5], [0.5, 0.5]]}, r"probabilities from 0 to 1 \(number 1 is \[0.2, 1.2\]\)"),
        ({"transition": [[[0.7, 0.8], [0.4, 0.5]], [0.5, 0.5]]}, r"a law inside, of sum 1 \(lower ends sum to 1.1"),
        ({"transition": [[[0.1, 0.2], [0.4, 0.5]], [0.5, 0.5]]}, r"a law inside, of sum 1 .*upper ends to 0.7"),
        ({"transition": [[[0.1, 0.2, 0.3], 0.5], [0.5, 0.5]]}, "a number, or an interval"),
        ({"initial": "stationary"}, "initial probabilities or intervals, since with intervals"),
        ({"initial": [[0.2, 0.4], 0.9]}, r"a law inside, of sum 1 \(lower ends sum to 1.1"),
    ],
)
def test_bad_intervals_are_refused_in_one_line(fields: dict[str, Any], wanted: str) -> None:
    with pytest.raises(InputError, match=wanted):
        Chain(**{"n": 3, "initial": FIRST, "transition": SICK, **fields})


def test_what_needs_one_law_says_so() -> None:
    model = Chain(n=3, initial=FIRST, transition=SICK)
    with pytest.raises(InputError, match="laplace, geometric or none beside model chain with intervals"):
        InferentialPrivacy().leakage(Release(model, Count(), Gaussian(scale=1.0)))
    with pytest.raises(InputError, match="no known records beside intervals"):
        Release(model, Count(), Laplace(scale=1.0), adversary=Adversary(known={"1": 1}))
    assert InferentialPrivacy().leakage(Release(model, Count(), NoNoise())).upper == float("inf")
    assert DifferentialPrivacy().leakage(Release(model, Count(), Laplace(scale=2.0))).upper == pytest.approx(0.5)
