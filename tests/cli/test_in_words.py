"""Every command says promises and leakages in words beside the nats; a ledger knows the words of a promise."""

from pathlib import Path

import pytest

from tests.cli.command import EXAMPLES, Run, complaint, written

SPEC = """
model = { kind = "households", count = 20, infected = [0.9, 0.04, 0.0, 0.0, 0.06] }
query = { kind = "count" }
noise = { kind = "geometric", scale = 3.0 }
notion = { kind = "information", from = 0.1, to = 0.2 }
"""
PROMISED = "no chance grows more than 2-fold, one of 10 % stays at or below 20 %"
LEAKS = "no chance grows more than 2-fold, one of 7 % stays at or below 14 %"


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    return written(tmp_path, SPEC)


def test_audit(run: Run, spec: Path) -> None:
    done = run("audit", spec)
    assert "\ninformation: no chance grows more than 2.917-fold, one of 7 % stays at or below 20.5 %\n" in done.out
    assert "\ninferential: the odds between two values change at most 3.408-fold, a chance of 7 % stays at" in done.out
    assert (
        "\ndifferential: to an adversary who knows all other records, the odds between two values change at most"
        in done.out
    )
    assert "\nrelative_entropy: " not in done.out
    found = run("audit", spec, "--json").json["leakage"]
    assert found["information"]["in_words"].startswith("no chance grows more than 2.917-fold")
    assert "in_words" not in found["mutual_information"]


def test_calibrate(run: Run, spec: Path) -> None:
    done = run("calibrate", spec)
    assert [" ".join(line.split()) for line in done.out.splitlines() if "chance" in line] == [
        f"│ promised │ {PROMISED} │",
        f"│ leaks │ {LEAKS} │",
    ]
    found = run("calibrate", spec, "--json").json
    assert (found["in_words"], found["leakage"]["in_words"]) == (PROMISED, LEAKS)


def test_compare(run: Run, spec: Path) -> None:
    lines = run("compare", spec).out.splitlines()
    promised = lines.index(f"promised: {PROMISED}")
    assert lines[promised + 1] == (
        "most, with method independent: no chance grows more than 7.217-fold, one of 7 % stays at or below 50.6 %"
    )
    found = run("compare", spec, "--json").json
    assert found["in_words"] == PROMISED
    assert {each["method"]: each.get("in_words") for each in found["methods"]}["exact"] == LEAKS


@pytest.mark.slow
def test_release(run: Run, tmp_path: Path) -> None:
    """The promise's epsilon is the budget; the same words are the same request, and its nats another."""
    data = tmp_path / "people.csv"
    data.write_bytes((EXAMPLES / "outbreak" / "people.csv").read_bytes())
    text = (EXAMPLES / "outbreak" / "outbreak.toml").read_text(encoding="utf-8")
    words, nats = tmp_path / "words.toml", tmp_path / "nats.toml"
    words.write_text(text.replace("epsilon = 1.0", "factor = 2.5"), encoding="utf-8")
    first = run("release", words, "--data", data, "--json").json
    promised = {"kind": "information", "factor": 2.5, "epsilon": 0.916290731874155}
    assert first["certificate"]["notion"] == promised
    assert first["certificate"]["in_words"].startswith("no chance grows more than 2.5-fold")
    assert first["budget"]["initial"] == promised["epsilon"]
    again = run("release", words, "--data", data, "--json").json
    assert again["repeated"] is True
    assert again["answers"] == first["answers"]
    nats.write_text(text.replace("epsilon = 1.0", f"epsilon = {promised['epsilon']!r}"), encoding="utf-8")
    assert "after 1 earlier" in complaint(run("release", nats, "--data", data), 1)
