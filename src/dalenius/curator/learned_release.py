"""Release of what is learned from a table: read it, debit the ledger, draw, certify.

The estimators of `dependent` do the learning. The ledger is debited what is proven. For a sound method this is the
promise. For an unsound one it is what group privacy says, which is more than was promised.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from math import inf, isfinite
from pathlib import Path
from typing import Any, Final, final

from dalenius.bounds import float_up
from dalenius.curator.amounts import NO_GROUPS
from dalenius.curator.budgets import Request
from dalenius.curator.certificate import package_version
from dalenius.curator.cost_of_releases import Entry
from dalenius.curator.learned_spec import LearnedSpec, check_learned
from dalenius.curator.recorded_answers import Publication, risk_json
from dalenius.dependent.guarantee import Drawn
from dalenius.errors import InputError, Refused
from dalenius.sentences.recorded import sentences_json
from dalenius.sentences.sentence import Figure, Name, Phrase, kind_name, phrase, said, semicolons
from dalenius.spec.data_names import data_name
from dalenius.spec.results_as_json import notion_json
from dalenius.tables import WRITTEN
from dalenius.tables.csv_files import TextForm
from dalenius.tables.foreign_errors import engine_errors
from dalenius.tables.opening import TablePart, open_part
from dalenius.tables.opening_with_ibis import answer_of, one_state
from dalenius.tables.table_files import there
from dalenius.tables.table_identity import other_names

_UNSOUND: Final = said("not_sound")


@final
@dataclass(frozen=True, eq=False)
class Learned:
    """A release of what is learned, as far as it may go before it is paid for.

    Attributes:
        request: What is asked of which data set.
        entry: What it costs.
        draw: Learns, with noise, and certifies.
        path: The file of the table; None where there is none.
    """

    request: Request
    entry: Entry
    draw: Callable[[], Publication]
    path: Path | None


def learned(spec: LearnedSpec, folder: Path, terms: Mapping[str, Any]) -> Learned:
    """Prepares the release: reads the table, and finds what it costs. Nothing is drawn.

    Args:
        spec: The spec.
        folder: Where relative paths start.
        terms: The terms of `release`.

    Raises:
        InputError: For a table that is not what was wanted.
        Refused: For an unsound method that was not accepted.
    """
    check_learned(terms)
    budget = terms.get("budget")
    if budget is not None and (isinstance(budget, str) or not (isfinite(budget) and budget > 0)):
        raise InputError("budget", budget, "a finite number above 0")
    estimator = estimator_of(spec)
    proof = estimator.guarantee
    if not proof.sound and not spec.dependence.accept_unsound:
        raise Refused(
            f"method {proof.method} promises nothing: {proof.why}; dependence.accept_unsound = true releases it"
        )
    given = spec.data.location if terms.get("data") is None else terms["data"]
    if given is None:
        raise InputError("data.file", "missing", "the file of the table")
    form, query = TextForm(spec.data.encoding, spec.data.decimal, None), spec.query
    part = open_part(given, spec.data.table, set(query.read), set(query.texts), folder, form)
    with ExitStack() as until:
        until.callback(part.close)
        until.enter_context(one_state(part.table))
        mark = part.mark() if part.before is None else part.before
        cells, fingerprint = cells_of(part, query.read), part.fingerprint()
        others = other_names(part)
        if mark == () or part.mark() != mark:
            raise InputError("data", str(part.path or spec.data.name or "table"), WRITTEN)
    arguments = query.arguments(cells)
    name = spec.data.name or (None if part.path is None else data_name(part.path))
    if name is None:
        raise InputError("data.name", "missing", "a name, to which the budget belongs: only a file brings one")
    request = Request(
        name,
        fingerprint,
        question_text(spec),
        spec.promise.epsilon or 0.0 if budget is None else float(budget),
        budget is not None,
        bool(terms.get("new_data", False)),
        others=others,
    )
    entry = cost_of_learned(spec, estimator, len(arguments[0]))
    # So that arguments that make no sense, such as noise beyond integers, are refused before anything is paid, rows
    # that say nothing of anybody are learned from first.
    estimator_of(spec).fit(*query.blank(len(arguments[0])))
    return Learned(
        request, entry, lambda: published(spec, estimator, arguments, entry, [said("nothing_else")]), part.path
    )


def estimator_of(spec: LearnedSpec) -> Any:
    """Makes the estimator of a `spec`, unfitted."""
    return spec.query.estimator(
        epsilon=spec.promise.epsilon,
        method=spec.dependence.method,
        dependence=spec.model if spec.dependence.size is None else spec.dependence.size,
        accept_unsound=spec.dependence.accept_unsound,
    )


def cells_of(part: TablePart, columns: Sequence[str]) -> dict[str, list[Any]]:
    """Reads columns of a table.

    Args:
        part: The table.
        columns: The names of the columns.

    Returns:
        By each column's name its cells, in the order of the rows.

    Raises:
        InputError: For a column that is missing, or has a missing cell or no row.
    """
    for column in columns:
        if column not in part.table.columns:
            raise InputError("query.columns", column, there(part.table.columns, column))
    chosen = part.table.select(*dict.fromkeys(columns))
    with engine_errors("data", ", ".join(columns), "columns that the engine can read"):
        cells: dict[str, list[Any]] = answer_of(chosen).to_pydict()
    for column, values in cells.items():
        missing = sum(value is None or value != value for value in values)
        if missing or not values:
            raise InputError(f"data column {column}", f"{missing or 'no'} cells", "a value in every row, and a row")
    return cells


def question_text(spec: LearnedSpec) -> str:
    """Writes the text by which the ledger knows the release of a `spec`."""
    return json.dumps(spec.question(), sort_keys=True, separators=(",", ":"))


def cost_of_learned(spec: LearnedSpec, estimator: Any, rows: int, keeps_delta: bool = False) -> Entry:
    """Returns what the release spends: every method proves ε₀ for a record, and for a group its size times ε₀.

    Args:
        spec: The spec.
        estimator: Its estimator.
        rows: How many rows the table has.
        keeps_delta: Whether the promise holds at any delta that what implies it has.
    """
    text = question_text(spec)
    from dalenius.dependent.noise_multiplier import check_people, most_together

    proof, independent = estimator.guarantee, spec.dependence.method == "independent"
    if spec.query.hides_edges:
        # Because an edge is no person's record, and a person may have any number: it adds up with nothing else.
        leakage = proof.epsilon if proof.sound else inf
        return Entry(text, spec.promise.kind, leakage, inf, implied_by=("edge",))
    check_people(estimator.dependence, spec.query.people_of(rows))
    size = 1 if independent else most_together(estimator.dependence)
    proven = float_up(Fraction(proof.record_epsilon) * size)
    grouped = sha256(json.dumps([spec.dependence.size, spec.question().get("model")], sort_keys=True).encode())
    return Entry(
        text,
        spec.promise.kind,
        proof.epsilon if proof.sound else proven,
        proven,
        differential=proof.record_epsilon,
        pure=proof.record_epsilon,
        records=size,
        together=NO_GROUPS if size == 1 else grouped.hexdigest(),
        implied_by=("record",) if independent else ("inferential",),
        keeps_delta=keeps_delta,
    )


def published(
    spec: LearnedSpec,
    estimator: Any,
    arguments: Sequence[Any],
    entry: Entry,
    beside: Sequence[str],
    shown: Mapping[str, str] | None = None,
) -> Publication:
    """Learns, and writes the certificate.

    Args:
        spec: The spec.
        estimator: Its estimator, unfitted.
        arguments: The arguments of `fit`.
        entry: What was paid.
        beside: What the promise rests on beside the guarantee's own hypotheses.
        shown: What a policy calls the question; None for a table's owner.
    """
    fitted = estimator.fit(*arguments)
    proof = fitted.guarantee.shown()
    found = {label: Fraction(float(each)) for label, each in spec.query.answers(fitted).items()}
    promise, rests = spec.promise, [*proof.pop("rests_on"), *beside]
    # Because what is not proven may not be said of chances, an unsound release states what is proven.
    kept = notion_json(promise) | ({} if proof["sound"] else {"epsilon": entry.leakage})
    warning = None if proof["sound"] else _warning(proof["why"], entry)
    question = phrase(spec.query.words)
    asked = said("named", name=Name(shown["asked"]), words=question) if shown else question
    to_whom = said("promised_to", whom=phrase(proof["whom"]))
    drawn = semicolons(map(_noise_words, fitted.drawn_))
    certificate = {
        **(shown or {}),
        "query": spec.question()["query"],
        **{key: value for key, value in spec.question().items() if key in ("model", "dependence")},
        "notion": kept,
        "learned_noise": [each.shown() for each in fitted.drawn_],
        "guarantee": {**proof, "proven": entry.leakage},
        "method": proof["method"],
        "sound": proof["sound"],
        "why": proof["why"],
        "outcome": "answer",
        "risk": risk_json(promise, entry.leakage),
        "hypotheses": rests,
        **sentences_json(
            asked=asked, model=to_whom, noise=drawn, hypotheses=rests, warning=warning, labels=tuple(found)
        ),
        "people": int(fitted.n_people_),
        "dalenius": package_version(),
        **({} if warning is None else {"warning": warning}),
    }
    noises = [
        f"geometric, scale {each.shown()['scale']:.6g}, drawn {each.times:,} times: {each.on}" for each in fitted.drawn_
    ]
    rows = [
        *([] if warning is None else [["warning", warning]]),
        ["asked", asked],
        ["promise", f"{promise.kind} privacy, {promise.epsilon:g} nats" + ("" if proof["sound"] else f" ({_UNSOUND})")],
        ["leakage", f"at most {entry.leakage:.6g} nats; of one record, {proof['record_epsilon']:.6g}"],
        ["method", f"{proof['method']}: {proof['multiplier']:.6g} times the noise of independent records"],
        *[["noise", each] for each in noises],
        ["why sound" if proof["sound"] else "why not sound", proof["why"]],
        ["to whom", proof["whom"]],
        *[["rests on", each] for each in rests],
    ]
    return Publication(tuple(found.values()), tuple(found), certificate, rows)


def _warning(why: str, entry: Entry) -> Phrase:
    return said("unsound_proven", why=phrase(why), nats=Figure(f"{entry.leakage:.6g}"))


def _noise_words(drawn: Drawn) -> Phrase:
    """Says which noise was drawn, on what and how often."""
    scale = Figure(f"{drawn.shown()['scale']:.6g}")
    noise = said("with_scale", noise=kind_name("noise", drawn.kind), scale=scale)
    return said("noise_on", noise=noise, on=phrase(drawn.on), times=drawn.times)
