"""The least error of any mechanism for (α, β): against a linear program written down person by person."""

from math import exp, log, log1p
from pathlib import Path
from random import Random

import numpy as np
import pytest
from scipy.optimize import linprog

import dalenius as dl
from dalenius import Absent, DifferentialIdentifiability, Kernel, Release
from dalenius.optimum.method import OptimalMethod
from tests.cli.command import Run, complaint
from tests.pace import many


def _least_error(answers: list[int], prior: list[float], alpha: float, beta: float) -> float:
    """Minimises Σ_i p_i Σ_r K(r|a_i) |r - a_i| over kernels with a row for each different answer."""
    points = sorted(set(answers))
    size, whose = len(points), [points.index(answer) for answer in answers]
    mass = np.bincount(whose, weights=prior, minlength=size)
    cost = (mass[:, None] * np.abs(np.subtract.outer(points, points))).ravel()
    rows = []
    for output in range(size):
        for person in range(size):
            own, mixture = np.zeros((2, size, size))
            own[person, output] = 1.0
            mixture[:, output] = mass
            rows += [(own - (1 + beta) * mixture).ravel(), ((1 - alpha) * mixture - own).ravel()]
    sums = np.kron(np.eye(size), np.ones(size))
    found = linprog(cost, np.array(rows), np.zeros(len(rows)), sums, np.ones(size), method="highs")
    assert found.status == 0
    assert found.fun is not None
    return float(found.fun)


@pytest.mark.parametrize("seeds", [12, pytest.param(many(400), marks=pytest.mark.slow)])
def test_no_mechanism_has_a_smaller_error(seeds: int) -> None:
    for seed in range(seeds):
        random = Random(seed)
        people = random.randint(2, 6)
        answers = [random.randint(-9, 9) for _ in range(people)]
        weights = [random.randint(1, 9) for _ in range(people)]
        prior = [weight / sum(weights) for weight in weights]
        alpha, beta = random.uniform(0.05, 0.9), random.uniform(0.1, 0.9) * (1 / max(prior) - 1)
        release = Release(Absent(answers=tuple(answers), prior=tuple(prior)), None, dl.Geometric())
        found = dl.calibrate(release, DifferentialIdentifiability(alpha=alpha, beta=beta), "optimal")
        least = _least_error(answers, prior, alpha, beta)
        assert found.optimum is not None
        assert found.optimum.lower_bound <= least * (1 + 1e-7) + 1e-9
        assert found.expected_error == pytest.approx(least, rel=1e-5, abs=1e-7)
        assert found.leakage.upper <= log1p(beta)
        if isinstance(found.noise, Kernel):
            _check_both_sides(found.noise, answers, prior, alpha, beta)


def _check_both_sides(noise: Kernel, answers: list[int], prior: list[float], alpha: float, beta: float) -> None:
    """Every output keeps both ends for everybody, and some output comes up to one of them."""
    place = {answer: row for row, answer in enumerate(noise.answers)}
    rows = np.array([noise.probabilities[place[answer]] for answer in answers])
    mixture = np.array(prior) @ rows
    ratios = rows[:, mixture > 1e-12] / mixture[mixture > 1e-12]
    assert ratios.max() <= (1 + beta) * (1 + 1e-9)
    assert ratios.min() >= (1 - alpha) * (1 - 1e-9)
    # Unless the same output is as good for all answers, noise for a 2 % stricter promise would err more.
    constant = ratios.max() - ratios.min() < 1e-9
    assert constant or ratios.max() > 1 + 0.98 * beta or ratios.min() < 1 - 0.98 * alpha


def test_it_is_far_below_exact_geometric_noise() -> None:
    answers = list(range(36, 46))
    release = Release(Absent(answers=tuple(answers)), None, dl.Geometric())
    notion = DifferentialIdentifiability(alpha=0.5, beta=1.0)
    optimal, exact = dl.calibrate(release, notion, "optimal"), dl.calibrate(release, notion, "exact")
    assert optimal.expected_error == pytest.approx(_least_error(answers, [0.1] * 10, 0.5, 1.0), rel=1e-6)
    assert exact.expected_error > 3 * optimal.expected_error


@pytest.mark.parametrize("objective", ["squared", "worst"])
def test_other_objectives_keep_the_promise(objective: str) -> None:
    release = Release(Absent(answers=(0, 1, 5, 9)), None, dl.Geometric())
    notion = DifferentialIdentifiability(alpha=0.5, beta=1.0)
    made = OptimalMethod().with_objective(objective).calibrate(release, notion)
    assert made.leakage.upper <= log(2)
    assert made.optimum is not None
    assert made.optimum.achieved == pytest.approx(made.optimum.lower_bound, rel=1e-4)


def test_a_table_on_the_command_line(tmp_path: Path, run: Run) -> None:
    (tmp_path / "people.csv").write_text("given\n1\n2\n6\n", encoding="utf-8")
    spec = tmp_path / "spec.toml"
    notion = '[notion]\nkind = "identifiability"\nalpha = 0.5\nbeta = 1\n'
    text = f'[model]\nkind = "absent"\n[query]\nkind = "QUERY"\n{notion}[data]\nfile = "people.csv"\nvalue = "given"\n'
    spec.write_text(text.replace("QUERY", "sum"), encoding="utf-8")
    found = run("calibrate", spec, "--method", "optimal", "--json").json
    least = _least_error([8, 7, 3], [1 / 3] * 3, 0.5, 1.0)
    assert found["expected_error"] == pytest.approx(least, rel=1e-5)
    assert exp(-found["leakage"]["lowered"]) >= 0.5 * (1 - 1e-9)
    spec.write_text(text.replace("QUERY", "variance"), encoding="utf-8")
    said = complaint(run("calibrate", spec, "--method", "optimal"))
    assert "model.answers: on no known lattice, wanted whole numbers with this method" in said


REFUSED = {
    "bounds": (Absent(answers=(0, 1, 5), prior=dl.PriorRange(max=0.5)), "model.prior: min and max, wanted uniform"),
    "many": (Absent(answers=tuple(range(65))), "65 different answers"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_program_does_not_serve_is_refused(name: str) -> None:
    model, said = REFUSED[name]
    with pytest.raises(dl.DaleniusError, match=said):
        dl.calibrate(Release(model, None, dl.Geometric()), DifferentialIdentifiability(alpha=0.5, beta=0.5), "optimal")
