"""Texts of answers as JSON, as they go out: written once, and again only where there is something new to say.

An answer that is asked for a thousand times a second is the same text each time, as long as nothing else is released.
"""

import json
from collections import OrderedDict
from typing import Any, Final, final

from dalenius.curator import Recorded, Stored
from dalenius.curator.recorded_answers import body_of
from dalenius.server.json_values import plain

# Answers whose text is kept, of some kilobytes each.
TEXTS: Final = 2048
# Bytes of the longest that is kept: of a histogram of many labels the text is long.
LONGEST_TEXT: Final = 16_384


def release_json(done: Recorded) -> dict[str, Any]:
    """Returns an answer, `done`, with its certificate, and its place in the ledger."""
    return {
        "entry": done.entry,
        "hash": done.hash,
        "repeated": done.repeated,
        "since": done.since,
        "since_in_words": done.since_in_words,
        **done.as_json(),
        "exact": body_of(done.published)["answers"],
        "words": done.published.words,
    }


@final
class AnswerTexts:
    """The texts of answers that were told again. For one thread at a time."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[object, ...], bytes] = OrderedDict()

    def json_of(self, done: Recorded | Stored) -> bytes:
        """Returns the answer, `done`, as it goes out; Failed where that is what the ledger says of it."""
        if isinstance(done, Recorded):
            return _written(done)
        key = done.key
        found = self._kept.pop(key, None)
        if found is None:
            found = _written(done.recorded())
            if len(found) > LONGEST_TEXT:
                return found
        self._kept[key] = found
        if len(self._kept) > TEXTS:
            self._kept.popitem(last=False)
        return found


def _written(done: Recorded) -> bytes:
    return json.dumps(plain(release_json(done)), ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
