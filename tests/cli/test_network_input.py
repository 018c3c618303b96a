"""Networks through the command: what a bad one is told, and a file found beside its spec from anywhere.

[adversary] answers in the commands.
"""

from pathlib import Path

import pytest

from tests.cli.command import Run, complaint, dalenius, written

ASKED = '[query]\nkind = "count"\n[noise]\nkind = "laplace"\nscale = 1.0\n'
FILE = '[model]\nkind = "network"\nfile = "made.bif"\n' + ASKED
VARIABLES = "variable A { type discrete [2] { 0, 1 }; }\nvariable B { type discrete [2] { 0, 1 }; }\n"


def node(name: str, rows: str, *parents: str) -> str:
    return f'[[model.nodes]]\nname = "{name}"\nparents = {list(parents)}\nprobabilities = {rows}\n'


def network(*nodes: str) -> str:
    return '[model]\nkind = "network"\n' + "".join(nodes) + ASKED


ROWS = "[[0.9, 0.1], [0.3, 0.7]]"
ROOT = node("a", "[0.5, 0.5]")
# A spec's text, and how the line starts and ends.
SPECS: dict[str, tuple[str, str]] = {
    network(ROOT, node("b", "[[0.9, 0.1], [0.3, 0.6]]", "a")): (
        "model.nodes 2.probabilities row 2: [0.3, 0.6], wanted",
        "probabilities that sum to 1 (these sum to 0.9)",
    ),
    network(node("a", "[1.0, 0.0]"), node("b", ROWS, "a")) + '[adversary]\nknown = { "a" = 1 }\n': (
        "adversary.known: 1 = 1, wanted",
        "values that can occur together",
    ),
}


def test_spec(tmp_path: Path, run: Run) -> None:
    for text, (start, end) in SPECS.items():
        said = complaint(run("audit", written(tmp_path, text)))
        assert said.startswith(start)
        assert said.endswith(end)


def test_too_wide(tmp_path: Path, run: Run) -> None:
    """Forty neighbours on a square grid of 1600: the width and the memory are named, and what to do instead."""
    text = '[model]\nkind = "network"\n'
    for i in range(1600):
        parents = [f"n{i - step}" for step in (1, 40) if (i >= 40 if step == 40 else i % 40)]
        text += node(f"n{i}", str([[0.9, 0.1], [0.4, 0.6], [0.5, 0.5], [0.2, 0.8]][: 2 ** len(parents)]), *parents)
    said = complaint(run("audit", written(tmp_path, text.replace("[[0.9, 0.1]]", "[0.9, 0.1]"), ASKED)))
    assert said.startswith("summing out the network: a width of ")
    assert "states of cliques" in said
    assert "GiB or more) is too large, leave out links, merge values, or use the group method" in said


# A BIF file's text, and the line.
FILES = {
    VARIABLES + "chance ( A ) { table 0.5, 0.5; }\n": "line 3: chance, wanted network { }, variable { type",
    VARIABLES + "probability ( A ) {\n  table 0.5, 0.4;\n}\n": (
        "line 3: probability ( A ), wanted probabilities that sum to 1 (a row sums to 0.9)"
    ),
}


def test_file(tmp_path: Path, run: Run) -> None:
    spec, file = written(tmp_path, FILE), tmp_path / "made.bif"
    said = complaint(run("audit", spec))
    assert said == f"model.file: {file}, wanted a file that can be read (No such file or directory)"
    for text, line in FILES.items():
        file.write_text(text, encoding="utf-8")
        assert complaint(run("audit", spec)).startswith(f"model.file made.bif {line}")


WITHIN = """
model = { kind = "any", models = [
    { kind = "product", parts = [
        { kind = "network", file = "made.bif" }, { kind = "independent", probabilities = [0.5] },
    ] },
    { kind = "independent", probabilities = [0.5, 0.5, 0.5] },
] }
"""


def test_files_of_networks_within_others(tmp_path: Path, run: Run) -> None:
    tables = "probability ( A ) { table 0.5, 0.5; } probability ( B | A ) { (0) 1, 0; (1) 0, 1; }"
    (tmp_path / "made.bif").write_text(VARIABLES + tables, encoding="utf-8")
    found = run("audit", written(tmp_path, WITHIN, ASKED), "--json").json["leakage"]["inferential"]
    assert found["witness"]["who"] == "node A of the network"


SPEC = """
model = { kind = "households", types = [
    { count = 10, infected = [0.7, 0.1, 0.2], members = { staff = 2 } },
    { count = 10, infected = [0.8, 0.2], members = { guests = 1 } },
] }
query = { kind = "count", labels = ["staff"] }
noise = { kind = "geometric", scale = 2.0 }
notion = { kind = "inferential", epsilon = 1.0 }
"""
KNOWN = """
[[adversary.answers]]
query = { kind = "count" }
value = 6
"""
DATA = """
[data]
file = "people.csv"
household = "home"
label = "role"
value = "ill"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "known.toml").write_text(SPEC + KNOWN, encoding="utf-8")
    (tmp_path / "blind.toml").write_text(SPEC, encoding="utf-8")
    homes = [(f"s{i}", "staff", int(i < 2)) for i in range(10) for _ in range(2)]
    alone = [(f"g{i}", "guests", int(i < 2)) for i in range(10)]
    rows = "".join(f"{home},{role},{ill}\n" for home, role, ill in homes + alone)
    (tmp_path / "people.csv").write_text("home,role,ill\n" + rows, encoding="utf-8")
    return tmp_path


def test_the_table_must_have_that_total(folder: Path) -> None:
    (folder / "release.toml").write_text(SPEC + KNOWN.replace("6", "7") + DATA, encoding="utf-8")
    said = complaint(dalenius("release", folder / "release.toml", "--budget", "3"))
    assert "adversary.answers row 1: 7, wanted what the table answers: totals that are known must be so" in said
