"""The command `identify`: one answer about a table from which somebody is absent, under (α, β) over all answers.

Called once for each question, it goes on where the ledger beside the table stands: the noise is for what the adversary
believes after all answers before, and an answer that would break the promise is refused.
"""

from typing import Annotated, Any, Final

from dalenius.calibration import CONFIDENCE
from dalenius.cli.ledger import spent_in_words
from dalenius.cli.options import (
    AsJson,
    Confidence,
    DataFile,
    Encoding,
    Memory,
    Plugins,
    ProgressLines,
    Quiet,
    SpecFile,
    number_option,
    option,
)
from dalenius.cli.output import print_json, print_table, working
from dalenius.cli.release import print_recorded
from dalenius.curator import IdentifiabilitySession
from dalenius.curator.absence_certificate import AbsenceTerms
from dalenius.curator.cost_of_releases import Budget
from dalenius.curator.identifiability_session import asked_by
from dalenius.errors import InputError, meant
from dalenius.noise.error_law import missed
from dalenius.spec import Spec, read_spec
from dalenius.spec.precision_shown import share_in_percent
from dalenius.spec.results_as_json import noise_json
from dalenius.spec.spec import spec_from

_QUERIES: Final = ("sum", "mean", "min", "max", "median", "variance", "count")
"""The kinds of query that may be asked about a table from which somebody is absent."""


def identify(
    spec: SpecFile,
    query: Annotated[
        str | None,
        option("Ask this instead of the spec's query: sum, mean, min, max, median, variance or count.", "KIND"),
    ] = None,
    value: Annotated[str | None, option("Ask about this column instead of the spec's.", "COLUMN")] = None,
    lower: Annotated[float | None, number_option("With --query: values below are raised to it.")] = None,
    upper: Annotated[float | None, number_option("With --query: values above are lowered to it.")] = None,
    share: Annotated[float, number_option("The share of the promise that this answer may use.")] = 0.1,
    rest: Annotated[bool, option("Use all that is left of the promise.", name="--rest")] = False,
    cost: Annotated[bool, option("Say with what noise it would be answered; release nothing.", name="--cost")] = False,
    json: AsJson = False,
    data: DataFile = None,
    encoding: Encoding = None,
    ledger: Annotated[str | None, option("The ledger of shares and answers [default: beside the data].")] = None,
    confidence: Confidence = CONFIDENCE,
    plugin: Plugins = None,
    quiet: Quiet = False,
    progress: ProgressLines = False,
    memory: Memory = None,
) -> None:
    """Answer a question about a table from which somebody is absent, within what is left of the promise."""
    missed(confidence, "--confidence")
    read = _asking(read_spec(spec).in_encoding(encoding), query, value, lower, upper)
    of_promise = None if rest else share
    with working("answering"):
        session = IdentifiabilitySession.of_spec(read, spec.parent, data, ledger)
        if not cost:
            done = session.ask_spec(read, of_promise, confidence)
    if cost:
        print_estimate(session.estimate(*asked_by(read), of_promise, confidence), session.budget(), json)
        return
    print_recorded(done, read, json)


def _asking(spec: Spec, query: str | None, value: str | None, lower: float | None, upper: float | None) -> Spec:
    """Returns the spec with the question that the options ask instead of its own."""
    bounds = {key: each for key, each in (("lower", lower), ("upper", upper)) if each is not None}
    if query is None:
        # Because bounds belong to a query, and those of the spec stay.
        if bounds:
            raise InputError(f"--{next(iter(bounds))}", next(iter(bounds.values())), "nothing without --query")
        asked: dict[str, Any] = {}
    elif query not in _QUERIES:
        raise InputError("--query", query, f"{', '.join(_QUERIES[:-1])} or {_QUERIES[-1]}{meant(query, _QUERIES)}")
    else:
        asked = {"query": {"kind": query, **bounds}}
    if value is not None and spec.data is not None:
        asked["data"] = spec.data.altered({"value": value, "lower": None, "upper": None, "step": None})
    if not asked:
        return spec
    return spec_from({**{key: getattr(spec, key) for key in ("model", "query", "noise", "notion", "data")}, **asked})


def print_estimate(found: AbsenceTerms, budget: Budget, json: bool) -> None:
    """Prints with what noise a question would be answered, and what it would use of the promise.

    Args:
        found: The terms of the answer.
        budget: What was spent of the promise before.
        json: Whether to print JSON.
    """
    if json:
        print_json(
            {
                "noise": noise_json(found.noise),
                "lattice": float(found.answers.step),
                "expected_error": found.expected_error,
                "confidence": found.confidence,
                "half_width": found.half_width(),
                "share": {"before": found.before, "after": found.target},
                "candidates": found.candidates,
                "budget": budget.as_json(),
            }
        )
        return
    share = share_in_percent(found.confidence)
    rows = [
        ["noise", f"{found.noise.words}; expected error {found.expected_error:.6g}"],
        ["interval", f"± {found.half_width():.6g}, with {share} confidence"],
        ["share", f"{found.before:.6g} of the promise is used; at most {found.target:.6g} would be"],
        ["budget before", spent_in_words(budget)],
    ]
    print_table("What it would cost", ["", ""], rows)
