"""Networks through the command: what a bad file is told, and a file found beside its spec from anywhere."""

from pathlib import Path

from tests.cli.command import Run, complaint, written

ASKED = '[query]\nkind = "count"\n[noise]\nkind = "laplace"\nscale = 1.0\n'
FILE = '[model]\nkind = "network"\nfile = "made.bif"\n' + ASKED
VARIABLES = "variable A { type discrete [2] { 0, 1 }; }\nvariable B { type discrete [2] { 0, 1 }; }\n"


def test_file(tmp_path: Path, run: Run) -> None:
    spec, file = written(tmp_path, FILE), tmp_path / "made.bif"
    said = complaint(run("audit", spec))
    assert said == f"model.file: {file}, wanted a file that can be read (No such file or directory)"
    file.write_text(VARIABLES + "chance ( A ) { table 0.5, 0.5; }\n", encoding="utf-8")
    line = "line 3: chance, wanted network { }, variable { type"
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
