"""What the routes take and give, as JSON and in the description of the API: the keys are public and stable."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from dalenius.curator import (
    Analyst,
    Ask,
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
    accounts,
)
from dalenius.notions import in_words
from dalenius.spec.results import notion_json

Schema: TypeAlias = dict[str, Any]

NUMBER: Final[Schema] = {"anyOf": [{"type": "number"}, {"type": "string", "enum": ["inf", "-inf"]}]}
ANY: Final[Schema] = {"type": "object", "additionalProperties": True}
WITHIN: Final = "#/components/schemas/"
TEXT: Final[Schema] = {"type": "string"}
WHOLE: Final[Schema] = {"type": "integer"}
FLAG: Final[Schema] = {"type": "boolean"}

MEANINGS: Final[Mapping[int, str]] = {
    400: "The body is not one object of JSON.",
    401: "No valid token.",
    402: "It would overspend; nothing was released.",
    403: "The policy, or the role of the token, does not allow it.",
    404: "No such data set or release, or it is not this token's.",
    408: "The body came too slowly.",
    409: "The idempotency key belongs to another request.",
    413: "The body is too large.",
    415: "The body is not declared to be JSON.",
    422: "A key has a value that is not what is wanted.",
    429: "Too many requests.",
    500: "It failed; the log has its number.",
    502: "It failed after it was paid for; the words are always the same.",
    503: "The data, the ledger or a place to compute cannot be had now.",
}


def named(wanted: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """An object with these keys, and perhaps those."""
    found: Schema = {"type": "object", "properties": {**wanted, **(optional or {})}, "required": list(wanted)}
    return found


def listed(each: Schema) -> Schema:
    return {"type": "array", "items": each}


def or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def of(schema: Schema, *names: str) -> dict[str, Schema]:
    """Keys that have the same."""
    return dict.fromkeys(names, schema)


ERROR: Final = named(
    {
        "error": named(
            {"message": TEXT},
            of(TEXT, "key", "value", "wanted", "whose", "id") | of(NUMBER, "requested", "remaining", "difference"),
        )
    }
)


def responses(schema: Schema, *statuses: int, media: str = "application/json") -> dict[int | str, dict[str, Any]]:
    """What a route may answer: with 200 that, and these refusals beside those of every route."""
    own: dict[int | str, dict[str, Any]] = {200: {"description": "Done.", "content": {media: {"schema": schema}}}}
    for status in sorted({*statuses, 500, 503}):
        own[status] = {"description": MEANINGS[status], "content": {"application/json": {"schema": ERROR}}}
    return own


BUDGET: Final = named(of(NUMBER, "initial", "spent", "remaining", "delta", "spent_delta") | of(TEXT, "route"))
BUDGETS: Final = named({"own": or_null(BUDGET), "data": BUDGET}, {"analysts": listed(ANY)})
LISTED: Final = of(TEXT, "name", "description")
DATA_SETS: Final = named({"data": listed(named(LISTED))})
MEASURE: Final = named(
    LISTED | of(or_null(NUMBER), "lower", "upper", "step") | {"models": listed(TEXT), "queries": or_null(listed(TEXT))}
)
ANALYST: Final = named({"name": TEXT, "cap": or_null(NUMBER)})
DATA_SET: Final = named(
    LISTED | {"notion": ANY, "in_words": or_null(TEXT), "measures": listed(MEASURE)},
    {"analyst": ANALYST, "analysts": listed(ANALYST)},
)
COST: Final = of(NUMBER, "leakage", "group_loss")
QUOTE: Final = named(
    of(FLAG, "free", "shared")
    | of(or_null(ANY), "noise", "risk")
    | of(or_null(NUMBER), "expected_error", "confidence")
    | {
        "cost": or_null(named(COST)),
        "half_widths": listed(named({"label": TEXT, "half_width": or_null(NUMBER)})),
        "advice": or_null(TEXT),
        "budget": BUDGETS,
    }
)
RELEASE: Final = named(
    of(WHOLE, "entry", "since")
    | {"hash": TEXT, "repeated": FLAG, "since_in_words": or_null(TEXT)}
    | {"answers": listed({"anyOf": [NUMBER, TEXT]}), "labels": listed(TEXT), "certificate": ANY, "budget": BUDGET}
)
RELEASES: Final = named(
    {"releases": listed(named({"debit": WHOLE, "failed": FLAG, "release": or_null(RELEASE)})), "more": FLAG}
)
CHAIN: Final[Mapping[str, Schema]] = {"entries": WHOLE, "hash": or_null(TEXT)}
DEBIT: Final = named(
    COST
    | {"entry": WHOLE, "time": or_null(TEXT), "answered_by": or_null(WHOLE)}
    | {"notion": TEXT, "failed": FLAG, "told": listed(TEXT)}
)
ACCOUNT: Final = named({"data": or_null(TEXT), "budget": BUDGET, "releases": listed(DEBIT)})
LEDGER: Final = named({**CHAIN, "data_sets": listed(ACCOUNT)})
VERIFIED: Final = named({"verified": FLAG, **CHAIN})
HEALTH: Final = named({"status": TEXT, "ledger": FLAG, "tables": FLAG})


def ask_body() -> dict[str, Any]:
    """What is said of a route whose body is read strictly, and not by the framework."""
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": {"$ref": f"{WITHIN}Ask"}}}}}


def ask_schema() -> dict[str, Schema]:
    """The schema of an ask, and those it refers to."""
    found = Ask.model_json_schema(ref_template=WITHIN + "{model}")
    return {**found.pop("$defs", {}), "Ask": found}


def data_set(found: DataSet) -> dict[str, Any]:
    """In a list."""
    return {"name": found.name, "description": found.description}


def own_data_set(found: DataSet, session: Session) -> dict[str, Any]:
    """What an analyst may know of it and ask."""
    measures = [(each, found.kinds_for(session.analyst, each)) for each in session.measures]
    return _promised(found, measures) | {"analyst": _analyst(session.analyst)}


def whole_data_set(found: DataSet) -> dict[str, Any]:
    """What an owner or auditor may."""
    measures = [(each, each.queries) for each in found.measures]
    return _promised(found, measures) | {"analysts": [_analyst(each) for each in found.analysts]}


def quote(found: Quote) -> dict[str, Any]:
    """What an answer would cost, and how precise it would be."""
    widths = [{"label": name, "half_width": width} for name, width in found.half_widths.items()]
    return {
        **found.as_json(),
        "shared": found.shared,
        "half_widths": widths,
        "budget": {"own": _budget(found.own), "data": found.budget.as_json()},
    }


def release(done: Recorded) -> dict[str, Any]:
    """An answer with its certificate, and its place in the ledger."""
    return {
        "entry": done.entry,
        "hash": done.hash,
        "repeated": done.repeated,
        "since": done.since,
        "since_in_words": done.since_in_words,
        **done.as_json(),
    }


def budgets(found: Budgets) -> dict[str, Any]:
    return {"own": _budget(found.own), "data": found.data.as_json()}


def all_budgets(found: DataSet, curator: Curator) -> dict[str, Any]:
    """The data set's, and what each analyst has had of it."""
    had = [(each, curator.ledger.budget(found.name, each.name, each.epsilon)) for each in found.analysts]
    shares = [_analyst(each) | {"budget": budget.as_json()} for each, budget in had]
    return {"own": None, "data": curator.budget(found.name).as_json(), "analysts": shares}


