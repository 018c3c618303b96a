"""What a policy does not let somebody do."""

from typing import final

from dalenius.errors import InputError


@final
class NotAllowed(InputError):
    """The policy does not allow it to whoever asks; nothing was paid, and nothing of it depends on the data."""


@final
class NotOpen(InputError):
    """The table is not what the policy says. What is wrong with it depends on the data, and is for the curator's own
    check; whoever asks is told this sentence."""

    def __init__(self, data: str) -> None:
        super().__init__("data", data, "a table that is as the policy says: its curator is to check it")


@final
class TooHeavy(InputError):
    """To find its noise takes more time or memory than the service gives one ask; nothing was paid."""

    def __init__(self, kind: str, given: str) -> None:
        wanted = f"a question whose noise is found within {given}: fewer answers at once, or noise with its scale"
        super().__init__("ask.query", kind, wanted)
