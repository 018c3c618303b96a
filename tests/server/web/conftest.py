"""A service for the tests of a file, and one of its own where a test changes who may come in."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.web.visited import Visited, visiting


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visited]:
    with visiting(tmp_path_factory.mktemp("pages")) as found:
        yield found


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Visited]:
    with visiting(tmp_path) as found:
        yield found
