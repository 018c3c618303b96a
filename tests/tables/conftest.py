"""The files that tables are read from."""

import pytest


@pytest.fixture(params=["csv", "parquet"])
def form(request: pytest.FixtureRequest) -> str:
    """A file whose cells have types, and one whose cells are text; every engine is asked in test_engines.py."""
    return str(request.param)
