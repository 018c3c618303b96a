"""Words that say yes or no: one list, for conditions, for values of records that are 0 or 1, and for `fit`.

Capitals and blanks around a word do not matter:

>>> truth_of("Yes "), truth_of("off"), truth_of("perhaps")
(1, 0, None)
"""

from collections.abc import Sequence
from typing import Any, Final

PAIRS: Final = (("true", "false"), ("t", "f"), ("yes", "no"), ("y", "n"), ("on", "off"), ("1", "0"))
"""The word for 1 and the word for 0, in each way to write them."""

WORDS: Final = tuple(word for pair in PAIRS for word in pair)
TRUTH_WORDS: Final = ", ".join("/".join(pair) for pair in PAIRS)
"""The words as they are shown to users."""


def truth_of(text: str) -> int | None:
    """Returns 1 or 0; None for a text that is neither."""
    word = text.strip().lower()
    return next((1 - pair.index(word) for pair in PAIRS if word in pair), None)


def pair_of(text: str) -> Sequence[str]:
    """Returns the way to write truth values that the word belongs to; empty for any other text."""
    word = text.strip().lower()
    return next((pair for pair in PAIRS if word in pair), ())


def truth_values(cells: Any) -> Any:
    """Returns `cells`, a column of texts, as 1 and 0, missing where a text is neither (an Ibis expression)."""
    word = cells.strip().lower()
    known = word.isin(WORDS)
    return known.ifelse(word.isin([pair[0] for pair in PAIRS]).ifelse(1, 0), None).cast("int64")
