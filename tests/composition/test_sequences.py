"""Random sequences with a delta, and adaptive ones, against enumeration: no accountant is below the truth."""

from collections.abc import Callable
from math import hypot

import numpy as np
import pytest

import dalenius as dl
from dalenius.composition import Releases, as_gaussian, compose
from dalenius.models import Model
from dalenius.notions import Notion
from tests.composition.test_routes import HOME, counts, drawn
from tests.reference import composition as reference

ROOM = 1e-9


def labelled(labels: tuple[str, ...], places: reference.Asked) -> tuple[tuple[str, ...], dl.Geometric]:
    return tuple(labels[place] for place in places[0]), dl.Geometric(scale=places[1])


def some(rng: np.random.Generator, labels: tuple[str, ...]) -> list[int]:
    found: list[int] = sorted(rng.choice(len(labels), int(rng.integers(1, len(labels) + 1)), False).tolist())
    return found


def one_with_a_delta(rng: np.random.Generator) -> None:
    model, rows, labels = drawn(rng)
    asked = [(some(rng, labels), float(rng.uniform(0.4, 6.0))) for _ in range(int(rng.integers(1, 4)))]
    delta, informed = float(10 ** rng.uniform(-4, -1)), bool(rng.integers(2))
    truth = reference.least_epsilon(
        rows, lambda out: asked[len(out)] if len(out) < len(asked) else None, delta, informed
    )
    notion = dl.InformationPrivacy(delta=delta) if informed else dl.InferentialPrivacy(delta=delta)
    releases = counts(model, *(labelled(labels, each) for each in asked))
    found = compose(Releases(releases, adaptive=bool(rng.integers(4) == 0)), notion)
    for tried in found.tried:
        assert tried.bound is None or tried.bound.upper >= truth - ROOM, (tried, truth)
        assert tried.bound is None or tried.bound.value.lower <= truth + ROOM, (tried, truth)
    exact = found.each["joint"].bound
    assert exact is None or exact.upper == pytest.approx(truth, rel=1e-6, abs=1e-7)


def one_adaptive(rng: np.random.Generator) -> None:
    """What is asked second depends on the first output: in one half of all only whom it counts, in the other also the
    noise, and then the ledger's rules hold."""
    model, rows, labels = drawn(rng)
    first = (some(rng, labels), float(rng.uniform(0.4, 6.0)))
    scales = rng.uniform(0.4, 6.0, 2).tolist()
    noises_too = bool(rng.integers(2))
    then = [(some(rng, labels), scales[place if noises_too else 0]) for place in (0, 1)]
    mask = rng.integers(2, size=len(first[0]) + 1).tolist()
    delta = float(rng.choice([0.0, 0.01, 0.1]))

    def strategy(outputs: tuple[int, ...]) -> reference.Asked | None:
        return first if not outputs else then[mask[outputs[0]]] if len(outputs) == 1 else None

    truth = reference.least_epsilon(rows, strategy, delta)
    if noises_too:
        assert truth <= by_the_ledger(model, first[1], scales, delta) + ROOM
        return
    branches = [counts(model, *(labelled(labels, each) for each in (first, second))) for second in then]
    notion = dl.InferentialPrivacy(delta=delta)
    each = [compose(Releases(branch, adaptive=True), notion).each for branch in branches]
    for route in ("conversion", "weak_dependence", "group"):
        bounds = [found[route].bound for found in each]
        assert truth <= max(bound.upper for bound in bounds if bound is not None) + ROOM, route


def by_the_ledger(model: Model, scale: float, scales: list[float], delta: float) -> float:
    """The lesser of both limits, each on what any course of events may sum up to."""
    most = 1 / scale + max(1 / each for each in scales)
    pure = dl.Conversion(model, dl.PureProfile(most), "replace").epsilon(0.0).value.upper
    if not delta:
        return pure
    mu = hypot(as_gaussian(1 / scale), max(as_gaussian(1 / each) for each in scales))
    return min(pure, dl.Conversion(model, dl.GaussianProfile(mu), "replace").epsilon(delta).value.upper)


@pytest.mark.slow
@pytest.mark.parametrize(("one", "many"), [(one_with_a_delta, 100), (one_adaptive, 40)])
def test_no_accountant_is_ever_below_the_truth_on_many_sequences(
    one: Callable[[np.random.Generator], None], many: int
) -> None:
    rng = np.random.default_rng(1414)
    for _ in range(many):
        one(rng)


EVERY: dict[Notion, set[str]] = {
    dl.DifferentialPrivacy(): {"joint", "addition"},
    dl.InferentialPrivacy(): {"joint", "conversion", "weak_dependence", "group"},
    dl.InferentialPrivacy(delta=0.01): {"joint", "conversion", "weak_dependence", "group"},
    dl.InformationPrivacy(): {"joint", "conversion", "weak_dependence", "group"},
    dl.RelativeEntropyPrivacy(): {"joint", "conversion", "weak_dependence", "group"},
    dl.MutualInformationPrivacy(): {"joint", "conversion", "weak_dependence", "group"},
    dl.MutualInformationPrivacy(given=(2,)): {"joint", "group"},
    dl.MinEntropyPrivacy(): {"joint", "conversion", "weak_dependence", "group"},
    dl.GLeakage(): {"joint", "conversion", "weak_dependence", "group"},
    dl.BayesianPrivacy(): {"joint", "group"},
    dl.NoiselessPrivacy(delta=0.01): {"joint", "conversion", "weak_dependence", "group"},
    dl.NoiselessPrivacy(delta=0.01, known_fraction=0.2): {"joint", "group"},
}


@pytest.mark.lengthy
def test_every_notion_has_its_routes_and_no_other() -> None:
    """Of two equal counts; every bound encloses what the joint channel leaks."""
    for notion, routes in EVERY.items():
        found = compose(counts(HOME, *[(None, dl.Geometric(scale=8.0))] * 2), notion)
        bounds = {name: each.bound for name, each in found.each.items() if each.bound is not None}
        assert set(bounds) == routes
        assert all(each.reason for name, each in found.each.items() if name not in bounds)
        for bound in bounds.values():
            assert bounds["joint"].value.lower <= bound.value.upper
            assert bound.value.lower == min(bounds["joint"].value.lower, bound.value.upper)


def test_pure_losses_are_no_lower_end_of_what_is_lost_at_a_delta() -> None:
    asked = counts(HOME, *[(None, dl.Geometric(scale=8.0))] * 3)
    private = compose(asked, dl.DifferentialPrivacy(), delta=0.01)
    assert private.route == "addition"
    assert (private.bound.value.lower, private.bound.delta) == (0.0, 0.01)
    assert compose(asked, dl.DifferentialPrivacy()).bound.value.lower == pytest.approx(3 / 8)
