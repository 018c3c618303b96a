"""Rows of a file that name nobody are refused by every command, or left out and counted where the spec says so."""

from pathlib import Path

import pytest

import dalenius as dl
from dalenius.errors import InputError
from tests.cli.command import Run

SPEC = """[model]
kind = "pairwise"
n = 4
values = [0, 1]
given = [[0.9, 0.1], [0.1, 0.9]]
edges = { file = "e.csv", first = "a", second = "b" }
others = "markov"
[query]
kind = "count"
[noise]
kind = "laplace"
scale = 1.0
[notion]
kind = "inferential"
epsilon = 1.0
"""
NAMED = SPEC.replace("n = 4", 'people = ["Ann", "Bob", "Cy", "Dora"]')
STAR = "a,b\n1,2\n1,3\n1,4\n"
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("audit",),
    ("calibrate",),
    ("compare",),
    ("convert", "--neighbours", "replace", "--epsilon", "1"),
    ("compose",),
    ("attack",),
    ("posterior", "--answers", "2"),
)
LEFT_OUT = "of the 6 rows of model.edges.file were left out: 1 with nobody of the model at one end, 1 from somebody"


def spec_of(folder: Path, text: str, edges: str) -> Path:
    (folder / "e.csv").write_text(edges, encoding="utf-8")
    (folder / "s.toml").write_text(text, encoding="utf-8")
    return folder / "s.toml"


def refusal(folder: Path, text: str, edges: str) -> str:
    with pytest.raises(InputError) as refused:
        dl.read_spec(spec_of(folder, text, edges)).audited()
    assert refused.value.key == "model.edges.file"
    return refused.value.wanted.partition("beside the file: ")[2]


# Of 16 worlds, enumerated elsewhere: the truth of a star of four, which nobody had who numbered its people from 0.
def test_a_star_of_four_has_the_leakage_of_its_sixteen_worlds(tmp_path: Path) -> None:
    spec = dl.read_spec(spec_of(tmp_path, SPEC, STAR))
    assert dl.audit(spec.audited()).inferential.epsilon == pytest.approx(3.3284, abs=1e-4)
    assert dl.calibrate(spec.calibrated(), spec.promise()).noise.scale == pytest.approx(3.3938, abs=1e-4)


def test_people_numbered_from_0_are_refused_by_every_command(tmp_path: Path, run: Run) -> None:
    spec = spec_of(tmp_path, SPEC, "a,b\n0,1\n0,2\n0,3\n")
    said = "3 of 3 rows name nobody (rows 1, 2 and 3): a 0 occurs in 3, and people are numbered from 1"
    for command, *options in COMMANDS:
        done = run(command, str(spec), *options)
        assert (done.code, done.out) == (2, ""), command
        assert said in done.err, command


@pytest.mark.parametrize(
    ("text", "edges", "said"),
    [
        (SPEC, "a,b\n1,2\n 1,3\n", "1 of 2 rows names nobody (row 2): 1 with a number that is not written as such"),
        (SPEC, "a,b\n1.0,2.0\n", "1 of 1 rows names nobody (row 1): 1 with a number that is not written as such"),
        (SPEC, "a,b\n1,2\n3,5\n9,1\n", "2 of 3 rows name nobody (rows 2 and 3): 2 with a number above 4"),
        (SPEC, "a,b\n1,2\n-1,3\n", "1 of 2 rows names nobody (row 2): 1 with a number below 1, or a fraction"),
        (SPEC, "a,b\n1,\n", "1 of 1 rows names nobody (row 1): 1 with an empty cell"),
        (SPEC, "a,b\nAnn,2\n", "1 of 1 rows names nobody (row 1): 1 with a text that is no number"),
        (NAMED, "a,b\nAnn,Bob \n", "1 with a name that differs from one of the model's in blanks"),
        (NAMED, "a,b\nANN,Bob\n", "1 with a name that differs from one of the model's in blanks"),
        (NAMED, "a,b\nAnn,Eve\nEve,Cy\n", "2 of 2 rows name nobody (rows 1 and 2): 2 with a name that the model does"),
        (NAMED.replace("Ann", "Zoé"), "a,b\nZoe\u0301,Bob\n", "1 with a name that differs from one of the model's"),
        (NAMED, "a,b\n1,2\n", "1 with a name that the model does not have"),
    ],
)
def test_each_kind_of_mistake_has_its_words_and_no_cell_is_quoted(
    tmp_path: Path, text: str, edges: str, said: str
) -> None:
    found = refusal(tmp_path, text, edges)
    assert said in found
    assert not {"Eve", "ANN", "Ann", "Bob"} & {word.strip(",.;:()") for word in found.split()}


