"""`dalenius fit --model friends`: a pairwise section that an audit takes, and what is refused."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalenius.dependent.friend_distance import fit_friends
from dalenius.dependent.graphs import clean_edges
from dalenius.dependent.places import Grid
from tests.cli.command import Done, Run, complaint

WHERE = ["--positions", "people.csv", "--person", "who", "--lat", "lat", "--lon", "lon"]
OPTIONS = ["--first", "a", "--second", "b", *WHERE]
ASKED = '[query]\nkind = "count"\nvalues = [0]\n[noise]\nkind = "laplace"\nscale = 9.0\n'
PEOPLE = 60


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A folder of its own where there are people and edges."""
    monkeypatch.chdir(tmp_path)
    people, edges = drawn()
    write("people.csv", "who,lat,lon", people)
    write("edges.csv", "a,b", [*edges, ("p1", "p1"), ("p2", "nobody"), edges[0][::-1]])


def write(name: str, head: str, rows: Sequence[Sequence[Any]]) -> None:
    Path(name).write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")


def drawn() -> tuple[list[tuple[str, float, float]], list[tuple[str, str]]]:
    """People of a square degree whose friends are mostly near."""
    draw = np.random.default_rng(1)
    at = draw.uniform(0, 1, (PEOPLE, 2)) + np.array([30, -98])
    chance = 0.02 / (np.hypot(*(at[:, None] - at).T) + 0.05)
    friends = np.argwhere(np.triu(draw.random((PEOPLE, PEOPLE)) < chance, 1))
    people = [(f"p{number}", float(lat), float(lon)) for number, (lat, lon) in enumerate(at)]
    return people, [(f"p{one}", f"p{other}") for one, other in friends]


def fitted(run: Run, *more: str | Path) -> Done:
    return run("fit", "--data", "edges.csv", "--model", "friends", *OPTIONS, *more)


def test_it_is_the_fit_of_the_grid(run: Run) -> None:
    people, edges = drawn()
    lat, lon = np.array([place[1:] for place in people]).T
    grid = Grid.around(lat, lon, 4, 5)
    pairs = [(int(one[1:]), int(other[1:])) for one, other in edges]
    fit = fit_friends(clean_edges(PEOPLE, pairs)[0], grid.cell_of(lat, lon), grid.points_miles())
    found = fitted(run, "--grid", "4x5", "--json").json
    assert found["model"]["distance"] == fit.section()["distance"]
    assert found["model"]["people"] == [name for name, _, _ in people]
    assert found["model"]["values"] == list(range(20))
    assert found["model"]["edges"] == {"file": "edges.csv", "first": "a", "second": "b"}
    assert found["fit"] == {"observations": len(edges), "smoothing": None} | fit.goodness() | {
        "dropped": {"unknown": 1, "self_loops": 1, "duplicates": 1}
    }
    plain = fitted(run, "--grid", "4x5").out
    assert tomllib.loads(plain) == {"model": found["model"]}
    assert "# dropped: unknown 1, self loops 1, duplicates 1" in plain


@pytest.mark.parametrize("weighted", [(), ("--weighted",)])
def test_audit_accepts_it_wherever_it_is_written(run: Run, weighted: tuple[str, ...]) -> None:
    Path("specs").mkdir()
    spec = Path("specs") / "spec.toml"
    assert fitted(run, "--grid", "3x3", *weighted, "--out", spec).out == ""
    assert tomllib.loads(spec.read_text(encoding="utf-8"))["model"]["edges"]["file"] == "../edges.csv"
    spec.write_text(spec.read_text(encoding="utf-8") + ASKED, encoding="utf-8")
    leakage = run("audit", spec, "--json").json["leakage"]["inferential"]
    assert 1 / 9 < leakage["lower"] <= leakage["upper"]


BAD: dict[tuple[str, ...], str] = {
    (): "--first: missing, wanted the column of an edge's one end, which --model friends needs",
    ("--first", "c", *OPTIONS[2:]): "data.columns: c, wanted one of the columns a, b",
    (*OPTIONS[:-1], "east"): "data.columns: east, wanted one of the columns who, lat, lon",
    (*OPTIONS, "--grid", "20"): "--grid: 20, wanted how many cells there are from south to north and from",
    (*OPTIONS[:6], "--person", "lat", "--lat", "lon", "--lon", "who"): "--lon who: p0, wanted degrees in every row",
    (*OPTIONS, "--smoothing", "1"): "--smoothing: 1.0, wanted no such option with --model friends",
}
ROWS: dict[tuple[Any, ...], str] = {
    ("p9", 30.5, -97.5): "--person who: p9, wanted each person once",
    ("q", "", -97.5): "data.columns: lat, wanted a cell in every row, 1 of 61 are missing",
}


def test_bad_input(run: Run) -> None:
    for options, line in BAD.items():
        assert complaint(run("fit", "--data", "edges.csv", "--model", "friends", *options)).startswith(line)
    for row, line in ROWS.items():
        write("people.csv", "who,lat,lon", [*drawn()[0], row])
        assert complaint(fitted(run)) == line
    write("people.csv", "who,lat,lon", drawn()[0])
    write("edges.csv", "a,b", [("x", "y")])
    assert complaint(fitted(run)) == "edges: none, wanted at least one"
