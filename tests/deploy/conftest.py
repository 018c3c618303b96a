"""One image for all tests of it."""

from importlib.util import find_spec

import pytest

from tests.deploy.image import Image


@pytest.fixture(scope="session")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    for module in ("ensurepip", "hatchling", "psycopg"):
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed")
    found = Image(tmp_path_factory.mktemp("image"))
    found.build()
    return found