def test_thirty_four_people_are_not_ten(tmp_path: Path) -> None:
    ring = "a,b\n" + "".join(f"{n},{n % 34 + 1}\n" for n in range(1, 35))
    said = refusal(tmp_path, SPEC.replace("n = 4", "n = 10"), ring)
    assert said.startswith("25 of 34 rows name nobody (rows 10, 11, 12, 13, 14 and 20 more): 25 with a number above 10")


@pytest.mark.lengthy
def test_left_out_rows_are_counted_by_every_command(tmp_path: Path, run: Run) -> None:
    edges = STAR + "2,1\n4,4\n9,1\n"
    spec = spec_of(tmp_path, SPEC.replace('"b" }', '"b", unknown = "leave_out" }'), edges)
    for command, *options in COMMANDS:
        assert f"3 {LEFT_OUT}" in " ".join(run(command, str(spec), *options).out.split()), command
        found = run(command, str(spec), *options, "--json").json
        assert [(each["key"], each["rows"], each["of"]) for each in found["left_out"]] == [("model.edges.file", 3, 6)]
        assert sum(found["left_out"][0]["reasons"].values()) == 3
        if "why" in found:
            assert f"3 {LEFT_OUT}" in found["why"], command
    release = dl.read_spec(spec).audited()
    assert LEFT_OUT in dl.audit(release).notes()[0]
    assert LEFT_OUT in dl.calibrate(release, dl.InferentialPrivacy(epsilon=1)).why


def test_zeros_that_are_left_out_are_counted_by_themselves(tmp_path: Path) -> None:
    text = SPEC.replace('"b" }', '"b", unknown = "leave_out" }')
    release = dl.read_spec(spec_of(tmp_path, text, "a,b\n0,1\n1,2\n1,7\n")).audited()
    assert dict(release.omitted[0].reasons) == {
        "with nobody of the model at one end": 1,
        "with a 0 for a person, where people are numbered from 1": 1,
        "from somebody to themselves": 0,
        "with a pair that was there before": 0,
    }


def test_a_certificate_counts_rows_with_labels_that_are_not_declared(tmp_path: Path, run: Run) -> None:
    rows = "".join(f"{n // 2},{'xyz'[n % 3]},{n % 4 == 0:d}\n" for n in range(12))
    (tmp_path / "people.csv").write_text("home,ward,ill\n" + rows, encoding="utf-8")
    spec = tmp_path / "s.toml"
    spec.write_text(
        'model = { kind = "independent", n = 8, values = [0, 1], probabilities = [0.8, 0.2],'
        ' labels = ["x", "y", "x", "y", "x", "y", "x", "y"] }\n'
        'query = { kind = "count" }\nnoise = { kind = "geometric", scale = 2.0 }\n'
        'notion = { kind = "inferential", epsilon = 1.0 }\n'
        'data = { file = "people.csv", value = "ill", label = "ward", labels = ["x", "y"], others = "leave_out" }\n',
        encoding="utf-8",
    )
    said = "4 of the 12 rows of data.label were left out: 4 with a label that is not declared"
    assert said in " ".join(run("audit", str(spec)).out.split())
    assert run("calibrate", str(spec), "--json").json["left_out"][0]["rows"] == 4
    certificate = run("release", str(spec), "--json").json["certificate"]
    assert said in certificate["hypotheses"]
    assert said in certificate["why"]


def test_missing_ends_are_refused_unless_they_are_to_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "edges.csv"
    path.write_text("first,second\n1,2\n1,\n,3\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"2 of 3 lack one"):
        dl.dependent_sensitivity(path, 0.5)
    assert dl.dependent_sensitivity(path, 0.5, unknown="leave_out").dropped.unknown == 2
