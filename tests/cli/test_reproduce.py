"""`dalenius reproduce`: files and numbers, and one line where there are no data."""

import os
from pathlib import Path

import pytest

from dalenius.studies import STUDIES, Number, Outcome, Study
from tests.cli.command import complaint, dalenius, here

FILES = [
    "identifiability_figure_1.png",
    "identifiability_figure_1.svg",
    "identifiability_figure_1.csv",
    "identifiability_figure_2.png",
    "identifiability_figure_2.svg",
    "identifiability_figure_2.csv",
    "identifiability_table_2.csv",
    "identifiability_numbers.csv",
]


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("DALENIUS_DATA"), reason="DALENIUS_DATA, the folder of data sets, is not set")
def test_identifiability(tmp_path: Path) -> None:
    shown = dalenius("reproduce", "identifiability", "--out", tmp_path / "out", "--json").json
    assert list(shown) == ["source", "about", "files", "numbers", "notes"]
    assert shown["files"] == [str(tmp_path / "out" / name) for name in FILES]
    assert all(Path(path).stat().st_size > 0 for path in shown["files"])
    assert (tmp_path / "out" / FILES[0]).read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert list(shown["numbers"][0]) == ["where", "what", "theirs", "ours", "why"]
    assert shown["numbers"][0]["theirs"] == 9e-3
    assert shown["numbers"][0]["ours"] == pytest.approx(9.34055e-3, rel=1e-5)


EXAMPLES = {
    "identity": [
        *("example.png", "example.svg", "example.csv", "methods.png", "methods.svg", "methods.csv"),
        "numbers.csv",
    ],
    "information": [
        *("example.png", "example.svg", "example.csv", "average.csv", "methods.png", "methods.svg", "methods.csv"),
        *("rare.png", "rare.svg", "rare.csv", "rare_noise.png", "rare_noise.svg", "rare_noise.csv", "numbers.csv"),
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("source", EXAMPLES)
def test_examples_of_a_family(source: str, tmp_path: Path) -> None:
    shown = dalenius("reproduce", source, "--out", tmp_path / "out", "--json").json
    assert list(shown) == ["source", "about", "files", "numbers", "notes"]
    assert shown["files"] == [str(tmp_path / "out" / f"{source}_{name}") for name in EXAMPLES[source]]
    for path in map(Path, shown["files"]):
        start = path.read_bytes()[:8]
        begins = {".png": start == b"\x89PNG\r\n\x1a\n", ".svg": start[:5] == b"<?xml", ".csv": start[:4].isalpha()}
        assert begins[path.suffix], path
    ours = {(number["where"], number["what"]): number["ours"] for number in shown["numbers"]}
    assert len(ours) == len(shown["numbers"])
    assert any("weak_dependence is left out at ε = 0.5" in note for note in shown["notes"])


@pytest.mark.parametrize("source", EXAMPLES)
def test_examples_need_no_data(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not STUDIES[source].reads_data
    small = Study("a source", "figures", lambda data: Outcome({"one.csv": write}, ()), reads_data=False)
    monkeypatch.setitem(STUDIES, source, small)
    monkeypatch.delenv("DALENIUS_DATA", raising=False)
    (tmp_path / "file").write_text("", encoding="utf-8")
    said = complaint(here(capsys, monkeypatch, "reproduce", source, "--out", tmp_path / "file"))
    assert said == f"--out: {tmp_path}/file, wanted a folder that can be written (File exists)"
    (tmp_path / "out" / "one.csv").mkdir(parents=True)
    said = complaint(here(capsys, monkeypatch, "reproduce", source, "--out", tmp_path / "out"))
    assert said == f"--out: {tmp_path}/out/one.csv, wanted no folder of that name"


def test_without_data_it_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DALENIUS_DATA", raising=False)
    said = complaint(here(capsys, monkeypatch, "reproduce", "identifiability", "--out", tmp_path / "out"))
    assert said == "DALENIUS_DATA: missing, wanted the folder of the public data sets (adult/adult.data.gz …)"
    monkeypatch.setenv("DALENIUS_DATA", str(tmp_path))
    said = complaint(here(capsys, monkeypatch, "reproduce", "identifiability", "--out", tmp_path / "out"))
    wanted = "a file that is there (UCI Adult, DOI 10.24432/C5XW20)"
    assert said == f"DALENIUS_DATA: {tmp_path}/adult/adult.data.gz, wanted {wanted}"
    assert list(tmp_path.iterdir()) == []


def test_no_such_source(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert (
        complaint(here(capsys, monkeypatch, "reproduce", "ddp"))
        == "source: ddp, wanted one of dependent, identifiability, identity, information, noiseless"
    )


def test_a_study_without_data_asks_for_no_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not STUDIES["noiseless"].reads_data
    outcome = Outcome({"one.csv": write}, (Number("Fig 1", "δ", None, 0.25, ""),))
    small = Study("a source", "figures", lambda data: outcome, reads_data=False)
    monkeypatch.setitem(STUDIES, "noiseless", small)
    monkeypatch.delenv("DALENIUS_DATA", raising=False)
    done = here(capsys, monkeypatch, "reproduce", "noiseless", "--out", tmp_path / "out")
    assert done.code == 0
    assert "0.25" in done.out
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["one.csv"]


def write(path: Path) -> None:
    path.write_text("n\n", encoding="utf-8")
