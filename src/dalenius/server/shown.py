"""What the routes take and give, as JSON and in the description of the API: the keys are public and stable."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from dalenius.curator import (
    Account,
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
from dalenius.curator.amounts import shown, spending, spending_of
from dalenius.notions import in_words
from dalenius.spec.answers import KEYS
from dalenius.spec.results import answer_json, noise_json, notion_json

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


ERROR: Final = named(
    {
        "error": named(
            {"message": TEXT},
            {
                "key": TEXT,
                "value": TEXT,
                "wanted": TEXT,
                "requested": NUMBER,
                "remaining": NUMBER,
                "difference": NUMBER,
                "whose": TEXT,
                "id": TEXT,
            },
        )
    }
)


def responses(schema: Schema, *statuses: int, media: str = "application/json") -> dict[int | str, dict[str, Any]]:
    """What a route may answer: with 200 that, and these refusals beside those of every route."""
    own: dict[int | str, dict[str, Any]] = {200: {"description": "Done.", "content": {media: {"schema": schema}}}}
    for status in sorted({*statuses, 500, 503}):
        own[status] = {"description": MEANINGS[status], "content": {"application/json": {"schema": ERROR}}}
    return own


BUDGET: Final = named(
    {"initial": NUMBER, "spent": NUMBER, "remaining": NUMBER, "route": TEXT, "delta": NUMBER, "spent_delta": NUMBER}
)
BUDGETS: Final = named({"own": or_null(BUDGET), "data": BUDGET}, {"analysts": listed(ANY)})
LISTED: Final[Mapping[str, Schema]] = {"name": TEXT, "description": TEXT}
DATA_SETS: Final = named({"data": listed(named(LISTED))})
MEASURE: Final = named(
    {
        **LISTED,
        "lower": or_null(NUMBER),
        "upper": or_null(NUMBER),
        "step": or_null(NUMBER),
        "models": listed(TEXT),
        "queries": or_null(listed(TEXT)),
    }
)
ANALYST: Final = named({"name": TEXT, "cap": or_null(NUMBER)})
DATA_SET: Final = named(
    {**LISTED, "notion": ANY, "in_words": or_null(TEXT), "measures": listed(MEASURE)},
    {"analyst": ANALYST, "analysts": listed(ANALYST)},
)
QUOTE: Final = named(
    {
        "free": FLAG,
        "shared": FLAG,
        "cost": or_null(named({"leakage": NUMBER, "group_loss": NUMBER})),
        "noise": or_null(ANY),
        "expected_error": or_null(NUMBER),
        "confidence": or_null(NUMBER),
        "half_widths": listed(named({"label": TEXT, "half_width": or_null(NUMBER)})),
        "risk": or_null(ANY),
        "advice": or_null(TEXT),
        "budget": BUDGETS,
    }
)
RELEASE: Final = named(
    {
        "entry": WHOLE,
        "hash": TEXT,
        "repeated": FLAG,
        "since": WHOLE,
        "since_in_words": or_null(TEXT),
        "answers": listed({"anyOf": [NUMBER, TEXT]}),
        "labels": listed(TEXT),
        "certificate": ANY,
        "budget": BUDGET,
    }
)
RELEASES: Final = named(
    {"releases": listed(named({"debit": WHOLE, "failed": FLAG, "release": or_null(RELEASE)})), "more": FLAG}
)
CHAIN: Final[Mapping[str, Schema]] = {"entries": WHOLE, "hash": or_null(TEXT)}
DEBIT: Final = named(
    {
        "entry": WHOLE,
        "told": listed(TEXT),
        "notion": TEXT,
        "leakage": NUMBER,
        "group_loss": NUMBER,
        "failed": FLAG,
        "answered_by": or_null(WHOLE),
    }
)
ACCOUNT: Final = named({"data": or_null(TEXT), "budget": BUDGET, "releases": listed(DEBIT)})
LEDGER: Final = named({**CHAIN, "data_sets": listed(ACCOUNT)})
VERIFIED: Final = named({"verified": FLAG, **CHAIN})
HEALTH: Final = named({"status": TEXT, "ledger": FLAG, "tables": FLAG})


def ask_body() -> dict[str, Any]:
    """What is said of a route whose body is read strictly, and not by the framework."""
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": {"$ref": f"{WITHIN}Ask"}}}}}


def asked() -> dict[str, Schema]:
    """The schema of an ask, and those it refers to."""
    found = Ask.model_json_schema(ref_template=WITHIN + "{model}")
    return {**found.pop("$defs", {}), "Ask": found}


def data_set(found: DataSet) -> dict[str, Any]:
    """In a list."""
    return {"name": found.name, "description": found.description}


def own_data_set(found: DataSet, session: Session) -> dict[str, Any]:
    """What an analyst may know of it and ask."""
    cap = session.analyst.epsilon
    measures = [_measure(each, found.kinds_for(session.analyst, each)) for each in session.measures]
    return {**_promised(found), "analyst": {"name": session.analyst.name, "cap": cap}, "measures": measures}


def whole_data_set(found: DataSet) -> dict[str, Any]:
    """What an owner or auditor may."""
    analysts = [{"name": each.name, "cap": each.epsilon} for each in found.analysts]
    return {
        **_promised(found),
        "analysts": analysts,
        "measures": [_measure(each, each.queries) for each in found.measures],
    }


def quote(found: Quote) -> dict[str, Any]:
    """What an answer would cost, and how precise it would be."""
    chosen, cost = found.calibration, found.cost
    return {
        "free": found.free,
        "shared": found.shared,
        "cost": None
        if cost is None
        else {"leakage": _rounded_up(cost.leakage), "group_loss": _rounded_up(cost.group_loss)},
        "noise": None if chosen is None else noise_json(chosen.noise),
        "expected_error": None if chosen is None else chosen.expected_error,
        "confidence": found.confidence,
        "half_widths": [{"label": name, "half_width": width} for name, width in found.half_widths.items()],
        "risk": found.risk,
        "advice": found.advised,
        "budget": _both(found.own, found.budget),
    }


def release(done: Recorded) -> dict[str, Any]:
    """An answer with its certificate, and its place in the ledger."""
    certificate = dict(done.published.certificate)
    return {
        "entry": done.entry,
        "hash": done.hash,
        "repeated": done.repeated,
        "since": done.since,
        "since_in_words": done.since_in_words,
        "answers": [answer_json(each) for each in done.published.answers],
        "labels": list(done.published.labels),
        **{key: certificate[key] for key in KEYS if key in certificate},
        "certificate": certificate,
        "budget": done.budget.as_json(),
    }


def budgets(found: Budgets) -> dict[str, Any]:
    return _both(found.own, found.data)


def all_budgets(found: DataSet, curator: Curator) -> dict[str, Any]:
    """The data set's, and what each analyst has had of it."""
    shares = [_share(each, curator.ledger.budget(found.name, each.name, each.epsilon)) for each in found.analysts]
    return {**_both(None, curator.budget(found.name)), "analysts": shares}


