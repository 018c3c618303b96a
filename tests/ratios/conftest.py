"""Small models stand for large ones: shortcuts are tried however few the people are."""

import pytest

from dalenius.channel import channels_of_one_law


@pytest.fixture(autouse=True)
def _any_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels_of_one_law, "FEW_PEOPLE", 0)
