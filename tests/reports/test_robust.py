"""`dalenius audit --robust`, and what a model's confidence becomes: the keys, the words; what is refused.

How far the truth may be from the model: against all vertices, the theorem's bound, and where a promise breaks.
"""

from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

import dalenius as dl
from dalenius.arrays import Array
from dalenius.errors import InputError
from dalenius.models import AnyOf, Chain, Independent, Model, confidence_of
from dalenius.spec.suppositions import level_in_words
from tests.cli.command import Run, written

HOMES = '[model]\nkind = "households"\ncount = 2\ninfected = [0.9, 0.04, 0.06]\n'
COUNT = '[query]\nkind = "count"\n[noise]\nkind = "laplace"\nscale = 2.0\n'
PROMISE = '[notion]\nkind = "inferential"\nepsilon = 0.9\n'
WORDS = "with confidence 95 % about the model: its intervals hold the true probabilities"


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    return written(tmp_path, HOMES + COUNT + PROMISE)


def test_the_keys(spec: Path, run: Run) -> None:
    found = run("audit", spec, "--robust", "0.2", "--json").json
    assert set(found["robust"]) == {"curve", "promises"}
    curve = found["robust"]["curve"]
    assert [at["log_factor"] for at in curve] == [pytest.approx(0.2 * step / 8) for step in range(9)]
    own = [at["leakage"]["inferential"] for at in curve]
    assert own[0]["epsilon"] == found["leakage"]["inferential"]["epsilon"]
    for end in ("lower", "upper"):
        assert all(one[end] < other[end] for one, other in pairwise(own)), "the sets grow"
    (broken,) = found["robust"]["promises"]
    assert (broken["kind"], broken["epsilon"]) == ("inferential", 0.9)
    assert own[0]["epsilon"] < 0.9 < own[-1]["epsilon"]
    assert 0 < broken["kept_to"] < broken["broken_at"] < 0.2


def test_a_set_leaks_no_less_than_the_model_in_it(tmp_path: Path, run: Run) -> None:
    """Of chains nothing is known from below but that."""
    days = '[model]\nkind = "chain"\nn = 9\ninitial = [0.5, 0.5]\ntransition = [[0.8, 0.2], [0.3, 0.7]]\n'
    found = run("audit", written(tmp_path, days + COUNT), "--robust", "0.1", "--json").json
    own = [at["leakage"]["inferential"] for at in found["robust"]["curve"]]
    assert own[0]["lower"] > 0.5
    assert all(each["lower"] == own[0]["lower"] < each["upper"] for each in own[1:])


def test_the_words(spec: Path, run: Run) -> None:
    done = run("audit", spec, "--robust", "0.2")
    assert (done.code, done.err) == (0, "")
    assert "If every probability is off by a factor (nats)" in done.out
    assert "inferential privacy of 0.9 nats is kept to a factor of e^±0." in done.out


def test_confidences_of_parts_add_up() -> None:
    def part(confidence: float | None) -> Model:
        return Independent(n=2, probabilities=(0.3,), confidence=confidence)

    assert confidence_of(part(None)) is None
    assert confidence_of(part(0.95)) == 0.95
    assert confidence_of(AnyOf(models=(part(0.95), part(0.9), part(None)))) == pytest.approx(0.85)
    assert confidence_of(AnyOf(models=(part(None),))) is None
    assert level_in_words(0.999) == WORDS.replace("95", "99.9")
    with pytest.raises(InputError, match=r"^Chain.confidence: 95, wanted a number above 0 and below 1$"):
        Chain(n=2, confidence=95, initial=(0.5, 0.5), transition=((0.9, 0.1), (0.3, 0.7)))


LAW = (0.9, 0.04, 0.0, 0.0, 0.06)
RARE = (0.48472, 0.49309, 0.01376, 0.00843)


def leakage(laws: np.ndarray, scale: float) -> np.ndarray:
    """Of a household's count with Laplace noise at y = ±∞, where the others cancel; laws (.., size + 1)."""
    k = np.arange(laws.shape[-1])
    ill, well = laws * k, laws * (k[-1] - k)
    found = []
    for sign in (1, -1):
        heard = np.exp(sign * k / scale)
        found.append(np.log((ill * heard).sum(-1) / ill.sum(-1)) - np.log((well * heard).sum(-1) / well.sum(-1)))
    worst: Array = np.abs(found).max(axis=0)
    return worst


def worst(law: tuple[float, ...], factor: float, scale: float) -> float:
    """Over the vertices of the laws off by the factor, and random laws between them."""
    p = np.array(law)
    found = []
    for free, ends in product(range(len(p)), product((-factor, factor), repeat=len(p) - 1)):
        near = p * np.exp(np.insert(ends, free, 0.0))
        near[free] = 0
        near[free] = 1 - near.sum()
        if factor and p[free] and p[free] * np.exp(-factor) <= near[free] <= p[free] * np.exp(factor):
            found.append(near)
    vertices = np.array(found or [p])
    between = np.random.default_rng(1).dirichlet(np.full(len(vertices), 0.2), 2000) @ vertices
    return float(max(leakage(vertices, scale).max(), leakage(between, scale).max()))


def release(law: tuple[float, ...] = LAW, scale: float = 1.0, count: int = 50) -> dl.Release:
    return dl.Release(dl.Households(count=count, infected=law), dl.Count(), dl.Laplace(scale=scale))


@pytest.mark.parametrize(("law", "scale"), [(LAW, 1.0), (RARE, 0.2)])
def test_the_curve_is_the_worst_of_the_laws_that_near(law: tuple[float, ...], scale: float) -> None:
    curve = dl.robustness(release(law, scale), 0.4).curve
    assert curve[0].log_factor == 0
    assert curve[-1].log_factor == 0.4
    for at in curve:
        own = at.leakage["inferential"]
        exact = worst(law, at.log_factor, scale)
        assert own.lower <= own.upper
        assert exact <= own.upper * (1 + 1e-9)
        assert own.lower <= exact * (1 + 1e-3), "random laws and vertices come near the worst"
        assert own.upper <= exact * (1 + 1e-3)


@pytest.mark.slow
def test_where_a_promise_breaks() -> None:
    promise = dl.InferentialPrivacy(epsilon=3.85)
    (broken,) = dl.robustness(release(), 0.5, promises=[promise]).broken
    assert broken.kept is not None
    assert broken.broken is not None
    assert broken.kept < broken.broken <= broken.kept + 1e-2
    assert worst(LAW, broken.kept, 1.0) <= 3.85 < worst(LAW, broken.broken, 1.0) * (1 + 1e-3)


def test_a_promise_that_never_breaks_and_one_that_is_broken_already() -> None:
    # Of a notion that promises nothing there is nothing to break.
    promises = [dl.InferentialPrivacy(epsilon=4.001), dl.InferentialPrivacy(epsilon=3.0), dl.InferentialPrivacy()]
    kept, lost = dl.robustness(release(), 0.5, promises=promises).broken
    assert (kept.kept, kept.broken) == (0.5, None)
    assert (lost.kept, lost.broken) == (None, 0.0)
