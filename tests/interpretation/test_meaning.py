"""The meaning of an ε against enumeration; its words, table and picture; and the command."""

import io
from io import StringIO
from math import log
from pathlib import Path
from typing import Any

import pytest
from mpmath import exp, mpf
from rich.console import Console

import dalenius as dl
from dalenius.cli.output import print_lines
from dalenius.interpretation.sentences import TEXTS
from tests.cli.command import Done, here
from tests.pace import one_in
from tests.reference import meaning as reference

CASES: dict[str, tuple[dict[str, Any], reference.Law]] = {
    "a household": ({"household": 4, "alike": 0.9, "chance": 0.1}, reference.alike(4, 0.9, 0.1)),
    "always alike": ({"household": 3, "alike": 1.0, "chance": 0.4}, reference.alike(3, 1.0, 0.4)),
    "never alike": ({"household": 3, "alike": 0.0, "chance": 0.02}, reference.alike(3, 0.0, 0.02)),
    "one person": ({"household": 1, "alike": 0.5}, reference.alike(1, 0.5, 0.1)),
    "an epidemic": ({"infected": [0.88, 0.05, 0.03, 0.02, 0.02]}, reference.infected([0.88, 0.05, 0.03, 0.02, 0.02])),
    "twins that differ": ({"infected": [0.2, 0.7, 0.1]}, reference.infected([0.2, 0.7, 0.1])),
    "days": ({"chain": 0.8, "household": 5, "chance": 0.3}, reference.chain(5, 0.8, 0.3)),
}
NAMES = {0.5: "median", 0.01: "q99"}


def people(law: reference.Law) -> range:
    return range(len(next(iter(law))))


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 6.0])
@pytest.mark.parametrize("case", CASES)
def test_geometric_noise_is_as_enumerated(case: str, epsilon: float) -> None:
    given, law = CASES[case]
    found = {str(each.outputs): each for each in dl.meaning(epsilon, **given).member}
    every = [reference.geometric(law, person, epsilon) for person in people(law)]
    for share, name in NAMES.items():
        truth = max(reference.quantile(each, share) for each in every)
        assert_encloses(found[name].odds, truth)
    movements = [moved for each in every for _, moved in each]
    assert_encloses(found["worst"].odds, max(map(abs, movements)))
    chance = reference.given(law, 0)[0]
    for each in found.values():
        within = [moved for moved in movements if abs(moved) <= each.odds.upper]
        left = [chance * exp(moved) / (1 - chance + chance * exp(moved)) for moved in within]
        assert each.lowest.lower <= min(left)
        assert max(left) <= each.highest.upper
    odds = chance / (1 - chance)
    for end, moved in (("highest", max(movements)), ("lowest", min(movements))):
        after = odds * exp(moved)
        assert_encloses(getattr(found["worst"], end), after / (1 + after))


def assert_encloses(found: dl.Enclosure, truth: mpf) -> None:
    assert found.lower - 1e-14 <= truth <= found.upper + 1e-14
    assert found.upper - found.lower <= 1e-9 * max(1.0, found.upper)


def unlike(case: str) -> range:
    """One person of a household, and three days: the others are as one of these."""
    return range(3 if case == "days" else 1)


@pytest.mark.lengthy
@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-6), (0.3, 0.01)])
@pytest.mark.parametrize("case", one_in(3, ["twins that differ", "a household", "an epidemic", "days"]))
def test_gaussian_noise_is_as_integrated(case: str, epsilon: float, delta: float) -> None:
    given, law = CASES[case]
    found = dl.meaning(epsilon, delta, **given)
    assert found.noise.scale is not None
    assert reference.gaussian_delta(found.noise.scale, epsilon) <= delta
    assert reference.gaussian_delta(found.noise.scale * (1 - 1e-6), epsilon) > delta
    for each in found.member[:-1]:
        beyond, before = (
            max(reference.normal(law, person, found.noise.scale, end) for person in unlike(case))
            for end in (each.odds.upper * (1 + 1e-9), each.odds.lower * (1 - 1e-6))
        )
        assert beyond <= each.share < before
    assert found.member[-1].odds.upper == float("inf")


def test_a_person_alone_gets_what_was_promised() -> None:
    for each in dl.meaning(0.7).alone:
        assert each.odds.lower <= 0.7 <= each.odds.upper
    certain = dl.meaning(0.7, household=4, alike=0.0).member[-1]
    assert certain.odds.middle == pytest.approx(0.7)
    together = dl.meaning(0.7, household=4, alike=1.0).member[-1]
    assert together.odds.middle == pytest.approx(4 * 0.7)


