"""Several releases together: group losses add, and bound what the joint channel tells; leakages do not add.

`dalenius compose`: several specs, the tightest route, and the reasons of the others.
"""

from fractions import Fraction
from itertools import product
from math import exp, fsum, inf, log
from pathlib import Path

import numpy as np
import pytest

import dalenius as dl
from dalenius.composition import Releases, compose, group_loss, together
from dalenius.noise import Noise, separate
from tests.cases import in_turn
from tests.cli.command import Run, complaint

Joint = dict[tuple[int, ...], float]
PAIR: Joint = {(0, 0): 0.9, (1, 1): 0.1}
XOR: Joint = {(0, 0, 0): 0.25, (0, 1, 1): 0.25, (1, 0, 1): 0.25, (1, 1, 0): 0.25}
LONE: Joint = {(0,): 0.7, (1,): 0.3}


def release(joint: Joint, noise: Noise) -> dl.Release:
    return dl.Release(dl.Table(records=tuple(joint), probabilities=tuple(joint.values())), dl.Count(), noise)


def jointly(joint: Joint, scales: tuple[float, ...], known: int = 0) -> float:
    """max over outputs of log W(y|X_known=s)/W(y|X_known=s'), one geometric output per scale, by enumeration."""
    largest = -inf
    for outputs in product(range(-1, len(next(iter(joint))) + 2), repeat=len(scales)):
        mass, prior = [0.0, 0.0], [0.0, 0.0]
        for row, probability in joint.items():
            likelihood = exp(-fsum(abs(y - sum(row)) / b for y, b in zip(outputs, scales, strict=True)))
            mass[row[known]] += probability * likelihood
            prior[row[known]] += probability
        largest = max(largest, abs(log(mass[1] / prior[1]) - log(mass[0] / prior[0])))
    return largest


def test_group_loss_is_the_group_s_reach_over_the_scale() -> None:
    model = dl.Households(
        types=(dl.HouseholdType(count=2, infected=(0.5, 0.5)), dl.HouseholdType(count=1, infected=(0.5, 0, 0, 0.5)))
    )
    for noise in (dl.Geometric(scale=2.5), dl.Laplace(scale=2.5)):
        assert group_loss(dl.Release(model, dl.Count(), noise)) == pytest.approx(3 / 2.5)
    assert dl.Release(model, dl.Count(), noise).worlds.group_sensitivity == (Fraction(3), 3)
    assert group_loss(dl.Release(model, dl.Count(), dl.NoNoise())) == inf


@in_turn({"joint": [PAIR, XOR, LONE], "scales": [(1.0,), (1.0, 1.0), (0.5, 2.0), (2.0, 3.0, 1.5)]})
def test_together_bounds_the_joint_channel(joint: Joint, scales: tuple[float, ...]) -> None:
    losses = [group_loss(release(joint, dl.Geometric(scale=scale))) for scale in scales]
    for known in range(len(next(iter(joint)))):
        assert jointly(joint, scales, known) <= together(losses)


def test_inferential_leakages_do_not_add() -> None:  # Result 9.1: why the ledger adds group losses instead
    once = dl.InferentialPrivacy().leakage(release(XOR, dl.Geometric(scale=1))).epsilon
    assert once == pytest.approx(jointly(XOR, (1.0,)), abs=1e-9)
    assert jointly(XOR, (1.0, 1.0)) > 2 * once


K = ((0.64, 0.36), (0.36, 0.64))
MATRIX = dl.Kernel(answers=(0, 1), probabilities=K)
MOVES = dl.Relocation(lower=0, upper=1, leaves=(0.6, 0.6), moves=((0.4, 0.6), (0.6, 0.4)), shares=((1,), (1,)))
"""The same mechanism, of which the loss between answers anywhere is not looked for."""


def test_a_matrix_on_two_coordinates_is_charged_for_both() -> None:
    model = dl.Table(records=((0,), (1,)), probabilities=(0.5, 0.5))
    lost = 2 * log(0.64 / 0.36)
    for noise, most in ((MATRIX, lost * (1 + 1e-12)), (MOVES, inf)):
        twice = dl.Release(model, dl.Several(queries=(dl.Count(), dl.Count())), noise)
        assert lost <= group_loss(twice) <= most
        found = dl.InferentialPrivacy().leakage(twice)
        assert found.lower <= lost * (1 + 1e-12)
        assert found.upper <= group_loss(twice) * (1 + 1e-12)


def test_a_group_pays_each_answer_by_its_own_noise() -> None:
    """A count under much noise beside a sum under more: not the whole distance at the least noise."""
    model = dl.Table(records=((0, 0), (100, 100)), probabilities=(0.9, 0.1))
    noise = separate((dl.Laplace(scale=2.0), dl.Laplace(scale=400.0)))
    release_of_both = dl.Release(model, dl.Several(queries=(dl.Count(values=(100,)), dl.Sum())), noise)
    lost = 2 * (1 / 2 + 100 / 400)
    assert lost <= group_loss(release_of_both) <= lost * (1 + 1e-12)
    assert dl.InferentialPrivacy().leakage(release_of_both).upper == pytest.approx(lost, rel=1e-9)  # attained


