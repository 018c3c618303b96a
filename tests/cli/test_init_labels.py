"""`dalenius init` with several columns of labels."""

from pathlib import Path
from tomllib import loads

from tests.cli.command import Run, complaint

ROWS = "district,age,ill\nnorth,old,1\nnorth,young,0\nsouth,old,0\nnorth,old,1\n"


def test_several_labels_have_an_answer_for_each_combination(run: Run, tmp_path: Path) -> None:
    table, spec = tmp_path / "people.csv", tmp_path / "spec.toml"
    table.write_text(ROWS)
    done = run("init", table, spec, "--label", "district", "--label", "age")
    assert done.code == 0, done.err
    assert "the label: district, age" in done.out
    found = loads(spec.read_text())
    assert found["data"]["label"] == ["district", "age"]
    people = {next(iter(each["members"])): each["count"] for each in found["model"]["types"]}
    assert people == {"north / old": 2, "north / young": 1, "south / old": 1}
    missing = complaint(run("init", table, tmp_path / "other.toml", "--label", "district", "--label", "agee"))
    assert missing.startswith("data.label: agee, wanted")
    twice = complaint(run("init", table, tmp_path / "other.toml", "--label", "age", "--label", "age"))
    assert twice.strip() == "--label: age, wanted each column once"
    assert not (tmp_path / "other.toml").exists()
