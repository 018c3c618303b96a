"""The command `posterior`: after a release, what its answers say of each class of people.

Each value that a person's record may have gets three numbers: how likely it was before, how likely it is given the
answers, and by what factor these differ at most, in nats. People who are alike under the model are one class; the class
that was moved most comes first.

Two households of two are counted with geometric noise of scale 4. In each, 0, 1 or 2 are ill with probabilities 0.9,
0.05 and 0.05. An output of 4 was released. The chance that somebody is ill rises from 0.075 to 0.109433, 1.45911-fold,
which is 0.377825 nats. An output as high or higher has probability 0.226553, so that the model need not be doubted. An
output of 40 says the same of everybody, and has probability 2.8e-05: then the model should be.
"""

import csv
from collections.abc import Sequence
from fractions import Fraction
from math import inf, log
from pathlib import Path
from time import perf_counter
from typing import Annotated, Final

from dalenius.bounds import Enclosure, either, from_below, near_to_digits
from dalenius.calibration import improbable_in
from dalenius.channel import LawPosterior, Posterior, Update, Updated, posterior as posterior_of
from dalenius.cli.audit_request import described
from dalenius.cli.options import (
    AsJson,
    DataFile,
    Encoding,
    Memory,
    Plugins,
    ProgressLines,
    Quiet,
    Verbose,
    argument,
    option,
)
from dalenius.cli.output import print_json, print_table, say, say_omitted, working
from dalenius.cli.reading import bound, released
from dalenius.errors import InputError
from dalenius.omitted import omitted_json
from dalenius.spec import read_spec
from dalenius.spec.results_as_json import factor, posterior_json
from dalenius.spec.results_in_words import nats

_ROWS: Final = 20
_COLUMNS: Final = ("about whom", "value", "before", "after", "leaks (nats)", "factor", "odds ratio")
# Because a probability this near to 1 would be shown as 1, what is left to 1 is shown of it.
_SURE: Final = 1e-6


def posterior(
    spec: Annotated[Path, argument("The spec, or - for standard input; with --entry a ledger.")],
    answers: Annotated[
        list[str] | None,
        option("The released answers, in the order of the query's coordinates: 7,3, or the option repeated.", "A,B,.."),
    ] = None,
    entry: Annotated[
        int | None, option("The answers of this entry of a ledger, instead of a spec and --answers.", "N")
    ] = None,
    json: AsJson = False,
    everybody: Annotated[bool, option(f"Show all rows, not only the first {_ROWS}.", name="--all")] = False,
    engine: Annotated[str | None, option("The engine: enumeration, factor, convolution or tilting.")] = None,
    data: DataFile = None,
    encoding: Encoding = None,
    verbose: Verbose = False,
    plugin: Plugins = None,
    quiet: Quiet = False,
    progress: ProgressLines = False,
    memory: Memory = None,
) -> None:
    """Show what the given answers of a release say of each class of people."""
    start = perf_counter()
    if (entry is None) == (not answers):
        raise InputError(
            "--answers", "missing" if entry is None else "given", "either --answers, or --entry of a ledger"
        )
    # So that `--answers "7,3"` and `--answers 7 --answers 3` are the same; a label with a comma is quoted as in CSV.
    given: Sequence[Fraction | str] = [
        each.strip() for row in csv.reader(answers or (), skipinitialspace=True) for each in row
    ]
    with working("reading the answers"):
        if entry is None:
            asked = read_spec(spec)
        else:
            asked, given = released(f"{spec}", entry, data)
        read = bound(asked.in_encoding(encoding), spec.parent, data)[0]
        if read.of_moments:
            raise InputError("model.kind", read.model.kind, "a model that gives the law of the records")
        release = read.audited(engine)
        found = posterior_of(release, given)
    warned = improbable_in(found.laws, found.names)
    seconds = perf_counter() - start
    name, why = described(release)
    if json:
        warning = {} if warned is None else {"warning": warned.words}
        result = {**warning, "engine": name, "why": why, "seconds": seconds, **omitted_json(release.omitted)}
        print_json(posterior_json(found) | result)
        return
    _print(found, everybody)
    if warned is not None:
        say(f"warning: {warned.words}")
    say_omitted(release.omitted)
    if verbose:
        say(f"{name} engine ({why}), {seconds:.2f} s")


