"""Commands on specs with noise before the answer: reports in order, shuffled, of some people, and a count of them."""

from math import log
from pathlib import Path

import pytest

from tests.cli.command import Run, written

DAYS = """[model]
kind = "chain"
n = 5
initial = "stationary"
transition = [[0.8, 0.2], [0.2, 0.8]]
"""
KEEP = '[noise]\nkind = "randomized_response"\nkeep = 0.75\n'
OPEN = '[noise]\nkind = "randomized_response"\n'
PROMISE = '[notion]\nkind = "inferential"\nepsilon = 1.0\n'
REPORTS = '[query]\nkind = "reports"\n'


@pytest.mark.parametrize(
    ("query", "truth"),
    [
        (REPORTS, 2.876727),
        (REPORTS + "shuffled = true\n", 2.876727),
        (REPORTS + "people = [3]\n", log(3)),
        ('[query]\nkind = "count"\n', 2.876727),
    ],
)
def test_audit(query: str, truth: float, run: Run, tmp_path: Path) -> None:
    """Theory's row of five days, enumerated in tests/noise/test_noised_records.py."""
    found = run("audit", written(tmp_path, DAYS + query + KEEP), "--json").json["leakage"]["inferential"]
    assert found["lower"] - 1e-6 <= truth <= found["upper"] + 1e-6


def test_compare_has_the_flips_of_a_chain(run: Run, tmp_path: Path) -> None:
    found = run("compare", written(tmp_path, DAYS + REPORTS + OPEN + PROMISE), "--json").json
    rows = {row["method"]: row for row in found["methods"]}
    assert rows["least_flip"]["achieved"] == pytest.approx(1.0, abs=1e-6)
    assert rows["chain_flips"]["achieved"] < rows["least_flip"]["achieved"]
    assert all(rows[name]["sound"] for name in ("least_flip", "chain_flips", "exact", "group"))
    assert not rows["independent"]["sound"]
    assert rows["shuffling"]["why"].startswith("query.kind: reports, wanted shuffled reports")


def test_calibrate_finds_keep_and_a_release_of_reports_in_order_is_refused(run: Run, tmp_path: Path) -> None:
    spec = written(tmp_path, DAYS + REPORTS + OPEN + PROMISE)
    noise = run("calibrate", spec, "--json").json["noise"]
    assert noise["keep"] == pytest.approx(0.58581, abs=1e-5)
    (tmp_path / "days.csv").write_text("ill\n0\n1\n1\n0\n0\n", encoding="utf-8")
    spec.write_text(spec.read_text(encoding="utf-8") + '[data]\nfile = "days.csv"\nvalue = "ill"\n', encoding="utf-8")
    refused = run("release", spec)
    assert refused.code == 2
    assert refused.err.count("\n") == 1
    assert not list(tmp_path.glob("*.sqlite"))


BAD = {
    "noise.keep: 1.5, wanted": DAYS + REPORTS + KEEP.replace("0.75", "1.5"),
    "noise.keep: 0.4, wanted a probability from 1/2 to 1": DAYS + REPORTS + KEEP.replace("0.75", "0.4"),
    "noise.values: 3, wanted 2": DAYS + REPORTS + KEEP + "values = 3\n",
    "query: ": DAYS + REPORTS + "shuffled = true\npeople = [1]\n" + KEEP,
    "noise.keep: missing, wanted a probability": DAYS + REPORTS + OPEN,
}


@pytest.mark.parametrize("line", BAD)
def test_bad_specs_get_one_line(line: str, run: Run, tmp_path: Path) -> None:
    found = run("audit", written(tmp_path, BAD[line]))
    assert found.code == 2
    assert found.err.startswith(f"dalenius: {line}"), found.err
    assert found.err.count("\n") == 1
