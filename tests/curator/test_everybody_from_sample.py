"""What a release from a sample says of everybody: the answer over the rate, and that sampling errors are left out."""

from pathlib import Path
from typing import Any

import pytest

import dalenius as dl
from dalenius.models.sample import SAMPLING_ERROR
from tests.cli.command import dalenius

SPEC = """
[model]
kind = "households"
count = 250
infected = [0.9, 0.04, 0.0, 0.0, 0.06]
[sample]
{sample}
[query]
kind = "count"
[noise]
kind = "geometric"
[notion]
kind = "inferential"
epsilon = 0.5
[data]
file = "asked.csv"
household = "home"
value = "ill"
"""
BY_RATE = 'rate = 0.1\nof = "households"'


def survey(folder: Path, sample: str) -> Path:
    rows = [f"h{home},{int(home < 2)}" for home in range(25) for _ in range(4)]
    (folder / "asked.csv").write_text("home,ill\n" + "\n".join(rows) + "\n", encoding="utf-8")
    spec = folder / "survey.toml"
    spec.write_text(SPEC.format(sample=sample), encoding="utf-8")
    return spec


@pytest.mark.parametrize("sample", [BY_RATE, 'size = 25\nof = "households"'])
def test_the_certificate_has_the_answer_over_the_rate(sample: str, tmp_path: Path) -> None:
    found = dalenius("release", survey(tmp_path, sample), "--json").json
    certificate, (answer,) = found["certificate"], found["answers"]
    low, high = found["interval"][0]
    assert certificate["sampling_error"] == SAMPLING_ERROR
    assert certificate["everybody"] == {
        "rate": pytest.approx(0.1),
        "estimate": [pytest.approx(10 * answer)],
        "interval": [[pytest.approx(10 * low), pytest.approx(10 * high)]],
    }


@pytest.mark.lengthy
def test_the_commands_say_what_their_errors_leave_out(tmp_path: Path) -> None:
    spec = survey(tmp_path, BY_RATE)
    assert dalenius("calibrate", spec, "--json").json["sampling_error"] == SAMPLING_ERROR
    assert dalenius("release", spec, "--cost", "--json").json["sampling_error"] == SAMPLING_ERROR
    for command in (("calibrate",), ("release", "--cost"), ("release",)):
        words = " ".join(dalenius(*command[:1], spec, *command[1:]).out.replace("│", " ").split())
        assert "sampling error not in the errors and intervals" in words
    assert "the answer over the rate of 0.1, without bias" in words


def test_nothing_is_said_where_everybody_is_asked(tmp_path: Path) -> None:
    spec = survey(tmp_path, BY_RATE)
    everybody = (
        spec.read_text(encoding="utf-8").replace(f"[sample]\n{BY_RATE}\n", "").replace("count = 250", "count = 25")
    )
    spec.write_text(everybody, encoding="utf-8")
    assert "sampling_error" not in dalenius("calibrate", spec, "--json").json
    assert not {"sampling_error", "everybody"} & set(dalenius("release", spec, "--json").json["certificate"])


def test_people_of_several_rates_have_no_single_one(tmp_path: Path) -> None:
    rows = "\n".join(f"{place},{int(n < 3)}" for place in ("north", "south") for n in range(8))
    table = tmp_path / "asked.csv"
    table.write_text(f"place,ill\n{rows}\n", encoding="utf-8")
    parts = [
        {"kind": "independent", "n": 50, "probabilities": [0.4], "labels": [each] * 50} for each in ("north", "south")
    ]
    spec: dict[str, Any] = {
        "model": {"kind": "product", "parts": parts},
        "sample": {"rate": {"north": 0.2, "south": 0.1}, "of": "strata"},
        "query": {"kind": "count"},
        "notion": {"kind": "inferential", "epsilon": 1.0},
        "data": {"file": str(table), "label": "place", "value": "ill"},
    }
    certificate = dict(dl.release(spec).published.certificate)
    assert certificate["everybody"] is None
    assert certificate["sampling_error"] == SAMPLING_ERROR
