"""Small models stand for large ones: shortcuts are tried however few the people are."""

import pytest

from dalenius.channel import record_world


@pytest.fixture(autouse=True)
def any_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_world, "FEW_PEOPLE", 0)
