"""`dalenius release`: the budget is the data set's, whatever file it is in, and a paid answer is never lost.

`dalenius release`: answers with a certificate, a ledger that is never overspent.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import duckdb
import pytest

from dalenius import read_spec
from dalenius.curator import release
from tests.cli.command import COMMAND, Done, Run, complaint, dalenius
from tests.curator.asking import entries

NAMED = 'name = "clinic"\n'


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("released")
    written(folder)
    assert dalenius("release", folder / "spec.toml", "--json").code == 0
    return folder


@pytest.fixture
def folder(released: Path, tmp_path: Path) -> Path:
    """Each test has a copy of its own, ledger and all."""
    return Path(shutil.copytree(released, tmp_path / "copy"))


@pytest.mark.lengthy
def test_the_same_again_is_free(folder: Path) -> None:
    ledger = folder / "people.csv.ledger.sqlite"
    before = ledger.read_bytes()
    first = dalenius("release", folder / "spec.toml", "--json").json
    in_python = release(read_spec(folder / "spec.toml"), folder)
    assert first["repeated"] is in_python.repeated is True
    assert first["answers"] == [float(each) for each in in_python.published.answers]
    assert first["certificate"] == dict(in_python.published.certificate)
    assert first["budget"]["spent"] == in_python.budget.spent
    as_json = folder / "spec.json"  # the same spec, written otherwise
    (folder / "sub").mkdir()
    sections = json.loads(
        '{"data": {"label": "district", "value": "ill", "file": "elsewhere.csv"}, "query": {"per_label": true, '
        '"kind": "count"}, "notion": {"epsilon": 1, "kind": "information"}, "model": {"kind": "households", '
        '"epidemic": {"household": 0.4, "community": 0.1}, "by": "household"}}'
    )
    as_json.write_text(json.dumps(sections), encoding="utf-8")
    assert dalenius("release", as_json, "--json", "--data", folder / "people.csv").json == first
    shown = dalenius("release", folder / "spec.toml")
    assert shown.code == 0
    assert "repeated" in shown.out
    assert "nothing more was spent" in shown.out
    assert ledger.read_bytes() == before


def test_the_same_people_in_other_bytes_have_no_new_budget(folder: Path, run: Run) -> None:
    saved = folder / "people.parquet"
    duckdb.sql(f"COPY (FROM '{folder / 'people.csv'}') TO '{saved}'")
    ask = ("release", folder / "spec.toml", "--data", saved, "--json")
    said = complaint(run(*ask), code=1)
    assert said.startswith('data set "people": its bytes (')
    assert "are not those of earlier releases (" in said
    said = complaint(run(*ask, "--new-data"), code=1)
    assert said.startswith("this release, after 1 earlier of the same data, would spend 3.84")
    assert len(rows(folder / "people.csv.ledger.sqlite")) == 1
    assert [path.name for path in folder.glob("*.sqlite")] == ["people.csv.ledger.sqlite"]


def test_a_name_of_its_own(tmp_path: Path, run: Run) -> None:
    """And without one the file's."""
    spec = written(tmp_path, NAMED)
    ledger = tmp_path / "ledger.sqlite"
    assert run("release", spec, "--ledger", ledger).code == 0
    copy = tmp_path / "moved.csv"
    copy.write_bytes((tmp_path / "people.csv").read_bytes())
    moved = run("release", spec, "--ledger", ledger, "--data", copy, "--json").json
    assert moved["repeated"] is True
    copy.write_text(PEOPLE.replace("b,Mill,0", "b,Mill,1"), encoding="utf-8")
    said = complaint(run("release", spec, "--ledger", ledger, "--data", copy), code=1)
    assert said.startswith('data set "clinic": its bytes (')
    copy.write_text(PEOPLE + "e,Hill,1\n", encoding="utf-8")
    assert run("release", written(tmp_path), "--data", copy, "--json").json["certificate"]["people"] == 9
    assert [path.name for path in tmp_path.glob("*.ledger.sqlite")] == ["moved.csv.ledger.sqlite"]


def test_what_is_no_name(tmp_path: Path, run: Run) -> None:
    wanted = "a name of printable characters, without blanks around it"
    for name in ('""', '" clinic"', '"clinic\\n"', '"a\\u0000b"', '"\\u200b"'):
        said = complaint(run("release", written(tmp_path, f"name = {name}\n")))
        assert said.startswith("data.name: ")
        assert said.endswith(f", wanted {wanted}")
    (tmp_path / ".csv").write_text(PEOPLE, encoding="utf-8")
    said = complaint(run("release", written(tmp_path), "--data", tmp_path / ".csv"))
    assert said == f"data.name: missing, wanted {wanted} (the file's own, '', is none)"


def piped(spec: Path, stdout: int) -> Done:
    done = subprocess.run([COMMAND, "release", spec], stdout=stdout, stderr=subprocess.PIPE, timeout=300, check=False)
    return Done(done.returncode, "", done.stderr.decode())


