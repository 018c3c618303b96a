"""Every key of the commands' JSON is on the page of commands, in the command's section or one that it refers to."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import typer

from dalenius.cli.main import application
from dalenius.notions import NOTIONS
from tests.cli.command import Run, here, written
from tests.docs.page import REPOSITORY
from tests.pace import slow

PAGES: Final = REPOSITORY / "docs" / "reference"
REFERS: Final = {
    "calibrate": ["audit"],
    "compare": ["calibrate", "audit"],
    "compose": ["audit"],
    "release": ["calibrate", "audit"],
    "identify": ["release", "calibrate", "audit"],
    "ledger": ["release", "calibrate", "audit"],
    "policy": ["release"],
}
"""By command, the sections whose objects its own has too."""
SECTIONS: Final = ("model", "data", "sample", "noise", "notion", "query", "spec")
"""Keys whose value is a section of a spec, or a spec: its keys are on the page of specs."""
DATA: Final = ("known", "error_given_answer", "adjacency", "with")
"""Keys whose value has people, answers or columns for keys."""

COUNT = '[query]\nkind = "count"\n'
SUM = '[query]\nkind = "sum"\nlower = 0\nupper = 1\n'
PER_LABEL = COUNT + "per_label = true\n"
PAIR = '[model]\nkind = "table"\nrecords = [[0, 0], [1, 1]]\nprobabilities = [0.9, 0.1]\n'
HOMES = '[model]\nkind = "households"\ncount = 2\ninfected = [0.9, 0.04, 0.06]\n'
BY = '[model]\nkind = "households"\nby = "home"\nepidemic = {community = 0.1, household = 0.3}\n'
ABSENT = '[model]\nkind = "absent"\n'
LISTED = ABSENT + "answers = [1, 2, 2]\n"
LAWS = """[model]
kind = "any"
models = [{kind = "independent", n = 2, values = [0, 1], probabilities = [0.5, 0.5]},
          {kind = "independent", n = 2, values = [0, 1], probabilities = [0.9, 0.1]}]