def releases(found: Sequence[Paid], after: int, limit: int) -> dict[str, Any]:
    """Those with debits beyond that entry, so many at most; more: whether there are others."""
    later = [each for each in found if each.debit.number > after]
    shown = [
        {
            "debit": each.debit.number,
            "failed": each.failed,
            "release": None if each.recorded is None else release(each.recorded),
        }
        for each in later[:limit]
    ]
    return {"releases": shown, "more": len(later) > limit}


def paid(kept: Ledger, name: str) -> tuple[Paid, ...]:
    """By everybody, for that data set."""
    return next((each.paid for each in accounts(kept.history()) if each.name == name), ())


def ledger(kept: Ledger, reaches: Callable[[str], bool]) -> dict[str, Any]:
    """The data sets that whoever asks may see."""
    history = kept.history()
    found = [each for each in accounts(history) if reaches(each.name)]
    return {**history.as_json(), "data_sets": [each.as_json() for each in found]}


def verified(kept: Ledger) -> dict[str, Any]:
    """Of a ledger every entry of which has its hash; InputError for any other."""
    return {"verified": True, **kept.verified().as_json()}


def _budget(found: Budget | None) -> dict[str, Any] | None:
    return None if found is None else found.as_json()


def _analyst(found: Analyst) -> dict[str, Any]:
    return {"name": found.name, "cap": found.epsilon}


def _promised(found: DataSet, measures: Sequence[tuple[Measure, Sequence[str] | None]]) -> dict[str, Any]:
    return {
        **data_set(found),
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
