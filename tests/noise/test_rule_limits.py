"""Rules of offices that cannot be, and those that are far wider than all answers."""

from math import log

import pytest

import dalenius as dl
from dalenius.errors import InputError
from dalenius.noise import CellKey, Rounding, Steps, Suppression


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (lambda: Rounding(base=0), "Rounding.base: 0, wanted"),
        (lambda: Rounding(), "either a base or bands"),
        (lambda: Rounding(base=3, bands=[[0, 1]]), "either a base or bands"),
        (lambda: Rounding(how="nearest", bands=[[0, 1], [15, 10], [15, 50]]), "bands whose counts begin at 0 and rise"),
        (lambda: Rounding(how="nearest", bands=[[5, 1]]), "bands whose counts begin at 0 and rise"),
        (lambda: Rounding(bands=[[0, 1]]), 'how = "nearest" beside bands'),
        (lambda: Suppression(below=0), "Suppression.below: 0"),
        (lambda: Suppression(below=3, to=-1), "Suppression.to: -1"),
        (lambda: CellKey(d=2, v=1.0), "v of at most 0.931: count 1 has no more variance within ±2"),
        (lambda: CellKey(d=5, v=1.0, js=2), "a larger v: count 1 has no moves of mean 0 within ±5 and of variance 1"),
        (lambda: CellKey(d=1, v=0.5, js=2), "js of at most d = 1"),
        (lambda: CellKey(d=0, v=0.5), "CellKey.d: 0"),
        (lambda: CellKey(rows=[[[0, 1]], [[-2, 1], [1, 1]]]), r"no count below 0 after a move .row 2 moves 1 by -2"),
        (lambda: Steps(steps=[Rounding(base=3), dl.Geometric(scale=1)]), r"step 2 is geometric"),
        (lambda: Steps(steps=1.5), "Steps.steps: 1.5, wanted"),
        (lambda: Steps(steps={"kind": "rounding"}), "Steps.steps: "),
        (lambda: Steps(steps=[dl.Geometric(scale=1)]), "a rule after the geometric noise"),
        (lambda: Steps(steps=[Rounding(base=3)], scale=2), "no scale beside steps that are all rules"),
        (
            lambda: Steps(steps=[dl.Geometric(scale=1), Rounding(base=3)], scale=2),
            r"one scale .*2 and 1\)",
        ),
    ],
)
def test_wrong_rules_are_refused(given: object, wanted: str) -> None:
    with pytest.raises(InputError, match=wanted.replace("[", r"\[")):
        given()  # type: ignore[operator]


def test_another_scale_takes_the_place_of_the_first() -> None:
    assert Steps(steps=[dl.Geometric(scale=1.0), Rounding(base=3)]).with_scale(2.0).known_scale() == 2.0


@pytest.mark.parametrize("noise", [Suppression(below=1e20), Rounding(base=10**21, how="nearest")])
def test_a_rule_that_is_far_wider_than_all_answers_says_nothing(noise: dl.Rounding | dl.Suppression) -> None:
    homes = dl.Households(count=2, infected=[0.5, 0.2, 0.2, 0.1])
    assert dl.InferentialPrivacy().leakage(dl.Release(homes, dl.Count(), noise)).upper < 1e-12


def test_a_base_far_beyond_all_answers_keeps_their_mean() -> None:
    # The chance of the upper output is the answer over the base, so that its ratio is that of 2 to 1 for one person.
    alone = dl.Independent(n=1, values=[1, 2], probabilities=[[0.5, 0.5]])
    found = dl.InferentialPrivacy().leakage(dl.Release(alone, dl.Sum(lower=1, upper=2), Rounding(base=10**21)))
    assert found.lower <= log(2) <= found.upper < log(2) + 1e-12


@pytest.mark.parametrize(
    ("noise", "limit"),
    [
        (Suppression(below=3, to=1e25), "laws.largest_index"),
        (Suppression(below=3, to=1e-9), "noise.rule_outputs"),
        (CellKey(rows=[[[0, 1]], [[10**20, 1]]]), "laws.largest_index"),
    ],
)
def test_outputs_too_far_apart_are_refused(noise: dl.Suppression | dl.CellKey, limit: str) -> None:
    release = dl.Release(dl.Households(count=2, infected=[0.5, 0.2, 0.2, 0.1]), dl.Count(), noise)
    with pytest.raises(dl.TooLarge, match=rf"the outputs of the rule: .* numbers in a row is too large.*{limit}"):
        dl.InferentialPrivacy().leakage(release)
