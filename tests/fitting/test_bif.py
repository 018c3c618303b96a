"""BIF files: what the parser reads, and what it refuses and where.

The final sizes of an epidemic, however unlikely, against Longini and Koopman's recursion in many digits.

In which order nodes are summed out, and what is too large to sum out.
"""

import re
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from dalenius import (
    AnyOf,
    Count,
    Epidemic,
    Households,
    InferentialPrivacy,
    InputError,
    Laplace,
    Network,
    Release,
    audit,
)
from dalenius.laws.extended_range import Masses
from dalenius.models import Model
from dalenius.models.bif import BifNode, read_bif
from tests.cases import in_turn
from tests.conformance.table import worlds_of
from tests.joints.networks import grid
from tests.pace import slow
from tests.reference import joints
from tests.reference.epidemic import count_leakage, longini_koopman

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
variable C-1 { type discrete [2] { "high-tide", <5 }; }
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
    assert c == BifNode("C-1", ("high-tide", "<5"), ("A", "B"), (half, half, (0.9, 0.1), half, half, half))
    assert (d.values, d.parents) == ((-1, 0.5), ("A", "B"))  # the table's first variable is the slowest
    assert np.array(d.rows)[:, 0] == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])


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
ONCE, KEY = (
    "each variable once, with type discrete [ k ] { so many values, each once };",
    "values of its parents, each row once",
)
SUM = "probabilities that sum to 1 (a row sums to 0.9)"
ENTRY = "rows of probabilities, one table or one default"
BLOCK = "one probability ( a variable | its parents ) for each variable declared above it"
LACKING = "a probability block for each variable"
WHOLE = "network { }, variable { type discrete [ k ] { .. }; } or probability ( .. ) { }"
QUOTES = "names whose quotes are closed in the same line"
FINITE = "a variable with finitely many values: type discrete [ k ] { .. }"
NAN, WORD = "2 probabilities here (there is nan 1)", "2 probabilities here (there is 1 x)"
BAD = [
    ("", None, "the end of the file", LACKING + " (none is there)"),
    (VARIABLE, None, "the end of the file", LACKING + " (A)"),
    ("\n\nvariables A {}", 3, "variables", WHOLE),
    ("\n/* never", 2, "/*", WHOLE),
    ("variable A {\n type continuous; }", 1, "variable", FINITE),
    ("variable A { type discrete [ 2 ] { x, y } }", 1, "variable", WHOLE),
    ("variable A { type discrete [ 2 ] { x, y };", 1, "variable", WHOLE),
    (VARIABLE + "probability [ A ] { }", 2, "probability", WHOLE),
    ("variable A { type discrete [\n3] { x, y }; }", 1, "variable A", ONCE),
    ("variable A { type discrete [ 2 ] { x, x }; }", 1, "variable A", ONCE),
    ("variable A { type discrete [ 2 ] { x, y, x }; }", 1, "variable A", ONCE),
    ('variable A { type discrete [ 2 ] { "high tide, y }; }', 1, "variable A", QUOTES),
    ("<?xml version='1.0'?>", 1, "<?xml", "BIF, not XML"),
    (VARIABLE + "\n" + VARIABLE, 3, "variable A", ONCE),
    (VARIABLE + PRIOR + PRIOR, 3, "probability ( A )", BLOCK),
    (VARIABLE + "probability ( B ) { }", 2, "probability ( B )", BLOCK),
    (VARIABLE + "probability ( A | A ) { }", 2, "probability ( A | A )", BLOCK),
    (VARIABLE + "probability ( ) { }", 2, "probability ( )", BLOCK),
    (VARIABLE + "probability ( A ) {\n row 1; }", 2, "probability ( A )", ENTRY + " (there is row)"),
    (VARIABLE + "probability ( A ) {\n table 0.5; }", 2, "probability ( A )", "2 probabilities here (there is 0.5)"),
    (VARIABLE + "probability ( A ) {\n table nan, 1; }", 2, "probability ( A )", NAN),
    (VARIABLE + "probability ( A ) {\n table 1, x; }", 2, "probability ( A )", WORD),
    (VARIABLE + "probability ( A ) { table .5, .4; }", 2, "probability ( A )", SUM),
    (TWO + PRIOR + "probability ( B | A ) {\n (x) 1, 0; }", 4, "probability ( B | A )", NO_ROW),
    (TWO + PRIOR + "probability ( B | A ) { (x) 1, 0;\n (x) 0, 1; }", 4, "probability ( B | A )", KEY + " (here x)"),
    (TWO + PRIOR + "probability ( B | A ) {\n (x, y) 1, 0; }", 4, "probability ( B | A )", KEY + " (here x, y)"),
]  # fmt: skip


