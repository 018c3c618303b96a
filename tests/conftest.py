"""What every test shares: the hypothesis profile, the pace, where the public data sets are, and where the tests leave
what is to be looked at, such as pictures of pages."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests.pace import QUICK, Pace, longest_first
from tests.postgres import database as database, postgres as postgres

settings.register_profile("default", deadline=None, derandomize=bool(os.environ.get("CI")), print_blob=True)
settings.load_profile("default")

os.environ.setdefault("DALENIUS_ARTEFACTS", str(Path(__file__).parents[1] / "build" / "artefacts"))
for place in ("DALENIUS_DATA", "DALENIUS_ARTEFACTS"):  # some tests change directory
    if os.environ.get(place):
        os.environ[place] = str(Path(os.environ[place]).resolve())


def pytest_configure(config: pytest.Config) -> None:
    Pace.full = config.getoption("-m") != QUICK


@pytest.hookimpl(trylast=True)  # after those that are not asked for were left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items[:] = longest_first(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))
