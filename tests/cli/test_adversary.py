"""[adversary] known, through the command."""

from pathlib import Path

import pytest

from tests.cli.command import Run, complaint, dalenius, written

CHAIN = """
model = { kind = "chain", n = 7, initial = "stationary", transition = [[0.8, 0.2], [0.2, 0.8]] }
query = { kind = "count" }
noise = { kind = "laplace", scale = 2.0 }
secrets = { people = [4] }
"""


def spec(folder: Path, known: str, text: str = CHAIN) -> Path:
    return written(folder, f"{text}[adversary]\nknown = {{ {known} }}\n")


def test_a_record_between_two_known_ones_is_on_its_own(tmp_path: Path) -> None:
    found = dalenius("audit", spec(tmp_path, '"3" = 1, "5" = 0'), "--json").json
    assert found["leakage"]["inferential"]["epsilon"] == pytest.approx(0.5, abs=1e-12)
    assert found["leakage"]["inferential"]["witness"]["person"] == 4


KNOWN = {
    '"9" = 1': "adversary.known.9: 9, wanted a person's number from 1 to 7",
    '"Ann" = 1': "adversary.known.Ann: Ann, wanted a person's number or name",
    '"2" = 3': "adversary.known.2: 3, wanted a value that record can have [0, 1]",
}
PEOPLE = {
    '["Ann"]': "secrets.people: Ann, wanted a person's number or name",
    "[8]": "secrets.people: 8, wanted a person's number from 1 to 7",
}


def test_what_cannot_be_known(tmp_path: Path, run: Run) -> None:
    assert {known: complaint(run("audit", spec(tmp_path, known))) for known in KNOWN} == KNOWN
    still = CHAIN.replace("[[0.8, 0.2], [0.2, 0.8]]", "[[1.0, 0.0], [0.0, 1.0]]").replace('"stationary"', "[0.5, 0.5]")
    said = complaint(run("audit", spec(tmp_path, '"1" = 0, "2" = 1', still)))
    assert said == "adversary.known: 1 = 0, 2 = 1, wanted values that can occur together"


def test_secrets_of_nobody(tmp_path: Path, run: Run) -> None:
    texts = {people: CHAIN.replace("[4]", people) for people in PEOPLE}
    assert {people: complaint(run("audit", written(tmp_path, text))) for people, text in texts.items()} == PEOPLE
