"""Rows of a user's file that were left out, counted: each output that rests on the other rows says how many.

Two of the 78 rows of a file of friends name nobody of the model, and the spec allows that:

>>> found = (Omitted("model.edges.file", 78, (("with nobody of the model", 2), ("with a pair twice", 0))),)
>>> with_omitted("every group was enumerated", found)
'every group was enumerated; 2 of the 78 rows of model.edges.file were left out: 2 with nobody of the model'
>>> omitted_json(found)
{'left_out': [{'key': 'model.edges.file', 'rows': 2, 'of': 78, 'reasons': {'with nobody of the model': 2}}]}
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, final

from dalenius.sentences.sentence import Name, Phrase, commas, phrase, said


@final
@dataclass(frozen=True)
class Omitted:
    """The rows of one file that were left out.

    Args:
        key: The key of the spec that names the file or column.
        of: How many rows the file has.
        reasons: Why rows were left out, in words, and how many for each reason.
    """

    key: str
    of: int
    reasons: tuple[tuple[str, int], ...]

    @property
    def rows(self) -> int:
        """The number of rows that were left out."""
        return sum(count for _, count in self.reasons)

    @property
    def words(self) -> Phrase:
        """The numbers as one clause."""
        why = commas(said("left_out_for", count=count, why=phrase(why)) for why, count in self.reasons if count)
        return said("rows_left_out", rows=self.rows, all=self.of, key=Name(self.key), why=why)


def in_fact(found: Iterable[Omitted]) -> tuple[Omitted, ...]:
    """Returns the files of `found` that lost a row."""
    return tuple(each for each in found if each.rows)


def with_omitted(why: str, found: Iterable[Omitted]) -> str:
    """Returns the reason of a result, `why`, followed by the rows that were left out, `found`."""
    return "; ".join([why, *(each.words for each in in_fact(found))])


def omitted_json(found: Iterable[Omitted]) -> dict[str, Any]:
    """Returns the key `left_out` of a command's JSON for the files `found`; no key where nothing was left out."""
    listed = [
        {"key": each.key, "rows": each.rows, "of": each.of, "reasons": {why: n for why, n in each.reasons if n}}
        for each in in_fact(found)
    ]
    return {"left_out": listed} if listed else {}
