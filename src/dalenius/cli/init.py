"""`dalenius init`: a spec with comments, from what is asked or from flags."""

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from dalenius.cli.drafting import Draft, drafted
from dalenius.cli.options import number_option
from dalenius.cli.output import say
from dalenius.drawing.written import write_whole
from dalenius.errors import InputError

ROWS: Final = ("people", "days")
UNRELEASED: Final = (
    "people or days: of who is absent from a table nothing is released, and no spec begun "
    "(dalenius calibrate finds the noise; dalenius example absent writes a spec for it)"
)


def init(
    spec: Annotated[Path, typer.Argument(help="The spec to write.")] = Path("spec.toml"),
    rows: Annotated[
        str | None,
        typer.Option(help="What the rows are: people, or one person's days."),
    ] = None,
    data: Annotated[str | None, typer.Option(help="The table: a path or a URL.")] = None,
    value: Annotated[str | None, typer.Option(help="Its column of what is asked.")] = None,
    household: Annotated[str | None, typer.Option(help="Its column of who belongs together.")] = None,
    label: Annotated[str | None, typer.Option(help="Its column of public labels; one answer for each.")] = None,
    count: Annotated[int | None, typer.Option(help="How many rows, where no table says it.")] = None,
    factor: Annotated[float | None, number_option("By how much a chance may grow at most.")] = None,
    cap: Annotated[float | None, number_option("Nats at most for whoever knows everybody else.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a spec that is there.")] = False,
) -> None:
    """A spec with comments, by asking on a terminal, or from flags."""
    if spec.exists() and not force:
        raise InputError("spec", str(spec), "a file that is not there yet, or --force")
    given = {"rows": rows, "data": data, "value": value, "household": household, "label": label}
    asking = sys.stdin.isatty() and rows is None
    draft = _asked(given, count, factor, cap) if asking else _flagged(given, count, factor, cap)
    text = drafted(_seen_from(draft, spec.parent))
    write_whole(spec, lambda path: _write(path, text))
    say(f"wrote {spec}")
    say(f"next: change what its comments name, then dalenius calibrate {spec}")


def _seen_from(draft: Draft, folder: Path) -> Draft:
    """A spec names its table from the folder it is in."""
    if draft.data is None or "://" in draft.data or Path(draft.data).is_absolute():
        return draft
    return replace(draft, data=Path(os.path.relpath(draft.data, folder)).as_posix())


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _flagged(given: dict[str, str | None], count: int | None, factor: float | None, cap: float | None) -> Draft:
    if given["rows"] is None:
        raise InputError("--rows", "missing", f"one of {', '.join(ROWS)} (on a terminal they are asked for)")
    return Draft(**_named(given), count=count, factor=factor, cap=cap)


def _asked(given: dict[str, str | None], count: int | None, factor: float | None, cap: float | None) -> Draft:
    """What no flag says, one question each; an empty answer is none."""
    rows = _ask("What are the rows? people, or days (of one person)", "people")
    data = given["data"] or _ask("Where is the table? a path or a URL; empty for none yet", "")
    known: dict[str, Any] = _named({**given, "rows": rows, "data": data or None})
    known["value"] = known["value"] or _ask("Which column holds what is asked?", "value")
    if rows == "people" and known["household"] is None:
        known["household"] = _ask("Who belongs together? the column of households; empty for nobody", "") or None
    if rows == "people" and known["label"] is None:
        known["label"] = _ask("One answer for each of a column's labels? its name; empty for one answer", "") or None
    if count is None and (not data or rows == "days"):
        count = typer.prompt("How many rows are there?", default=1000, type=int, err=True)
    if factor is None:
        factor = typer.prompt("By what factor may anybody's chance grow, at most?", default=2.0, type=float, err=True)
    if cap is None:
        cap = typer.prompt(
            "How many nats, at most, for whoever knows everybody else?", default=4.0, type=float, err=True
        )
    return Draft(**known, count=count, factor=factor, cap=cap)


def _ask(question: str, default: str) -> str:
    return str(typer.prompt(question, default=default, show_default=bool(default), err=True)).strip()


def _named(given: dict[str, str | None]) -> dict[str, Any]:
    if given["rows"] == "absent":
        raise InputError("--rows", "absent", UNRELEASED)
    if given["rows"] not in ROWS:
        raise InputError("--rows", given["rows"], f"one of {', '.join(ROWS)}")
    return dict(given)
