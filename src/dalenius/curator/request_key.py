"""Request keys: an analyst sends an ask under a key, as often as it takes until the answer arrives, and pays once.

Ana asks for a count under the key "october-1". The answer is paid for, and the connection is lost. Meanwhile the owner
puts the table of November in place, as another version, so that the same ask is another question. Under the key
"october-1" she gets the answer of October that she paid for.

The ledger keeps a hash of the key, and a hash of the ask, in the entry that told the analyst the answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import final

from dalenius.curator.limits import LONGEST_KEY
from dalenius.errors import InputError, Refused


@final
@dataclass(frozen=True)
class RequestKey:
    """A key, and the ask that is sent under it.

    Attributes:
        sent: The SHA-256 of the key.
        asked: The SHA-256 of the ask.
    """

    sent: str
    asked: str

    def as_body(self) -> Mapping[str, str]:
        """Write the key as an entry of the ledger holds it."""
        return {"sent": self.sent, "asked": self.asked}


@final
class Lost(Refused):
    """The refusal of an ask whose key has paid for an answer that was never drawn, as its process ended in between."""

    def __init__(self) -> None:
        super().__init__(
            "no answer: this key has paid for one, and it was lost when the process that drew it ended. "
            "If you ask again under another key, you pay again"
        )


def request_key(text: str, asked: str) -> RequestKey:
    """Make the key of an ask.

    Args:
        text: The key: 1 to 200 visible characters of ASCII, another one for each question that may be paid for.
        asked: The ask, in its one text as JSON.

    Raises:
        InputError: For any other text.

    Example:
        >>> request_key("october-1", '{"measure":"ill"}').sent[:12]
        '81263f8f9733'
    """
    longest = int(LONGEST_KEY)
    if not 1 <= len(text) <= longest or not all("!" <= each <= "~" for each in text):
        raise InputError("key", text, f"1 to {longest} visible characters of ASCII ({LONGEST_KEY.said})")
    return RequestKey(sha256(text.encode()).hexdigest(), sha256(asked.encode()).hexdigest())


def other_ask() -> InputError:
    """Make the refusal of a key that was sent with another ask."""
    return InputError("key", "given", "a key of its own for each question: this one was sent with another ask")
