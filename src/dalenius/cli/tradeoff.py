"""`dalenius audit --tradeoff`: what attackers find at a rate of false alarms."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from dalenius.bounds import Enclosure
from dalenius.channel import Release
from dalenius.cli.output import say
from dalenius.notions import RATES, Tradeoff, tradeoff
from dalenius.spec.words import whose

TradeoffFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--tradeoff", help="Also draw false alarms against true positives of the best attacker (PNG, and a CSV)."
    ),
]


def drawn(release: Release, path: Path) -> Tradeoff:
    """The tests of the release, and their picture at the path."""
    from dalenius.reports import draw_tradeoff  # with what draws, which few audits want

    found = tradeoff(release)
    draw_tradeoff(found, path)
    return found


def print_tradeoff(found: Tradeoff) -> None:
    value, witness = found.advantage
    pair = "" if witness is None or witness.secret is None else f": {witness.secret} against {witness.against}"
    say(f"advantage of the best attacker: {_shown(value)}, about {whose(witness)}{pair}")
    for rate in RATES:
        share = _shown(found.true_positives(rate).value)
        say(f"true positives at {100 * rate:g} % false alarms: {share}. {found.in_words(rate)}")


def _shown(value: Enclosure) -> str:
    if value.upper - value.lower <= 1e-6:
        return f"{value.middle:.6g}"
    return f"{value.lower:.6g} to {value.upper:.6g}"
