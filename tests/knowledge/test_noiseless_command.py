"""Noiseless privacy, through the commands."""

from pathlib import Path

import pytest

from tests.cli.command import Run, complaint, dalenius, written

SPEC = """
model = { kind = "independent", n = PEOPLE, probabilities = [0.3] }
query = { kind = "count" }
noise = { kind = "NOISE" }
notion = { kind = "noiseless", epsilon = 0.5, delta = 1e-5, known_fraction = 0.5 }
"""


def spec(folder: Path, n: int, noise: str) -> Path:
    return written(folder, SPEC.replace("PEOPLE", str(n)).replace("NOISE", noise))


def test_audit_reads_it_and_says_which_outputs_tell(tmp_path: Path) -> None:
    path = spec(tmp_path, 2000, "none")
    found = dalenius("audit", path, "--json", "--epsilon", "0.2").json["leakage"]["noiseless"]
    assert found["epsilon"] == pytest.approx(0.2360848, abs=1e-6)
    assert found["delta_lower"] <= found["delta"] <= found["delta_upper"]
    assert found["delta"] > 1e-5
    ((low, high),) = found["witness"]["outputs"]
    assert low < high < 300
    assert "1,000 records of other groups known" in found["witness"]["who"]
    shown = dalenius("audit", path, "--epsilon", "0.2").out
    assert "noiseless delta at epsilon 0.2: " in shown
    assert f"outputs {low:g} to {high:g}" in " ".join(shown.split())


def test_where_no_noise_is_not_enough(tmp_path: Path, run: Run) -> None:
    path = spec(tmp_path, 60, "geometric")
    said = complaint(run("calibrate", path, "--method", "noiseless"), 1)
    assert said.startswith("without noise: epsilon = ∞ at delta = 1e-05, and delta = 0.03")


def test_release_of_enough_people_needs_no_noise_and_says_what_it_rests_on(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("bit\n" + "\n".join(str(int(i % 10 < 3)) for i in range(2000)) + "\n", encoding="utf-8")
    path = spec(tmp_path, 2000, "geometric")
    path.write_text(path.read_text(encoding="utf-8") + '[data]\nfile = "people.csv"\nvalue = "bit"\n', encoding="utf-8")
    found = dalenius("release", path, "--data", table, "--json", "--allow-exact").json
    assert found["answers"] == [600]
    assert found["certificate"]["noise"]["kind"] == "none"
    assert (
        "of everybody else's records the adversary knows at most a fraction 0.5" in found["certificate"]["hypotheses"]
    )
    again = dalenius("release", path, "--data", table, "--json").json
    assert again["repeated"]
    assert again["answers"] == [600]
