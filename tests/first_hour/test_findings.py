"""What newcomers stumbled over: each command with what it says now. The package's docstring has the list."""

import json
import re
import tomllib
from pathlib import Path

import pytest

import dalenius as dl
from dalenius import wings
from tests.cli.command import EXAMPLES, Done, complaint, written
from tests.docs.page import REPOSITORY
from tests.first_hour import inside

HOMES = EXAMPLES / "households.toml"
PEOPLE = "home,ill,day\n" + "a,yes,1861-11-20\na,no,1861-12-01\nb,no,1862-01-02\nc,yes,1861-11-03\n" * 3
TABLE = """
[model]
kind = "households"
by = "home"
epidemic = { community = 0.1, household = 0.2 }
[query]
kind = "count"
[noise]
kind = "geometric"
scale = 40.0
[notion]
kind = "information"
epsilon = 1.0
[data]
file = "people.csv"
value = { column = "ill", equals = "yes" }
"""


@pytest.fixture(autouse=True)
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(PEOPLE, encoding="utf-8")
    Path("spec.toml").write_text(TABLE, encoding="utf-8")
    return tmp_path


def run(*arguments: str | Path) -> Done:
    return inside.run([str(each) for each in arguments], screen=False)


SAID = {
    # N11, N12: what no cell of that type is
    (
        'equals = "yes"',
        "equals = 0.5",
    ): "data.value: ill, wanted cells that compare with 0.5; the column holds truth values",
    # N28: a section twice
    ("[data]", "[query]"): "spec spec.toml line 14: query, wanted each section once (it is in line 6 already)",
    # N35: a date, a list for a kind, what would steer a terminal, a URL
    ("scale = 40.0", "scale = 1861-11-26"): "noise.scale: 1861-11-26, wanted a number",
    ('kind = "geometric"', 'kind = ["laplace"]'): (
        f'noise.kind: ["laplace"], wanted one of {", ".join(map(repr, wings.ROOMS["noise"]))} (did you mean laplace?)'
    ),
    ('by = "home"', 'by = "\\u001b[2J"'): "model.by: \\x1b[2J, wanted one of the columns home, ill, day",
    ('"people.csv"', '"postgresql://me:secret@there/people"'): (
        "data.file: postgresql://***@there/people, wanted a path (a URL is given as url)"
    ),
}
LOGARITHMS = {
    "ln 2": "notion.epsilon: ln 2, wanted a number, not a text (ln 2 is 0.6931471806)",
    "log(0)": "notion.epsilon: log(0), wanted a number, not a text",
}
"""N15a."""


def test_what_is_said(room: Path) -> None:
    for (old, new), said in SAID.items():
        assert old in TABLE
        written(room, TABLE.replace(old, new))
        assert complaint(run("audit", "spec.toml")) == said
    for epsilon, said in LOGARITHMS.items():
        written(room, TABLE.replace("epsilon = 1.0", f'epsilon = "{epsilon}"'))
        assert complaint(run("calibrate", "spec.toml")) == said


def test_a_factor_an_interval_and_a_kernel_that_is_long() -> None:
    """N15a, b; N26; N37."""
    text = HOMES.read_text(encoding="utf-8").replace("epsilon = 1.0", "factor = 2")
    Path("homes.toml").write_text(text, encoding="utf-8")
    done = run("calibrate", "homes.toml", "--out", "found.json")
    assert "no chance grows more than 2-fold" in done.out
    assert "per answer; 95 % within ± 14" in done.out
    shown = run("calibrate", "homes.toml", "--json").out
    kept = Path("found.json").read_text(encoding="utf-8")
    assert kept.count("\n") == 1
    assert json.loads(kept) == json.loads(shown)
    grouped = run("calibrate", "homes.toml", "--method", "group")
    assert "nobody" not in grouped.out.partition("about whom")[2]


def test_nats_and_people_are_explained() -> None:
    """N15e, f."""
    said = run("audit", "spec.toml").out
    assert "nats: natural logarithms of factors; 0.6931 (ln 2) is a factor of 2, 0 is nothing\n" in said
    assert "person: the model numbers people itself\n" in said
    assert "\nperson: " not in run("audit", EXAMPLES / "pair.toml").out


