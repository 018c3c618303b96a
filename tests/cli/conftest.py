"""The tests of the command are in the quick suite, where it starts warm; the first case of each is in the slow one too,
where it is the installed command that runs."""

from pathlib import Path

import pytest

from tests.cli.command import Run, here


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here, seen = Path(__file__).parent, set()
    for item in items:
        test = item.nodeid.partition("[")[0]
        if here in item.path.parents and test not in seen:
            seen.add(test)
            item.add_marker(pytest.mark.installed)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command's entry point, called in this process."""
    return lambda *arguments: here(capsys, monkeypatch, *arguments)
