"""The error for a measurement that is not read: it names the constructor and the reason."""

from typing import final

from dalenius.errors import InputError


@final
class Unread(InputError):
    """A measurement has a constructor whose law is not read here; its privacy map still bounds what it leaks.

    Args:
        constructor: The constructor's name in OpenDP, such as `make_count_distinct`.
        why: Why it is not read, in words.
    """

    def __init__(self, constructor: str, why: str) -> None:
        self.constructor, self.why = constructor, why
        super().__init__("measurement", constructor, f"constructors that are read: {why}; its map bounds what it leaks")