def test_nothing_is_left_and_what_is_below_zero() -> None:
    """N25, N34: noise of scale 40 on a count of 6 carries about four answers of ten below 0."""
    usual = '[noise]\nkind = "geometric"\nscale = 40.0\n[notion]\nkind = "information"\nepsilon = 1.0\n'
    text = TABLE.replace(usual, '[notion]\nkind = "differential"\nepsilon = 0.025\n')
    for place in range(60):
        Path("spec.toml").write_text(text + f'name = "data {place}"\n', encoding="utf-8")
        Path("people.csv").write_text(PEOPLE + f"z{place},no,\n", encoding="utf-8")
        done = run("release", "spec.toml", "--ledger", "l.sqlite")
        assert done.code == 0, done
        assert "0.025 of 0.025 nats spent, 0 left" in done.out
        answer = int(done.out.partition("│ answer │ ")[2].split()[0])
        assert ("you may publish 0 instead" in done.out) == (answer < 0)
        if answer < 0:
            return
    raise AssertionError("no answer below 0 in sixty, which has a chance of 1e-14")


def test_the_same_people_sorted_anew() -> None:
    """N1: bytes that are new under another name have a budget of their own, and whoever asks is told."""
    (first, *rows) = PEOPLE.splitlines()
    Path("sorted.csv").write_text("\n".join([first, *sorted(rows)]) + "\n", encoding="utf-8")
    assert "is new in this ledger" not in run("release", "spec.toml", "--ledger", "l.sqlite").err
    said = run("release", "spec.toml", "--ledger", "l.sqlite", "--data", "sorted.csv").err
    assert said.startswith(
        'dalenius: advice: data set "sorted" is new in this ledger, and has a budget of its own. If it holds people of '
        '"people", give both the same [data] name\n'
    )
    named = TABLE + 'name = "people"\n'
    Path("named.toml").write_text(named.replace("scale = 40.0", "scale = 41.0"), encoding="utf-8")
    again = run("release", "named.toml", "--ledger", "l.sqlite", "--data", "sorted.csv")
    assert complaint(again, 1) == (
        'data set "people": its ledger knows the same bytes as "sorted", and they have no second budget'
    )


def test_a_release_in_python_from_a_path() -> None:
    """N3, N8: no cell of a frame is in a message, and what comes back is one screen."""
    done = dl.release("spec.toml", ledger="l.sqlite")
    assert dl.release(dl.read_spec(Path("spec.toml")), ledger="l.sqlite").repeated
    shown = repr(done)
    assert shown.startswith("Released, entry 4 of the ledger")
    assert max(map(len, shown.splitlines())) <= 80
    assert shown.count("\n") < 40
    assert list(done.frame().columns) == ["label", "answer", "lower", "upper"]
    for wrong in (lambda: dl.Households(data=done.frame()), lambda: dl.release(done.frame())):  # type: ignore[call-arg]
        with pytest.raises(dl.InputError, match="DataFrame, wanted") as raised:
            wrong()
        assert "lower" not in str(raised.value)


def test_fit_takes_a_condition() -> None:
    """N38."""
    found = ("fit", "--data", "people.csv", "--model", "households", "--household", "home")
    first = run(*found, "--value", '{ column = "day", below = "1861-11-26" }')
    assert first.code == 0, first
    assert tomllib.loads(first.out) == tomllib.loads(run(*found, "--value", '{ column = "ill", equals = "yes" }').out)
    keys = "column, equals, one_of, below, at_most, above, at_least, missing"
    for given, why in {
        '{ column = "ill", equal = 1 }': f"one of the keys of Condition: {keys} (did you mean equals?)",
        "{ column": "Expected '=' after a key in a key/value pair (at end of document)",
        '{ column = "ill" }': "exactly one of equals, one_of, below, at_most, above, at_least, missing",
    }.items():
        said = complaint(run(*found, "--value", given))
        assert said == f'--value: {given}, wanted a column, or a condition like {{ column = "x", equals = 1 }} ({why})'


def test_every_kind_is_on_the_page_of_specs(room: Path) -> None:
    """N33."""
    text = (EXAMPLES / "pair.toml").read_text(encoding="utf-8")
    page = (REPOSITORY / "docs" / "reference" / "specs.md").read_text(encoding="utf-8")
    for section in ("model", "query", "noise"):
        before, named, after = text.partition(f"[{section}]\nkind = ")
        written(room, before, named, '"x" #', after)
        kinds = re.findall(r"'([a-z_]+)'", complaint(run("audit", "spec.toml")))
        assert len(kinds) > 5
        assert [kind for kind in kinds if f"| `{kind}` | `" not in page] == []
