"""The command `check`: what is wrong or doubtful in a table, before anything is computed or spent.

If a table writes one household in two ways, it prints the columns, how many households there are of each size, and
`warning: 1 household names in column home differ from another one only in capitals (1), in 2 rows (rows 3 and 9)`; it
ends with 0, or with 2 if the table cannot be used.
"""

from pathlib import Path
from typing import Annotated

from dalenius.cli.options import AsJson, Encoding, MissingWords, Plugins, Quiet, argument, option, words_of
from dalenius.cli.output import print_json, print_table, say, working
from dalenius.errors import InputError
from dalenius.spec.table_url import is_server
from dalenius.tables.check import check as check_of
from dalenius.tables.table_check import TableCheck


def check(
    table: Annotated[str, argument("A spec (.toml, .json), or a table: a path or a URL.", "SPEC|TABLE")],
    household: Annotated[str | None, option("The column that says who belongs together.", "COLUMN")] = None,
    label: Annotated[str | None, option("The column of public labels.", "COLUMN")] = None,
    person: Annotated[str | None, option("The column of people's ids: each person has one row.", "COLUMN")] = None,
    value: Annotated[str | None, option("The column of values.", "COLUMN")] = None,
    name: Annotated[str | None, option("The table of a database.", name="--table")] = None,
    encoding: Encoding = None,
    missing_words: MissingWords = None,
    json: AsJson = False,
    plugin: Plugins = None,
    quiet: Quiet = False,
) -> None:
    """List what is wrong or doubtful in a table, before anything is computed or spent."""
    given = table if is_server(table) or "://" in table else Path(table)
    with working("checking"):
        found = check_of(
            given,
            household=household,
            label=label,
            person=person,
            value=value,
            name=name,
            encoding=encoding,
            missing_words=words_of(missing_words),
        )
    if json:
        print_json(found.as_json())
    else:
        _print(found)
    wrong = [each.line.removeprefix("error: ") for each in found.findings if each.severity == "error"]
    if wrong:
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        error = InputError("table", found.name, f"one that can be used: {wrong[0]}{more}")
        error.shown = json
        raise error


def _print(found: TableCheck) -> None:
    """Prints a table of the columns, one of the households, and the findings."""
    rows = [[str(cell) for cell in row.values()] for row in found.records()]
    if rows:
        titles = ["column", "holds", "missing", "not so", "different"]
        print_table(f"{found.caption}, {found.size or 0:,} rows", titles, rows)
    for line in found.sizes_in_words():
        say(line)
    for each in found.findings:
        say(each.line)
    if not found.findings:
        say(found.clean)