def releases(found: Sequence[Paid], after: int, limit: int) -> dict[str, Any]:
    """Those with debits beyond that entry, so many at most; more: whether there are others."""
    later = [each for each in found if each.debit.number > after]
    return {"releases": [_paid(each) for each in later[:limit]], "more": len(later) > limit}


def paid(kept: Ledger, name: str) -> tuple[Paid, ...]:
    """By everybody, for that data set."""
    return next((each.paid for each in accounts(kept.history()) if each.name == name), ())


def ledger(kept: Ledger, reaches: Callable[[str], bool]) -> dict[str, Any]:
    """The data sets that whoever asks may see."""
    history = kept.history()
    found = [each for each in accounts(history) if reaches(each.name)]
    last = history.last
    return {
        "entries": len(history.links),
        "hash": None if last is None else last.hash,
        "data_sets": [_account(each) for each in found],
    }


def verified(kept: Ledger) -> dict[str, Any]:
    """Of a ledger every entry of which has its hash; InputError for any other."""
    history = kept.verified()
    return {
        "verified": True,
        "entries": len(history.links),
        "hash": None if history.last is None else history.last.hash,
    }


def _both(own: Budget | None, data: Budget) -> dict[str, Any]:
    return {"own": None if own is None else own.as_json(), "data": data.as_json()}


def _share(analyst: Analyst, had: Budget) -> dict[str, Any]:
    return {"name": analyst.name, "cap": analyst.epsilon, "budget": had.as_json()}


def _rounded_up(cost: float) -> float | str:
    """To a whole nano-nat, as it would be debited."""
    return shown(spending(cost))


def _promised(found: DataSet) -> dict[str, Any]:
    return {**data_set(found), "notion": notion_json(found.notion), "in_words": in_words(found.notion)}


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


def _account(found: Account) -> dict[str, Any]:
    return {"data": found.name, "budget": found.budget.as_json(), "releases": [_debit(each) for each in found.paid]}


def _paid(found: Paid) -> dict[str, Any]:
    """release: null of what was paid for and has no answer."""
    drawn = None if found.recorded is None else release(found.recorded)
    return {"debit": found.debit.number, "failed": found.failed, "release": drawn}


def _debit(found: Paid) -> dict[str, Any]:
    body = found.debit.body
    return {
        "entry": found.debit.number,
        "told": list(found.told),
        "notion": body["notion"],
        "leakage": shown(spending_of(body["leakage"])),
        "group_loss": shown(spending_of(body["group_loss"])),
        "failed": found.failed,
        "answered_by": None if found.recorded is None else found.recorded.entry,
    }
