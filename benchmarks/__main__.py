"""Run the benchmarks: all, or those named on the command line."""

import argparse
import sys
from collections.abc import Callable
from typing import Final

from rich.console import Console
from rich.table import Table

from benchmarks import (
    accuracy,
    attack,
    audit_of_a_million,
    belief,
    calibration_of_a_million,
    conversion,
    cost_by_people,
    dependence,
    engines,
    enumeration_side_by_side,
    failures,
    hostile,
    known,
    learning,
    ledgers,
    left_out_of_a_million,
    linked,
    long_chains,
    methods,
    networks,
    noiseless,
    optimum,
    pedigrees,
    people,
    promises,
    qif_side_by_side,
    questions,
    service,
    streams,
    tables,
    tables_with_totals,
    windowed_chains,
    windowed_networks,
)
from benchmarks.machine import machine
from benchmarks.measuring import REPOSITORY
from benchmarks.page import write_page
from benchmarks.section import Section

BENCHMARKS: Final[dict[str, Callable[[], Section]]] = {
    "audit": audit_of_a_million.run,
    "totals": tables_with_totals.run,
    "calibration": calibration_of_a_million.run,
    "cost": cost_by_people.run,
    "engines": engines.run,
    "left_out": left_out_of_a_million.run,
    "dependence": dependence.run,
    "enumeration": enumeration_side_by_side.run,
    "qif": qif_side_by_side.run,
    "methods": methods.run,
    "optimum": optimum.run,
    "people": people.run,
    "promises": promises.run,
    "questions": questions.run,
    "known": known.run,
    "streams": streams.run,
    "linked": linked.run,
    "long_chains": long_chains.run,
    "windowed_chains": windowed_chains.run,
    "windowed_networks": windowed_networks.run,
    "pedigrees": pedigrees.run,
    "belief": belief.run,
    "noiseless": noiseless.run,
    "conversion": conversion.run,
    "networks": networks.run,
    "learning": learning.run,
    "attack": attack.run,
    "accuracy": accuracy.run,
    "failures": failures.run,
    "hostile": hostile.run,
    "ledgers": ledgers.run,
    "service": service.run,
    "tables": tables.run,
}

WIDE: Final = 120
"""Columns where there is no terminal to ask."""


def main() -> None:
    chosen, write = _arguments()
    console = Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=WIDE)
    here = machine()
    console.print(" · ".join(f"{name}: {value}" for name, value in here.items()), style="dim")
    sections = []
    for name in chosen:
        with console.status(f"measuring: {name}"):
            sections.append(BENCHMARKS[name]())
        _show(console, sections[-1])
    if write:
        write_page(REPOSITORY / "docs", here, sections)
        console.print(f"written: {REPOSITORY / 'docs/research/benchmarks.md'}")


def _arguments() -> tuple[list[str], bool]:
    """The benchmarks to run and whether to rewrite the page, which takes all of them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(BENCHMARKS)}; all by default")
    parser.add_argument("--write", action="store_true", help="rewrite docs/research/benchmarks.md and docs/figures")
    given = parser.parse_args()
    for name in given.names:
        if name not in BENCHMARKS:
            parser.error(f"no benchmark {name!r}: there are {', '.join(BENCHMARKS)}")
    if given.write and given.names:
        parser.error("--write rewrites the whole page: name no benchmarks beside it")
    return given.names or list(BENCHMARKS), given.write


def _show(console: Console, section: Section) -> None:
    table = Table(title=section.title, title_justify="left", title_style="bold")
    for column in section.columns:
        table.add_column(column, overflow="fold")
    for row in section.rows:
        table.add_row(*row)
    console.print(table)
    for note in section.notes:
        console.print(note)
    for target in section.targets:
        console.print(str(target), style="green" if target.met else "bold red")
    console.print()


if __name__ == "__main__":
    main()
