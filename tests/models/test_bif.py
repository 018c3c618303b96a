"""BIF files: what the parser reads, and what it refuses and where."""

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dalenius import InputError, Network
from dalenius.models.bif import BifNode, read_bif
from tests.conformance.table import worlds_of

ASIA = Path(__file__).parents[2] / "examples" / "asia.bif"

GOOD = """
// a comment { "
network "made up" { property author "nobody; /* not } a comment";
  property x = {1, 2}; }
variable A { type discrete [2] { yes, no }; property position = (73, 165) ; }
variable "B" { // another
  property weight = 3;
  type discrete [ 3 ] { 0, 1 2 };
}
/* over
   lines */
variable C-1 { type discrete [2] { "high tide", <5 }; }
variable D { type discrete [2] { -1, 0.5 }; }
probability ( A ) { table 0.25, 0.75; }
probability ( B | A ) { (no) 0.1 .2 7e-1; (yes) 1, 0, 0; }
probability ( C-1 | A, B ) { default 0.5, 0.5; (yes, 2) 0.9, 0.1; }
probability ( D  "A"  B ) { table 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4; property x "y"; }
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "made.bif"
    path.write_text(text, encoding="utf-8")
    return path


def test_everything_the_standard_has(tmp_path: Path) -> None:
    half = (0.5, 0.5)
    a, b, c, d = read_bif(written(tmp_path, GOOD))
    assert a == BifNode("A", ("yes", "no"), (), ((0.25, 0.75),))
    assert b.values == (0, 1, 2)
    assert b.rows[0] == (1, 0, 0)
    assert b.rows[1] == pytest.approx((0.1, 0.2, 0.7))
    assert c == BifNode("C-1", ("high tide", "<5"), ("A", "B"), (half, half, (0.9, 0.1), half, half, half))
    assert (d.values, d.parents) == ((-1, 0.5), ("A", "B"))  # the table's first variable is the slowest
    assert np.array(d.rows)[:, 0] == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])


def test_rounded_rows_are_scaled(tmp_path: Path) -> None:
    third = "variable A { type discrete [3] {x, y, z}; } probability (A) { table 0.333333, 0.333333, 0.333333; }"
    (node,) = read_bif(written(tmp_path, third))
    assert node.rows == ((1 / 3, 1 / 3, 1 / 3),)


def test_asia() -> None:
    """Pr[dyspnoea] and the rest, by the fractions of the reference; lung cancer given an abnormal X-ray."""
    model = Network(file=ASIA)
    (world,) = worlds_of(model)
    names = [node.name for node in model.known_nodes()]
    xray, lung = names.index("xray"), names.index("lung")
    joint = model.law()
    for subject in joint.subjects():
        chance = sum(p for row, p in world.joint.items() if row[subject.person - 1] == "yes")
        assert np.exp(subject.log_prior[subject.secrets.index("yes")]) == pytest.approx(float(chance), rel=1e-14)
    together = sum(p for row, p in world.joint.items() if row[xray] == row[lung] == "yes")
    alone = sum(p for row, p in world.joint.items() if row[xray] == "yes")
    assert float(together / alone) == pytest.approx(0.48871, abs=1e-5)


VARIABLE = "variable A { type discrete [2] { x, y }; }\n"
TWO = VARIABLE + "variable B { type discrete [2] { x, y }; }\n"
PRIOR = "probability ( A ) { table 0.5, 0.5; }\n"
NO_ROW = "a row for every assignment of its parents (y has none)"
TYPE, KEY = "type discrete [ k ] { so many values, each once }", "values of its parents, each row once"
ENTRY = "a row of probabilities, one table or one default"
BAD = [
    ("", 1, "the end of the file", "a variable"),
    ("\n\nvariables A {}", 3, "variables", "network, variable or probability"),
    ("\n/* never", 2, "the end of the file", "{"),
    ("variable { }", 1, "variable", "variable, its name and {"),
    ("variable A {\n}", 1, "A", "one type discrete for this variable"),
    ("variable A {\n type continuous; }", 2, "type", TYPE),
    ("variable A { type discrete [\n3] { x, y }; }", 1, "type", TYPE),
    ("variable A { type discrete [ 2 ] { x, x }; }", 1, "type", TYPE),
    ("variable A { type discrete [ 2 ] { x, y } }", 1, "}", ";"),
    (VARIABLE + "\n" + VARIABLE, 3, "A", "each variable once (line 1 has it too)"),
    (VARIABLE, 1, "A", "a probability block for this variable"),
    (VARIABLE + PRIOR + PRIOR, 3, "A", "one probability block for each variable"),
    (VARIABLE + "probability ( B ) { }", 2, "B", "a variable declared above"),
    (VARIABLE + "probability ( A | A ) { }", 2, "A", "each variable once in a probability block"),
    (VARIABLE + "probability ( A ) {\n row 1; }", 3, "row", ENTRY),
    (VARIABLE + "probability ( A ) {\n table 0.5; }", 3, "table", "2 probabilities here (there are 1)"),
    (VARIABLE + "probability ( A ) {\n table nan, 1; }", 3, "nan", "a probability of at least 0"),
    (VARIABLE + "probability ( A ) {\n table .5, .4; }", 3, "table", "probabilities that sum to 1 (a row sums to 0.9)"),
    (TWO + PRIOR + "probability ( B | A ) {\n (x) 1, 0; }", 4, "B", NO_ROW),
    (TWO + PRIOR + "probability ( B | A ) {\n (x) 1, 0;\n (x) 0, 1; }", 6, "(", KEY + " (here x)"),
    (TWO + PRIOR + "probability ( B | A ) {\n (x, y) 1, 0; }", 5, "(", KEY + " (here x, y)"),
]  # fmt: skip


def test_refusals(tmp_path: Path) -> None:
    for text, line, shown, wanted in BAD:
        with pytest.raises(InputError) as caught:
            read_bif(written(tmp_path, text))
        assert str(caught.value) == f"model.file made.bif line {line}: {shown}, wanted {wanted}"


def test_a_cycle_is_refused(tmp_path: Path) -> None:
    links = "probability (A | B) { default 1, 0; } probability (B | A) { default 1, 0; }"
    with pytest.raises(InputError, match=r"^model.file: .*made.bif, wanted links without a cycle \(there is [AB] -> "):
        Network(file=written(tmp_path, TWO + links)).joints()


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^model.file: .*none.bif, wanted a file that can be read \(No such file"):
        Network(file=tmp_path / "none.bif").joints()
    (tmp_path / "made.bif").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"^model.file: .*made.bif, wanted text in UTF-8$"):
        Network(file=tmp_path / "made.bif").joints()


@given(st.lists(st.sampled_from([*GOOD.split(), "{", "}", ";", '"', "/*", "(", ")", ","]), max_size=40))
def test_any_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, words: list[str]) -> None:
    start = GOOD.split()[:40]
    path = written(tmp_path_factory.mktemp("any"), " ".join(start + words))
    with suppress(InputError):
        read_bif(path)
