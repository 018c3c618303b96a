"""People's processes, fitted: the counts by hand, the true law found again, and the command."""

from pathlib import Path
from random import Random

import numpy as np
import pytest

import dalenius as dl
from dalenius.errors import InputError
from dalenius.fitting.processes import fit_linked
from tests.cli.command import dalenius

FIRST = [0.7, 0.3]
STEPS = [[[0.9, 0.1], [0.4, 0.6]], [[0.5, 0.5], [0.2, 0.8]]]


def processes(people: int, steps: list[list[list[float]]] = STEPS, seed: int = 1) -> list[list[int]]:
    random, found = Random(seed), []
    for _ in range(people):
        own = [int(random.random() < FIRST[1])]
        for step in steps:
            own.append(int(random.random() < step[own[-1]][1]))
        found.append(own)
    return found


def test_probabilities_are_smoothed_shares() -> None:
    people = processes(50)
    found = fit_linked(people, smoothing=2.0)
    for place, step in enumerate(np.array(found.model.transition)):
        for before in (0, 1):
            own = [each[place + 1] for each in people if each[place] == before]
            assert step[before][1] == pytest.approx((sum(own) + 1) / (len(own) + 2))
    within = found.model.within
    assert isinstance(within, dl.Independent)
    assert found.observations == within.n == 50
    assert within.probabilities[0][1] == pytest.approx((sum(each[0] for each in people) + 1) / 52)


def test_the_true_law_is_found_and_its_steps_told_apart() -> None:
    found = fit_linked(processes(40_000))
    assert np.abs(np.array(found.model.transition) - np.array(STEPS)).max() < 0.02
    assert found.same_steps.p_value is not None
    assert found.same_steps.p_value < 1e-6
    alike = fit_linked(processes(4000, [STEPS[0]] * 2))
    assert (alike.same_steps.p_value or 0.0) > 1e-4
    assert all((each.p_value or 0.0) < 1e-6 for each in alike.steps)


def test_what_makes_no_processes_is_refused() -> None:
    with pytest.raises(InputError, match=r"^people: 1, wanted a value of each person at each of the 2 stages"):
        fit_linked([[0, 1], [1, 0, 1], [1, 1]])
    with pytest.raises(InputError, match=r"^stages: 1, wanted from 2 to 64"):
        fit_linked([[0], [1]])
    with pytest.raises(InputError, match=r"^people: 1, wanted at least 2"):
        fit_linked([[0, 1]])


def test_the_command_writes_a_section_that_an_audit_reads(tmp_path: Path) -> None:
    lines = [f"{who},{year},{value}" for who, own in enumerate(processes(30)) for year, value in enumerate(own, 2020)]
    Random(2).shuffle(lines)
    (tmp_path / "visits.csv").write_text("id,year,ill\n" + "\n".join(lines) + "\n")
    spec = tmp_path / "linked.toml"
    fit = ("fit", "--model", "linked", "--data", tmp_path / "visits.csv", "--value", "ill", "--order", "year")
    shown = dalenius(*fit, "--sequence", "id", "--json").json
    assert shown["model"]["coupling"] == "chain"
    assert shown["model"]["transition"] == np.array(fit_linked(processes(30)).model.transition).tolist()
    assert (shown["fit"]["stages"], len(shown["fit"]["steps"])) == (3, 2)
    assert dalenius(*fit, "--sequence", "id", "--out", spec).code == 0
    asked = (
        '[query]\nkind = "stage"\nstage = "3"\nquery = { kind = "count" }\n[noise]\nkind = "geometric"\nscale = 2.0\n'
    )
    spec.write_text(spec.read_text() + asked)
    assert dalenius("audit", spec, "--json").json["leakage"]["inferential"]["upper"] <= 0.5 + 1e-9
    assert "--sequence: missing" in dalenius(*fit).err
