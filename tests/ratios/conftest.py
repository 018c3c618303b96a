"""Small models stand for large ones: shortcuts are tried however few the people are."""

import pytest

from dalenius.channel import record_channels


@pytest.fixture(autouse=True)
def _any_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_channels, "FEW", 0)
