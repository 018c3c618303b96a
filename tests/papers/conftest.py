"""Random cases of the statements' tests."""

import pytest

from tests.pace import slow


@pytest.fixture(params=[0, slow(1)])
def block(request: pytest.FixtureRequest) -> int:
    """Which random cases: some in the quick suite, many in the slow one."""
    return int(request.param)
