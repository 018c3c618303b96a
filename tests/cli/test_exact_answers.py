"""An exact answer goes out where it is asked for only, and says what it is."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.cli.command import Done, Run, complaint, written

PEOPLE = "household,ill\na,1\na,1\na,0\nb,0\nb,0\nc,1\nd,0\nd,0\n"
SPEC = """
model = { kind = "households", by = "household", epidemic = { community = 0.1, household = 0.4 } }
query = { kind = "count" }
notion = { kind = "information", epsilon = 3.0 }
data = { file = "people.csv", value = "ill" }
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


Ask: TypeAlias = Callable[..., Done]


@pytest.fixture
def ask(tmp_path: Path, run: Run) -> Ask:
    """A command, given a section of noise, in a folder with a table."""
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")

    def of(command: str, noise: str | None, *arguments: str | Path) -> Done:
        return run(command, written(tmp_path, SPEC, "" if noise is None else f"\n[noise]\n{noise}"), *arguments)

    return of


@pytest.mark.parametrize("noise", [None, *NOISES.values()], ids=["calibrated", *NOISES])
def test_it_goes_out_where_it_is_allowed(ask: Ask, tmp_path: Path, noise: str | None) -> None:
    """Refused elsewhere, before anything is spent."""
    said = complaint(ask("release", noise), code=1)
    assert "leaves an answer exact: an adversary who knows all other records learns this one" in said
    assert said.endswith('(to release it nevertheless, write kind = "none" in [noise] or pass --allow-exact)')
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv", "spec.toml"]
    shown = ask("release", noise, "--allow-exact", "--json").json
    certificate = shown["certificate"]
    assert certificate["differential"] == "inf"
    assert isinstance(certificate["expected_error"], float)
    assert len(shown["answers"]) == 1
    assert certificate["leakage"]["upper"] <= 3


def test_none_is_asked_for_by_its_name_and_the_column_and_the_certificate_say_so(ask: Ask, tmp_path: Path) -> None:
    shown = ask("release", NO_NOISE, "--json").json
    assert (shown["answers"], shown["certificate"]["differential"]) == ([3], "inf")
    out = ask("release", NO_NOISE).out
    assert "exact answer" in out
    assert "noised" not in out
    assert "∞: An adversary who knows all other records learns this one" in out
    noised = ask("release", 'kind = "geometric"\nscale = 4.0\n', "--ledger", tmp_path / "other.sqlite").out
    assert "noised answer" in noised
    assert "0.250000 nats at most to an adversary who knows all other records" in noised


def test_a_sure_row_of_an_answer_that_cannot_be_counts_for_nothing(ask: Ask) -> None:
    """Eight people: a ninth answer's row leaves nothing exact; the last one's does."""
    rows = "[0.5, 0.5], " * 9
    wide = f'kind = "kernel"\nanswers = {list(range(10))}\nprobabilities = [{rows}[0, 1]]\n'
    assert ask("release", wide, "--json").json["certificate"]["differential"] == 0.0


def test_calibrate_and_compare_show_it(ask: Ask) -> None:
    found = ask("calibrate", None, "--json").json
    assert (found["noise"]["kind"], found["differential"]) == ("none", "inf")
    methods = {each["method"]: each for each in ask("compare", None, "--json").json["methods"]}
    assert methods["independent"]["differential"] == pytest.approx(3)
    assert methods["exact"]["differential"] == "inf"
    assert all(isinstance(each["expected_error"], float) for each in methods.values() if each["applies"])
    assert methods["markov_quilt"]["differential"] is None
    assert "∞: An adversary who knows all other records learns this one" in ask("calibrate", None).out
    assert "differential" in ask("compare", None).out
