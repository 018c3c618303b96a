"""What a ledger refuses: what would be overspent, what failed, and a key that was used for another request."""

from typing import Final, final

from dalenius.errors import InputError, Refused, place

SENTENCE: Final = (
    "no answer: the request failed on these data; it is paid for, and the same request gets the same again"
)
"""Of every failure, whatever it was: what more could be said would be said of the data."""


@final
class Overspent(Refused):
    """A budget, or an analyst's cap, would be crossed; in nats: what was requested, what remains, and by how much the
    one is more than the other. whose: the data set, or the analyst."""

    def __init__(self, said: str, whose: str, requested: float, remaining: float, difference: float) -> None:
        self.whose, self.requested, self.remaining, self.difference = whose, requested, remaining, difference
        super().__init__(said)


@final
class Failed(Refused):
    """The request was paid for, and its answer could not be drawn."""

    def __init__(self) -> None:
        super().__init__(SENTENCE)


@final
class Conflict(InputError):
    """An idempotency key that was used for another request."""

    def __init__(self, key: str) -> None:
        super().__init__("idempotency key", key, "a key of its own: it was used for another request")


def cause_of(error: Exception) -> str:
    """For the owner's log, without any value: which key, what kind of error, and the line it came from."""
    key = f"{error.key}, " if isinstance(error, InputError) else ""
    return f"{key}{type(error).__name__} at {place(error)}"
