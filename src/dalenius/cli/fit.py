"""The command `fit`: a [model] section from public or past data, with goodness of fit.

Each model takes options of its own, and refuses those of others. Comments above the section say how well it fits. If a
missing answer is not refused, a section [data] says how the model's records are read.
"""

import json as json_text
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Annotated, Any, Final

import typer

from dalenius.cli.attack_locations import CELLS, COLUMNS_HELP, cells_of, columns_of
from dalenius.cli.fit_dependence import show, tested
from dalenius.cli.options import (
    AsJson,
    Encoding,
    MissingAnswers,
    MissingWords,
    Quiet,
    condition_of,
    missing_of,
    number_option,
    option,
    words_of,
)
from dalenius.cli.output import note, print_json, working
from dalenius.cli.toml_text import toml_in_lines, toml_section
from dalenius.errors import InputError
from dalenius.fitting.chain import fit_chain
from dalenius.fitting.fit import WARNING, Fit
from dalenius.fitting.households import fit_households
from dalenius.fitting.mixture import fit_mixture
from dalenius.fitting.moments import fit_moments
from dalenius.fitting.normal import fit_gaussian
from dalenius.fitting.processes import fit_linked
from dalenius.fitting.tree import fit_network
from dalenius.plotting import check_place, write_atomically
from dalenius.spec.condition import Condition, Conditions, Missing
from dalenius.spec.data_section import Source
from dalenius.spec.table_url import is_server, path_of
from dalenius.tables import open_people
from dalenius.tables.columns_to_fit import read_columns, read_sequences
from dalenius.tables.csv_files import TextForm
from dalenius.tables.infected_households import infected_by_size
from dalenius.tables.missing_answers import WAYS
from dalenius.tables.servers import host_of

# So that an option of another model is refused: those that must be given for each model, and those that may be.
_OPTIONS: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "households": (("value", "household"), ("smoothing", "confidence", "missing")),
    "chain": (("value", "order"), ("sequence", "smoothing", "confidence", "missing")),
    "network": (("columns",), ("smoothing", "confidence", "missing")),
    "gaussian": (("columns",), ("missing",)),
    "gaussian_mixture": (("columns", "components"), ("missing",)),
    "moments": (("value", "lower", "upper"), ("people", "confidence", "missing")),
    "linked": (("value", "order", "sequence"), ("smoothing", "missing")),
    "dependence": ((), ("columns", "sequence", "order", "value", "confidence", "plot")),
    "friends": (("positions",), ("cells", "count", "only", "columns")),
}
# Where one of those that must be given is missing, these words say what it is.
_WANTED: Final = {
    "value": "the column of values",
    "household": "the column that says who belongs together",
    "order": "the column that says the place in the sequence",
    "sequence": "the column that says whose sequence it is",
    "columns": "columns, with commas between them",
    "components": "how many normal laws",
    "lower": "the least value anybody can have",
    "upper": "the greatest value anybody can have",
    "positions": "the table of where people are",
}

# The ways in which each model reads a missing answer, beside refusing it; and why it reads it in no other.
_WAYS: Final = {
    "households": (("leave_out", "as=WORD"), "its records are 0 or 1"),
    "chain": (("value", "as=WORD"), "without a row, records are neighbours that are not"),
    "linked": (("value", "as=WORD"), "without a row, records are neighbours that are not"),
    "network": (("value", "leave_out"), "it reads several columns"),
    "gaussian": (("leave_out",), "it reads several columns, of numbers"),
    "gaussian_mixture": (("leave_out",), "it reads several columns, of numbers"),
    "moments": (("leave_out", "as=WORD"), "its records are numbers"),
}
# The columns of the spec's [data] by the options that name them, where the model is of a table of people.
_READ: Final[dict[str, dict[str, str]]] = {
    "households": {"household": "household"},
    "chain": {},
    "linked": {"person": "sequence", "stage": "order"},
    "moments": {},
}
_BITS: Final = "0 or 1 in every row"
_CONDITION: Final = """for words or other numbers write a condition: --value '{ column = "…", equals = "…" }'"""


