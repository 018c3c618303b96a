"""Advice where answers of one table are sums of another one's: districts, and districts by age group, of one people.

Two releases are charged one beside the other, and each for whole groups. The finer table alone gives the coarser one
for nothing: sums of answers are computed from what went out.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from dalenius.curator.hash_chained_entries import History

_SAME: Final = ("value", "where", "lower", "upper", "step")
"""The keys of `[data]` that say what a question asks, and about whom."""


def finer_table_advice(history: History, name: str, spec: str) -> str:
    """Returns the advice where an earlier release of data set `name` asked the same people by another label.

    They are words that follow a refusal; empty where there is no such release.

    Args:
        history: The ledger's entries.
        name: The data set.
        spec: The canonical text of what is refused.
    """
    wanted = _by_label(spec)
    if wanted is None:
        return ""
    for debit in history.debited(name):
        before = _by_label(str(debit.body.get("spec", "")))
        if before is None or before[0] == wanted[0] or before[1] != wanted[1]:
            continue
        return (
            f"; entry {debit.number} asked the same by the label {before[0]}. Answers of one table may be sums of the "
            "other's, as a district is the sum of its age groups. Then ask the finer table alone: sums in [[derived]] "
            "cost nothing. Or ask both tables in one release: name the labels of each sum in [[questions]]"
        )
    return ""


def _by_label(spec: str) -> tuple[str, Any] | None:
    """Returns a spec's column of labels, if labels are asked, and the keys of the question; None for others."""
    try:
        read = json.loads(spec)
    except ValueError:  # the question of an analyst, under a policy
        return None
    data = read.get("data") if isinstance(read, Mapping) else None
    if not isinstance(data, Mapping) or "label" not in data or not any(_per_label(read)):
        return None
    return data["label"], {key: data.get(key) for key in _SAME}


def _per_label(read: Mapping[str, Any]) -> Iterator[bool]:
    """Yields for every query whether there is one answer for each label, or people of some labels are asked."""
    for section in (read, *read.get("questions", ())):
        query = section.get("query") or {}
        for each in (query, *query.get("queries", ())):
            yield bool(each.get("per_label") or each.get("labels"))