def test_refusals(tmp_path: Path) -> None:
    for text, line, shown, wanted in BAD:
        with pytest.raises(InputError) as caught:
            read_bif(written(tmp_path, text))
        where = "" if line is None else f" line {line}"
        assert str(caught.value) == f"model.file made.bif{where}: {shown}, wanted {wanted}"


def test_a_cycle_is_refused(tmp_path: Path) -> None:
    links = "probability (A | B) { default 1, 0; } probability (B | A) { default 1, 0; }"
    with pytest.raises(InputError, match=r"^model.file: .*made.bif, wanted links without a cycle \(there is [AB] -> "):
        Network(file=written(tmp_path, TWO + links)).joints()


@given(st.lists(st.sampled_from([*GOOD.split(), "{", "}", ";", '"', "/*", "(", ")", ","]), max_size=40))
def test_any_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, words: list[str]) -> None:
    start = GOOD.split()[:40]
    path = written(tmp_path_factory.mktemp("any"), " ".join(start + words))
    with suppress(InputError):
        read_bif(path)


CHANCES = st.sampled_from([0.0, 5e-324, 1e-310, 1e-300, 1e-16, 1e-6, 0.3, 0.5, 1 - 2**-53, 1.0]) | st.floats(0, 1)


def exactly(law: Masses, place: int) -> Fraction:
    return (
        Fraction(float(law.mantissa[place])) * Fraction(2) ** int(law.exponent[place])
        if law.mantissa[place]
        else Fraction(0)
    )


@given(size=st.integers(1, 6), community=CHANCES, household=CHANCES)
@example(size=6, community=5e-324, household=5e-324)
@example(size=6, community=1 - 2**-53, household=1 - 2**-53)
def test_every_entry_in_fractions(size: int, community: float, household: float) -> None:
    law = Epidemic(community=community, household=household).law(size)
    truth = joints.longini_koopman(size, Fraction(community), Fraction(household))
    for place, probability in enumerate(truth):
        assert (
            abs(exactly(law, place) - probability) <= probability / 2**52
        )  # what is possible is above 0, and only that


@pytest.mark.parametrize(
    ("size", "community", "household", "digits"), [(60, 1e-6, 1e-9, 450), slow((200, 0.02, 0.005, 700))]
)
def test_large_households(size: int, community: float, household: float, digits: int) -> None:
    law = Epidemic(community=community, household=household).law(size)
    truth, twice = (longini_koopman(size, community, household, n) for n in (digits, 2 * digits))
    with mpmath.mp.workdps(40):
        for place in range(size + 1):
            assert abs(truth[place] - twice[place]) <= twice[place] * mpmath.mpf(10) ** -20
            found = mpmath.ldexp(float(law.mantissa[place]), int(law.exponent[place]))
            assert abs(found - twice[place]) <= twice[place] * mpmath.mpf(2) ** -52


@in_turn({"scale, leakage": [(0.05, 20.1128122257604), (0.02, 50.1130116023738)], "within": [False, True]})
def test_sizes_too_unlikely_for_a_double_decide(scale: float, leakage: float, within: bool) -> None:
    """All 60 infected has probability 3e-359; with those entries 0 the leakage would be 20.0 and 50.0."""
    read = Households(by="home", epidemic=Epidemic(community=1e-6, household=1e-9))
    home: Model = read.with_compositions({(("", 60),): 1})
    found = InferentialPrivacy(epsilon=1.0).leakage(
        Release(AnyOf(models=[home]) if within else home, Count(), Laplace(scale=scale))
    )
    truth = count_leakage(longini_koopman(60, 1e-6, 1e-9, 450), scale)
    assert float(truth) == pytest.approx(leakage, abs=1e-12)
    assert found.lower <= truth <= found.upper
    assert found.upper - found.lower < 1e-9


def test_network_that_is_too_wide_has_bounds_and_says_why() -> None:
    release = Release(grid(30), Count(), Laplace(scale=1.0))
    assert release.worlds.group_sensitivity == (Fraction(900), 900)  # the group method needs no law
    wanted = r"^summing out the network: a width of \d\d \([\d.e+]+ states of cliques\) is too large, "
    found = audit(release)
    assert re.match(wanted, str(release.worlds.refusal))
    assert found["differential"].epsilon == 1.0
    assert found["inferential"].upper == pytest.approx(900)