def fit(
    context: typer.Context,
    data: Annotated[str, option("The table: a file, a folder of Parquet files, or a URL.", "<path>", name="--data")],
    model: Annotated[str, option("The model: " + ", ".join(_OPTIONS) + ".")],
    value: Annotated[
        str | None, option("The column of values; for households and chains also a condition, as in a spec.", "COLUMN")
    ] = None,
    household: Annotated[
        str | None, option("For households: the column that says who belongs together.", "COLUMN")
    ] = None,
    sequence: Annotated[
        str | None, option("For a chain, linked or dependence: the column that says whose sequence it is.", "COLUMN")
    ] = None,
    order: Annotated[
        str | None, option("For a chain, linked or dependence: the column of the place in the sequence.", "COLUMN")
    ] = None,
    columns: Annotated[
        str | None,
        option(
            f"For a network, gaussian, gaussian_mixture or dependence: the columns. For friends: {COLUMNS_HELP}.",
            "A,B,C",
        ),
    ] = None,
    components: Annotated[
        int | None, option("For gaussian_mixture: how many normal laws, at least 2.", "COUNT")
    ] = None,
    smoothing: Annotated[
        float | None, number_option("The sum of the pseudo-counts of each distribution [1].", "NUMBER")
    ] = None,
    lower: Annotated[
        float | None, number_option("For moments: the least possible value, which is public.", "NUMBER")
    ] = None,
    upper: Annotated[
        float | None, number_option("For moments: the greatest possible value, which is public.", "NUMBER")
    ] = None,
    people: Annotated[
        int | None, option("For moments: how many values the sum has [as many as rows].", "COUNT")
    ] = None,
    positions: Annotated[
        str | None, option("For friends: the table of where people are (user, lat, lon).", "VISITS")
    ] = None,
    cells: Annotated[str | None, option("For friends: the grid [20x20].", "ROWSxCOLUMNS")] = None,
    count: Annotated[str | None, option("For friends: the column of numbers of visits.", "COLUMN")] = None,
    only: Annotated[str | None, option("For friends: the rows that count.", "COLUMN=VALUE")] = None,
    confidence: Annotated[
        float | None, number_option("The confidence with which all intervals or bounds hold.", "NUMBER")
    ] = None,
    table: Annotated[str | None, option("The table of a DuckDB file, or the sheet of an Excel workbook.")] = None,
    encoding: Encoding = None,
    decimal: Annotated[str | None, option("The decimal mark in a text file [.].", "MARK")] = None,
    missing_words: MissingWords = None,
    missing: MissingAnswers = None,
    plot: Annotated[
        Path | None, option("For dependence: draw the graph to this file: PNG, SVG or PDF, and a CSV of all tests.")
    ] = None,
    out: Annotated[Path | None, option("Write the section to this file, as JSON if it ends in .json.")] = None,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Fit a [model] section to public or past data, and say how well it fits."""
    known = {name for wanted, allowed in _OPTIONS.values() for name in (*wanted, *allowed)}
    given = context.params.items()
    chosen = {name: option for name, option in given if name in known and option is not None}
    _check(model, chosen)
    if decimal not in (None, ".", ","):
        raise InputError("--decimal", decimal, "a point or a comma")
    # So that a place that cannot be written is said before a fit that takes minutes.
    if out is not None:
        check_place(out)
    form = TextForm(encoding, decimal, words_of(missing_words))
    # Because tests of pairs make no section of a spec, they are shown by themselves.
    if model == "dependence":
        if out is not None:
            raise InputError("--out", str(out), "--plot with --model dependence, which writes no section")
        if plot is not None:
            check_place(plot)
        with working("testing"):
            graph = tested(data if is_server(data) else path_of(data).absolute(), table, form, chosen)
        show(graph, plot, json)
        note(WARNING)
        return
    way = _way(model, missing, chosen)
    with working("fitting"):
        try:
            found = _fitted(model, data, table, form, chosen, way)
        except InputError as error:
            raise _with_way_out(error, model, missing) from None
    shown = {"observations": found.observations, "smoothing": found.smoothing} | found.goodness()
    sections = {"model": found.section()}
    # So that the model stands in a spec that reads the same table in the same way.
    if way is not None and model in _READ:
        sections["data"] = _source(model, table, form, chosen, way).model_dump(mode="json", exclude_none=True)
    if out is not None:
        # Because JSON, which a spec may be too, has no comments, how well it fits is printed with --json only.
        as_json = out.suffix == ".json"
        written = _as_json(sections) if as_json else _as_toml(sections, _comments(model, data, shown, found.warning))
        write_atomically(out, lambda draft: draft.write_text(written, encoding="utf-8"))
    if json:
        print_json({**sections, "fit": shown, "warning": found.warning})
    elif out is None:
        print(_as_toml(sections, _comments(model, data, shown, found.warning)), end="")
    note(found.warning)


def _as_json(sections: Mapping[str, Any]) -> str:
    """Writes the sections as JSON."""
    return json_text.dumps(sections, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _as_toml(sections: Mapping[str, Mapping[str, Any]], comments: Iterable[str]) -> str:
    """Writes the sections as TOML, with comments above the model."""
    text = toml_section("model", sections["model"], list(comments))
    return f"{text}\n{toml_in_lines('data', sections['data'])}" if "data" in sections else text


def _check(model: str, given: Mapping[str, Any]) -> None:
    """Raises InputError for a model that there is not, an option that it does not have, or one that it lacks."""
    if model not in _OPTIONS:
        raise InputError("--model", model, f"one of {', '.join(_OPTIONS)}")
    wanted, allowed = _OPTIONS[model]
    for name, said in given.items():
        if name not in (*wanted, *allowed):
            raise InputError(f"--{name}", said, f"no such option with --model {model}")
    for name in wanted:
        if name not in given:
            raise InputError(f"--{name}", "missing", f"{_WANTED[name]}, which --model {model} needs")
    # Because moments are of numbers, they are of no bit.
    if model == "moments" and str(given.get("value", "")).lstrip().startswith("{"):
        column = "a column with --model moments: a condition is for --model households or chain"
        raise InputError("--value", given["value"], column)
    # Because pseudo-counts move points, and intervals are of the counts as they are.
    if model != "moments" and {"confidence", "smoothing"} <= given.keys():
        raise InputError("--smoothing", given["smoothing"], "none beside --confidence: exact intervals have no prior")


def _way(model: str, given: str | None, chosen: Mapping[str, Any]) -> Missing | None:
    """Returns the meaning of a missing answer; None where it is refused. InputError for one that the model has not."""
    found = None if given is None else missing_of(given)
    if found is None or found == "refuse":
        return None
    ways, why = _WAYS[model]
    if (found if isinstance(found, str) else "as=WORD") not in ways:
        raise InputError("--missing", given, f"{_either(ways)} with --model {model}: {why}")
    # Because a cell of which column would be read as the given one, beside several?
    if isinstance(found, Mapping) and len(Source(value=_value(model, chosen)).value_columns) > 1:
        raise InputError("--missing", given, f"{_either(ways[:-1])}: the value is made of several columns")
    return found


def _either(ways: Sequence[str]) -> str:
    """Lists refusing a missing answer, and other `ways` to read one."""
    *most, last = ("refuse", *ways)
    return f"{', '.join(most)} or {last}"


def _source(model: str, table: str | None, form: TextForm, given: Mapping[str, Any], missing: Missing | None) -> Source:
    """Returns the `[data]` section, without a place, that reads the columns as `fit` does."""
    named = {own: given[name] for own, name in _READ[model].items()}
    written = {"encoding": form.encoding, "decimal": form.decimal, "missing_words": form.missing_words}
    return Source(table=table, value=_value(model, given), missing=missing, **written, **named)


def _value(model: str, given: Mapping[str, Any]) -> str | Condition | Conditions:
    """Returns the column of values, or for households and chains a condition."""
    return condition_of(given["value"], "--value") if model in ("households", "chain") else given["value"]


def _fitted(
    model: str, data: str, table: str | None, form: TextForm, given: Mapping[str, Any], missing: Missing | None
) -> Fit:
    """Fits that model, with its options as they were given; those left out have the defaults of its function."""
    tuned = {name: given[name] for name in ("smoothing", "confidence") if name in given}
    file = data if is_server(data) else path_of(data).absolute()
    # So that a table of millions is not read cell by cell, households are counted in the engine.
    if model == "households":
        source = _source(model, table, form, given, missing)
        people = open_people(source, table=file)
        try:
            counts = infected_by_size(people)
        finally:
            people.close()
        return fit_households(counts, **tuned)
    if model == "chain":
        columns = _value(model, given), given["order"], given.get("sequence")
        return fit_chain(read_sequences(file, *columns, table, form, missing), **tuned)
    if model == "linked":
        columns = given["value"], given["order"], given["sequence"]
        return fit_linked(read_sequences(file, *columns, table, form, missing), **tuned)
    if model == "moments":
        values = read_columns(file, [given["value"]], table, form, missing=missing)[given["value"]]
        return fit_moments(values, given["lower"], given["upper"], given.get("people"), **tuned)
    if model == "friends":
        from dalenius.fitting.friends import fit_friends  # scikit-learn, an extra

        named = columns_of(given.get("columns"), given.get("count"), given.get("only"))
        return fit_friends(file, given["positions"], cells_of(given.get("cells", CELLS)), named)
    names = [name.strip() for name in given["columns"].split(",")]
    cells = read_columns(file, names, table, form, missing=missing)
    if model == "network":
        return fit_network(cells, **tuned)
    if model == "gaussian_mixture":
        return fit_mixture(cells, given["components"])
    return fit_gaussian(cells)


def _with_way_out(error: InputError, model: str, missing: str | None) -> InputError:
    """Returns an `error` of the table as one in the words of the options; missing: the option, as it was given."""
    wanted = str(error.wanted).removesuffix(WAYS).rstrip()
    if error.key == "data.missing":
        return InputError("--missing", missing, wanted)
    if wanted.startswith(_BITS):
        return InputError(error.key, error.value, f"{wanted} ({_CONDITION})")
    if not wanted.endswith((" is missing", " are missing")) or model not in _WAYS:
        return error
    ways, _ = _WAYS[model]
    if error.key in ("data.value", "data.columns"):
        advice = f"--missing says what else a missing cell means: {', '.join(ways)}"
    elif "leave_out" not in ways:
        return error
    else:
        households = "; a household that loses a member counts as a smaller one" if model == "households" else ""
        advice = f"fit a copy of the table without these rows{households}"
    return InputError(error.key, error.value, f"{wanted} ({advice})")


def _comments(model: str, data: str, shown: Mapping[str, Any], warning: str) -> Iterator[str]:
    """Yields the comments above the section: the model, the table, what using the fit may leak, and how well it fits.

    The table's name is without its folder or its server's password.
    """
    yield f"{model}, fitted to {PurePath(host_of(data) if is_server(data) else data).name}"
    yield warning
    for key, value in shown.items():
        # So that lines stay short, tests of many pairs have a line each, and a statistic with parts one for each part.
        if isinstance(value, list) and value and isinstance(value[0], dict):
            yield f"{key}:"
            yield from (f"  {_said(each)}" for each in value)
        elif isinstance(value, dict) and any(isinstance(inner, dict) for inner in value.values()):
            yield f"{key}:"
            yield from (f"  {name}: {_said(inner)}" for name, inner in value.items())
        else:
            yield f"{key}: {_said(value)}"


def _said(value: Any) -> str:
    """Writes a number, a statistic or a list of them, with six digits."""
    match value:
        case None:
            return "none"
        case float():
            return f"{value:.6g}"
        case dict():
            return ", ".join(f"{name.replace('_', ' ')} {_said(inner)}" for name, inner in value.items())
        case list():
            return "[" + ", ".join(_said(inner) for inner in value) + "]"
        case _:
            return str(value)
