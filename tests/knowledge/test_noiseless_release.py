"""An exact answer released under a noiseless promise: the method, the certificate's words, and the second answer."""

from pathlib import Path

import pytest

from tests.cli.command import dalenius

BITS = """[model]
kind = "independent"
n = 60
probabilities = [0.3]
[query]
kind = "count"
values = [{value}]
[noise]
kind = "none"
[notion]
kind = "noiseless"
epsilon = {epsilon}
delta = 0.05
known_fraction = 0.25
[data]
name = "bits"
file = "bits.csv"
value = "ill"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bits.csv").write_text("ill\n" + "1\n" * 17 + "0\n" * 43)
    (tmp_path / "ones.toml").write_text(BITS.format(value=1, epsilon=1.0))
    (tmp_path / "zeros.toml").write_text(BITS.format(value=0, epsilon=1.0))
    (tmp_path / "little.toml").write_text(BITS.format(value=1, epsilon=0.001))
    return tmp_path


def test_the_exact_answer_is_released_once_and_its_certificate_says_why(folder: Path) -> None:
    asked = ("--ledger", folder / "ledger.db")
    first = dalenius("release", folder / "ones.toml", *asked, "--budget", "5", "--json").json
    assert first["answers"] == [17]
    said = first["certificate"]["hypotheses"]
    assert any("at most a fraction 0.25" in each for each in said)
    assert any("no noise was added" in each for each in said)
    assert any("promises of several answers do not add up" in each for each in said)
    second = dalenius("release", folder / "zeros.toml", *asked)
    assert second.code == 1
    assert "inf" in second.err


def test_words_of_exact_answers_have_no_interval(folder: Path) -> None:
    found = dalenius("release", folder / "ones.toml", "--ledger", folder / "words.db", "--budget", "5")
    assert "none needed: the answers are exact" in found.out
    noisy = folder / "noisy.toml"
    noisy.write_text(BITS.format(value=1, epsilon=1.0).replace('"none"', '"geometric"\nscale = 2.0'))
    other = dalenius("release", noisy, "--ledger", folder / "noisy.db", "--budget", "5")
    assert "no noise was added" not in other.out
    assert "of such releases" in other.out


def test_a_smaller_promise_is_refused_with_what_the_answer_leaks(folder: Path) -> None:
    released = dalenius("release", folder / "little.toml", "--ledger", folder / "little.db", "--budget", "5")
    assert (released.code, "no noise leaks" in released.err) == (1, True)
    method = dalenius("calibrate", folder / "little.toml", "--method", "noiseless")
    assert (method.code, "at delta = 0.05" in method.err) == (1, True)
    kept = dalenius("calibrate", folder / "ones.toml", "--method", "noiseless", "--json").json
    assert (kept["method"], kept["sound"], kept["noise"]["kind"]) == ("noiseless", True, "none")
    rows = {each["method"]: each for each in dalenius("compare", folder / "ones.toml", "--json").json["methods"]}
    assert rows["noiseless"]["achieved"] == pytest.approx(kept["leakage"]["upper"])