def _print(found: Posterior, everybody: bool) -> None:
    """Prints the table of posteriors under one law, and how unusual the answers are.

    everybody: whether all rows are shown, however many these are.
    """
    # Where several laws may be true, the one is shown under which the answers say most.
    block = found.worst
    among = "" if len(found.laws) == 1 else f", under law {block.law} of {len(found.laws)} (--json has all)"
    # So that those who were moved most come first, and of those that differ by roundings only, the first person.
    order = sorted(block.people, key=lambda each: (-near_to_digits(each.leaks.middle, 6), each.person))
    groups = [_rows(each) for each in order]
    rows = [row for group in groups for row in group]
    shown = rows if everybody else _first(groups)
    print_table(f"What {_named(found)} says of each class of people{among}", _COLUMNS, shown)
    if len(shown) < len(rows):
        say(f"{len(rows) - len(shown):,} more rows: --all shows them, --json has them")
    _print_standing(found, block)


def _named(found: Posterior) -> str:
    """Writes the output with the names of its coordinates, if they have any."""
    named = zip(found.answers, found.names, strict=True)
    return "the output " + ", ".join(f"{value} {name}".rstrip() for value, name in named)


def _rows(update: Update) -> list[list[str]]:
    """Returns a row for each value; what is said of the whole class stands on the first.

    Real numbers have one row with mean and deviation, in their unit.
    """
    of_class = [_nats(update.leaks), _factor(update.leaks), _factor(update.odds)]
    who = f"person {update.person}, {update.who}" if update.person else update.who
    values = [[f"{each.value}", f"{each.prior:.6g}", _probability(each.posterior)] for each in _ordered(update)]
    if update.prior is not None and update.posterior is not None:
        moments = [f"{each.mean:.6g} ± {each.deviation:.6g}" for each in (update.prior, update.posterior)]
        values = [["mean ± deviation", *moments]]
    return [[who, *values[0], *of_class], *(["", *value, "", "", ""] for value in values[1:])]


def _ordered(update: Update) -> Sequence[Updated]:
    """Returns values in the model's order, as 0 and 1 of a bit; or if there are many, as of ages, most moved first."""
    return update.values if len(update.values) <= _ROWS else sorted(update.values, key=_unmoved)


def _unmoved(value: Updated) -> float:
    """Returns the key by which values are sorted: those that became impossible first, as these were moved most."""
    after = value.posterior.middle
    return -near_to_digits(abs(log(after / value.prior)), 6) if after > 0 and value.prior > 0 else -1e9


def _first(groups: list[list[list[str]]]) -> list[list[str]]:
    """Returns whole classes while they fit; of the first, in any case, as many values as fit: an age has a hundred."""
    shown = groups[0][:_ROWS] if groups else []
    for group in groups[1:]:
        if len(shown) + len(group) > _ROWS:
            break
        shown = shown + group
    return shown


def _nats(value: Enclosure) -> str:
    """Writes nats as one number, or both ends where they differ; 0 for what is nothing but roundings.

    >>> _nats(Enclosure(0.0, 1e-12)), _nats(Enclosure(0.4, 0.5))
    ('0.000000', '0.400000 to 0.500000')
    """
    return nats(0.0) if value.upper < 1e-9 else either(value, nats)


def _factor(value: Enclosure) -> str:
    """Writes e to the nats; the lower end where no upper one is known.

    >>> _factor(Enclosure(0.0, 0.0)), _factor(Enclosure(0.0, inf))
    ('1', 'at least 1; no upper end is known')
    """
    return from_below(Enclosure(factor(value.lower), inf)) if value.half_open else f"{factor(value.middle):.6g}"


def _probability(value: Enclosure) -> str:
    """Writes a probability with six digits, of what is left to 1 where that is little; both ends where they differ.

    >>> _probability(Enclosure(0.25, 0.25)), _probability(Enclosure(1 - 1e-9, 1 - 1e-9))
    ('0.25', '1 - 1e-09')
    """
    left = 1 - value.middle
    near = 0 < left < _SURE and value.upper - value.lower <= 1e-6
    return f"1 - {left:.3g}" if near else either(value, least=1e-12)


def _print_standing(found: Posterior, block: LawPosterior) -> None:
    """Prints how unusual these answers are under the model: whether it is the one to believe.

    A table of how likely answers as low and as high are, then how likely it is to leak as much about somebody.
    """
    if block.stands is None:
        say("nobody's record moves the answers")
        return
    rows = []
    for answer, name, sides in zip(found.answers, found.names, block.stands.sides, strict=True):
        if sides is not None:
            rows.append([f"{answer} {name}".rstrip(), *(_probability(side) for side in sides)])
    if rows:
        print_table("Where the answers stand", ["answer", "as low or lower", "as high or higher"], rows)
    # So that of an output that leaks much it is seen whether such outputs are rare, or the model is of other people.
    if block.stands.leaks is not None:
        about = f"person {block.stands.person}" if block.stands.person else "anybody"
        say(f"answers that leak as much or more about {about} have probability {_probability(block.stands.leaks)}")