@pytest.mark.lengthy
def test_words_have_the_numbers_rounded_to_the_side_that_says_more_leaks() -> None:
    found = dl.meaning(1.0, household=2, alike=1.0, chance=0.5)
    assert "ε = 1 lets no output move the odds that this person is ill by a factor of more than 2.72." in found.words
    assert "a household of 2 that is alike with probability 1" in found.words
    assert "up to 7.39" in found.words
    assert float(exp(2)) < 7.39
    assert "from 11.9 % to 88.1 %" in found.words
    assert log(0.881 / 0.119) > 2
    said = dl.meaning(1.0, 1e-6, chain=0.9, household=30).words
    assert "ε = 1 and δ = 1e-6" in said
    assert TEXTS["no_worst"] in said
    assert "In a chain of 30 days" in said


@pytest.mark.lengthy
def test_a_session_shows_a_table_and_words_of_at_most_twenty_lines() -> None:
    found = dl.meaning(1.0, 1e-6)
    shown = repr(found).splitlines()
    assert max(map(len, shown)) <= 80
    assert len(shown) <= 20
    assert shown[-1].endswith(" more lines: notes() has all")
    written = StringIO()
    Console(file=written, width=80).print(found)
    for whole in (written.getvalue(), found._repr_html_()):
        assert sum("━┃━" in line for line in whole.splitlines()) == 2
    assert {"who", "outputs", "lower", "upper"} <= set(dl.meaning(1.0).frame().columns)


def test_the_picture_grows_with_what_leaks() -> None:
    lengths = [len(dl.meaning(1.0, alike=alike).picture.splitlines()[2].split("┃")[1]) for alike in (0.0, 0.5, 1.0)]
    assert lengths == sorted(set(lengths))


def test_drawn_lines_end_at_the_chances() -> None:
    found = dl.meaning(1.0)
    drawn = [list(line.get_xdata()) for line in found.plot().lines]  # type: ignore[arg-type]
    assert [100 * found.member[2].lowest.lower, 100 * found.member[2].highest.upper] in drawn


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"epsilon": "1"}, "epsilon"),
        ({"epsilon": 101.0}, "epsilon"),
        ({"epsilon": 1.0, "delta": 0.9}, "delta"),
        ({"epsilon": 1.0, "household": 65}, "household"),
        ({"epsilon": 1.0, "household": 0}, "household"),
        ({"epsilon": 1.0, "alike": 1.5}, "alike"),
        ({"epsilon": 1.0, "alike": 0.5, "chain": 0.5}, "chain"),
        ({"epsilon": 1.0, "infected": [0.5, 0.5], "household": 4}, "infected"),
        ({"epsilon": 1.0, "infected": [1.0, 0.0]}, "infected"),
        ({"epsilon": 1.0, "infected": [0.5, 0.5], "chance": 0.5}, "chance"),
        ({"epsilon": 1.0, "chance": 0.0}, "chance"),
    ],
)
def test_a_wrong_number_is_named(given: dict[str, Any], key: str) -> None:
    with pytest.raises(dl.InputError) as caught:
        dl.meaning(**given)
    assert caught.value.key == key


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: here(capsys, monkeypatch, "meaning", *arguments)


@pytest.mark.lengthy
def test_the_command_says_what_the_function_says(run: Any) -> None:
    found = dl.meaning(1.0, 1e-6, household=3, alike=0.5)
    asked = ("--epsilon", "1", "--delta", "1e-6", "--household", "3", "--alike", "0.5")
    done: Done = run(*asked)
    assert done.out.startswith(found.words)
    assert "This may be more than e^ε: δ limits how far" in found.words
    assert found.picture in done.out
    assert found.caption in done.out
    shown = run(*asked, "--json").json
    assert shown["in_words"] == found.words
    assert shown["member"]["median"]["odds"]["epsilon"] == pytest.approx(found.member[0].odds.middle)
    assert shown["member"]["worst"]["odds"]["upper"] == "inf"
    assert shown["model"]["kind"] == "households"
    law = run("--epsilon", "1", "--infected", "0.9,0.04,0,0,0.06", "--plot", "meant.svg", "--json").json
    assert law["chance"] == pytest.approx(0.07)
    assert Path("meant.svg").read_text(encoding="utf-8").startswith("<?xml")
    assert Path("meant.csv").read_text(encoding="utf-8").count("\n") == 7


def test_the_command_names_what_is_wrong(run: Any) -> None:
    for arguments, said in (
        (("--epsilon", "abc"), "--epsilon"),
        (("--epsilon", "1", "--infected", "a,b"), "infected: a,b, wanted probabilities"),
        (("--epsilon", "1", "--plot", "x.txt"), "plot"),
        ((), "--epsilon"),
    ):
        done: Done = run(*arguments)
        assert (done.code, done.out) == (2, "")
        assert said in done.err


def test_the_picture_is_drawn_in_ascii_where_there_is_nothing_else(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Ascii(io.StringIO):
        encoding = "ascii"

    monkeypatch.setattr("sys.stdout", shown := Ascii())
    print_lines(dl.meaning(1.0).picture)
    assert "a person alone              ====|======" in shown.getvalue()
    assert shown.getvalue().isascii()
