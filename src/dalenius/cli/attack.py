"""`dalenius attack`: what an adversary really infers from a release, carried out."""

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Annotated, Final, NamedTuple

import typer

from dalenius.attacks import Attained, BayesAttack, Simulated, bayes_attacks, check_playable, simulated
from dalenius.bounds import Enclosure
from dalenius.cli.audit import described
from dalenius.cli.locations import PRIORS, Asked, attack_on_locations
from dalenius.cli.options import AsJson, DataFile, Plugins, ProgressLines, Quiet, Verbose, number_option
from dalenius.cli.output import print_json, print_table, say, working
from dalenius.errors import InputError
from dalenius.spec import bound, read_spec
from dalenius.spec.attacks import BITS, attacks_json
from dalenius.spec.words import nats

ROWS: Final = 20
COLUMNS: Final = ("about whom", "guessed", "blindly", "leaked (nats)", "(bits)", "odds moved", "at output")
MEANWHILE: Final = "attacking"


class _Given(NamedTuple):
    """The options that belong to one of the two attacks."""

    of_specs: dict[str, object]
    of_locations: dict[str, object]


def attack(
    spec: Annotated[Path | None, typer.Argument(help="The spec: a TOML or JSON file.", show_default=False)] = None,
    json: AsJson = False,
    runs: Annotated[
        int | None,
        typer.Option(help="Also play so many games against everybody.", metavar="COUNT", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of all that is drawn.")] = 0,
    everybody: Annotated[bool, typer.Option("--all", help=f"Show all rows, not only the first {ROWS}.")] = False,
    engine: Annotated[
        str | None, typer.Option(help="enumeration, factor, convolution or tilting.", show_default=False)
    ] = None,
    data: DataFile = None,
    locations: Annotated[
        Path | None,
        typer.Option(
            help="Instead of a spec: visits with columns user, poi, lat, lon, count, and city where there are several. "
            "Attacks noisy K-means centroids of everybody's most visited places.",
            metavar="VISITS",
            show_default=False,
        ),
    ] = None,
    edges: Annotated[
        Path | None,
        typer.Option(
            help="locations: who is whose friend, with columns user1, user2, and city as in the visits.",
            show_default=False,
        ),
    ] = None,
    city: Annotated[str | None, typer.Option(help="locations: which city.", show_default=False)] = None,
    prior: Annotated[
        str | None,
        typer.Option(
            help=f"locations: {' or '.join(PRIORS)} [default: dependent where there are edges].", show_default=False
        ),
    ] = None,
    scale: Annotated[
        float | None, number_option("locations: of the Laplace noise of each coordinate, in sides of the grid.")
    ] = None,
    epsilon: Annotated[
        float | None, number_option("locations: instead of a scale; 1/epsilon is the paper's, and no promise.")
    ] = None,
    known: Annotated[
        int | None,
        typer.Option(help="locations: how many others are known [default: all].", metavar="COUNT", show_default=False),
    ] = None,
    places: Annotated[int | None, typer.Option(help="locations: per person [default: 6].", show_default=False)] = None,
    clusters: Annotated[
        int | None, typer.Option(help="locations: of K-means [default: 8].", show_default=False)
    ] = None,
    cells: Annotated[
        int | None, typer.Option(help="locations: of the grid, along each side [default: 20].", show_default=False)
    ] = None,
    radius: Annotated[
        float | None,
        number_option("locations: friends weigh for cells within so many km, not by the law of friends' distances."),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(help="locations: a file to keep what is done, and to go on from.", show_default=False),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="locations: a CSV file, one row per person.", show_default=False)
    ] = None,
    verbose: Verbose = False,
    plugin: Plugins = None,
    quiet: Quiet = False,
    progress: ProgressLines = False,
) -> None:
    """What an adversary really infers from the answers of a release, and how often the best guess is right."""
    given = _Given(
        {"spec": spec, "--runs": runs, "--engine": engine, "--data": data},
        {
            "--edges": edges,
            "--city": city,
            "--prior": prior,
            "--scale": scale,
            "--epsilon": epsilon,
            "--known": known,
            "--places": places,
            "--clusters": clusters,
            "--cells": cells,
            "--radius": radius,
            "--resume": resume,
            "--out": out,
        },
    )
    _check(given, locations)
    if seed < 0:
        raise InputError("--seed", seed, "a whole number of at least 0")
    if locations is not None:
        asked = Asked(
            visits=locations,
            edges=edges,
            city=city,
            prior=prior or ("independent" if edges is None else "dependent"),
            scale=scale,
            epsilon=epsilon,
            known=known,
            places=6 if places is None else places,
            clusters=8 if clusters is None else clusters,
            cells=20 if cells is None else cells,
            radius=radius,
            resume=resume,
            out=out,
            seed=seed,
        )
        attack_on_locations(asked, json)
        return
    assert spec is not None
    start = perf_counter()
    with working(MEANWHILE):
        read = bound(read_spec(spec), spec.parent, data)[0]
        if read.of_moments:
            raise InputError("model.kind", read.model.kind, "a model that gives the law of the records")
        release = read.audited(engine)
        if runs is not None:
            check_playable(release, runs, seed)
        found = bayes_attacks(release)
        played = () if runs is None else simulated(release, runs, seed)
    seconds = perf_counter() - start
    name, why = described(release)
    if json:
        print_json({**attacks_json(found, played), "engine": name, "why": why, "seconds": seconds})
        return
    _print(found, played, everybody)
    if verbose:
        say(f"{name} engine ({why}), {seconds:.2f} s")


def _check(given: _Given, locations: Path | None) -> None:
    if locations is None and given.of_specs["spec"] is None:
        raise InputError("spec", "missing", "a spec, or --locations with a table of visits")
    wrong, instead = (given.of_locations, "with --locations") if locations is None else (given.of_specs, "without it")
    for option, value in wrong.items():
        if value is not None:
            wanted = "no option beside a spec" if locations is None else "nothing of a spec beside --locations"
            raise InputError(option, str(value), f"{wanted}: it is for an attack {instead}")


def _print(found: Sequence[BayesAttack], played: Sequence[Simulated], everybody: bool) -> None:
    if not found:
        say("nobody's record moves the answers")
        return
    shown = found if everybody else found[:ROWS]
    print_table("What the best guess finds out of each class of people", COLUMNS, [_row(each) for each in shown])
    if len(shown) < len(found):
        say(f"{len(found) - len(shown):,} more rows: --all shows them, --json has them")
    worst = found[0]
    if worst.test is not None:
        pair = f"{worst.test.witness.secret} against {worst.test.witness.against}"
        share = f"{worst.test.true_positives.middle:.6g}"
        about = f"the best test of person {worst.person}, {pair}: advantage {worst.test.advantage.middle:.6g}"
        say(f"{about}, true positives at 1 % false alarms {share}")
    games = {(each.law, each.person): each for each in played}
    for each in [games[row.law, row.person] for row in shown if (row.law, row.person) in games]:
        low, high = each.interval
        shares = f"{each.hits:,} of {each.runs:,} guesses right, {each.rate:.6g} ({low:.6g} to {high:.6g})"
        under = f", under law {each.law}" if each.law > 1 else ""
        say(f"played against person {each.person}{under}: {shares}")


def _row(attack: BayesAttack) -> list[str]:
    who = f"person {attack.person}, {attack.who}" if attack.person else attack.who
    who = f"{who}, under law {attack.law}" if attack.law > 1 else who
    chances = [_chance(attack.success), "" if attack.prior_success is None else f"{attack.prior_success:.6g}"]
    leaked = ["", ""] if attack.leaked is None else [nats(max(attack.leaked.middle * unit, 0.0)) for unit in (1, BITS)]
    return [who, *chances, *leaked, *_reached(attack.odds)]


def _chance(value: Enclosure | None) -> str:
    return "" if value is None else f"{value.middle:.6g}"


def _reached(found: Attained | None) -> list[str]:
    """By how many nats, and where; the bound where no output is known to attain it."""
    if found is None:
        return ["", ""]
    output = found.witness.output or ()
    return [
        nats(found.reached.middle),
        ", ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in output),
    ]
