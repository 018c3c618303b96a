"""The gaussian model through the command."""

from math import log
from pathlib import Path

import pytest

from tests.cli.command import Run, complaint, dalenius, written

PAIR = """
model = { kind = "gaussian", mean = [0, 0], covariance = [[1, 0.5], [0.5, 1]], bounds = [-1, 1], labels = ["a", "b"] }
query = { kind = "sum" }
noise = { kind = "laplace", scale = 1.0 }
"""


def test_audit(tmp_path: Path) -> None:
    """One unit of a record moves the sum by 1.5: inferential 1.5 · 2, relative entropy 1.5²/2."""
    found = dalenius("audit", written(tmp_path, PAIR), "--epsilon", "0.3", "--json").json["leakage"]
    assert found["inferential"]["epsilon"] == pytest.approx(3, abs=1e-12)
    assert found["relative_entropy"]["epsilon"] == pytest.approx(1.125, abs=1e-12)
    assert found["differential"]["epsilon"] == pytest.approx(2, abs=1e-12)
    assert found["inferential"]["delta_lower"] <= found["inferential"]["delta"] <= found["inferential"]["delta_upper"]
    assert "min_entropy" not in found


def test_normal_noise_hides_mutual_information_exactly(tmp_path: Path) -> None:
    text = PAIR.replace('"laplace"', '"gaussian"').replace("scale = 1.0", "scale = 2.0")
    found = dalenius("audit", written(tmp_path, text), "--json").json["leakage"]
    # Var(q) = 3, of which .75 is left once a record is known; noise adds 4.
    assert found["mutual_information"]["epsilon"] == pytest.approx(log(7 / 4.75) / 2, abs=1e-10)
    assert found["inferential"]["epsilon"] == "inf"


def test_calibrate_and_compare(tmp_path: Path) -> None:
    path = written(tmp_path, PAIR + '[notion]\nkind = "inferential"\nepsilon = 1.0\n')
    assert dalenius("calibrate", path, "--json").json["noise"]["scale"] == pytest.approx(3, rel=1e-9)
    methods = {row["method"]: row for row in dalenius("compare", path, "--json").json["methods"]}
    assert methods["independent"]["sound"] is False
    assert methods["independent"]["achieved"] > 1
    applying = {name for name, row in methods.items() if row["applies"]}
    assert applying == {"independent", "exact"}, "the others know nothing of real numbers"


REFUSED = {
    ("[[1, 0.5], [0.5, 1]]", "[[1, 2], [2, 1]]"): "positive semi-definite covariance",
    ("[[1, 0.5], [0.5, 1]]", "[[1, 0.5], [0.4, 1]]"): "a symmetric covariance",
    ("[[1, 0.5], [0.5, 1]]", "[[1, 0.5]]"): "2 rows and columns",
    ('kind = "sum"', 'kind = "count"'): "query.kind: count, wanted a sum or a mean, unclipped",
    ('kind = "sum"', 'kind = "sum", lower = 0'): "query.lower: given, wanted no bounds",
    ('kind = "sum"', 'kind = "sum", weights = { a = 1.0 }'): "wanted also a weight for label",
    ('"laplace"', '"geometric"'): "noise.kind: geometric, wanted laplace, gaussian or none for normal records",
    ("query", 'secrets = { pairs = [["x", 1]] }\nquery'): "secrets.pairs row 1: x, wanted two numbers",
    ("query", 'adversary = { known = { "1" = "x" } }\nquery'): "adversary.known.1: x, wanted a number",
}


def test_bad_input(tmp_path: Path, run: Run) -> None:
    for (old, new), line in REFUSED.items():
        assert line in complaint(run("audit", written(tmp_path, PAIR.replace(old, new, 1))))
