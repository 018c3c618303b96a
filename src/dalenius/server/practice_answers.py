"""Practice answers that were given on pages, kept in memory for as long as their pages are looked at.

They are in no ledger: when the service stops they are gone, and nothing was paid for them.
"""

from collections import OrderedDict
from dataclasses import dataclass
from secrets import token_urlsafe
from typing import final

from dalenius.curator import Ask, Practised
from dalenius.server.limits import PRACTISED


@final
@dataclass(frozen=True)
class PracticeAnswer:
    """A practice answer; whose: the key of the analyst who got it; data: the name of the data set."""

    whose: str
    data: str
    ask: Ask
    done: Practised


@final
class PracticeAnswers:
    """The newest practice answers, by keys that nobody guesses. For one thread at a time."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, PracticeAnswer] = OrderedDict()

    def keep(self, answer: PracticeAnswer) -> str:
        """Keeps an `answer`, and returns its key."""
        key = token_urlsafe(9)
        self._kept[key] = answer
        while len(self._kept) > PRACTISED:
            self._kept.popitem(last=False)
        return key

    def find(self, key: str, whose: str, data: str) -> PracticeAnswer | None:
        """Returns a practice answer; None where it is forgotten, or is not theirs.

        Args:
            key: The key of the answer.
            whose: The key of the analyst who looks.
            data: The name of the data set.
        """
        found = self._kept.get(key)
        return found if found is not None and (found.whose, found.data) == (whose, data) else None
