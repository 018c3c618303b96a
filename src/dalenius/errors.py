"""One error base. Every message names the key, the value and what was wanted."""

from typing import ClassVar


class DaleniusError(Exception):
    """Base of everything this package raises on purpose; `exit_code` is what the command line returns."""

    exit_code: ClassVar[int] = 2


class InputError(DaleniusError):
    """A spec, an argument or a table is not what was wanted (exit 2)."""

    def __init__(self, key: str, value: object, wanted: str) -> None:
        self.key, self.value, self.wanted = key, value, wanted
        shown = value if isinstance(value, str) else repr(value)
        super().__init__(f"{key}: {_one_line(shown)}, wanted {wanted}")


class Meaningless(InputError):
    """What was asked has no meaning, or no known answer, for such secrets: an audit of everything leaves it out."""


class TooLarge(DaleniusError):
    """An exact answer would not fit time or memory (exit 2); the message says the size and what to use instead."""

    def __init__(self, what: str, size: str, instead: str) -> None:
        super().__init__(f"{what}: {size} is too large, {instead}")


class Refused(DaleniusError):
    """The promise or the budget would be broken (exit 1)."""

    exit_code: ClassVar[int] = 1


def _one_line(text: str, limit: int = 120) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
