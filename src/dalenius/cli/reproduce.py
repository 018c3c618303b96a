"""`dalenius reproduce`: a paper's figures and tables again, from the public data, ours beside theirs."""

from math import isfinite
from pathlib import Path
from typing import Annotated

import typer

from dalenius.bounds import near_to_digits
from dalenius.cli.options import AsJson, Quiet
from dalenius.cli.output import print_json, print_table, say, working
from dalenius.studies import DIGITS, STUDIES, Number, study_named, write_all


def reproduce(
    source: Annotated[str, typer.Argument(help=", ".join(STUDIES), show_default=False)],
    out: Annotated[Path, typer.Option(help="The folder for the figures (PNG and SVG) and their numbers (CSV).")] = Path(
        "reproduced"
    ),
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """A paper's figures and tables from the public data in $DALENIUS_DATA, ours beside theirs."""
    study = study_named(source)
    with working("reproducing"):
        found = study.outcome()
        paths = write_all(out, found.files)
    if json:
        print_json(
            {
                "source": study.source,
                "about": study.about,
                "files": [str(path) for path in paths],
                "numbers": [_number_json(number) for number in found.numbers],
                "notes": list(found.notes),
            }
        )
        return
    say(f"{study.source}: {study.about}")
    cells = [[each.where, each.what, _shown(each.theirs), _shown(each.ours), each.why] for each in found.numbers]
    print_table("Theirs and ours", ["where", "what", "paper", "ours", "why"], cells)
    for note in found.notes:
        say(f"* {note}")
    for path in paths:
        print(path)


def _number_json(number: Number) -> dict[str, str | float | None]:
    return {
        "where": number.where,
        "what": number.what,
        "theirs": number.theirs,
        "ours": near_to_digits(number.ours, DIGITS) if isfinite(number.ours) else number.ours,
        "why": number.why,
    }


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
