"""Noiseless privacy, through the commands."""

from pathlib import Path

import pytest

from tests.cli.command import Run, complaint, dalenius

SPEC = """
[model]
kind = "independent"
n = {n}
probabilities = [0.3]
[query]
kind = "count"
[noise]
kind = "{noise}"
[notion]
kind = "noiseless"
epsilon = 0.5
delta = 1e-5
known_fraction = 0.5
"""


def spec(folder: Path, n: int, noise: str) -> Path:
    path = folder / "spec.toml"
    path.write_text(SPEC.format(n=n, noise=noise), encoding="utf-8")
    return path


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


def test_compare_shows_none_the_least_and_plain_differential_privacy(tmp_path: Path) -> None:
    rows = {
        row["method"]: row for row in dalenius("compare", spec(tmp_path, 2000, "gaussian"), "--json").json["methods"]
    }
    assert [rows["noiseless"][key] for key in ("applies", "sound", "scale", "expected_error")] == [True, True, 0, 0]
    assert rows["exact"]["scale"] == 0
    assert rows["independent"]["sound"]
    assert rows["independent"]["scale"] == pytest.approx(7.0318, abs=1e-4)


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


HOMES = """
query = { kind = "count" }
noise = { kind = "none" }
model = { kind = "households", count = 20, infected = [0.5, 0.1, 0.4] }
"""


def test_gains_and_given_records_in_a_spec(tmp_path: Path) -> None:
    path = tmp_path / "gain.toml"
    path.write_text(f'notion = {{ kind = "g_leakage", gain = [[1, 0], [0, 1]] }}\n{HOMES}', encoding="utf-8")
    found = dalenius("audit", path, "--json").json["leakage"]
    assert found["g_leakage"]["epsilon"] == pytest.approx(found["min_entropy"]["epsilon"], rel=1e-9)
    path.write_text(f'notion = {{ kind = "mutual_information", given = [1] }}\n{HOMES}', encoding="utf-8")
    given = dalenius("audit", path, "--json").json["leakage"]
    assert given.keys() == found.keys() - {"g_leakage"}
    assert "given the record of 1" in given["mutual_information"]["witness"]["who"]
    path.write_text(f'notion = {{ kind = "g_leakage", gain = [[1, 0, 0]] }}\n{HOMES}', encoding="utf-8")
    done = dalenius("audit", path)
    assert done.code == 2
    assert "notion.gain: 3 columns, wanted 2 of them: the record of person 1 can be 0, 1" in done.err
