"""The JSON of a data set as it is offered: what is promised, what may be asked and learned, and who may.

An analyst sees the measures and the kinds of query that are theirs; an owner or auditor sees all, and every cap.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from dalenius.curator import Analyst, DataSet, LearnedMeasure, Measure, Session, why_no_practice
from dalenius.notions import in_words
from dalenius.spec.results_as_json import notion_json


def data_set_json(found: DataSet) -> dict[str, Any]:
    """Returns a data set, `found`, as it stands in a list: its name and description."""
    return {"name": found.name, "description": found.description}


def own_data_set_json(found: DataSet, session: Session) -> dict[str, Any]:
    """Returns what an analyst in a `session` may know of the data set `found`, and ask.

    That is the promise, the measures and kinds of query that are theirs, and their cap.
    """
    measures = [(each, found.kinds_for(session.analyst, each)) for each in session.measures]
    promised = _promised(found, measures, found.learned_by(session.analyst))
    for shown, (measure, _) in zip(promised["measures"], measures, strict=True):
        shown |= measure_read_json(session, measure)
    return promised | {"analyst": analyst_json(session.analyst), "keys": True}


def full_data_set_json(found: DataSet) -> dict[str, Any]:
    """Returns what an owner or auditor may know of the data set `found`: all measures, queries, analysts and caps."""
    measures = [(each, each.queries) for each in found.measures]
    return _promised(found, measures, found.learned) | {"analysts": [analyst_json(each) for each in found.analysts]}


def measure_read_json(session: Session, measure: Measure) -> dict[str, Any]:
    """Returns what an analyst may know of a measure's table: labels, people, since when, and whether they may practise.

    Args:
        session: The analyst's session, before the data set.
        measure: The measure.

    Returns:
        labels, people, read: null where they are not public, or the table was not read yet. no_practice: why there is
        no table to practise on; null where there is one.
    """
    data, seen = session.data, session.curator.seen(session.data, measure)
    listed = measure.source_in(data.source).declared_labels
    found = listed or (() if seen is None else tuple(sorted(seen.public.labels)))
    return {
        "labels": list(filter(None, found)) if "labels" in data.public and (seen is not None or listed) else None,
        "people": seen.public.size if seen is not None and "people" in data.public else None,
        # Because the time says when people, households or labels changed, it is shown where all of these are public.
        "read": seen.since.isoformat(timespec="seconds") if seen is not None and len(set(data.public)) == 3 else None,
        "no_practice": why_no_practice(data, measure),
    }


def analyst_json(found: Analyst) -> dict[str, Any]:
    """Returns an analyst as JSON.

    Args:
        found: The analyst.

    Returns:
        name. cap: the most they may spend, in nats; null for one who may spend all that the data set has.
    """
    return {"name": found.name, "cap": found.epsilon}


def _promised(
    found: DataSet, measures: Sequence[tuple[Measure, Sequence[str] | None]], learned: Sequence[LearnedMeasure]
) -> dict[str, Any]:
    """Returns what is promised about a data set, as a notion and in words, and what may be asked.

    measures: with their kinds of query, None for all there are; learned: what may be learned.
    """
    return {
        **data_set_json(found),
        "notion": notion_json(found.notion),
        "in_words": in_words(found.notion),
        "measures": [_measure(*each) for each in measures],
        "learned": [_learned(each) for each in learned],
    }


def _learned(found: LearnedMeasure) -> dict[str, Any]:
    """Returns what may be learned; method: what multiplies the noise where people depend on each other."""
    return {
        "name": found.name,
        "description": found.description,
        "kind": found.query.kind,
        "in_words": found.query.words,
        "method": found.dependence.method,
    }


def _measure(found: Measure, kinds: Iterable[str] | None) -> dict[str, Any]:
    """Returns a measure; models: their kinds; queries: the kinds that may be asked, null for all there are."""
    return {
        "name": found.name,
        "description": found.description,
        "lower": found.lower,
        "upper": found.upper,
        "step": found.step,
        "models": [found.model.kind],
        "queries": None if kinds is None else list(kinds),
    }
