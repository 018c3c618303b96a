"""One service for tests that leave it as they found it, and one of its own for each of the others."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.served import Served, serving


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as found:
        yield found


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Nothing is to be asked of it that changes it."""
    with serving(tmp_path_factory.mktemp("standing")) as found:
        yield found
