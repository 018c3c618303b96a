"""Arguments that several commands take."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

SpecFile: TypeAlias = Annotated[Path, typer.Argument(help="The spec: a TOML or JSON file.", show_default=False)]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON with stable keys.")]
DataFile: TypeAlias = Annotated[
    Path | None, typer.Option("--data", help="The table to read instead of [data] file.", show_default=False)
]
NewData: TypeAlias = Annotated[
    bool, typer.Option("--new-data", help="The table is another than before under its name; what was spent stays.")
]


def as_number(text: str) -> float:
    """A number as an option; what is none is shown in the complaint."""
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text}, wanted a number") from None
