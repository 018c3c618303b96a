"""The figures of DI on UCI Adult: the numbers its text prints, and ours."""

from fractions import Fraction
from math import log, log1p

import pytest

from dalenius.composition import Accountant, uniform_belief
from dalenius.left_out import left_out_of
from papers.adult import numeric_attributes
from papers.numbers import data_folder
from tests.papers.scripts.figures import NEEDS_DATA, Outcome, outcome_of

pytestmark = [pytest.mark.slow, NEEDS_DATA]
PEOPLE = 32_561


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return outcome_of("identifiability", tmp_path_factory.mktemp("identifiability"))


def test_the_sum_of_hours_is_the_paper_s(outcome: Outcome) -> None:
    ours = [number.ours for number in outcome.numbers if number.where == "Fig 1(d)"]
    scale = 98 / log1p(0.008 / (1 - 1.008 / PEOPLE))  # α allows more: ln(1 + .008/(.992(1 - 1/n)))
    assert ours[0] == pytest.approx(scale / 1_316_684, rel=1e-12)
    assert f"{ours[0]:.0e}" == "9e-03"
    accountant = Accountant(0.008, 0.008, uniform_belief(PEOPLE))
    hours = numeric_attributes(data_folder())["hours-per-week"]
    assert ours[1] == pytest.approx(accountant.least_scale(left_out_of((-hours).tolist())) / 1_316_684, rel=1e-10)
    assert ours[1] == pytest.approx(5.580882e-3, rel=1e-6)


def test_the_greatest_loss_is_not(outcome: Outcome) -> None:
    """Nor does any reading of Θ give the paper's .1; the definition is not bent to it."""
    ours = [number.ours for number in outcome.numbers if number.where == "Fig 1(c)"]
    assert ours == pytest.approx([1 / log(2), 0, 456 / 4356 / log(2)], rel=1e-4)


def test_sensitivities(outcome: Outcome) -> None:
    table = outcome.rows("identifiability_table_2")
    found = {(row["query"], row["attribute"]): row for row in table}
    assert len(found) == 20
    hours = found["sum", "hours-per-week"]
    assert (hours["answer"], hours["theta_universe"], hours["theta_this_table"]) == ("1316684.0", "98.0", "98.0")
    age = found["average", "age"]
    assert float(age["theta_this_table"]) == pytest.approx(float(Fraction(90 - 17, PEOPLE - 1)), rel=1e-15)
    loss = found["max", "capital-loss"]
    assert (loss["theta_universe"], loss["theta_this_table"], loss["theta_each_value_once"]) == (
        "4356.0",
        "0.0",
        "456.0",
    )


@pytest.mark.parametrize(("figure", "people", "limit"), [(1, PEOPLE, 100.0), (2, None, 9.0)])
def test_every_point_of_a_figure_is_theorem_3(outcome: Outcome, figure: int, people: int | None, limit: float) -> None:
    rows = outcome.rows(f"identifiability_figure_{figure}")
    assert {row["panel"] for row in rows} == {"a", "b", "c", "d"}
    least = 1 / people if people else 0.0
    for row in rows[::37]:
        alpha, beta, theta = float(row["alpha"]), float(row["beta"]), float(row["theta"])
        assert beta < limit * (1 + 1e-6)
        low = log((1 + least * (alpha - 1)) / ((1 - alpha) * (1 - least)))
        high = log((1 + beta) * (1 - least) / (1 - least * (1 + beta)))
        assert float(row["scale"]) == pytest.approx(theta * max(1 / low, 1 / high), rel=1e-4)
        if row["query"] == "min(capital-gain)":
            assert row["scale_over_answer"] == ""
        else:
            assert float(row["scale_over_answer"]) == pytest.approx(float(row["scale"]) / float(row["answer"]))
