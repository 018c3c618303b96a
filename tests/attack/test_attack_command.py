"""`dalenius attack`: its JSON, what people read, and what it refuses."""

import csv
from math import log
from pathlib import Path

import pytest

from tests.cli.command import EXAMPLES, Run, complaint, dalenius, dalenius_once

PAIR = EXAMPLES / "pair.toml"
VISITS = "city,user,poi,lat,lon,count\n" + "".join(
    f"{'xy'[n % 2]},{n % 14},{n},{40 + n % 7 / 20},{-74 + n % 5 / 10},{1 + n % 3}\n" for n in range(56)
)
FRIENDS = "city,user1,user2\nx,0,2\nx,2,4\nx,4,2\nx,6,6\nx,0,99\ny,1,3\n"
ASKED = ("--city", "x", "--scale", "0.05", "--clusters", "2", "--cells", "4", "--places", "3")


@pytest.fixture
def tables(tmp_path: Path) -> tuple[str, ...]:
    (tmp_path / "visits.csv").write_text(VISITS, encoding="utf-8")
    (tmp_path / "friends.csv").write_text(FRIENDS, encoding="utf-8")
    return "--locations", str(tmp_path / "visits.csv"), "--edges", str(tmp_path / "friends.csv")


def test_keys_and_numbers() -> None:
    found = dalenius_once("attack", PAIR, "--json").json
    own = ["law", "person", "who", "what", "leaked", "success", "success_lower", "success_upper", "prior_success"]
    assert list(found) == [*own, "attained", "test", "people", "engine", "why", "seconds"]
    assert found["leaked"]["bits"] == pytest.approx(found["leaked"]["nats"] / log(2))
    assert (found["success"], found["prior_success"]) == (0.9, 0.9)
    audit = dalenius_once("audit", PAIR, "--json").json["leakage"]
    assert found["leaked"]["nats"] == audit["mutual_information"]["epsilon"]
    for reached, notion in (("odds", "inferential"), ("raised", "information")):
        attained = found["attained"][reached]
        assert attained["nats"] == pytest.approx(audit[notion]["epsilon"], abs=1e-9)
        assert attained["bound"]["epsilon"] == audit[notion]["epsilon"]
        assert attained["witness"]["output"] == audit[notion]["witness"]["output"]


def test_games_are_those_of_the_seed() -> None:
    first, again, other = (
        dalenius("attack", PAIR, "--runs", "300", "--seed", seed, "--json").json["played"] for seed in "112"
    )
    assert first == again != other
    assert first["lower"] <= 0.9 <= first["upper"]
    assert first["hits"] == round(300 * first["rate"])


def test_what_people_read(tmp_path: Path) -> None:
    shown = dalenius("attack", PAIR, "--runs", "50").out
    assert "What the best guess finds out of each class of people" in shown
    assert "of 50 guesses right" in shown
    certain = '[model]\nkind = "table"\nrecords = [[0, 1]]\nprobabilities = [1.0]\n'
    (tmp_path / "spec.toml").write_text(certain + '[query]\nkind = "count"\n[noise]\nkind = "none"\n', encoding="utf-8")
    assert dalenius("attack", tmp_path / "spec.toml").out.startswith("nobody's record moves the answers")
    assert dalenius("attack", tmp_path / "spec.toml", "--json").json["people"] == []


def test_locations(tables: tuple[str, ...], tmp_path: Path) -> None:
    out = tmp_path / "people.csv"
    found = dalenius("attack", *tables, *ASKED, "--out", out, "--json").json
    assert (found["people"], found["known"], found["friendships"]) == (7, 6, 2)
    assert found["dropped"] == {"unknown": 1, "self_loops": 1, "duplicates": 1}
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    assert [row["user"] for row in rows] == ["0", "2", "4", "6", "8", "10", "12"]
    assert found["error_km"] == pytest.approx(sum(float(row["error_km"]) for row in rows) / 7)
    assert found["success"] == pytest.approx(sum(row["guess"] == row["cell"] for row in rows) / 7)
    shown = dalenius("attack", *tables, *ASKED).out
    assert "7 people, 6 others known, dependent prior" in " ".join(shown.split())
    assert "dropped of the edges: 1 unknown, 1 self loops, 1 duplicates" in shown


SCALED = ("--locations", "--scale", "1")
BAD = {
    (): "spec: missing, wanted a spec, or --locations with a table of visits",
    (str(PAIR), "--locations"): "spec: ",
    (str(PAIR), "--radius", "2"): "--radius: 2.0, wanted no option beside a spec",
    (str(PAIR), "--runs", "0"): "runs: 0, wanted a number from 1 to 10,000,000",
    (str(PAIR), "--seed", "-1"): "--seed: -1, wanted a whole number of at least 0",
    (*SCALED, "--runs", "3"): "--runs: 3, wanted nothing of a spec",
    ("--locations",): "--scale, --epsilon: neither, wanted one of the two",
    (*SCALED, "--epsilon", "1"): "--scale, --epsilon: both, wanted one",
    (*SCALED, "--prior", "all"): "--prior: all, wanted one of independent, dependent",
    (*SCALED, "--prior", "dependent"): "--edges: missing, wanted who is whose friend",
    (*SCALED, "--radius", "2"): "--radius: 2.0, wanted no radius beside",
    (*SCALED, "--city", "z"): "city: z, wanted one of x, y",
    SCALED: "city: missing, wanted one of x, y",
    (*SCALED, "--city", "x", "--clusters", "8"): "--clusters: 8, wanted at most ",
    (*SCALED, "--city", "x", "--clusters", "2", "--known", "7"): "known: 7, wanted a number of the 6 others, from 0",
}
TABLES = {
    "user,poi,lat,lon,count\n1,1,5,0,1\n1,2,5,1,1\n": "bad.csv, wanted visits of at least two people",
    "user,poi,lat,lon,count\n1,1,1,1,1\n2,2,1,1,1\n": "north: 1.0, wanted degrees above south, 1.0",
}


def test_bad_input(tables: tuple[str, ...], tmp_path: Path, run: Run) -> None:
    for arguments, message in BAD.items():
        given = [part for each in arguments for part in ((each, tables[1]) if each == "--locations" else (each,))]
        assert message in complaint(run("attack", *given))
    for table, message in TABLES.items():
        (tmp_path / "bad.csv").write_text(table, encoding="utf-8")
        asked = ("attack", "--locations", tmp_path / "bad.csv", "--scale", "1", "--clusters", "1")
        assert message in complaint(run(*asked))