@pytest.mark.slow
def test_what_nobody_read_is_in_the_ledger(tmp_path: Path) -> None:
    spec = written(tmp_path)
    with open("/dev/full", "wb") as full:
        done = piped(spec, full.fileno())
    advised, kept, line = done.err.splitlines(keepends=True)
    assert advised.startswith("dalenius: advice: ")
    assert kept == "dalenius: the answers are entry 4 of the ledger: the same release shows them\n"
    said = complaint(Done(done.code, done.out, line))
    assert said == "output: No space left on device, wanted a place that can be written"
    assert dalenius("release", spec, "--json").json["repeated"] is True
    reader, writer = os.pipe()
    os.close(reader)
    closed = piped(spec, writer)
    os.close(writer)
    assert (closed.code, closed.err) == (0, kept), "whoever went away is told where the answers are"
    assert len(rows(tmp_path / "people.csv.ledger.sqlite")) == 1


def test_the_certificate_of_a_spec_whose_network_file_changed_is_another(tmp_path: Path, run: Run) -> None:
    bif = "network n {}\nvariable a { type discrete [2] { 0, 1 }; }\nprobability (a) { table 0.5, 0.5; }\n"
    (tmp_path / "n.bif").write_text(bif, encoding="utf-8")
    spec = written(tmp_path)
    (tmp_path / "people.csv").write_text("ill\n1\n", encoding="utf-8")
    text = SPEC[SPEC.index("query") :].replace(", per_label = true", "").replace('label = "district"', "")
    text = text.replace("epsilon = 1.0", "epsilon = 0.5")
    spec.write_text('model = { kind = "network", file = "n.bif" }\n' + text, encoding="utf-8")
    ask = ("release", spec, "--json", "--budget", "9")
    assert run(*ask).code == 0
    assert run(*ask).json["repeated"] is True
    (tmp_path / "n.bif").write_text(bif.replace("0.5, 0.5", "0.25, 0.75"), encoding="utf-8")
    assert "repeated" not in run(*ask).json


PEOPLE = """household,district,ill
a,Hill,1
a,Hill,1
a,Mill,0
b,Mill,0
b,Mill,0
c,Hill,1
d,Mill,0
d,Hill,0
"""
SPEC = """
model = { kind = "households", by = "household", epidemic = { community = 0.1, household = 0.4 } }
query = { kind = "count", per_label = true }
notion = { kind = "information", epsilon = 1.0 }
[data]
file = "people.csv"
value = "ill"
label = "district"
"""
CERTIFICATE = {
    *("notion", "method", "sound", "why", "noise", "expected_error", "leakage", "in_words"),
    *("differential", "differential_is_bound", "bayesian", "bayesian_is_bound"),
    *("confidence", "interval", "relative", "advice"),
    *("hypotheses", "outcome", "risk", "people", "data", "dalenius", "spending"),
    *("asked", "query", "model", "model_in_words", "data_set", "released", "sentences"),
}
SHOWN = {"answers", "labels", "confidence", "interval", "relative", "advice", "certificate", "budget"}


def written(folder: Path, extra: str = "") -> Path:
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (folder / "spec.toml").write_text(SPEC + extra, encoding="utf-8")
    return folder / "spec.toml"


def rows(ledger: Path) -> list[tuple[str, float]]:
    """Of each debit the promise, and what it leaks in nats."""
    return [(body["notion"], body["leakage"] / 1e9) for kind, body in entries(ledger) if kind == "debit"]


def test_answers_certificate_and_budget(tmp_path: Path) -> None:
    """And the ledger stands beside the data and refuses a second release."""
    shown = dalenius("release", written(tmp_path), "--json").json
    assert set(shown) == SHOWN
    assert shown["labels"] == ["Hill", "Mill"]
    noise = shown["certificate"]["noise"]
    assert noise["kind"] == "geometric"
    for answer, truth in zip(shown["answers"], [3, 0], strict=True):
        assert isinstance(answer, int)
        assert abs(answer - truth) <= 60 * noise["scale"]
    assert set(shown["certificate"]) == CERTIFICATE
    assert shown["certificate"]["sound"] is True
    assert shown["certificate"]["people"] == 8
    assert shown["certificate"]["notion"] == {"kind": "information", "epsilon": 1.0}
    assert "who lives with whom is public" in shown["certificate"]["hypotheses"]
    assert "everybody's district is public" in shown["certificate"]["hypotheses"]
    assert set(shown["budget"]) == {"initial", "spent", "remaining", "route", "delta", "spent_delta"}
    leakage = shown["certificate"]["leakage"]["upper"]
    assert shown["budget"]["initial"] == 1.0
    assert shown["budget"]["spent"] == pytest.approx(leakage, rel=1e-9)
    assert shown["budget"]["spent"] <= leakage
    assert shown["budget"]["remaining"] == 1 - shown["budget"]["spent"]
    ledger = tmp_path / "people.csv.ledger.sqlite"
    recorded = [("information", shown["budget"]["spent"])]
    assert rows(ledger) == recorded
    other = tmp_path / "other.toml"  # the same again would be told what it was told before
    other.write_text(SPEC.replace("epsilon = 1.0", "epsilon = 0.5"), encoding="utf-8")
    said = complaint(dalenius("release", other, "--json"), code=1)
    assert said.startswith("this release, after 1 earlier of the same data, would spend ")
    wanted = r" of a budget of 1 nats: 1\.\d+ requested, 0 left, 1\.\d+ too much; alone it would leak 0\.5: "
    assert re.search(wanted, said)
    assert rows(ledger) == recorded
