"""Report noisy max: its chances by its algorithm, its leakages by enumeration, its draws, what is refused."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import dalenius as dl
from dalenius.laws.lattice import Lattice
from dalenius.models import Model
from dalenius.noise.noisy_max import log_chances, ranks
from dalenius.notions import Notion
from tests.cases import in_turn
from tests.conformance.table import NOTIONS, examples, truth_of
from tests.reference.noisy_max import NoisyMax as Reference

THREE = dl.Histogram(cells=[["home"], ["work"], ["gym"]])
DAYS = dl.Chain(
    n=4,
    values=["home", "work", "gym"],
    initial=[0.5, 0.3, 0.2],
    transition=[[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]],
)
HOMES = dl.Households(count=2, infected=[0.6, 0.3, 0.1])
WAYS = {
    "permute and flip": dl.NoisyMax(candidates=3, scale=1.5),
    "exponential mechanism": dl.NoisyMax(candidates=3, scale=1.5, added="gumbel"),
    "two largest": dl.NoisyMax(candidates=3, scale=1.5, added="gumbel", k=2),
}
STEPS = Lattice((Fraction(1),) * 3)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("answer", [(0, 0, 0), (5, 4, 0), (2, 2, 1), (900, 0, 3)])
def test_chances_are_those_of_the_algorithm(way: str, answer: tuple[int, ...]) -> None:
    noise = WAYS[way]
    reference = Reference(Fraction(3, 2), 3, noise.added == "exponential", noise.k)
    found = np.exp(log_chances(np.array([answer]) / 1.5, reference.choices(), noise.added))[0]
    exact = [float(reference.chance(choice, [Fraction(each) for each in answer])) for choice in reference.choices()]
    assert found == pytest.approx(exact, rel=1e-12)
    assert found.sum() == pytest.approx(1, rel=1e-13)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "notion",
    ["inferential with delta", "delta", "relative entropy", "mutual information", "min-entropy", "gini", "renyi"],
)
def test_leakage_by_enumeration(way: str, notion: str) -> None:
    release, truth = dl.Release(DAYS, THREE, WAYS[way]), truth_of(DAYS, THREE, WAYS[way])
    for each in ("inferential", "information", "differential", notion):
        examples(NOTIONS)[each](release, truth, True)


@pytest.mark.parametrize(
    "noise", [dl.NoisyMax(candidates=2, scale=0.8), dl.NoisyMax(candidates=2, scale=3.0, added="gumbel")], ids=str
)
def test_two_cells_that_determine_each_other(noise: dl.NoisyMax) -> None:
    """The ill and the well of four people are one number, and both are read."""
    cells = dl.Histogram(cells=[[0], [1]])
    examples(NOTIONS)["inferential"](dl.Release(HOMES, cells, noise), truth_of(HOMES, cells, noise), True)


@in_turn({"model": [DAYS, HOMES], "notion": [dl.InferentialPrivacy(epsilon=0.4), dl.Renyi(alpha=3, epsilon=0.4)]})
def test_calibrated_noise_keeps_the_promise(model: Model, notion: Notion) -> None:
    cells, count = (THREE, 3) if model is DAYS else (dl.Histogram(cells=[[0], [1]]), 2)
    release = dl.Release(model, cells, dl.NoisyMax(candidates=count))
    for method in ("exact", "group", "influence_curve"):
        found = dl.calibrate(release, notion, method)
        assert found.sound
        assert notion.leakage(release.with_noise(found.noise)).lower <= 0.4 * (1 + 1e-9)
    assert notion.leakage(release.with_noise(dl.calibrate(release, notion).noise)).upper > 0.399


def test_a_promise_that_the_counts_keep_still_publishes_ranks() -> None:
    """Counts of two bits that say next to nothing may go out as they are, but they were not asked for."""
    vague = dl.Table(
        records=[[0, 0], [0, 1], [1, 0], [1, 1]], probabilities=[0.25, 0.25, 0.25, 0.25], labels=["a", "b"]
    )
    release = dl.Release(vague, dl.Histogram(cells=[[0], [1]]), dl.NoisyMax(candidates=2))
    found = dl.calibrate(release, dl.MutualInformationPrivacy(epsilon=0.9))
    assert found.noise.kind == "noisy_max"
    assert found.leakage.upper <= 0.9


def test_methods_are_ranked_by_scale() -> None:
    found = dl.compare(dl.Release(DAYS, THREE, dl.NoisyMax(candidates=3)), dl.InferentialPrivacy(epsilon=0.4))
    sound = [each.noise.known_scale() for _, each in found.ranked if each.sound]
    assert len(sound) > 2
    assert sound == sorted(sound)


@pytest.mark.parametrize("way", WAYS)
def test_draws_have_these_chances(way: str) -> None:
    """A sampler at the scale passes, and one at 1.5 scales does not."""
    noise, answer, times = WAYS[way], (2, 1, 0), 4000
    drawn = Counter(noise.draw(answer, STEPS) for _ in range(times))
    choices = noise.mechanism(STEPS).choices
    counts = [drawn[tuple(map(Fraction, ranks(choice, 3)))] for choice in choices]
    for scale, passes in ((1.5, True), (2.5, False)):
        chances = np.exp(log_chances(np.array([answer]) / scale, choices, noise.added))[0]
        assert (stats.chisquare(counts, chances / chances.sum() * times).pvalue > 1e-6) == passes


def test_neighbours_lose_no_more_than_is_said() -> None:
    noise = WAYS["permute and flip"]
    most = noise.privacy_loss([Fraction(1), Fraction(1), Fraction(0)])
    answers = np.array([(a, b, 4 - a - b) for a in range(5) for b in range(5 - a)]) / 1.5
    logs = log_chances(answers, [(0,), (1,), (2,)], "exponential")
    near = np.isclose(np.abs(answers[:, None] - answers[None]).sum(axis=2) * 1.5, 2)
    worst = float(np.max(np.where(near, np.max(np.abs(logs[:, None] - logs[None]), axis=2), 0.0)))
    assert 0.9 * most < worst <= most


def test_the_truth_is_named_at_a_small_scale() -> None:
    """No chance is lost to doubles: the other two differ by thousands of nats."""
    logs = log_chances(np.array([[0.0, -5000.0, -9000.0]]), [(0,), (1,), (2,)], "exponential")[0]
    assert logs.tolist() == pytest.approx([0.0, -5000 - np.log(2), -9000 - np.log(2)])


SAID: dict[str, Callable[[], object]] = {
    "NoisyMax.candidates: 1, wanted": lambda: dl.NoisyMax(candidates=1),
    "wanted k below the number of candidates, 3": lambda: dl.NoisyMax(candidates=3, k=3, added="gumbel"),
    'wanted added = "gumbel" where k is above 1': lambda: dl.NoisyMax(candidates=3, k=2),
    "24,360 outputs is too large, use method group, which needs no law (limit noise.choices": lambda: (
        dl.NoisyMax(candidates=30, k=3, added="gumbel", scale=1.0).mechanism(Lattice((Fraction(1),) * 30)).choices
    ),
    "noise.candidates: 4, wanted 3 answers that the same groups of records move": lambda: dl.audit(
        dl.Release(DAYS, THREE, dl.NoisyMax(candidates=4, scale=1.0))
    ),
    "noise.candidates: 3, wanted several counts of the same people": lambda: dl.audit(
        dl.Release(HOMES, "count", dl.NoisyMax(candidates=3, scale=1.0))
    ),
    "noise.candidates: 3, wanted one for each of the 2 answers": lambda: WAYS["two largest"].draw((1, 2), STEPS),
    "answers: 1, 1, 0, wanted rank 1 once each, and 0 elsewhere": lambda: next(
        dl.Release(DAYS, THREE, WAYS["permute and flip"]).all_channels()
    ).at([1, 1, 0]),
}


@pytest.mark.parametrize("said", SAID)
def test_refused(said: str) -> None:
    with pytest.raises(dl.errors.DaleniusError) as refused:
        SAID[said]()
    assert said in str(refused.value)
