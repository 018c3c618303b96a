"""Texts in files: one reader of encodings, separators and newlines, and a line's fault in a spec."""

import gzip
import subprocess
from pathlib import Path

import pytest

from dalenius.conversion import read_profile
from dalenius.errors import InputError
from dalenius.likely_encoding import likely_encoding
from dalenius.pairs.linked_people import EdgeFile
from dalenius.separated_text import separator_of
from dalenius.spec import read_spec, sections_of
from dalenius.text_files import read_text
from tests.cli.command import COMMAND

SPEC = (
    'model = { kind = "independent", n = 3, probabilities = [0.3] }\nquery = { kind = "count" }\n'
    'noise = { kind = "laplace", scale = 1.0 } # größer\n'
)
TEXTS = {
    "cp1252": ["x,ort\n1,Köln\n", "nom;âge\nHélène;34\n", "x;preis\n1;5 €\n", "nombre,año\nPeña,3\n"],
    "cp1250": ["imię,miasto\nŁukasz,Łódź\n", "jméno;město\nŠtěpán;Plzeň\nJiří;Třebíč\n"],
    "cp1251": ["имя,город\nИван,Москва\n"],
    "mac_roman": ["Bezirk;Größe\nKöln;1,70\nMünchen;1,82\n"],
    "utf-16-le": ["x,ort\n1,Hof\n"],
    "utf-16-be": ["x,ort\n1,Hof\n"],
}


def test_encodings_are_named() -> None:
    for encoding, texts in TEXTS.items():
        for text in texts:
            assert likely_encoding(text.encode(encoding)) == encoding, text
    for content in ("名前,都市\n太郎,東京\n".encode("cp932"), bytes(range(128, 256))):
        assert likely_encoding(content) is None


def test_a_spec_is_read_in_every_form(tmp_path: Path) -> None:
    forms = [SPEC.encode(name) for name in ("utf-8", "utf-8-sig", "utf-16", "utf-32")]
    forms += [SPEC.replace("\n", end).encode() for end in ("\r\n", "\r")] + [gzip.compress(SPEC.encode())]
    for content in forms:
        (tmp_path / "a.toml").write_bytes(content)
        assert read_spec(tmp_path / "a.toml").noise == read_spec(written(tmp_path, SPEC)).noise
        assert read_text(tmp_path / "a.toml") == SPEC
    for content, wanted in ((SPEC.encode("cp1252"), "line 3 is not: it looks like cp1252"), (b"\x1f\x8bx", "gzip")):
        (tmp_path / "a.toml").write_bytes(content)
        with pytest.raises(InputError, match=wanted):
            read_spec(tmp_path / "a.toml")


def written(folder: Path, text: str) -> Path:
    path = folder / "spec.toml"
    path.write_text(text, encoding="utf-8")
    return path


FAULTS = [
    ("[noise]\nscale = 1,0\n", "line 2: noise.scale, wanted a number with a point before its decimals, as 1.0"),
    ("[noise]\nkind = laplace\n", 'line 2: noise.kind, wanted a text in quotes, as "laplace", a number, true or false'),
    ("a = 1\nb = True\n", "line 2: b, wanted true or false, in small letters"),
    ("a = [true, False]", "line 1: a, wanted true or false, in small letters"),
    ("[a]\nb = 1\n\nb = 2", "line 4: a.b, wanted each key once in a section (it is in line 2 already)"),
    ("[a]\nb = 1\n[a]\nc = 2\n", "line 3: a, wanted each section once (it is in line 1 already)"),
    ("a = people.csv", 'line 1: a, wanted a text in quotes, as "laplace", a number, true or false'),
    ("[a]\nb: 3", "line 2: a.b, wanted an equals sign after the key, not a colon"),
    ("a = “x”", 'line 1: a, wanted straight quotes, as in "laplace"'),
    ("a = None", "line 1: a, wanted a value: a key without one is left out"),
    ("a =", "line 1: a, wanted a value after the key"),
    ("a = 10 000", "line 1: a, wanted a number without marks or blanks between its digits"),
    ("a = 5 %", "line 1: a, wanted a number without %, as 0.05"),
    ("a = { b = 1,\n c = 2 }", "line 1: a, wanted all of { … } in one line"),
    ("a = [0.5 0.5]", "line 1: a, wanted a comma between two values"),
    ('a = "x', "line 1: a, wanted a quote at the end of the text too"),
    ('a = "C:\\people.csv"', "line 1: a, wanted a path in 'single quotes', or with / in place of each backslash"),
]


