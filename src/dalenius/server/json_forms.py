"""What the routes answer, as JSON: the keys are public and stable (docs/reference/service.md). Pages show the same.

What is of several readers has a form for each: of a data set an analyst sees the measures and kinds of query that are
theirs, an owner or auditor all of them and all analysts with their caps. Of an analyst these are the name and the cap,
in nats:

>>> _analyst(Analyst(name="ana", epsilon=0.5))
{'name': 'ana', 'cap': 0.5}
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from dalenius.curator import (
    Analyst,
    Budget,
    Budgets,
    Curator,
    DataSet,
    Ledger,
    Measure,
    Paid,
    Quote,
    Recorded,
    Session,
    account,
    accounts,
)
from dalenius.notions import in_words
from dalenius.spec.answers import precision_columns
from dalenius.spec.results import notion_json


def data_set_json(found: DataSet) -> dict[str, Any]:
    """A data set as it stands in a list: what it is called, and what it is."""
    return {"name": found.name, "description": found.description}


def own_data_set_json(found: DataSet, session: Session) -> dict[str, Any]:
    """What an analyst may know of it and ask: the promise, the measures and kinds of query that are theirs, their
    cap."""
    measures = [(each, found.kinds_for(session.analyst, each)) for each in session.measures]
    return _promised(found, measures) | {"analyst": _analyst(session.analyst)}


def full_data_set_json(found: DataSet) -> dict[str, Any]:
    """What an owner or auditor may know of it: all measures and queries, and all analysts with their caps."""
    measures = [(each, each.queries) for each in found.measures]
    return _promised(found, measures) | {"analysts": [_analyst(each) for each in found.analysts]}


def quote_json(found: Quote) -> dict[str, Any]:
    """What an answer would cost, in nats, and how precise it would be, in the query's unit."""
    widths = [{"label": name, "half_width": width} for name, width in found.half_widths.items()]
    return {
        **found.as_json(),
        "shared": found.shared,
        "half_widths": widths,
        "budget": {"own": _budget(found.own), "data": found.budget.as_json()},
    }


def release_json(done: Recorded) -> dict[str, Any]:
    """An answer with its certificate, and its place in the ledger."""
    return {
        "entry": done.entry,
        "hash": done.hash,
        "repeated": done.repeated,
        "since": done.since,
        "since_in_words": done.since_in_words,
        **done.as_json(),
    }


def shown_answer_json(found: Paid) -> dict[str, Any]:
    """Of pages alone: a debit, the release that came of it, and its certificate's rows in words, those of one name
    together. intervals: of each answer, as commands print them."""
    words: dict[str, list[str]] = {}
    intervals: list[str] = []
    if (done := found.recorded) is not None:
        for name, said in done.words:
            words.setdefault(name.strip(), []).append(said)
        intervals = [cell[0] for cell in precision_columns(done.published.certificate)[1]]
    return {
        **found.as_json(),
        "debit": found.debit.number,
        "release": None if done is None else release_json(done),
        "words": words,
        "intervals": intervals,
    }


def budgets_json(found: Budgets) -> dict[str, Any]:
    """What is left: of the analyst's own share, and of the data set's."""
    return {"own": _budget(found.own), "data": found.data.as_json()}


def all_budgets_json(found: DataSet, curator: Curator) -> dict[str, Any]:
    """The data set's, and what each analyst has had of it."""
    # An analyst whom the policy names no more has spent too: that is in the data set's budget.
    had = [(each, curator.ledger.budget(found.name, each.name, each.epsilon)) for each in found.analysts]
    shares = [_analyst(each) | {"budget": budget.as_json()} for each, budget in had]
    return {"own": None, "data": curator.budget(found.name).as_json(), "analysts": shares}


def releases_json(found: Sequence[Paid], after: int, limit: int) -> dict[str, Any]:
    """Those with debits beyond that entry, so many at most; more: whether there are others."""
    later = [each for each in found if each.debit.number > after]
    shown = [
        {
            "debit": each.debit.number,
            "failed": each.failed,
            "release": None if each.recorded is None else release_json(each.recorded),
        }
        for each in later[:limit]
    ]
    return {"releases": shown, "more": len(later) > limit}


def paid(kept: Ledger, name: str) -> tuple[Paid, ...]:
    """All that was paid for of that data set, by everybody, with the answers that came of it, oldest first."""
    return account(kept.history(), name).paid


def of_entry(found: Iterable[Paid], entry: str) -> Paid | None:
    """The one whose answer is that entry of the ledger; None where there is none."""
    return next((each for each in found if each.recorded is not None and str(each.recorded.entry) == entry), None)


def ledger_json(kept: Ledger, reaches: Callable[[str], bool]) -> dict[str, Any]:
    """The ledger, of which every entry has its hash, with the accounts of the data sets that whoever asks may see;
    InputError for any other. reaches: whether a name is among them."""
    history = kept.verified()
    found = [each for each in accounts(history) if reaches(each.name)]
    return {"verified": True, **history.as_json(), "data_sets": [each.as_json() for each in found]}


def _budget(found: Budget | None) -> dict[str, Any] | None:
    """A budget in nats; null where nobody asked by name, as an owner does not."""
    return None if found is None else found.as_json()


def _analyst(found: Analyst) -> dict[str, Any]:
    """cap: null for one who may spend all that the data set has."""
    return {"name": found.name, "cap": found.epsilon}


def _promised(found: DataSet, measures: Sequence[tuple[Measure, Sequence[str] | None]]) -> dict[str, Any]:
    """What is promised of a data set, as a notion and in words, and what may be asked: measures with their kinds of
    query, None for all there are."""
    return {
        **data_set_json(found),
        "notion": notion_json(found.notion),
        "in_words": in_words(found.notion),
        "measures": [_measure(*each) for each in measures],
    }


def _measure(found: Measure, kinds: Iterable[str] | None) -> dict[str, Any]:
    """models: their kinds; queries: the kinds that may be asked, null for all there are."""
    return {
        "name": found.name,
        "description": found.description,
        "lower": found.lower,
        "upper": found.upper,
        "step": found.step,
        "models": [each.kind for each in found.every_model],
        "queries": None if kinds is None else list(kinds),
    }
