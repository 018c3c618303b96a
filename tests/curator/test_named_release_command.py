"""`dalenius release`: the budget is the data set's, whatever file it is in, and a paid answer is never lost."""

import json
import os
import resource
import shutil
import subprocess
from pathlib import Path

import duckdb
import pytest

from tests.cli.command import COMMAND, Done, Run, complaint, dalenius
from tests.curator.test_release_command import PEOPLE, SPEC, rows, written
from tests.server.process import policy_in

NAMED = 'name = "clinic"\n'
OTHER_BYTES = "are not those of earlier releases ("


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


def test_the_same_again_is_free(folder: Path) -> None:
    ledger = folder / "people.csv.ledger.sqlite"
    before = ledger.read_bytes()
    first = dalenius("release", folder / "spec.toml", "--json").json
    assert first["repeated"] is True
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


def resorted(folder: Path) -> Path:
    head, *lines = PEOPLE.splitlines()
    path = folder / "people.csv"
    path.write_text("\n".join([head, *reversed(lines)]) + "\n", encoding="utf-8")
    return path


def as_parquet(folder: Path) -> Path:
    duckdb.sql(f"COPY (FROM '{folder / 'people.csv'}') TO '{folder / 'people.parquet'}'")
    return folder / "people.parquet"


@pytest.mark.parametrize("saved", [resorted, as_parquet])
def test_the_same_people_in_other_bytes_have_no_new_budget(saved: object, folder: Path, run: Run) -> None:
    assert callable(saved)
    ask = ("release", folder / "spec.toml", "--data", saved(folder), "--json")
    said = complaint(run(*ask), code=1)
    assert said.startswith('data set "people": its bytes (')
    assert OTHER_BYTES in said
    said = complaint(run(*ask, "--new-data"), code=1)
    assert said.startswith("this release, after 1 earlier of the same data, would spend 3.42")
    assert len(rows(folder / "people.csv.ledger.sqlite")) == 1
    assert [path.name for path in folder.glob("*.sqlite")] == ["people.csv.ledger.sqlite"]


@pytest.mark.slow
def test_new_data_within_the_budget(tmp_path: Path, run: Run) -> None:
    spec = written(tmp_path)
    one = run("release", spec, "--json", "--budget", "9").json
    resorted(tmp_path)
    two = run("release", spec, "--json", "--new-data").json
    loss = 1 / one["certificate"]["noise"]["scale"]
    converted = run("convert", spec, "--epsilon", repr(loss), "--neighbours", "replace", "--json")
    assert two["budget"]["spent"] == pytest.approx(
        converted.json["inferential"]["upper"] + 3 * loss
    )  # households of 3 (Result 9.15)
    assert two["budget"]["spent"] < 2 * 3 * loss
    assert two["budget"]["initial"] == 9
    again = run("release", spec, "--json").json  # now the bytes are known
    assert again == {**two, "repeated": True}


def test_a_copy_under_another_name(folder: Path, run: Run) -> None:
    copy = folder / "copy.csv"
    copy.write_bytes((folder / "people.csv").read_bytes())
    said = complaint(run("release", folder / "spec.toml", "--data", copy), code=1)
    assert said == 'data set "copy": its ledger knows the same bytes as "people", and they have no second budget'


def test_a_name_of_its_own(tmp_path: Path, run: Run) -> None:
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


def test_a_budget_is_given_once(folder: Path, run: Run) -> None:
    said = complaint(run("release", folder / "spec.toml", "--budget", "20"))
    assert said == 'budget: 20.0, wanted 1.0, what data set "people" was given in this ledger'
    assert run("release", folder / "spec.toml", "--budget", "1").code == 0


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


@pytest.mark.slow
def test_a_full_disk(tmp_path: Path) -> None:
    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    spec = written(tmp_path)
    done = subprocess.run(
        [COMMAND, "release", spec, "--json"], capture_output=True, text=True, preexec_fn=small, timeout=300, check=False
    )
    advised, line = done.stderr.splitlines(keepends=True)
    assert advised.startswith("dalenius: advice: ")
    said = complaint(Done(done.returncode, done.stdout, line))
    assert said.startswith(
        f"ledger: {tmp_path / 'people.csv.ledger.sqlite'}, wanted a SQLite file that can be written ("
    )
    assert dalenius("release", spec, "--json").json["budget"]["spent"] <= 1


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


def test_a_name_that_is_new_beside_others(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = policy_in(tmp_path)
    first = dalenius("policy", "check", policy)
    assert (first.code, "advice" in first.err) == (0, False)
    from dalenius.curator import Curator, read_policy
    from tests.curator.policies import ask

    Curator(read_policy(policy), tmp_path).session("ana", "measles").ask(ask())
    assert "advice" not in dalenius("policy", "check", policy).err
    policy.write_text(policy.read_text(encoding="utf-8").replace('"measles"', '"rubella"'), encoding="utf-8")
    monkeypatch.setattr("dalenius.server.running.run", lambda *_: None)
    for said in (
        dalenius("policy", "check", policy).err,
        run("serve", policy, "--port", "0").err,
    ):
        assert (
            'data set "rubella" is new in this ledger, with a budget of its own; if it holds people of "measles"'
            in said
        )
