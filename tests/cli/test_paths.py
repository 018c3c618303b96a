"""A path is taken as it is written, in every place that takes one, whatever letters are in it."""

import csv
import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dalenius as dl
from tests.cli.command import EXAMPLES, Done, Run, dalenius
from tests.pace import slow

ALL: Final = 'Tom\'s "x" 50%20a#b Köln 東京 [1]?*;&'
NAMES: Final = ("a b", "Tom's", 'say "x"', "50%20", "a#b", "Köln 東京", "C:", "x[1]?*", "a;b&c", "-v", "$HOME ~")
ROWS: Final = [("home", "ill", "age"), *[(home, ill, 30 + home) for home in range(4) for ill in (0, 1)]]
DATA: Final = '[data]\nvalue = "ill"\n'
MODEL: Final = 'model = { kind = "independent", n = 8, probabilities = [0.3] }\nquery = { kind = "count" }\n'
NOISE: Final = 'noise = { kind = "geometric", scale = 1.0 }\nnotion = { kind = "information", epsilon = 1.0 }\n'


def fill(folder: Path) -> None:
    """Everything that a command may read, in this folder."""
    folder.mkdir(parents=True)
    with (folder / "people.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(ROWS)
    (folder / "people.csv.gz").write_bytes(gzip.compress((folder / "people.csv").read_bytes()))
    columns = pa.table({name: [row[place] for row in ROWS[1:]] for place, name in enumerate(ROWS[0])})
    pq.write_table(columns, folder / "people.parquet")
    (folder / "parts").mkdir()
    pq.write_table(columns, folder / "parts" / "1.parquet")
    lines = [json.dumps(dict(zip(ROWS[0], row, strict=True))) for row in ROWS[1:]]
    (folder / "people.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (folder / "spec.toml").write_text(MODEL + NOISE + DATA, encoding="utf-8")
    (folder / "own.toml").write_text(MODEL + NOISE + DATA + 'file = "people.csv"\n', encoding="utf-8")
    (folder / "edges.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    given = 'given = [[0.9, 0.1], [0.1, 0.9]], others = "markov"'
    edges = 'edges = { file = "edges.csv", first = "a", second = "b" }'
    model = f'model = {{ kind = "pairwise", n = 3, values = [0, 1], {given}, {edges} }}\nquery = {{ kind = "count" }}\n'
    (folder / "pairs.toml").write_text(model + NOISE, encoding="utf-8")
    shutil.copy(EXAMPLES / "asia.bif", folder / "asia.bif")
    network = 'model = { kind = "network", file = "asia.bif" }\nquery = { kind = "count", values = ["yes"] }\n'
    (folder / "net.toml").write_text(network + NOISE, encoding="utf-8")
    (folder / "profile.csv").write_text("epsilon,delta\n0,0.5\n1,0.01\n", encoding="utf-8")
    event = {"neighbours": "replace", "event": {"kind": "laplace", "noise_multiplier": 1.0}}
    (folder / "event.json").write_text(json.dumps(event), encoding="utf-8")
    policy = (
        'ledger = "ledger.sqlite"\n[[data]]\nname = "people"\nsource = { file = "people.csv" }\n'
        'notion = { kind = "information", epsilon = 1.0 }\nmeasures = [{ name = "ill", value = "ill", '
        'model = { kind = "independent", n = 8, probabilities = [0.3] } }]\nanalysts = [{ name = "ana" }]\n'
    )
    (folder / "policy.toml").write_text(policy, encoding="utf-8")


def _reading(name: str, *options: str) -> Callable[[Path], Done]:
    return lambda folder: dalenius(name, *[each.replace("@", f"{folder}/") for each in options])


PLACES: Final[dict[str, Callable[[Path], Done]]] = {
    "data file": _reading("audit", "@own.toml"),
    "audit csv": _reading("audit", "@spec.toml", "--data", "@people.csv"),
    "audit gz": _reading("audit", "@spec.toml", "--data", "@people.csv.gz"),
    "audit jsonl": _reading("audit", "@spec.toml", "--data", "@people.jsonl"),
    "audit parquet": _reading("audit", "@spec.toml", "--data", "@people.parquet"),
    "audit folder": _reading("audit", "@spec.toml", "--data", "@parts"),
    "calibrate": _reading("calibrate", "@spec.toml", "--data", "@people.csv"),
    "compare": _reading("compare", "@spec.toml", "--data", "@people.csv"),
    "attack": _reading("attack", "@spec.toml", "--data", "@people.csv"),
    "posterior": _reading("posterior", "@spec.toml", "--data", "@people.csv", "--answers", "2"),
    "compose": _reading("compose", "@spec.toml", "@own.toml", "--data", "@people.csv"),
    "release": _reading("release", "@spec.toml", "--data", "@people.csv", "--ledger", "@l.sqlite", "--budget", "1"),
    "ledger": _reading("ledger", "show", "@l.sqlite"),
    "explain": _reading("explain", "@spec.toml", "--data", "@people.csv", "--out", "@page.html"),
    "plot": _reading("audit", "@own.toml", "--plot", "@plot.png"),
    "fit": _reading("fit", "--data", "@people.csv", "--model", "network", "--columns", "ill,age", "--out", "@m.toml"),
    "edges": _reading("audit", "@pairs.toml"),
    "network": _reading("audit", "@net.toml"),
    "profile": _reading(
        "convert", "@own.toml", "--neighbours", "replace", "--profile", "@profile.csv", "--at-delta", "0.01"
    ),
    "event": _reading("convert", "@own.toml", "--event", "@event.json"),
    "policy": _reading("policy", "check", "@policy.toml"),
    "init": _reading("init", "@made.toml", "--data", "@people.csv", "--value", "ill"),
    "example": _reading("example", "pair", "--out", "@examples"),
    "token": _reading("token", "make", "@policy.toml", "--analyst", "ana", "--data", "people"),
}
"""What a command does with files of a folder, in an order in which a ledger is written before it is read."""


QUICK: Final = ("data file", "audit folder", "release", "ledger", "network", "policy")
"""Those that the quick suite runs."""


@pytest.mark.lengthy
@pytest.mark.parametrize(("name", "places"), [(ALL, QUICK), *(slow((name, tuple(PLACES))) for name in (ALL, *NAMES))])
def test_every_place_takes_every_path(tmp_path: Path, name: str, places: tuple[str, ...]) -> None:
    folder = tmp_path / name
    fill(folder)
    for place in places:
        done = PLACES[place](folder)
        assert done.code == 0, (place, name, done.err)


@pytest.mark.parametrize("name", [ALL, *map(slow, NAMES)])
def test_python_takes_every_path(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    fill(folder)
    for table in ("people.csv", "people.csv.gz", "people.parquet", "people.jsonl", "parts"):
        for given in (folder / table, str(folder / table)):
            quote = dl.quote(folder / "spec.toml", data=given, budget=1.0, ledger=str(folder / "q.sqlite"))
            assert quote.budget is not None, (table, given)
    assert len(dl.Network(file=folder / "asia.bif").known_nodes()) == 8
    session = dl.Session(None, folder / "policy.toml", analyst="ana", data="people")
    assert session.ask(dl.Ask(measure="ill", query=dl.Count(), epsilon=0.5)) is not None


def test_a_url_has_its_blanks_escaped(tmp_path: Path) -> None:
    fill(tmp_path / "a b")
    for url, code in ((f"file://{tmp_path}/a%20b/people.csv", 0), (f"file://{tmp_path}/a b/people.csv", 0)):
        assert dalenius("audit", tmp_path / "a b" / "spec.toml", "--data", url).code == code
    assert dalenius("audit", tmp_path / "a b" / "spec.toml", "--data", "postgresql://a b/c").code == 2


def test_a_path_of_windows_is_a_path(run: Run, tmp_path: Path) -> None:
    (tmp_path / "spec.toml").write_text(MODEL + NOISE + DATA, encoding="utf-8")
    for path in (r"C:\my data\people.csv", "C:/data/people.csv", r"\\server\share\people.csv"):
        done = run("audit", tmp_path / "spec.toml", "--data", path)
        assert "wanted a file that is there" in done.err, done.err
        shown = path.replace("\\", "\\\\")
        (tmp_path / "own.toml").write_text(MODEL + NOISE + DATA + f'file = "{shown}"\n', encoding="utf-8")
        assert "wanted a file that is there" in run("audit", tmp_path / "own.toml").err
    (tmp_path / "own.toml").write_text(MODEL + NOISE + DATA + 'file = "C:\\data\\people.csv"\n', encoding="utf-8")
    wanted = "line 7: data.file, wanted a path in 'single quotes', or with / in place of each backslash"
    assert wanted in run("audit", tmp_path / "own.toml").err
