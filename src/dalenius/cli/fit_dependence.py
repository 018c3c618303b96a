"""The model `dependence` of the command `fit`: which records depend on each other, and the D of noiseless privacy."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dalenius.cli.output import print_json, say
from dalenius.errors import InputError
from dalenius.fitting.dependence import Dependence, columns_of_people, dependence_of
from dalenius.fitting.fit import WARNING
from dalenius.plotting import check_picture
from dalenius.tables.columns_to_fit import read_columns
from dalenius.tables.csv_files import TextForm


def tested(file: Path | str, table: str | None, form: TextForm, given: Mapping[str, Any]) -> Dependence:
    """Reads the columns, or the rows of people, and tests all pairs.

    Args:
        file: The file or URL of the table.
        table: The name of the table in a database; None for a file that is one table.
        form: How a file of text is written.
        given: The options that were given.
    """
    confidence = {name: given[name] for name in ("confidence",) if name in given}
    long = [given.get(name) for name in ("sequence", "order", "value")]
    if ("columns" in given) == any(each is not None for each in long):
        wanted = "--columns, a column for each record, or --sequence, --order and --value, a row for each value"
        raise InputError("--columns", given.get("columns", "missing"), wanted)
    if "columns" in given:
        names = [name.strip() for name in given["columns"].split(",")]
        return dependence_of(read_columns(file, names, table, form), **confidence)
    for name, each in zip(("sequence", "order", "value"), long, strict=True):
        if each is None:
            raise InputError(f"--{name}", "missing", "a column, beside --sequence, --order and --value")
    person, order, value = map(str, long)
    cells = read_columns(file, [person, order, value], table, form)
    return dependence_of(columns_of_people(cells, person, order, value), **confidence)


def show(found: Dependence, plot: Path | None, json: bool) -> None:
    """Prints what is found, as words or JSON, and draws the graph.

    Args:
        found: The graph.
        plot: Where the picture goes; None for none.
        json: Whether all is printed as JSON.
    """
    if plot is not None:
        # Because matplotlib takes a second to import, the picture's module is imported where it is asked for.
        from dalenius.reports.plots_of_dependence import dependence_figure

        check_picture(plot)
        dependence_figure(found, plot)
    if json:
        print_json({"dependence": found.shown(), "warning": WARNING})
        return
    for sentence in found.sentences():
        say(sentence)
    for each in found.linked:
        how = "" if each.is_certain else ", not by Holm"
        say(f"linked: {each.first}, {each.second} (adjusted p {each.adjusted:.3g}{how})")
    if plot is not None:
        say(f"wrote {plot} and {plot.with_suffix('.csv')}")
