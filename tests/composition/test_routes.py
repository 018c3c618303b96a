"""Routes from single releases to what all leak: never below the joint channel, and refused where they do not hold."""

import numpy as np
import pytest

import dalenius as dl
from dalenius.composition import Composed, Releases, compose
from dalenius.models import Model
from dalenius.noise import Noise
from tests.cases import Refusals, check_refused, in_turn
from tests.pace import many
from tests.reference import composition as reference

LABELS = ("a", "b", "c", "d")
FAIR = dl.Table(
    records=tuple((a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)),
    probabilities=(0.125,) * 8,
    labels=("a", "b", "c"),
)
TWINS = dl.Table(records=((0, 0), (1, 1)), probabilities=(0.5, 0.5), labels=("a", "b"))
HOME = dl.Households(count=2, infected=(0.9, 0.04, 0.0, 0.0, 0.06))
INFERENTIAL = dl.InferentialPrivacy()


def counts(model: Model, *asked: tuple[tuple[str, ...] | None, Noise]) -> tuple[dl.Release, ...]:
    return tuple(dl.Release(model, dl.Count(labels=labels), noise) for labels, noise in asked)


def drawn(rng: np.random.Generator) -> tuple[Model, reference.Rows, tuple[str, ...]]:
    """A random model of two to four bits, its rows, and the records' labels."""
    kind = int(rng.integers(3))
    size = 2 if rng.random() < 0.7 else 3
    chances = rng.dirichlet(np.full(size + 1, 0.5)) + 1e-3
    chances = np.where(rng.random(size + 1) < 0.2, 0.0, chances) if kind == 0 else chances
    law = tuple((chances / chances.sum()).tolist()) if chances.sum() else (0.5,) + (0.0,) * (size - 1) + (0.5,)
    if kind == 0:
        rows = reference.household(law)
        if len(rows) < 2:
            return drawn(rng)
        return table_of(rows), rows, LABELS[:size]
    if kind == 1:
        members = dict.fromkeys(LABELS[:size], 1)
        home = dl.HouseholdType(count=1, infected=law, members=members)
        other = (0.7, 0.3)
        model = dl.Households(types=(home, dl.HouseholdType(count=1, infected=other, members={"d": 1})))
        rows = reference.beside([reference.household(law), reference.household(other)])
        return model, rows, (*LABELS[:size], "d")
    stay, up = rng.uniform(0.05, 0.95, 2).tolist()
    steps = ((1 - up, up), (1 - stay, stay))
    rows = reference.chain((0.6, 0.4), steps, size)
    return table_of(rows), rows, LABELS[:size]


def table_of(rows: reference.Rows) -> dl.Table:
    labels = LABELS[: len(next(iter(rows)))]
    total = sum(rows.values())
    return dl.Table(records=tuple(rows), probabilities=tuple(p / total for p in rows.values()), labels=labels)


def one_sequence(rng: np.random.Generator) -> None:
    model, rows, labels = drawn(rng)
    many, same = int(rng.integers(1, 4)), bool(rng.integers(2))
    scales = [float(rng.choice([0.5, 1.0, 2.0, 5.0]))] * many if same else rng.uniform(0.4, 6.0, many).tolist()
    asked = [sorted(rng.choice(len(labels), int(rng.integers(1, len(labels) + 1)), False).tolist()) for _ in scales]
    kinds: list[type[dl.Geometric] | type[dl.Laplace]] = [dl.Geometric, dl.Laplace]
    kind = [kinds[int(rng.integers(2))]] * many if same else [kinds[int(rng.integers(2))] for _ in scales]
    releases = counts(
        model,
        *(
            (tuple(labels[place] for place in places), noise(scale=scale))
            for places, scale, noise in zip(asked, scales, kind, strict=True)
        ),
    )
    information = bool(rng.integers(2))
    notion = dl.InformationPrivacy() if information else INFERENTIAL
    truth = (reference.information if information else reference.inferential)(rows, asked, scales)
    found = compose(Releases(releases, adaptive=bool(rng.integers(4) == 0)), notion)
    for tried in found.tried:
        assert tried.bound is None or tried.bound.upper >= truth - 1e-10, (tried, truth)
        assert tried.bound is None or tried.bound.value.lower <= truth + 1e-10, (tried, truth)
    assert found.bound.upper == pytest.approx(min(each.bound.upper for each in found.tried if each.bound), rel=2e-9)
    exact = found.each["joint"].bound
    assert exact is None or exact.upper == pytest.approx(truth, rel=1e-8, abs=1e-10)
    private = compose(releases, dl.DifferentialPrivacy(), "addition").bound.upper
    truly = reference.differential(len(labels), asked, scales)
    assert truly - 1e-12 <= private <= truly * (1 + 1e-12) + 1e-12


@pytest.mark.slow
def test_no_route_is_ever_below_the_joint_channel_on_two_thousand_sequences() -> None:
    rng = np.random.default_rng(2000)
    for _ in range(many(2000)):
        one_sequence(rng)


def test_twins_released_in_parallel_cost_both() -> None:
    """E4: each is 1 nat; DDP's Theorem 4 says 1 for the two, the truth is 2."""
    twins = counts(TWINS, (("a",), dl.Laplace(scale=1.0)), (("b",), dl.Laplace(scale=1.0)))
    found = compose(twins, INFERENTIAL)
    assert found.bound.upper == pytest.approx(2, rel=1e-9)


