"""The tables of docs/research/published.md: `python -m papers.newer.page` prints their rows."""

from math import isinf

from papers.newer.bayesian import bayesian
from papers.newer.flips import flips
from papers.newer.formulas import formulas
from papers.newer.quilts import quilts
from papers.newer.shuffled import shuffled
from papers.numbers import Number, Script

SCRIPTS: tuple[Script, ...] = (flips, shuffled, quilts, bayesian, formulas)


def rows(script: Script) -> list[str]:
    """One row of Markdown for each number: where, what, theirs, ours."""
    return [_row(number) for number in script(False)]


def _row(number: Number) -> str:
    theirs = "does not apply" if number.theirs is None else f"{number.theirs:.6f}"
    ours = "does not apply" if isinf(number.ours) else f"{number.ours:.6f}"
    return f"| {number.where} | {number.what} | {theirs} | {ours} |"


if __name__ == "__main__":
    for each in SCRIPTS:
        print(f"{each.__name__}:", *rows(each), sep="\n")
