"""`dalenius.curator.release`: what the command does, from Python."""

from pathlib import Path

from dalenius.curator import release
from dalenius.spec import read_spec
from tests.cli.command import dalenius
from tests.curator.test_release_command import written


def test_python_and_the_command_share_the_ledger(tmp_path: Path) -> None:
    written(tmp_path)
    done = release(read_spec(tmp_path / "spec.toml"), tmp_path)
    assert not done.repeated
    shown = dalenius("release", tmp_path / "spec.toml", "--json").json
    assert shown["repeated"]
    assert shown["answers"] == [float(each) for each in done.published.answers]
    assert shown["certificate"] == dict(done.published.certificate)
    assert shown["budget"]["spent"] == done.budget.spent
    hypotheses = shown["certificate"]["hypotheses"]
    assert "who lives with whom is public" in hypotheses
    assert hypotheses[-1].startswith("nothing else is released from the same data")
