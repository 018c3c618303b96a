"""[adversary] answers in the commands."""

from pathlib import Path

import pytest

from tests.cli.command import complaint, dalenius

SPEC = """
model = { kind = "households", types = [
    { count = 10, infected = [0.7, 0.1, 0.2], members = { staff = 2 } },
    { count = 10, infected = [0.8, 0.2], members = { guests = 1 } },
] }
query = { kind = "count", labels = ["staff"] }
noise = { kind = "geometric", scale = 2.0 }
notion = { kind = "inferential", epsilon = 1.0 }
"""
KNOWN = """
[[adversary.answers]]
query = { kind = "count" }
value = 6
"""
DATA = """
[data]
file = "people.csv"
household = "home"
label = "role"
value = "ill"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "known.toml").write_text(SPEC + KNOWN, encoding="utf-8")
    (tmp_path / "blind.toml").write_text(SPEC, encoding="utf-8")
    homes = [(f"s{i}", "staff", int(i < 2)) for i in range(10) for _ in range(2)]
    alone = [(f"g{i}", "guests", int(i < 2)) for i in range(10)]
    rows = "".join(f"{home},{role},{ill}\n" for home, role, ill in homes + alone)
    (tmp_path / "people.csv").write_text("home,role,ill\n" + rows, encoding="utf-8")
    return tmp_path


def test_what_is_known_decides_what_leaks(folder: Path) -> None:
    known, blind = (dalenius("audit", folder / f"{name}.toml", "--json").json for name in ("known", "blind"))
    assert known["why"].endswith("; given 1 known answer")
    assert known["leakage"]["differential"]["epsilon"] == blind["leakage"]["differential"]["epsilon"]
    assert known["leakage"]["inferential"]["epsilon"] != blind["leakage"]["inferential"]["epsilon"]
    found = dalenius("posterior", folder / "known.toml", "--answers", "4", "--json").json
    people = found["people"]
    assert {each["person"] for each in people} == {1, 21}


def test_released_once(folder: Path) -> None:
    (folder / "release.toml").write_text(SPEC + KNOWN + DATA, encoding="utf-8")
    found = dalenius("release", folder / "release.toml", "--budget", "3", "--json").json
    known = "the adversary knows one exact answer, how many records are 1 = 6"
    assert known in found["certificate"]["hypotheses"]
    (folder / "again.toml").write_text(SPEC.replace("= 1.0", "= 0.5") + KNOWN + DATA, encoding="utf-8")
    said = complaint(dalenius("release", folder / "again.toml", "--budget", "3"), code=1)
    assert "after 1 earlier of the same data, would spend inf of a budget of 3 nats" in said


def test_the_table_must_have_that_total(folder: Path) -> None:
    (folder / "release.toml").write_text(SPEC + KNOWN.replace("6", "7") + DATA, encoding="utf-8")
    said = complaint(dalenius("release", folder / "release.toml", "--budget", "3"))
    assert "adversary.answers row 1: 7, wanted what the table answers: totals that are known must be so" in said
