"""The command `attack`: what an adversary really infers from a release; and what `audit --tradeoff` reports.

Two households of two are counted with geometric noise of scale 4. In each, 0, 1 or 2 are ill with probabilities 0.9,
0.05 and 0.05. The best guess, "not ill", is right with probability 0.925 with and without the output, and 0.00495 nats
leak on average; but an output of 4 or more moves the odds of being ill by 0.4158 nats. An attacker who wrongly flags 1
% of the healthy finds 1.516 % of the ill.
"""

from collections.abc import Sequence
from dataclasses import fields
from math import inf, log
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any, Final

import typer

from dalenius.attack.bayes import Attained, BayesAttack, PairTest, bayes_attacks
from dalenius.bounds import UNIT, Enclosure, either, near_to_digits, up_to_digits
from dalenius.cli.attack_locations import COLUMNS_HELP, LocationOptions, attack_on_locations
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
    number_option,
    option,
)
from dalenius.cli.output import print_json, print_table, say, say_omitted, working
from dalenius.cli.reading import bound
from dalenius.errors import InputError
from dalenius.omitted import omitted_json
from dalenius.spec import read_spec
from dalenius.spec.results_as_json import PRINTED_DIGITS, enclosure_json, witness_json
from dalenius.spec.results_in_words import nats

_BITS: Final = 1 / log(2)
"""In a nat."""
# So that a table stays short, it has so many classes of people; `--all` prints the others too.
_ROWS: Final = 20
_OF_LOCATIONS: Final = tuple(each.name for each in fields(LocationOptions) if each.name != "visits")
# Because probabilities are shown to six digits, and roundings are no gain.
_NO_BETTER: Final = 1e-9
_COLUMNS: Final = ("about whom", "guessed", "blindly", "leaked (nats)", "(bits)", "odds moved", "at output")


_OptionalSpec = Annotated[Path | None, argument("The spec: a TOML or JSON file, or - for standard input.", "[SPEC]")]


def attack(
    context: typer.Context,
    spec: _OptionalSpec = None,
    json: AsJson = False,
    everybody: Annotated[bool, option(f"Show all rows, not only the first {_ROWS}.", name="--all")] = False,
    engine: Annotated[str | None, option("The engine: enumeration, factor, convolution or tilting.")] = None,
    locations: Annotated[
        str | None, option("Attack places instead of a spec: the table of visits (user, lat, lon).", "VISITS")
    ] = None,
    friends: Annotated[
        str | None, option("With --locations: the table of friendships (user1, user2).", "EDGES")
    ] = None,
    epsilon: Annotated[
        float | None, number_option("With --locations: epsilon of the noise, in nats, 0 if nothing is published [1].")
    ] = None,
    known: Annotated[
        float | None, number_option("With --locations: the share of others whose places are known [1].")
    ] = None,
    clusters: Annotated[int | None, option("With --locations: how many centroids [8].")] = None,
    places: Annotated[int | None, option("With --locations: how many places of a person count [6].")] = None,
    cells: Annotated[str | None, option("With --locations: the grid [20x20].", "ROWSxCOLUMNS")] = None,
    radius: Annotated[
        float | None, number_option("With --friends: kilometres around a friend that count more [3].")
    ] = None,
    count: Annotated[str | None, option("With --locations: the column of numbers of visits.", "COLUMN")] = None,
    columns: Annotated[str | None, option(f"With --locations: {COLUMNS_HELP}.", "A,B,C,D,E")] = None,
    only: Annotated[str | None, option("With --locations: the rows that count.", "COLUMN=VALUE")] = None,
    person: Annotated[str | None, option("With --plot: whose place it shows.", "NAME")] = None,
    plot: Annotated[
        Path | None, option("With --locations: draw what is believed of one place; a CSV is written beside it.")
    ] = None,
    seed: Annotated[int | None, option("With --locations: the seed of the simulation [0].")] = None,
    data: DataFile = None,
    encoding: Encoding = None,
    verbose: Verbose = False,
    plugin: Plugins = None,
    quiet: Quiet = False,
    progress: ProgressLines = False,
    memory: Memory = None,
) -> None:
    """Carry out an attack: show what an adversary infers from a release, and how often they are right."""
    asked = {name: context.params[name] for name in _OF_LOCATIONS if context.params[name] is not None}
    if locations is not None:
        for key, said in (("SPEC", spec), ("--data", data), ("--engine", engine), ("--encoding", encoding)):
            if said is not None:
                raise InputError(key, str(said), "none beside --locations")
        attack_on_locations(LocationOptions(locations, **asked), json)
        return
    for name, said in asked.items():
        raise InputError(f"--{name}", said, "no such option without --locations")
    if spec is None:
        raise InputError("SPEC", "missing", "a spec, or --locations with a table of visits")
    start = perf_counter()
    with working("attacking"):
        read = bound(read_spec(spec).in_encoding(encoding), spec.parent, data)[0]
        # Because no posterior can be computed from a mean and a variance.
        if read.of_moments:
            raise InputError("model.kind", read.model.kind, "a model that gives the law of the records")
        release = read.audited(engine)
        found = bayes_attacks(release)
    seconds = perf_counter() - start
    name, why = described(release)
    if json:
        shown = {"engine": name, "why": why, "seconds": seconds, **omitted_json(release.omitted)}
        print_json(_attacks_json(found) | shown)
        return
    _print(found, everybody)
    say_omitted(release.omitted)
    if verbose:
        say(f"{name} engine ({why}), {seconds:.2f} s")


