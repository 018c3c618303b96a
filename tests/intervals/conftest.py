"""Small models stand for large ones, as in tests/large."""

from tests.large.conftest import any_number

__all__ = ["any_number"]
