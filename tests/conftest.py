"""What every test shares: the hypothesis profile, the pace, and where the public data sets are."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests.pace import QUICK, Pace

settings.register_profile("default", deadline=None, derandomize=bool(os.environ.get("CI")), print_blob=True)
settings.load_profile("default")

if os.environ.get("DALENIUS_DATA"):  # some tests change directory
    os.environ["DALENIUS_DATA"] = str(Path(os.environ["DALENIUS_DATA"]).resolve())


def pytest_configure(config: pytest.Config) -> None:
    Pace.full = config.getoption("-m") != QUICK
