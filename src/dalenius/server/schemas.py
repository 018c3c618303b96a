"""What the routes take and give, for the description of the API (OpenAPI)."""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from dalenius.curator import Ask

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
