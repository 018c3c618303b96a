"""What every test shares: the hypothesis profile, the pace, where the public data sets are, and where the tests leave
what is to be looked at, such as pictures of pages."""

import os
from pathlib import Path
from random import Random

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from tests.cli import command
from tests.pace import EXPLORE, QUICK, Pace, few_of_each
from tests.postgres import database as database, postgres as postgres

# What is drawn at random is the same for everybody, each time; only `make explore` looks further.
settings.register_profile("quick", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("explore", deadline=None, derandomize=False, print_blob=True, max_examples=1000)
settings.load_profile("explore" if EXPLORE else "quick")
if not EXPLORE:
    # Constants of the modules that happen to be loaded are drawn too: examples would hang on the order of the tests.
    setattr(providers, "_get_local_constants", lambda: providers._local_constants)  # noqa: B010

os.environ.setdefault("DALENIUS_ARTEFACTS", str(Path(__file__).parents[1] / "build" / "artefacts"))
for place in ("DALENIUS_DATA", "DALENIUS_ARTEFACTS"):  # some tests change directory
    if os.environ.get(place):
        os.environ[place] = str(Path(os.environ[place]).resolve())
Path(os.environ["DALENIUS_ARTEFACTS"]).mkdir(parents=True, exist_ok=True)


STARTS = (command.dalenius, command.dalenius_once)
"""What starts the command, where a file of tests imports it."""


def pytest_configure(config: pytest.Config) -> None:
    Pace.full = config.getoption("-m") not in QUICK


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> command.Run:
    """The command's entry point, called in this process."""
    return lambda *arguments: command.here(capsys, monkeypatch, *arguments)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests of commands are in the quick suite, where these start warm; the first case of each is in the slow one too,
    where it is the installed command that runs."""
    seen = set()
    for item in items:
        test, names = item.nodeid.partition("[")[0], vars(getattr(item, "module", None) or command)
        if test not in seen and any(names.get(each.__name__) is each for each in STARTS):
            seen.add(test)
            item.add_marker(pytest.mark.installed)
    if config.getoption("-m") == QUICK[1]:
        items[:] = few_of_each(items)
    if EXPLORE:  # so that a short time, too, may reach any of them
        Random(EXPLORE).shuffle(items)
