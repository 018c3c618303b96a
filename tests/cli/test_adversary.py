"""[adversary] known, through the command."""

from pathlib import Path

import pytest

from tests.cli.command import Run, complaint, dalenius

CHAIN = """
[model]
kind = "chain"
n = 7
initial = "stationary"
transition = [[0.8, 0.2], [0.2, 0.8]]
[query]
kind = "count"
[noise]
kind = "laplace"
scale = 2.0
[secrets]
people = [4]
"""


def spec(folder: Path, known: str, text: str = CHAIN) -> Path:
    path = folder / "spec.toml"
    path.write_text(f"{text}[adversary]\nknown = {{ {known} }}\n", encoding="utf-8")
    return path


def test_a_record_between_two_known_ones_is_on_its_own(tmp_path: Path) -> None:
    found = dalenius("audit", spec(tmp_path, '"3" = 1, "5" = 0'), "--json").json
    assert found["leakage"]["inferential"]["epsilon"] == pytest.approx(0.5, abs=1e-12)
    assert found["leakage"]["inferential"]["witness"]["person"] == 4


def test_calibration_is_for_that_adversary(tmp_path: Path) -> None:
    path = spec(tmp_path, '"3" = 1, "5" = 0', CHAIN + '[notion]\nkind = "inferential"\nepsilon = 1.0\n')
    found = dalenius("calibrate", path, "--json").json
    assert found["noise"]["scale"] == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize(
    ("known", "line"),
    [
        ('"9" = 1', "adversary.known.9: 9, wanted a person's number from 1 to 7"),
        ('"Ann" = 1', "adversary.known.Ann: Ann, wanted a person's number or name"),
        ('"2" = 3', "adversary.known.2: 3, wanted a value that record can have [0, 1]"),
        ('"2" = [1]', "adversary.known.2: [1], wanted a number or a text"),
    ],
)
def test_what_cannot_be_known(tmp_path: Path, run: Run, known: str, line: str) -> None:
    assert complaint(run("audit", spec(tmp_path, known))) == line


def test_records_that_cannot_be_so(tmp_path: Path, run: Run) -> None:
    still = CHAIN.replace("[[0.8, 0.2], [0.2, 0.8]]", "[[1.0, 0.0], [0.0, 1.0]]").replace('"stationary"', "[0.5, 0.5]")
    path = spec(tmp_path, '"1" = 0, "2" = 1', still)
    line = "adversary.known: 1 = 0, 2 = 1, wanted values that can occur together"
    assert complaint(run("audit", path)) == line


@pytest.mark.parametrize(
    ("people", "line"),
    [
        ('["Ann"]', "secrets.people: Ann, wanted a person's number or name"),
        ("[0]", "secrets.people row 1: 0, wanted a number of at least 1 or a name"),
        ("[1.5]", "secrets.people row 1: 1.5, wanted a number of at least 1 or a name"),
        ("[8]", "secrets.people: 8, wanted a person's number from 1 to 7"),
    ],
)
def test_secrets_of_nobody(tmp_path: Path, run: Run, people: str, line: str) -> None:
    path = tmp_path / "spec.toml"
    path.write_text(CHAIN.replace("[4]", people), encoding="utf-8")
    assert complaint(run("audit", path)) == line
