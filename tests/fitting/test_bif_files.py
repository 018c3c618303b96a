"""BIF files as people have them: names in quotes, intervals, byte order marks, gzip, published networks; labels."""

import gzip
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from dalenius import Count, Laplace, Network, Release, audit
from dalenius.errors import InputError
from dalenius.models.bif import BifNode, read_bif
from tests.pace import slow

CUT = """network "R's cut" { }
variable "age group" { type discrete [ 3 ] { "(0,20]", "(20,40]", "[40,Inf)" }; }
variable dose { type discrete [ 2 ] { [0, 1], (1, 2.5] }; }
variable "ill, or not" { type discrete [ 2 ] { "a {b} | c; // d", no }; }
variable sky { type discrete [ 2 ] { light rain, dry }; }
probability ( "age group" ) { table 0.2, 0.3, 0.5; }
probability ( dose | "age group" ) { ("(0,20]") 0.9, 0.1; ((20,40]) 0.5, 0.5; ([40,Inf)) 0.25, 0.75; }
probability ( "ill, or not" | dose, "age group" ) { default 0.5, 0.5; ((1, 2.5], "(20,40]") 0.75, 0.25; }
probability ( sky | "ill, or not" ) { ("a {b} | c; // d") 0.25, 0.75; (no) 1, 0; }
"""
PUBLISHED = {
    "asia": 8, "cancer": 5, "earthquake": 5, "sachs": 11, "survey": 6, "alarm": 37, "barley": 48, "child": 20,
    "insurance": 27, "mildew": 35, "water": 32, "hailfinder": 56, "hepar2": 70, "win95pts": 76, "andes": 223,
    "diabetes": 413, "link": 724, "munin": 1041, "munin1": 186, "munin2": 1003, "munin3": 1041, "munin4": 1038,
    "pathfinder": 109, "pigs": 441,
}  # fmt: skip
"""How many nodes each of the discrete networks of bnlearn's repository has."""


def forms_of(folder: Path, text: str) -> Iterator[Path]:
    """The text in files that hold it in different bytes."""
    plain = text.encode()
    contents = {
        "plain.bif": plain,
        "marked.bif": b"\xef\xbb\xbf" + plain,
        "windows.bif": plain.replace(b"\n", b"\r\n"),
        "mac.bif": plain.replace(b"\n", b"\r"),
        "packed.bif.gz": gzip.compress(plain),
        "packed.bif": gzip.compress(b"\xef\xbb\xbf" + plain),
        "wide.bif": text.encode("utf-16"),
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
        yield folder / name


def test_names_in_quotes_and_intervals(tmp_path: Path) -> None:
    for path in forms_of(tmp_path, CUT):
        age, dose, ill, sky = read_bif(path)
        assert age == BifNode("age group", ("(0,20]", "(20,40]", "[40,Inf)"), (), ((0.2, 0.3, 0.5),)), path
        assert dose.values == ("[0, 1]", "(1, 2.5]")
        assert dose.rows == ((0.9, 0.1), (0.5, 0.5), (0.25, 0.75))
        assert (ill.name, ill.values) == ("ill, or not", ("a {b} | c; // d", "no"))
        assert ill.rows[4] == (0.75, 0.25)
        assert ill.rows.count((0.5, 0.5)) == 5
        assert sky == BifNode("sky", ("light rain", "dry"), ("ill, or not",), ((0.25, 0.75), (1.0, 0.0)))


def test_a_pair_of_numbers_is_no_interval(tmp_path: Path) -> None:
    bits = "".join(f"variable {name} {{ type discrete [2] {{ 0, 1 }}; }}\n" for name in "ABC")
    chances = "probability (A) { table 1, 0; } probability (B) { table 1, 0; }\n"
    rows = "probability (C | A, B) { (0,0) 1, 0; (0,1) 0.5, 0.5; (1,0) 0.25, 0.75; (1,1) 0, 1; }"
    (tmp_path / "a.bif").write_text(bits + chances + rows, encoding="utf-8")
    assert read_bif(tmp_path / "a.bif")[2].rows == ((1, 0), (0.5, 0.5), (0.25, 0.75), (0, 1))


def test_another_encoding_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.bif").write_bytes(CUT.replace("dry", "trüb").encode("cp1252"))
    with pytest.raises(InputError, match=r"^model\.file: .*, wanted text in UTF-8 \(line 5 is not: .* like cp1252\)$"):
        read_bif(tmp_path / "a.bif")


def test_a_misspelt_file_is_guessed(tmp_path: Path) -> None:
    (tmp_path / "sachs.bif").write_text(CUT, encoding="utf-8")
    with pytest.raises(InputError, match=r"\(did you mean sachs\.bif\?\)$"):
        read_bif(tmp_path / "sacks.bif")


QUICK = ("asia", "sachs", "pigs", "hailfinder", "munin1")


@pytest.mark.parametrize("name", [name if name in QUICK else slow(name) for name in PUBLISHED])
def test_published_networks_are_read(name: str) -> None:
    found = find_spec("pgmpy")
    path = None if found is None or found.origin is None else Path(found.origin).parent / "utils" / "example_models"
    if path is None or not (path / f"{name}.bif.gz").exists():
        pytest.skip("pgmpy, whose package data have the networks, is not installed")
    nodes = Network(file=path / f"{name}.bif.gz").known_nodes()
    assert len(nodes) == PUBLISHED[name]
    assert all(abs(sum(map(float, row)) - 1) < 1e-12 for node in nodes for row in node.rows())  # type: ignore[arg-type]


def test_nodes_of_a_file_have_labels(tmp_path: Path) -> None:
    (tmp_path / "a.bif").write_text(CUT, encoding="utf-8")
    query, noise = Count(values=("dry",), labels=("weather",)), Laplace(scale=1.0)
    named = Network(file=tmp_path / "a.bif", labels={"sky": "weather"})
    alone = audit(Release(named, query, noise))
    assert audit(Release(named.self_contained(), query, noise)) == alone
    same = Network(file=tmp_path / "a.bif", labels="names")
    assert [node.label for node in same.known_nodes()] == ["age group", "dose", "ill, or not", "sky"]
    by_name = audit(Release(same, Count(values=("dry",), labels=("sky",)), noise))
    assert by_name["inferential"].upper == alone["inferential"].upper
    with pytest.raises(InputError, match=r"^model\.labels: sly, wanted a node of the file \(did you mean sky\?\)$"):
        Network(file=tmp_path / "a.bif", labels={"sly": "weather"}).known_nodes()
    with pytest.raises(InputError, match="wanted a label in each node, and labels beside a file only"):
        Network(nodes=named.known_nodes(), labels="names")


def test_a_number_and_a_text_are_told_apart(tmp_path: Path) -> None:
    bit = "variable A { type discrete [2] { 0, 1 }; }\nprobability ( A ) { table 0.5, 0.5; }\n"
    (tmp_path / "a.bif").write_text(bit, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        audit(Release(Network(file=tmp_path / "a.bif"), Count(values=("0",)), Laplace(scale=1.0)))
    assert str(refused.value) == 'query.values: "0", wanted a value some record can have [0, 1]: write 0'