def test_a_fault_of_a_spec_names_key_line_and_what_is_wanted(tmp_path: Path) -> None:
    for text, said in FAULTS:
        with pytest.raises(InputError) as refused:
            sections_of(written(tmp_path, text))
        assert str(refused.value) == f"spec spec.toml {said}"


def test_a_fault_of_json_names_key_and_line(tmp_path: Path) -> None:
    faults = [
        ('{"a": 1,\n "b": True}', "line 2: b, wanted true or false, in small letters"),
        ('{"a": 1,\n "a": 2}', "line 2: a, wanted each key once in an object"),
        ('{"a": {"b": 1, "b": 2}}', "line 1: b, wanted each key once in an object"),
        ('{"a": 1,5}', "line 1: a, wanted a number with a point before its decimals, as 1.0"),
    ]
    for text, said in faults:
        (tmp_path / "a.json").write_text(text, encoding="utf-8")
        with pytest.raises(InputError) as refused:
            sections_of(tmp_path / "a.json")
        assert str(refused.value) == f"spec a.json {said}"


def test_a_misspelt_file_is_guessed(tmp_path: Path) -> None:
    written(tmp_path, SPEC)
    for name in ("spce.toml", "spec.tml"):
        with pytest.raises(
            InputError, match=r"a file that can be read \(No such file or directory\) \(did you mean spec"
        ):
            read_spec(tmp_path / name)


def test_a_closed_standard_input_is_refused() -> None:
    done = subprocess.run(f"{COMMAND} audit - <&-", shell=True, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "dalenius: spec: -, wanted a standard input that is open\n"


EDGES = [
    ("a,b,law\n0,1,x\n1,2,y\n", [("0", "1"), ("1", "2")]),
    ("law;b;a\nx;1;0\ny;2;1\n", [("0", "1"), ("1", "2")]),
    ("# Nodes: 3\n# a\tb\n0\t1\n1\t2\n", [("0", "1"), ("1", "2")]),
    ("% sym\n%  a b\n0 1\n1   2\n", [("0", "1"), ("1", "2")]),
    ('"a","b"\r\n"Müller, Ann","Bob"\r\n', [("Müller, Ann", "Bob")]),
    ("a b\n\n0 1\n", [("0", "1")]),
]


def test_edges_are_read_in_every_form(tmp_path: Path) -> None:
    for text, edges in EDGES:
        for content in (text.encode(), text.encode("utf-8-sig"), gzip.compress(text.encode()), text.encode("utf-16")):
            (tmp_path / "e.txt").write_bytes(content)
            assert list(EdgeFile(file=tmp_path / "e.txt", first="a", second="b").rows()) == edges, text
    (tmp_path / "e.txt").write_text("# a\tb\n0\t1\n1\t2\t3\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"model\.edges\.file: .*, wanted 2 cells in line 3, as in the first"):
        list(EdgeFile(file=tmp_path / "e.txt", first="a", second="b").rows())
    (tmp_path / "e.txt").write_text('a,b\n0,"1\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"cells whose quotes are closed \(the row in line 2 is not read\)"):
        list(EdgeFile(file=tmp_path / "e.txt", first="a", second="b").rows())


def test_profiles_are_read_in_every_form(tmp_path: Path) -> None:
    text = "epsilon,delta\n0,0.5\n1,0.01\n"
    same = [text, text.replace(",", ";"), text.replace(",", "\t"), f"# a pipeline\n{text}", text.replace("\n", "\r\n")]
    for content in [*(each.encode() for each in same), text.encode("utf-16"), gzip.compress(text.encode())]:
        (tmp_path / "p.csv").write_bytes(content)
        assert read_profile(tmp_path / "p.csv").delta(1.0) == pytest.approx(0.01)
    (tmp_path / "p.csv").write_text("epsilon;delta\n0;0,5\n1;0,01\n", encoding="utf-8")
    with pytest.raises(
        InputError, match="profile line 2: 0,0,5, wanted two numbers, with a point before their decimals"
    ):
        read_profile(tmp_path / "p.csv")


def test_separators() -> None:
    assert [separator_of(line) for line in ("a;b,c;d", "a|b", "first", 'a"b b"')] == [";", "|", ",", ","]
