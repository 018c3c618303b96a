"""What every test shares: the hypothesis profile, the pace, and where the public data sets are."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests.pace import QUICK, Pace, longest_first

settings.register_profile("default", deadline=None, derandomize=bool(os.environ.get("CI")), print_blob=True)
settings.load_profile("default")

if os.environ.get("DALENIUS_DATA"):  # some tests change directory
    os.environ["DALENIUS_DATA"] = str(Path(os.environ["DALENIUS_DATA"]).resolve())


def pytest_configure(config: pytest.Config) -> None:
    Pace.full = config.getoption("-m") != QUICK


@pytest.hookimpl(trylast=True)  # after those that are not asked for were left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items[:] = longest_first(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))
