"""An exact answer goes out where it is asked for only, and says what it is."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import EXAMPLES, Done, complaint, here

PEOPLE = "household,ill\na,1\na,1\na,0\nb,0\nb,0\nc,1\nd,0\nd,0\n"
SPEC = """
[model]
kind = "households"
by = "household"
epidemic = { community = 0.1, household = 0.4 }

[query]
kind = "count"

[notion]
kind = "information"
epsilon = 3.0

[data]
file = "people.csv"
value = "ill"
"""
NOISES = {
    "clamped": 'kind = "clamped"\nscale = 0\nlower = 0\nupper = 8\n',
    "kernel": 'kind = "kernel"\nanswers = [0, 1, 2, 3, 4, 5, 6, 7, 8]\nprobabilities = [\n'
    + "  [0.5, 0.5],\n" * 8
    + "  [0, 1],\n]\n",
    "relocation": 'kind = "relocation"\nlower = 0\nupper = 8\nleaves = [0.5, 0.0]\nmoves = [[0.5, 0.5], [0.5, 0.5]]\n'
    "shares = [[0.5, 0.5], [0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.25]]\n",
}
NO_NOISE = 'kind = "none"\n'


class Here:
    """The command in this process, in a folder with a table."""

    def __init__(self, folder: Path, capsys: Any, monkeypatch: Any) -> None:
        self.folder, self._capsys, self._patch = folder, capsys, monkeypatch
        (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")

    def run(self, command: str, noise: str | None, *arguments: str) -> Done:
        section = "" if noise is None else f"\n[noise]\n{noise}"
        spec = self.folder / "spec.toml"
        spec.write_text(SPEC + section, encoding="utf-8")
        return here(self._capsys, self._patch, command, spec, *arguments)


@pytest.fixture
def at(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Here:
    return Here(tmp_path, capsys, monkeypatch)


@pytest.mark.parametrize("noise", [None, *NOISES.values()], ids=["calibrated", *NOISES])
def test_it_is_refused_before_anything_is_spent(at: Here, noise: str | None) -> None:
    said = complaint(at.run("release", noise), code=1)
    assert "leaves an answer exact: whoever knows all other records learns this one" in said
    assert said.endswith('(to release it nevertheless, write kind = "none" in [noise] or pass --allow-exact)')
    assert sorted(path.name for path in at.folder.iterdir()) == ["people.csv", "spec.toml"]


@pytest.mark.parametrize("noise", [None, *NOISES.values()], ids=["calibrated", *NOISES])
def test_it_goes_out_where_it_is_allowed(at: Here, noise: str | None) -> None:
    shown = at.run("release", noise, "--allow-exact", "--json").json
    certificate = shown["certificate"]
    assert certificate["differential"] == "inf"
    assert isinstance(certificate["expected_error"], float)
    assert len(shown["answers"]) == 1
    assert certificate["leakage"]["upper"] <= 3


def test_none_is_asked_for_by_its_name(at: Here) -> None:
    shown = at.run("release", NO_NOISE, "--json").json
    assert shown["answers"] == [3]
    assert shown["certificate"]["differential"] == "inf"


def test_the_column_and_the_certificate_say_so(at: Here) -> None:
    out = at.run("release", NO_NOISE).out
    assert "exact answer" in out
    assert "noised" not in out
    assert "∞: Whoever knows all other records learns this one" in out
    noised = at.run("release", 'kind = "geometric"\nscale = 4.0\n', "--ledger", str(at.folder / "other.sqlite")).out
    assert "noised answer" in noised
    assert "0.250000 nats at most to whoever knows all other records" in noised


def test_a_sure_row_of_an_answer_that_cannot_be_counts_for_nothing(at: Here) -> None:
    """Eight people: a ninth answer's row leaves nothing exact; the last one's does."""
    rows = "[0.5, 0.5], " * 9
    wide = f'kind = "kernel"\nanswers = {list(range(10))}\nprobabilities = [{rows}[0, 1]]\n'
    assert at.run("release", wide, "--json").json["certificate"]["differential"] == 0.0


def test_calibrate_and_compare_show_it(at: Here) -> None:
    found = at.run("calibrate", None, "--json").json
    assert (found["noise"]["kind"], found["differential"]) == ("none", "inf")
    methods = {each["method"]: each for each in at.run("compare", None, "--json").json["methods"]}
    assert methods["independent"]["differential"] == pytest.approx(3)
    assert methods["exact"]["differential"] == "inf"
    assert all(isinstance(each["expected_error"], float) for each in methods.values() if each["applies"])
    assert methods["markov_quilt"]["differential"] is None
    assert "∞: Whoever knows all other records learns this one" in at.run("calibrate", None).out
    assert "differential" in at.run("compare", None).out


def test_the_example_s_districts_at_a_larger_epsilon(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (EXAMPLES / "outbreak" / "outbreak.toml").read_text(encoding="utf-8")
    (tmp_path / "spec.toml").write_text(text.replace("epsilon = 1.0", "epsilon = 3.0"), encoding="utf-8")
    (tmp_path / "people.csv").write_bytes((EXAMPLES / "outbreak" / "people.csv").read_bytes())
    said = complaint(here(capsys, monkeypatch, "release", tmp_path / "spec.toml"), code=1)
    assert said.startswith("the least noise that keeps the promise, none, leaves an answer exact")
