"""Several answers about who is absent, together: against every output of a grid, in numbers of fifty digits."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import mpmath
import pytest
from hypothesis import given, strategies as st

import dalenius as dl
from dalenius import Absent, DifferentialIdentifiability, Laplace, Release, Releases, RhoIdentifiability
from tests.cli.command import Run
from tests.pace import draws
from tests.reference import belief as reference


def _release(answers: Sequence[int], scale: float, prior: Any = "uniform") -> Release:
    return Release(Absent(answers=tuple(answers), prior=prior), None, Laplace(scale=scale))


def _everywhere(asked: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Outputs at every person's answers, and beyond all of them, coordinate by coordinate."""
    return list(product(*(sorted({*each, min(each) - 1, max(each) + 1}) for each in asked)))


def _worst(prior: Sequence[Fraction], asked: Sequence[Sequence[int]], scales: Sequence[Fraction]) -> tuple[Any, ...]:
    """The smallest and the largest posterior/prior, and the largest posterior."""
    first = [reference.number(p) for p in prior]
    found = []
    for outputs in _everywhere(asked):
        posterior = first
        for answers, output, scale in zip(asked, outputs, scales, strict=True):
            posterior = reference.posterior(posterior, answers, output, scale)
        found.append(posterior)
    ratios = [after / before for each in found for after, before in zip(each, first, strict=True)]
    return min(ratios), max(ratios), max(max(each) for each in found)


@st.composite
def several(draw: st.DrawFn) -> tuple[list[Fraction], list[list[int]], list[Fraction]]:
    people, questions = draw(st.integers(2, 5)), draw(st.integers(1, 3))
    weights = draw(st.lists(st.integers(1, 9), min_size=people, max_size=people))
    each = st.lists(st.integers(-4, 4), min_size=people, max_size=people)
    scales = draw(st.lists(st.integers(1, 40), min_size=questions, max_size=questions))
    prior = [Fraction(weight, sum(weights)) for weight in weights]
    return prior, draw(st.lists(each, min_size=questions, max_size=questions)), [Fraction(s, 4) for s in scales]


@given(several())
@draws(400)
def test_the_joint_route_is_exact_and_addition_is_above(
    drawn: tuple[list[Fraction], list[list[int]], list[Fraction]],
) -> None:
    prior, asked, scales = drawn
    given = tuple(float(p) for p in prior)
    beta = 0.9 * (1 / max(given) - 1)
    each = [_release(answers, float(scale), given) for answers, scale in zip(asked, scales, strict=True)]
    smallest, largest, suspected = _worst([Fraction(p) for p in given], asked, scales)
    notion = DifferentialIdentifiability(alpha=0.3, beta=beta)
    exact = max(mpmath.log(largest), mpmath.log(1 + notion.beta) / mpmath.log(1 - notion.alpha) * mpmath.log(smallest))
    found = dl.compose(each, notion)
    joint, added = found.each["joint"].bound, found.each["addition"].bound
    assert joint is not None
    assert added is not None
    assert joint.value.lower <= exact <= joint.value.upper
    assert joint.value.upper - joint.value.lower <= 1e-11 * (1 + float(exact))
    assert added.upper >= joint.value.lower
    rho = dl.compose(each, RhoIdentifiability()).each["joint"].bound
    assert rho is not None
    assert rho.value.lower <= -mpmath.log(1 - suspected) <= rho.value.upper


def test_one_answer_leaks_what_an_audit_says() -> None:
    release, notion = _release((0, 1, 5), 2.0), DifferentialIdentifiability(alpha=0.5, beta=1.0)
    found, alone = dl.compose([release], notion), notion.leakage(release)
    assert found.route == "joint"
    assert found.bound.upper == pytest.approx(alone.upper, rel=1e-12)


def test_adaptive_questions_have_no_joint_law() -> None:
    each = (_release((0, 1, 5), 2.0), _release((1, 0, 0), 3.0))
    found = dl.compose(Releases(each, adaptive=True), DifferentialIdentifiability(alpha=0.5, beta=1.0))
    assert found.route == "addition"
    assert found.each["joint"].reason is not None
    moved = 5 / 2 + 1 / 3
    least = 1 / (1 / 3 + 2 / 3 * mpmath.exp(moved))
    assert found.bound.upper == pytest.approx(float(-mpmath.log(least)), rel=1e-9)


def test_priors_within_bounds_add_up_only() -> None:
    each = [_release((0, 1, 5), 2.0, dl.PriorRange(min=0.2, max=0.5))] * 2
    found = dl.compose(each, DifferentialIdentifiability(alpha=0.5, beta=0.5))
    assert found.route == "addition"


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (_release((0, 1), 2.0), r"releases row 2\.model: 2 people, wanted 3, as in release 1"),
        (Release(Absent(answers=(0, 1, 5)), None, dl.Gaussian(scale=9)), "gaussian noise: laplace or geometric is"),
    ],
)
def test_what_has_no_joint_law_says_why(other: Release, said: str) -> None:
    each = [_release((0, 1, 5), 2.0), other]
    with pytest.raises(dl.InputError, match=said):
        dl.compose(each, DifferentialIdentifiability(alpha=0.5, beta=1.0), route="joint")


def test_another_prior_is_another_model() -> None:
    with pytest.raises(dl.InputError, match=r"releases row 2\.model: absent, wanted the model of release 1"):
        Releases((_release((0, 1, 5), 2.0), _release((0, 1, 5), 2.0, (0.5, 0.3, 0.2))))


def test_two_questions_of_one_table_on_the_command_line(tmp_path: Path, run: Run) -> None:
    (tmp_path / "people.csv").write_text("age,given\n30,1\n40,5\n50,2\n", encoding="utf-8")
    rest = '[notion]\nkind = "identifiability"\nalpha = 0.5\nbeta = 1\n[data]\nfile = "people.csv"\nvalue = '
    for name, value, scale in (("a", "age", 30), ("b", "given", 6)):
        noise = f'[noise]\nkind = "geometric"\nscale = {scale}\n'
        text = '[model]\nkind = "absent"\n[query]\nkind = "sum"\n' + noise + rest + f'"{value}"\n'
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    found = run("compose", tmp_path / "a.toml", tmp_path / "b.toml", "--json").json
    third = [Fraction(1, 3)] * 3
    smallest, largest, _ = _worst(third, [[90, 80, 70], [7, 3, 6]], [Fraction(30), Fraction(6)])
    assert found["route"] == "joint"
    assert found["epsilon"] == pytest.approx(float(max(mpmath.log(largest), -mpmath.log(smallest))), rel=1e-6)
