"""All scripts, or those of the papers named on the command line: figures, tables and numbers, into build/papers."""

import argparse
from collections.abc import Iterator
from typing import Final

from papers.dependent.figure_3 import figure_3
from papers.dependent.figure_5 import figure_5
from papers.dependent.figure_6 import figure_6
from papers.dependent.figure_8 import figure_8
from papers.dependent.figure_10 import figure_10
from papers.dependent.fitted_law import fitted_law
from papers.dependent.learning import learning
from papers.dependent.table_1 import table_1
from papers.identifiability.figures import figures
from papers.identity.methods import methods as methods_for_identity
from papers.identity.odds import odds
from papers.information.epidemics import epidemics
from papers.information.example import example
from papers.information.methods import methods as methods_for_information
from papers.newer.bayesian import bayesian
from papers.newer.flips import flips
from papers.newer.formulas import formulas
from papers.newer.quilts import quilts
from papers.newer.shuffled import shuffled
from papers.noiseless.bits import bits
from papers.noiseless.sums import sums
from papers.numbers import Number, Script, write_csv

PAPERS: Final[dict[str, tuple[Script, ...]]] = {
    "identity": (odds, methods_for_identity),
    "information": (example, methods_for_information, epidemics),
    "identifiability": (figures,),
    "noiseless": (bits, sums),
    "dependent": (table_1, figure_3, figure_5, figure_6, figure_8, fitted_law, learning, figure_10),
    "newer": (flips, shuffled, quilts, bayesian, formulas),
}


def run(paper: str, quick: bool) -> tuple[Number, ...]:
    """Its numbers, which are printed, and written as a table."""
    numbers = tuple(number for script in PAPERS[paper] for number in _of(script, quick))
    rows = ((at.where, at.what, at.relation, at.theirs, at.ours, at.agrees, at.why) for at in numbers)
    write_csv(
        f"{paper}_numbers", [("where", "what", "relation", "paper", "ours", "agrees", "why"), *rows], rounded=True
    )
    return numbers


def _of(script: Script, quick: bool) -> Iterator[Number]:
    try:
        for number in script(quick):
            print(number)
            yield number
    except FileNotFoundError as error:
        print(f"{script.__module__}: skipped, {error.filename} is not there")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m papers", description=__doc__)
    parser.add_argument("papers", nargs="*", metavar="PAPER", help=", ".join(PAPERS))
    parser.add_argument("--quick", action="store_true", help="fewer points")
    arguments = parser.parse_args()
    for name in set(arguments.papers) - set(PAPERS):
        parser.error(f"{name} is none of {', '.join(PAPERS)}")
    printed = [at for name in arguments.papers or PAPERS for at in run(name, arguments.quick) if at.theirs is not None]
    print(f"{len(printed)} numbers of the papers, {sum(at.agrees for at in printed)} agree")


if __name__ == "__main__":
    main()