"""
NORMAL = '[model]\nkind = "gaussian"\nmean = [1, 0]\ncovariance = [[1, 0.5], [0.5, 1]]\n'
ASKED = '[query]\nkind = "sum"\n'
MOMENTS = '[model]\nkind = "moments"\nn = 24\nrange = 1.0\nvariance = 0.2\n' + SUM
BITS = '[model]\nkind = "moments"\nn = 2400\nprobability = 0.2\n'
EXACT = '[notion]\nkind = "noiseless"\nepsilon = 0.5\ndelta = 0.9\n'
GEOMETRIC = '[noise]\nkind = "geometric"\nscale = 1.0\n'
GAUSSIAN = '[noise]\nkind = "gaussian"\nscale = 1.0\n'
PROMISE = '[notion]\nkind = "inferential"\nepsilon = 1.0\n'
DRAWN = '[sample]\nrate = 0.5\ndrawn = "here"\n'
TWO = '[[promises]]\nkind = "information"\nfactor = 2\n[[promises]]\nkind = "inferential"\nepsilon = 2\ndelta = 0.01\n'
IDENTIFIED = '[notion]\nkind = "identifiability"\nalpha = 0.5\nbeta = 0.2\n'
GINI = '[notion]\nkind = "g_leakage"\ngain = "gini"\n'
KNOWN = '[notion]\nkind = "noiseless"\ndelta = 0.2\nknown_fraction = 0.5\n[adversary]\nknown = {1 = 1}\n'
BAYESIAN = '[notion]\nkind = "bayesian"\n'
TABLE = '[data]\nfile = "people.csv"\nvalue = "ill"\n'
LABELLED = TABLE + 'label = "place"\n'
MISSING = TABLE + 'absent = "gone"\n'
PEOPLE = "home,place,day,ill,gone\n" + "".join(
    f"{n // 3},{'xy'[n % 2]},{n % 3},{n % 4 == 0:d},{n == 5:d}\n" for n in range(24)
)
BACKWARDS = ("--neighbours", "replace", "--promise", "--at-epsilon", "1")
FIT = ("--data", "people.csv", "--value", "ill", "--model")

PLACES: Final = ("--locations", "visits.csv", "--clusters", "2", "--cells", "3x3")
LEARNED: Final = """[query]
kind = "kmeans"
columns = ["day", "ill"]
bounds = [0, 10]
clusters = 2
[dependence]
method = "group"
size = 2
[notion]
kind = "inferential"
epsilon = 1
[data]
file = "people.csv"
"""
CASES: Final[dict[str, tuple[str, str, tuple[str, ...]]]] = {
    "audit": ("audit", PAIR + COUNT + GEOMETRIC, ("--epsilon", "0.5", "--how-likely")),
    "audit, curve": ("audit", PAIR + COUNT + GEOMETRIC, ("--tradeoff", "curve.svg")),
    "audit, relations": ("audit", HOMES + COUNT + GEOMETRIC, ("--relations",)),
    "audit, relations left out": ("audit", LISTED + GEOMETRIC, ("--relations",)),
    "audit, somebody known": ("audit", HOMES + COUNT + GEOMETRIC + KNOWN, ()),
    "audit, anybody known": ("audit", HOMES + COUNT + GEOMETRIC + BAYESIAN, ()),
    "audit, gain": ("audit", HOMES + COUNT + GEOMETRIC + GINI, ()),
    "audit, real numbers": ("audit", NORMAL + "bounds = [0, 1]\n" + ASKED + GAUSSIAN, ()),
    "audit, absent": ("audit", LISTED + GEOMETRIC + IDENTIFIED, ()),
    "audit, moments": ("audit", MOMENTS + EXACT, ()),
    "calibrate": ("calibrate", HOMES + COUNT + PROMISE, ()),
    "calibrate, promises": ("calibrate", HOMES + COUNT + TWO, ()),
    "calibrate, clamped": ("calibrate", HOMES + COUNT + PROMISE, ("--method", "clamped")),
    "calibrate, optimal": ("calibrate", HOMES + COUNT + PROMISE, ("--method", "optimal")),
    "calibrate, prior_free": ("calibrate", ABSENT + SUM + IDENTIFIED + TABLE, ("--method", "prior_free")),
    "calibrate, prior_dependent": ("calibrate", LISTED + IDENTIFIED, ("--method", "prior_dependent")),
    "compare": ("compare", PAIR + COUNT + PROMISE, ()),
    "compare, promises": ("compare", PAIR + COUNT + TWO, ()),
    "compose": ("compose", PAIR + COUNT + GEOMETRIC + PROMISE, ("spec.toml",)),
    "convert": ("convert", HOMES, ("--neighbours", "replace", "--epsilon", "1")),
    "convert, backwards": ("convert", HOMES, BACKWARDS),
    "convert, backwards at a delta": ("convert", HOMES, (*BACKWARDS, "--at-delta", "0.1")),
    "stream": ("stream", "", ("--persistence", "0.9", "--steps", "3")),
    "release": ("release", BY + COUNT + PROMISE + TABLE, ("--budget", "9")),
    "release, promises": ("release", BY + COUNT + TWO + TABLE, ("--budget", "9")),
    "release, learned": ("release", LEARNED, ()),
    "release, sample": ("release", BY + DRAWN + COUNT + PROMISE + TABLE, ("--budget", "9")),
    "release, cost": ("release", BY + COUNT + PROMISE + TABLE, ("--cost",)),
    "identify": ("identify", ABSENT + SUM + IDENTIFIED + MISSING, ()),
    "identify, cost": ("identify", ABSENT + SUM + IDENTIFIED + MISSING, ("--cost",)),
    "posterior": ("posterior", PAIR + COUNT + GEOMETRIC, ("--answers", "2")),
    "posterior, per label": ("posterior", BY + PER_LABEL + GEOMETRIC + LABELLED, ("--answers", "2,1")),
    "posterior, laws": ("posterior", LAWS + COUNT + GEOMETRIC, ("--answers", "2")),
    "posterior, real numbers": ("posterior", NORMAL + ASKED + GAUSSIAN, ("--answers", "2")),
    "posterior, absent": ("posterior", LISTED + GEOMETRIC, ("--answers", "2")),
    "attack": ("attack", PAIR + COUNT + GEOMETRIC, ()),
    "attack, real numbers": ("attack", NORMAL + "bounds = [0, 1]\n" + ASKED + GAUSSIAN, ()),
    "meaning": ("meaning", "", ("--epsilon", "1", "--delta", "1e-6")),
    "meaning, days": ("meaning", "", ("--epsilon", "1", "--chain", "0.9")),
    "attack, places": ("attack", "", (*PLACES, "--friends", "friends.csv")),
    "test-program": ("test-program", PAIR, ("echo", "1", "--runs", "40")),
    "check": ("check", "", ("people.csv", "--household", "home")),
    "fit, households": ("fit", "", (*FIT, "households", "--household", "home")),
    "fit, chain": ("fit", "", (*FIT, "chain", "--order", "day", "--sequence", "home")),
    "fit, missing answers": ("fit", "", (*FIT, "chain", "--order", "day", "--sequence", "home", "--missing", "value")),
    "fit, network": ("fit", "", ("--data", "people.csv", "--model", "network", "--columns", "place,ill,home")),
    "fit, gaussian": ("fit", "", ("--data", "people.csv", "--model", "gaussian", "--columns", "day,ill")),
    "fit, linked": ("fit", "", (*FIT, "linked", "--order", "day", "--sequence", "home")),
    "fit, dependence": ("fit", "", ("--data", "people.csv", "--model", "dependence", "--columns", "place,ill,home")),
    "audit, bits": ("audit", BITS + EXACT, ()),
    "fit, friends": ("fit", "", ("--data", "friends.csv", "--model", "friends", "--positions", "visits.csv")),
    "fit, moments": ("fit", "", (*FIT, "moments", "--lower", "0", "--upper", "1", "--confidence", "0.1")),
}
LONG: Final = (
    *("audit, curve", "calibrate, optimal", "calibrate, prior_free", "compare, promises", "release, promises"),
    "convert, backwards at a delta",
)
"""What the slow suite has besides, each for itself."""
COMMANDS: Final = sorted({command for command, _, _ in CASES.values()})


def test_every_command_that_prints_json_has_a_case() -> None:
    group: Any = typer.main.get_command(application())
    printing = [name for name, each in group.commands.items() if any("--json" in option.opts for option in each.params)]
    assert set(printing) - set(COMMANDS) == {"ledger", "plan", "policy", "token"}  # of the last test


def documented(page: str, headings: list[str] | None = None) -> set[str]:
    """The words that a page, or its sections of these names, has in code."""
    text = (PAGES / page).read_text(encoding="utf-8")
    if headings is not None:
        sections = {part.partition("\n")[0].strip(): part for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]}
        assert set(headings) <= set(sections), f"docs/reference/{page} has a section for each command"
        text = "\n".join(sections[heading] for heading in headings)
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return {word for code in re.findall(r"`([^`]+)`", prose) for word in re.findall(r"\w+", code)}


def keys(found: Any, page: str = "commands") -> Iterator[tuple[str, str]]:
    """The keys, each with the page that is to have it."""
    if isinstance(found, list):
        for each in found:
            yield from keys(each, page)
    if isinstance(found, dict):
        for key, value in found.items():
            yield page, key
            # Sentences have the names of sections, and are none.
            inner = "sentences" if "sentences" in (key, page) else "specs" if key in SECTIONS else page
            if key not in DATA:
                yield from keys(value, inner)


def undocumented(command: str, found: Any) -> list[str]:
    own = documented("commands.md", [command, *REFERS.get(command, [])])
    pages = {"commands": own, "sentences": own, "specs": documented("specs.md")}
    kinds = {kind.model_fields["kind"].default for kind in NOTIONS.own}
    return sorted({key for page, key in keys(found) if key not in pages[page] | kinds})


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """The command in this process, in a folder with tables."""
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(PEOPLE, encoding="utf-8")
    Path("visits.csv").write_text("user,lat,lon\na,1,1\nb,1,2\nc,1.1,1\nd,1.5,1.5\n", encoding="utf-8")
    Path("friends.csv").write_text("user1,user2\na,c\nb,d\na,d\n", encoding="utf-8")
    return lambda *arguments: here(capsys, monkeypatch, *arguments)


@pytest.mark.parametrize("only", [*COMMANDS, *map(slow, ((name,) for name in LONG))])
def test_every_key_is_documented(only: str, run: Run) -> None:
    for name, (command, spec, arguments) in CASES.items():
        if name == only or (command == only and name not in LONG):
            written(Path(), spec)
            for ledger in Path().glob("*.ledger*"):
                ledger.unlink()
            done = run(command, *(["spec.toml"] if spec else []), *arguments, "--json")
            assert undocumented(command, done.json) == [], name


def test_ledgers_policies_tokens_and_the_same_request_again(run: Run) -> None:
    asked = ("release", written(Path(), BY + COUNT + PROMISE + TABLE), "--json")
    first, again = (run(*asked).json for _ in range(2))
    assert set(again) - set(first) == {"repeated"}
    assert undocumented("release", again) == []
    file = "people.csv.ledger.sqlite"
    for arguments in (("show", file), ("verify", file)):
        assert undocumented("ledger", run("ledger", *arguments, "--json").json) == []
    model = '{kind = "households", by = "home", epidemic = {community = 0.1, household = 0.3}}'
    data = '[[data]]\nname = "ill"\nsource = {file = "people.csv"}\nnotion = {kind = "inferential", epsilon = 1}\n'
    measure = f'[[data.measures]]\nname = "ill"\nvalue = "ill"\nmodel = {model}\n'
    Path("policy.toml").write_text(data + measure + '[[data.analysts]]\nname = "ana"\n', encoding="utf-8")
    assert undocumented("policy", run("policy", "check", "policy.toml", "--json").json) == []
    schedule = '{every = "month", times = 3, persistence = 0.9, renewing = 0.1}'
    monthly = f'version = "2026-01"\nfrozen = true\nschedule = {schedule}\n'
    analysts = '[[data.analysts]]\nname = "ana"\n'
    Path("monthly.toml").write_text(data + monthly + measure + analysts, encoding="utf-8")
    assert undocumented("plan", run("plan", "monthly.toml", "--within", "50", "--json").json) == []
    for action in (("make", "policy.toml", "--analyst", "ana"), ("list", "policy.toml")):
        assert undocumented("token", run("token", *action, "--json").json) == []
