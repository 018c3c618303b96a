"""Files of a study are all there or none is; the data folder is asked for in one line."""

import gzip
from pathlib import Path

import pytest

from dalenius import InputError
from papers import data_folder, study_named, write_all
from papers.adult import numeric_attributes
from papers.paper import write_rounded


def one(path: Path) -> None:
    path.write_text("one", encoding="utf-8")


def failing(path: Path) -> None:
    path.write_text("hal", encoding="utf-8")
    raise RuntimeError("f")


def test_all_files_are_written(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "out"
    assert write_all(folder, {"a.csv": one, "b.csv": one}) == (folder / "a.csv", folder / "b.csv")
    assert sorted(path.name for path in folder.iterdir()) == ["a.csv", "b.csv"]
    assert sorted(path.name for path in folder.parent.iterdir()) == ["out"]


def test_what_was_there_stays_when_a_file_fails(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "a.csv").write_text("before", encoding="utf-8")
    with pytest.raises(RuntimeError):
        write_all(folder, {"a.csv": one, "b.csv": failing})
    assert [(path.name, path.read_text(encoding="utf-8")) for path in folder.iterdir()] == [("a.csv", "before")]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_no_folder_is_made_for_nothing(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        write_all(tmp_path / "out", {"a.csv": failing})
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    one(tmp_path / "out")
    with pytest.raises(InputError, match=r"--out: .*out, wanted a folder that can be written \(File exists\)"):
        write_all(tmp_path / "out", {"a.csv": one})
    with pytest.raises(
        InputError, match=r"--out: .*wanted a folder that can be written \(File exists|Not a directory\)"
    ):
        write_all(tmp_path / "out" / "in", {"a.csv": one})
    (tmp_path / "other" / "b.csv").mkdir(parents=True)
    with pytest.raises(InputError, match=r"--out: .*b.csv, wanted no folder of that name"):
        write_all(tmp_path / "other", {"a.csv": one, "b.csv": one})
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["b.csv"]


def test_no_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DALENIUS_DATA", raising=False)
    with pytest.raises(InputError, match="DALENIUS_DATA: missing, wanted the folder of the public data sets"):
        data_folder()
    monkeypatch.setenv("DALENIUS_DATA", str(tmp_path / "none"))
    with pytest.raises(InputError, match=r"DALENIUS_DATA: .*none, wanted the folder of the public data sets"):
        data_folder()


def test_no_such_study() -> None:
    with pytest.raises(InputError, match="source: identities, wanted one of dependent, identifiability, identity"):
        study_named("identities")


def test_another_file_than_uci_s_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"DALENIUS_DATA: .*adult.data.gz, wanted a file that is there \(UCI Adult"):
        numeric_attributes(tmp_path)
    path = tmp_path / "adult" / "adult.data.gz"
    path.parent.mkdir()
    path.write_bytes(b"no gzip")
    with pytest.raises(InputError, match="wanted a gzip file that can be read"):
        numeric_attributes(tmp_path)
    path.write_bytes(gzip.compress(b"39, State-gov")[:-9])
    with pytest.raises(InputError, match="wanted a gzip file that can be read"):
        numeric_attributes(tmp_path)
    path.write_bytes(gzip.compress(b"39, State-gov"))
    with pytest.raises(InputError, match=r"sha256 .*…, wanted UCI's adult.data, unpacked sha256 5b00264637dbfec3…"):
        numeric_attributes(tmp_path)


def test_numbers_have_no_digits_that_hang_on_the_processor(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    rows = [
        ("a", "b", "c"),
        (1 / 3, 0.1 + 0.2, "0.30000000000000004"),
        (1e-17 / 3, float("inf"), 7),
        (None, True, -0.5),
    ]
    write_rounded(rows, file)
    assert file.read_text(encoding="utf-8").splitlines() == [
        "a,b,c",
        "0.3333333333,0.3,0.30000000000000004",
        "3.333333333e-18,inf,7",
        ",True,-0.5",
    ]