def test_independent_parts_cost_the_largest() -> None:
    homes = dl.Households(
        types=(
            dl.HouseholdType(count=2, infected=(0.8, 0.1, 0.1), members={"a": 2}),
            dl.HouseholdType(count=3, infected=(0.5, 0.2, 0.3), members={"b": 2}),
        )
    )
    asked = counts(
        homes, (("a",), dl.Laplace(scale=1.0)), (("b",), dl.Geometric(scale=2.0)), (("b",), dl.Laplace(scale=3.0))
    )
    found = compose(asked, INFERENTIAL)
    alone = INFERENTIAL.leakage(asked[0])
    both = compose(asked[1:], INFERENTIAL).bound.upper
    assert found.route == "joint"
    assert found.bound.upper == pytest.approx(max(alone.upper, both), rel=1e-9)


def test_mutual_information_is_at_most_the_sum_given_the_record() -> None:
    asked = counts(FAIR, (("a",), dl.Geometric(scale=1.0)), (("b",), dl.Geometric(scale=1.0)))
    notion = dl.MutualInformationPrivacy()
    assert compose(asked, notion).bound.upper <= 2 * notion.leakage(asked[0]).upper * (1 + 1e-9)


def test_conversion_is_less_than_groups_and_equal_to_the_joint_channel_of_counts() -> None:
    asked = counts(HOME, *[(None, dl.Geometric(scale=4.0))] * 2)
    found = compose(asked, INFERENTIAL)
    bounds = {name: each.bound.upper for name, each in found.each.items() if each.bound}
    assert bounds["conversion"] == pytest.approx(bounds["joint"], rel=1e-8)
    assert bounds["conversion"] < bounds["weak_dependence"] < bounds["group"] == pytest.approx(2.0)
    adaptive = compose(Releases(asked, True), INFERENTIAL)
    assert adaptive.route == "conversion"
    assert adaptive.bound.hypotheses[-1] == "the losses were fixed beforehand, or their sum was limited beforehand"
    # with any knowledge: groups
    assert compose(Releases(asked, True), dl.BayesianPrivacy()).bound.upper == pytest.approx(2.0)


@in_turn({"model": [HOME, FAIR], "notion": [dl.InferentialPrivacy(delta=0.02), dl.InformationPrivacy(delta=0.02)]})
def test_with_a_delta_no_route_is_below_the_joint_channel(model: Model, notion: dl.InferentialPrivacy) -> None:
    labels = (None, None) if model is HOME else (("a",), ("b",))
    found = compose(counts(model, *((label, dl.Geometric(scale=2.0)) for label in labels)), notion)
    bounds = {name: each.bound for name, each in found.each.items() if each.bound}
    exact = bounds["joint"].value
    assert all(bound.upper >= exact.lower and bound.delta == 0.02 for bound in bounds.values())
    assert exact.upper <= bounds["conversion"].upper < bounds["group"].upper


@pytest.mark.slow
def test_gaussian_noise_composes_at_a_delta_only() -> None:
    from dalenius import Conversion, Gaussian, GaussianProfile

    asked = counts(HOME, (None, Gaussian(scale=6.0)), (None, Gaussian(scale=8.0)))
    with pytest.raises(dl.InputError, match=r"route: conversion, wanted .*infinite differential loss"):
        compose(asked, INFERENTIAL, "conversion")
    mu = (1 / 36 + 1 / 64) ** 0.5
    private = compose(asked, dl.DifferentialPrivacy(), "addition", 1e-4).bound.upper
    assert GaussianProfile(mu).delta(private) == pytest.approx(1e-4, rel=1e-6)
    found = compose(asked, INFERENTIAL, "conversion", 1e-2).bound
    assert Conversion(HOME, GaussianProfile(mu), "replace").delta(found.upper).value.upper == pytest.approx(
        1e-2, rel=1e-4
    )


def test_other_knowledge_of_a_release_is_another_sequence() -> None:
    one = dl.Release(TWINS, dl.Count(), dl.Laplace(scale=1.0))
    other = dl.Release(TWINS, dl.Count(), dl.Laplace(scale=1.0), adversary=dl.Adversary(known={"1": 1}))
    with pytest.raises(
        dl.InputError, match=r"releases row 2.adversary: another, wanted the background knowledge of release 1"
    ):
        Releases((one, other))
    found: Composed = compose((other, other), INFERENTIAL)
    assert str(found.each["conversion"].reason).startswith("the record of person 1 is known")


def test_bad_input() -> None:
    home, fair = (counts(model, (None, dl.Laplace(scale=1.0))) for model in (HOME, FAIR))
    nothing = "delta: 0.1, wanted 0: mutual_information has none…"
    refused: Refusals = (
        (lambda: Releases(()), "releases: none, wanted one release or more…"),
        (
            lambda: Releases(counts(HOME, (None, dl.Laplace()))),
            "releases row 1.noise.scale: missing, wanted its…",
        ),
        (lambda: Releases((*home, *fair)), "releases row 2.model: table, wanted the model of release 1: all rel…"),
        (
            lambda: compose(home, INFERENTIAL, "sum"),
            "route: sum, wanted one that inferential has: joint…",
        ),
        (lambda: compose(home, INFERENTIAL, delta=1.0), "delta: 1.0, wanted a number of at least 0 and below 1"),
        (lambda: compose(home, dl.MutualInformationPrivacy(), delta=0.1), nothing),
    )
    check_refused(refused)
