"""`dalenius audit --robust`: at which distance of the truth from the model a promise breaks."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from dalenius.channel import Release
from dalenius.cli.options import as_number
from dalenius.cli.output import print_table, say
from dalenius.errors import InputError
from dalenius.notions import Notion

if TYPE_CHECKING:
    from dalenius.notions.robustness import Robustness

Robust: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--robust",
        help="Also report what leaks if every probability of the model is off by a factor e^(+-r), for r up to this.",
        show_default=False,
        parser=as_number,
        metavar="<float>",
    ),
]
RobustCurve: TypeAlias = Annotated[
    Path | None,
    typer.Option("--robust-curve", help="Draw that curve, and write a CSV beside it.", show_default=False),
]


def check_robust(most: float | None, path: Path | None) -> None:
    """InputError for a factor that is none, and for a picture of no curve."""
    if most is not None:
        from dalenius.notions.robustness import check_factor  # here and below: what few audits want

        check_factor(most, "--robust")
    if path is not None:
        from dalenius.reports import check_picture

        check_picture(path, "--robust-curve")
        if most is None:
            raise InputError("--robust", "missing", "the largest r, beside --robust-curve")


def robust_of(release: Release, most: float, path: Path | None, notions: tuple[Notion, ...]) -> "Robustness":
    """The curve of the notions, where those with an epsilon break, and their picture at the path."""
    from dalenius.notions.robustness import robustness

    found = robustness(release, most, notions, [each for each in notions if each.epsilon is not None])
    if path is not None:
        from dalenius.reports import draw_robustness

        draw_robustness(found, path)
    return found


def print_robust(found: "Robustness", path: Path | None) -> None:
    from dalenius.spec.robustness import broken_words, robustness_table

    print_table("If every probability is off by a factor (nats)", *robustness_table(found))
    for each in found.broken:
        say(broken_words(each))
    if path is not None:
        say(f"wrote {path} and {path.with_suffix('.csv')}")
