"""The command `fit`: a [model] section from public or past data, with goodness of fit.

Each model takes options of its own, and refuses those of others. The output is a spec's section as people write it,
with comments above that say how well it fits:

>>> print(toml_section("model", {"kind": "chain", "n": 3, "transition": [[0.9, 0.1], [0.2, 0.8]]}, ["p value 0.76"]))
# p value 0.76
[model]
kind = "chain"
n = 3
transition = [
    [0.9, 0.1],
    [0.2, 0.8],
]
<BLANKLINE>
"""

import json as json_text
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Annotated, Any, Final

import typer

from dalenius.cli.attack_locations import CELLS, COLUMNS_HELP, cells_of, columns_of
from dalenius.cli.fit_dependence import show, tested
from dalenius.cli.options import AsJson, Encoding, MissingWords, Quiet, condition_of, number_option, option, words_of
from dalenius.cli.output import note, print_json, working
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
from dalenius.spec.data_section import Source
from dalenius.spec.table_url import is_server, path_of
from dalenius.tables import open_people
from dalenius.tables.columns_to_fit import read_columns, read_sequences
from dalenius.tables.csv_files import TextForm
from dalenius.tables.infected_households import infected_by_size
from dalenius.tables.missing_answers import WAYS
from dalenius.tables.servers import host_of


def toml_section(name: str, section: Mapping[str, Any], comments: Sequence[str] = (), head: str = "[{}]") -> str:
    """Writes `[name]` with its keys, then its sections and lists of sections.

    Args:
        name: The section's name, as it stands between the brackets.
        section: Its values by key, as a model's; none of them is None.
        comments: Lines of comments, which come first.
        head: The form of its first line, in which `{}` stands for the name: `[[{}]]` for one of a list.
    """
    lines, inner = [f"# {_one_line(comment)}" for comment in comments] + [head.format(name)], []
    for key, value in section.items():
        place = f"{name}.{_key(key)}"
        # Because TOML wants a table's plain keys before its sections, those wait until the end.
        if isinstance(value, Mapping):
            inner.append(toml_section(place, value))
        elif isinstance(value, list | tuple) and value and all(isinstance(each, Mapping) for each in value):
            inner += [toml_section(place, each, head="[[{}]]") for each in value]
        else:
            lines.append(f"{_key(key)} = {_toml(value)}")
    return "\n\n".join(["\n".join(lines), *(text.rstrip("\n") for text in inner)]) + "\n"


def _key(key: str) -> str:
    """Writes a key as TOML does: in quotes where it has a blank, a dot or a letter beyond ASCII."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _text(key)


def _toml(value: Any, outermost: bool = True) -> str:
    """Writes a value as TOML does; of the outermost list of lists, a matrix, a row stands on each line.

    TypeError for what no model has, such as None: TOML has no null.
    """
    match value:
        # Because to Python a truth value is a number, it comes before numbers.
        case bool():
            return "true" if value else "false"
        case str():
            return _text(value)
        case int() | float():
            return repr(value)
        case list() | tuple() if outermost and value and all(isinstance(each, list | tuple) for each in value):
            return "[\n" + "".join(f"    {_toml(each, outermost=False)},\n" for each in value) + "]"
        case list() | tuple():
            return "[" + ", ".join(_toml(each, outermost=False) for each in value) + "]"
        case _:
            raise TypeError(f"TOML has no form for {value!r} here: a truth value, a number, a text or a list of them")


def _text(text: str) -> str:
    """Writes a text with JSON's escapes, which are TOML's but for the one control character JSON leaves as it is."""
    return json_text.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _one_line(text: str) -> str:
    """Writes a comment in one line: a file's name with a line break in it must not end it early."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


# So that an option of another model is refused: those that must be given for each model, and those that may be.
_OPTIONS: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "households": (("value", "household"), ("smoothing", "confidence")),
    "chain": (("value", "order"), ("sequence", "smoothing", "confidence")),
    "network": (("columns",), ("smoothing", "confidence")),
    "gaussian": (("columns",), ()),
    "gaussian_mixture": (("columns", "components"), ()),
    "moments": (("value", "lower", "upper"), ("people", "confidence")),
    "linked": (("value", "order", "sequence"), ("smoothing",)),
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
    with working("fitting"):
        try:
            found = _fitted(model, data, table, form, chosen)
        except InputError as error:
            raise _with_way_out(error, model) from None
    shown = {"observations": found.observations, "smoothing": found.smoothing} | found.goodness()
    text = toml_section("model", found.section(), list(_comments(model, data, shown, found.warning)))
    if out is not None:
        written = text
        # Because JSON, which a spec may be too, has no comments, how well it fits is printed with --json only.
        if out.suffix == ".json":
            written = json_text.dumps({"model": found.section()}, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        write_atomically(out, lambda draft: draft.write_text(written, encoding="utf-8"))
    if json:
        print_json({"model": found.section(), "fit": shown, "warning": found.warning})
    elif out is None:
        print(text, end="")
    note(found.warning)


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


def _fitted(model: str, data: str, table: str | None, form: TextForm, given: Mapping[str, Any]) -> Fit:
    """Fits that model, with its options as they were given; those left out have the defaults of its function."""
    tuned = {name: given[name] for name in ("smoothing", "confidence") if name in given}
    file = data if is_server(data) else path_of(data).absolute()
    # So that a table of millions is not read cell by cell, households are counted in the engine.
    if model == "households":
        written = {"encoding": form.encoding, "decimal": form.decimal, "missing_words": form.missing_words}
        source = Source(
            table=table, value=condition_of(given["value"], "--value"), household=given["household"], **written
        )
        people = open_people(source, table=file)
        try:
            counts = infected_by_size(people)
        finally:
            people.close()
        return fit_households(counts, **tuned)
    if model == "chain":
        columns = condition_of(given["value"], "--value"), given["order"], given.get("sequence")
        return fit_chain(read_sequences(file, *columns, table, form), **tuned)
    if model == "linked":
        return fit_linked(read_sequences(file, given["value"], given["order"], given["sequence"], table, form), **tuned)
    if model == "moments":
        values = read_columns(file, [given["value"]], table, form)[given["value"]]
        return fit_moments(values, given["lower"], given["upper"], given.get("people"), **tuned)
    if model == "friends":
        from dalenius.fitting.friends import fit_friends  # scikit-learn, an extra

        named = columns_of(given.get("columns"), given.get("count"), given.get("only"))
        return fit_friends(file, given["positions"], cells_of(given.get("cells", CELLS)), named)
    cells = read_columns(file, [name.strip() for name in given["columns"].split(",")], table, form)
    if model == "network":
        return fit_network(cells, **tuned)
    if model == "gaussian_mixture":
        return fit_mixture(cells, given["components"])
    return fit_gaussian(cells)


def _with_way_out(error: InputError, model: str) -> InputError:
    """Returns an `error` of the table as one that says what to do without a spec: `fit` has no [data] section."""
    wanted = str(error.wanted).removesuffix(WAYS).rstrip()
    if wanted.endswith((" is missing", " are missing")):
        households = "; a household that loses a member counts as a smaller one" if model == "households" else ""
        return InputError(error.key, error.value, f"{wanted} (fit a copy of the table without these rows{households})")
    if wanted.startswith("0 or 1 in every row"):
        return InputError(error.key, error.value, f"{wanted} ({_CONDITION})")
    return error


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