def _print(found: Sequence[BayesAttack], everybody: bool) -> None:
    """Prints a table of the people about whom most leaks, and the best test of the first."""
    if not found:
        say("nobody's record moves the answers")
        return
    shown = found if everybody else found[:_ROWS]
    print_table("What the best guess finds out of each class of people", _COLUMNS, [_row(each) for each in shown])
    if len(shown) < len(found):
        say(f"{len(found) - len(shown):,} more rows: --all shows them, --json has them")
    say(_better_in_words(found))
    worst = found[0]
    # Because some secrets have no two values that must not be told from each other, they have no test.
    if worst.test is not None:
        pair = f"{worst.test.witness.secret} against {worst.test.witness.against}"
        share = either(worst.test.true_positives, least=1e-9)
        about = f"the best test of person {worst.person}, {pair}: advantage {either(worst.test.advantage, least=1e-9)}"
        say(f"{about}, true positives at 1 % false alarms {share}")


def _better_in_words(found: Sequence[BayesAttack]) -> str:
    """Says whether the best guess about anybody is right more often with the output than without it."""
    known = [(each, each.success, each.prior_success) for each in found if each.success and each.prior_success]
    if not known:
        return "whether an attacker does better than before the release is not known of such secrets"
    surest = max(known, key=lambda each: near_to_digits(each[1].lower - each[2], 6))
    most = max(success.upper - before for _, success, before in known)
    attack, success, before = surest
    if success.lower - before > _NO_BETTER:
        chances = f"with probability {either(success, least=1e-9)}, and {before:.6g} without it"
        guess = f"with the output the best guess about {_who(attack)} is right {chances}"
        return f"an attacker does better than before: {guess}"
    if most <= _NO_BETTER:
        return "an attacker does no better than before: with the output no best guess is right more often than without"
    return f"an attacker does better than before by at most {up_to_digits(most, 4):.4g} in probability, or not at all"


def _who(attack: BayesAttack) -> str:
    return f"person {attack.person}" if attack.person else attack.who


def _row(attack: BayesAttack) -> list[str]:
    """Returns a line of the table; empty cells for what is not known of such secrets.

    Person 0 is anybody.
    """
    who = f"person {attack.person}, {attack.who}" if attack.person else attack.who
    who = f"{who}, under law {attack.law}" if attack.law > 1 else who
    chances = [_chance(attack.success), "" if attack.prior_success is None else f"{attack.prior_success:.6g}"]
    leaked = ["", ""] if attack.leaked is None else [_leaked(attack.leaked, unit) for unit in (1, _BITS)]
    return [who, *chances, *leaked, *_reached(attack.odds)]


def _leaked(value: Enclosure, unit: float) -> str:
    """Writes how much an average output leaks, in that unit; both ends where they differ."""
    return either(Enclosure(*(max(end * unit, 0.0) for end in value)), nats, least=1e-9)


def _chance(value: Enclosure | None) -> str:
    """Writes a probability to six digits, or both ends where they differ; nothing where there is none."""
    return "" if value is None else either(value, least=1e-9)


def _reached(found: Attained | None) -> list[str]:
    """Writes by how many nats odds move, and where; the bound where no output is known to attain it."""
    if found is None:
        return ["", ""]
    output = found.witness.output or ()
    return [
        either(found.reached, nats, least=1e-9, floor=-inf),
        ", ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in output),
    ]


def _attacks_json(attacks: Sequence[BayesAttack]) -> dict[str, Any]:
    """Returns the worst person's attack, and all of them, ready for JSON."""
    people = [_attack_json(each) for each in attacks]
    # So that programs find the same keys for a constant query, they are there all the same.
    nobody = {"law": None, "person": None, "who": None, "leaked": _both_units(Enclosure(0.0, 0.0)), "success": None}
    said = _better_in_words(attacks) if attacks else "nobody's record moves the answers"
    return {**(people[0] if people else nobody), "in_words": said, "people": people}


def _attack_json(attack: BayesAttack) -> dict[str, Any]:
    """Returns an attack on one class of people, ready for JSON; null for what is not known of such secrets."""
    success = {} if attack.success is None else enclosure_json(attack.success, "success", "success_")
    return {
        "law": attack.law,
        "person": attack.person,
        "who": attack.who,
        "what": attack.what,
        "leaked": None if attack.leaked is None else _both_units(attack.leaked),
        **(success or {"success": None}),
        "prior_success": None if attack.prior_success is None else near_to_digits(attack.prior_success, PRINTED_DIGITS),
        "attained": {"odds": _attained_json(attack.odds), "raised": _attained_json(attack.raised)},
        "test": None if attack.test is None else _test_json(attack.test),
    }


def _both_units(value: Enclosure) -> dict[str, Any]:
    """Returns a leakage in nats and in bits. One bit is 0.693 nats.

    Ends in bits are moved outwards by the rounding.
    """
    wider = Enclosure(value.lower * _BITS * (1 - 4 * UNIT), value.upper * _BITS * (1 + 4 * UNIT))
    return {**enclosure_json(value, "nats", "nats_"), **enclosure_json(wider, "bits", "bits_")}


def _attained_json(found: Attained | None) -> dict[str, Any] | None:
    """Returns a leakage in nats and bits, with the bound over all outputs and where it is attained."""
    if found is None:
        return None
    return {
        **_both_units(found.reached),
        "bound": enclosure_json(found.bound, "epsilon"),
        "witness": witness_json(found.witness),
    }


def _test_json(test: PairTest) -> dict[str, Any]:
    """Returns the two values, and the probabilities with which they are told from each other."""
    shown = {name: enclosure_json(getattr(test, name), "value") for name in ("advantage", "true_positives")}
    return {"secret": test.witness.secret, "against": test.witness.against, **shown}