def test_groups_pay_for_the_releases_that_ask_them_only() -> None:
    """The group that loses most in one release is not that of the other: the largest of the sums, not their sum."""
    homes = dl.Households(
        types=(
            dl.HouseholdType(count=2, infected=(0.5, 0.2, 0.3), members={"a": 2}),
            dl.HouseholdType(count=3, infected=(0.5, 0.2, 0.1, 0.2), members={"b": 3}),
        )
    )
    releases = Releases(
        (
            dl.Release(homes, dl.Count(labels=("a",)), dl.Laplace(scale=1.0)),
            dl.Release(homes, dl.Count(labels=("b",)), dl.Geometric(scale=2.0)),
        ),
        adaptive=True,
    )
    assert [group_loss(each) for each in releases.each] == pytest.approx([2.0, 1.5])
    found = compose(releases, dl.BayesianPrivacy(), "group").bound.upper
    assert 2.0 <= found <= 2.0 * (1 + 1e-12)


def test_random_answers_under_random_noises_never_lose_more() -> None:
    """Against the largest weighted distance of any two assignments of a group, by enumeration."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        values = [int(value) for value in rng.choice(20, 3, replace=False)]
        rows = [tuple(rng.choice(values, 2).tolist()) for _ in range(4)]
        model = dl.Table(records=tuple(dict.fromkeys(rows)), probabilities=(1 / len(set(rows)),) * len(set(rows)))
        held = [sorted({row[place] for row in rows}) for place in (0, 1)]
        counted, scales = held[0][0], rng.uniform(0.5, 30.0, 2).tolist()
        noise = separate((dl.Laplace(scale=scales[0]), dl.Geometric(scale=scales[1])))
        asked = dl.Release(model, dl.Several(queries=(dl.Count(values=(counted,)), dl.Sum())), noise)
        lost = [_furthest(records, counted, scales) for records in (held, held[:1], held[1:])]
        assert lost[0] * (1 - 1e-12) <= group_loss(asked) <= (lost[1] + lost[2]) * (1 + 1e-12) + 1e-12


def _furthest(records: list[list[int]], counted: int, scales: list[float]) -> float:
    answers = [(sum(value == counted for value in each), sum(each)) for each in product(*records)]
    return float(max(abs(a - c) / scales[0] + abs(b - d) / scales[1] for a, b in answers for c, d in answers))


HOME = """
model = { kind = "households", count = 2, infected = [0.9, 0.04, 0, 0, 0.06] }
query = { kind = "count" }
noise = { kind = "geometric", scale = 8.0 }
"""
PARITY = """
model = { kind = "table", records = [
    [0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1],
], probabilities = [0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125], labels = ["a", "b", "c"] }
query = { kind = "count", labels = {labels} }
noise = { kind = "kernel", answers = [0, 1, 2, 3], outputs = ["even", "odd"], probabilities = [
    [1, 0], [0, 1], [1, 0], [0, 1],
] }
"""


def specs_in(folder: Path, *texts: str) -> list[Path]:
    paths = [folder / f"spec{number}.toml" for number, _ in enumerate(texts, 1)]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def test_the_best_route_and_all_others(tmp_path: Path, run: Run) -> None:
    one, two = specs_in(tmp_path, HOME, HOME.replace("8.0", "4.0"))
    shown = run("compose", one, two, "--json").json
    assert set(shown) == {
        *("notion", "rule", "adaptive", "releases", "route", "delta", "epsilon", "lower", "upper", "witness"),
        *("hypotheses", "is_bound", "routes", "seconds"),
    }
    assert shown["route"] == "joint"
    assert shown["epsilon"] == shown["upper"] == pytest.approx(1.383974, rel=1e-6)
    assert shown["routes"]["conversion"]["upper"] == pytest.approx(1.383974, rel=1e-6)
    assert shown["routes"]["group"]["upper"] == pytest.approx(1.5)
    assert [each["noise"]["scale"] for each in shown["releases"]] == [8.0, 4.0]
    text = run("compose", one, two).out
    assert "What 2 releases leak together, inferential" in text
    assert "joint (the least)" in text


def test_adaptive_and_a_delta(tmp_path: Path, run: Run) -> None:
    (one,) = specs_in(tmp_path, HOME)
    shown = run("compose", one, one, "--adaptive", "--delta", "0.01", "--json").json
    assert (shown["adaptive"], shown["delta"], shown["notion"]["delta"]) == (True, 0.01, 0.01)
    assert shown["routes"]["joint"]["why"].startswith("later questions depend on earlier outputs")
    assert shown["upper"] < 0.9125


def test_three_parities_are_refused_to_be_added(tmp_path: Path, run: Run) -> None:
    texts = (PARITY.replace("{labels}", labels) for labels in ('["a", "b"]', '["b", "c"]', '["a", "b", "c"]'))
    specs = specs_in(tmp_path, *texts)
    shown = run("compose", *specs, "--json").json
    assert (shown["route"], shown["upper"]) == ("joint", "inf")
    said = complaint(run("compose", *specs, "--route", "sum"), code=2)
    assert said == "route: sum, wanted one that inferential has: joint, conversion, weak_dependence, group"


def test_bad_input(tmp_path: Path, run: Run) -> None:
    specs = specs_in(tmp_path, HOME, HOME.replace(", scale = 8.0", ""))
    missing = "noise.scale: missing, wanted a finite number above 0 (dalenius calibrate finds it)"
    assert complaint(run("compose", *specs, "--json")).endswith(f"spec2.toml: {missing}")


def test_two_notions_are_not_composed(tmp_path: Path, run: Run) -> None:
    kinds = ('kind = "information"\nepsilon = 1.0', 'kind = "information"\nfactor = 2', 'kind = "differential"')
    specs = specs_in(tmp_path, *(f"{HOME}\n[notion]\n{kind}\n" for kind in kinds))
    assert run("compose", *specs[:2], "--json").json["route"] == "joint"
    said = complaint(run("compose", *specs), code=2)
    assert said.endswith("spec3.toml: notion.kind: differential, wanted information, as before: one notion is composed")
