"""`dalenius attack --locations`: what noisy centroids of everybody's places say of each one's cell (DDP §IV).

`dalenius attack`: what an adversary really infers from a release, or from noisy centroids of places (DDP §IV).
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from io import StringIO
from math import isfinite
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any, Final, final

import numpy as np
import typer

from dalenius.attack.bayes import Attained, BayesAttack, PairTest, Simulated, bayes_attacks, check_playable, simulated
from dalenius.bounds import UNIT, Enclosure, down_to_digits, near_to_digits, up_to_digits
from dalenius.cli.audit import described
from dalenius.cli.options import AsJson, DataFile, Plugins, ProgressLines, Quiet, Verbose, number_option, option
from dalenius.cli.output import counting, print_json, print_table, say, working
from dalenius.dependent.graphs import Dropped, Edges
from dalenius.dependent.location_beliefs import ByLaw, NoisyCentroids, Prior, Within
from dalenius.dependent.locations import BITS, ROUNDING, LocationAttack, attack_locations
from dalenius.dependent.places import EDGES, VISITS, City, Grid, Patterns, friends_among, of_city, patterns_of
from dalenius.dependent.solvers import lloyd
from dalenius.drawing import check_place, write_whole
from dalenius.errors import InputError
from dalenius.spec import bound, read_spec
from dalenius.spec.results import DIGITS, enclosure_json, to_digits, witness_json
from dalenius.spec.words import nats
from dalenius.tables.columns import read_columns

PRIORS: Final = ("independent", "dependent")
NOISE: Final = 0x6E6F697365
"""Keeps the noise apart from other draws of the same seed."""
STARTS: Final = 4
"""How often K-means is begun."""


@final
@dataclass(frozen=True)
class LocationOptions:
    """As on the command line; see `dalenius attack --help`."""

    visits: Path
    seed: int
    edges: Path | None = None
    city: str | None = None
    prior: str = ""
    scale: float | None = None
    epsilon: float | None = None
    known: int | None = None
    places: int = 6
    clusters: int = 8
    cells: int = 20
    radius: float | None = None
    out: Path | None = None

    def checked(self) -> "LocationOptions":
        """With a prior. InputError for what can be seen without the tables."""
        if self.out is not None:
            check_place(self.out)
        prior = self.prior or ("independent" if self.edges is None else "dependent")
        if prior not in PRIORS:
            raise InputError("--prior", prior, f"one of {', '.join(PRIORS)}")
        if prior == "dependent" and self.edges is None:
            raise InputError("--edges", "missing", "who is whose friend, for --prior dependent")
        if self.radius is not None and prior == "independent":
            wanted = "no radius beside --prior independent, to which friends are nobody"
            raise InputError("--radius", self.radius, wanted)
        if (self.scale is None) == (self.epsilon is None):
            raise InputError("--scale, --epsilon", "neither" if self.scale is None else "both", "one of the two")
        for name, value in (("--scale", self.scale), ("--epsilon", self.epsilon)):
            if value is not None and not (isfinite(value) and value > 0):
                raise InputError(name, value, "a finite number above 0")
        for name, whole in (("--places", self.places), ("--clusters", self.clusters), ("--cells", self.cells)):
            if whole < 1:
                raise InputError(name, whole, "a whole number of at least 1")
        return replace(self, prior=prior, scale=1 / self.epsilon if self.epsilon else self.scale, epsilon=None)


def attack_on_locations(given: LocationOptions, json: bool) -> None:
    """Draws the noise by the seed, attacks everybody, and prints what was found out."""
    options = given.checked()
    start = perf_counter()
    patterns, edges, dropped = _read(options)
    city = _city(options, patterns)
    with counting("attacking", city.people) as progress:
        found = attack_locations(
            city, _released(options, city), _prior(options, edges), options.known, options.seed, progress
        )
    if options.out is not None:
        text = _rows(found, patterns)
        write_whole(options.out, lambda draft: draft.write_text(text, encoding="utf-8"))
    shown = {
        **found.summary(),
        "prior": options.prior,
        "known": city.people - 1 if options.known is None else options.known,
        "scale": options.scale,
        "clusters": options.clusters,
        "places": options.places,
        "short": patterns.short,
        "grid": {key: getattr(city.grid, key) for key in ("south", "west", "north", "east", "rows", "columns")},
        "friendships": 0 if edges is None else len(edges),
        "dropped": dropped.shown(),
        "seed": options.seed,
        "seconds": perf_counter() - start,
    }
    if json:
        print_json(to_digits(shown))
    else:
        _print_locations(shown, options)


def _read(options: LocationOptions) -> tuple[Patterns, Edges | None, Dropped]:
    patterns = patterns_of(_columns(options.visits, VISITS, options.city), options.places)
    if options.edges is None or options.prior == "independent":
        return patterns, None, Dropped()
    ends = _columns(options.edges, EDGES, options.city)
    return patterns, *friends_among(ends["user1"], ends["user2"], patterns.names)


def _columns(path: Path, columns: tuple[str, ...], city: str | None) -> dict[str, Any]:
    return of_city(read_columns(path, columns, also=["city"]), columns, city)


def _city(options: LocationOptions, patterns: Patterns) -> City:
    people = len(patterns.names)
    if people < 2:
        raise InputError("--locations", str(options.visits), "visits of at least two people")
    if people < options.clusters:
        raise InputError("--clusters", options.clusters, f"at most the number of people, {people}")
    flat = patterns.places.reshape(-1, 2)
    return City(patterns.places, Grid.around(flat[:, 0], flat[:, 1], options.cells, options.cells))


def _released(options: LocationOptions, city: City) -> NoisyCentroids:
    """K-means of everybody, and noise on what it converges to."""
    assert options.scale is not None
    found = lloyd(city.points, options.clusters, starts=STARTS, seed=options.seed)
    noise = np.random.default_rng([NOISE, options.seed]).laplace(0.0, options.scale, found.centres.shape)
    return NoisyCentroids(found.centres + noise, found.labels, options.scale)


def _prior(options: LocationOptions, edges: Edges | None) -> Prior:
    if edges is None:
        return Prior()
    return Prior(edges, ByLaw() if options.radius is None else Within(radius=options.radius))


def _rows(found: LocationAttack, patterns: Patterns) -> str:
    """A line for each person; roundings of 0 are 0."""
    text, columns = StringIO(), found.columns()
    writer = csv.writer(text, lineterminator="\n")
    names = [patterns.names[person] for person in columns.pop("person")]
    cells = [
        [to_digits(0.0 if isinstance(each, float) and abs(each) <= ROUNDING else each) for each in column]
        for column in columns.values()
    ]
    writer.writerow(["user", *columns])
    writer.writerows(zip(names, *cells, strict=True))
    return text.getvalue()


def _print_locations(shown: dict[str, Any], options: LocationOptions) -> None:
    units = ("leaked", "gained", "surprise")
    rows = [[key, *(f"{shown[key][unit]:.6g}" for unit in ("nats", "bits"))] for key in units if shown[key]]
    rows += [[f"entropy, {key}", *(f"{each:.6g}" for each in own.values())] for key, own in shown["entropy"].items()]
    people = f"{shown['people']:,} people, {shown['known']:,} others known, {options.prior} prior"
    print_table(f"What noisy centroids say of everybody's cell ({people})", ["on average", "nats", "bits"], rows)
    pairs = [("top cell is theirs", "success", "prior_success"), ("km to the top cell", "error_km", "prior_error_km")]
    pairs += [("km, by the whole belief", "expected_km", "prior_expected_km")]
    table = [[name, f"{shown[after]:.6g}", f"{shown[before]:.6g}"] for name, after, before in pairs]
    print_table("Where people are thought to be", ["", "with the centroids", "without"], table)
    dropped = ", ".join(f"{count:,} {why.replace('_', ' ')}" for why, count in shown["dropped"].items() if count)
    if dropped:
        say(f"dropped of the edges: {dropped}")
    if shown["short"]:
        say(f"{_people(shown['short'])} fewer than {options.places} places, of which the last counts again")
    if shown["ruled_out"]:
        say(f"{_people(shown['ruled_out'])} a cell that the prior rules out, as nobody known is there")
    if options.out is not None:
        say(f"wrote {options.out}")


def _people(count: int) -> str:
    return "1 person has" if count == 1 else f"{count:,} people have"


ROWS: Final = 20
COLUMNS: Final = ("about whom", "guessed", "blindly", "leaked (nats)", "(bits)", "odds moved", "at output")
OF_SPECS: Final = ("spec", "runs", "engine", "data")
OF_LOCATIONS: Final = tuple(each.name for each in fields(LocationOptions) if each.name not in ("visits", "seed"))
"""The options that belong to one of the two attacks."""


def attack(
    context: typer.Context,
    spec: Annotated[Path | None, typer.Argument(help="The spec: a TOML or JSON file.", show_default=False)] = None,
    json: AsJson = False,
    runs: Annotated[int | None, option("Also play so many games against everybody.", "COUNT")] = None,
    seed: Annotated[int, typer.Option(help="Of all that is drawn.")] = 0,
    everybody: Annotated[bool, option(f"Show all rows, not only the first {ROWS}.", name="--all")] = False,
    engine: Annotated[str | None, option("enumeration, factor, convolution or tilting.")] = None,
    data: DataFile = None,
    locations: Annotated[
        Path | None, option("Instead of a spec: a table of visits, whose noisy centroids are attacked.")
    ] = None,
    edges: Annotated[Path | None, option("locations: who is whose friend, columns user1, user2 (and city).")] = None,
    city: Annotated[str | None, option("locations: which city.")] = None,
    prior: Annotated[str | None, option(f"locations: {' or '.join(PRIORS)} [dependent where there are edges].")] = None,
    scale: Annotated[
        float | None, number_option("locations: of the noise of coordinates, in sides of the grid.")
    ] = None,
    epsilon: Annotated[float | None, number_option("locations: for a scale of 1/epsilon, which is no promise.")] = None,
    known: Annotated[int | None, option("locations: how many others are known [default: all].", "COUNT")] = None,
    places: Annotated[int | None, option("locations: per person [default: 6].")] = None,
    clusters: Annotated[int | None, option("locations: of K-means [default: 8].")] = None,
    cells: Annotated[int | None, option("locations: of the grid, along each side [default: 20].")] = None,
    radius: Annotated[
        float | None, number_option("locations: friends weigh within so many km, not by their law.")
    ] = None,
    out: Annotated[Path | None, option("locations: a CSV file, one row per person.")] = None,
    verbose: Verbose = False,
    plugin: Plugins = None,
    quiet: Quiet = False,
    progress: ProgressLines = False,
) -> None:
    """What an adversary really infers from the answers of a release, and how often the best guess is right."""
    given = context.params
    _check(given, locations)
    if seed < 0:
        raise InputError("--seed", seed, "a whole number of at least 0")
    if locations is not None:
        said = {name: given[name] for name in OF_LOCATIONS if given[name] is not None}
        attack_on_locations(LocationOptions(locations, seed, **said), json)
        return
    assert spec is not None
    start = perf_counter()
    with working("attacking"):
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


def _check(given: Mapping[str, object], locations: Path | None) -> None:
    if locations is None and given["spec"] is None:
        raise InputError("spec", "missing", "a spec, or --locations with a table of visits")
    wrong, instead = (OF_LOCATIONS, "with --locations") if locations is None else (OF_SPECS, "without it")
    for name in wrong:
        if given[name] is not None:
            wanted = "no option beside a spec" if locations is None else "nothing of a spec beside --locations"
            option = name if name == "spec" else f"--{name}"
            raise InputError(option, str(given[name]), f"{wanted}: it is for an attack {instead}")


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


def attacks_json(attacks: Sequence[BayesAttack], played: Sequence[Simulated]) -> dict[str, Any]:
    """The worst person's attack, and all of them; played: where games were."""
    games = {(each.law, each.person): each for each in played}
    people = [{**_attack_json(each), **_played_json(games.get((each.law, each.person)))} for each in attacks]
    nobody = {"law": None, "person": None, "who": None, "leaked": _both_units(Enclosure(0.0, 0.0)), "success": None}
    return {**(people[0] if people else nobody), "people": people}


def _attack_json(attack: BayesAttack) -> dict[str, Any]:
    success = {} if attack.success is None else enclosure_json(attack.success, "success", "success_")
    return {
        "law": attack.law,
        "person": attack.person,
        "who": attack.who,
        "what": attack.what,
        "leaked": None if attack.leaked is None else _both_units(attack.leaked),
        **(success or {"success": None}),
        "prior_success": None if attack.prior_success is None else near_to_digits(attack.prior_success, DIGITS),
        "attained": {"odds": _attained_json(attack.odds), "raised": _attained_json(attack.raised)},
        "test": None if attack.test is None else _test_json(attack.test),
    }


def _both_units(value: Enclosure) -> dict[str, Any]:
    wider = Enclosure(value.lower * BITS * (1 - 4 * UNIT), value.upper * BITS * (1 + 4 * UNIT))
    return {**enclosure_json(value, "nats", "nats_"), **enclosure_json(wider, "bits", "bits_")}


def _attained_json(found: Attained | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        **_both_units(found.reached),
        "bound": enclosure_json(found.bound, "epsilon"),
        "witness": witness_json(found.witness),
    }


def _test_json(test: PairTest) -> dict[str, Any]:
    shown = {name: enclosure_json(getattr(test, name), "value") for name in ("advantage", "true_positives")}
    return {"secret": test.witness.secret, "against": test.witness.against, **shown}


def _played_json(played: Simulated | None) -> dict[str, Any]:
    if played is None:
        return {}
    low, high = played.interval
    shown = {"runs": played.runs, "hits": played.hits, "rate": near_to_digits(played.rate, DIGITS)}
    return {"played": {**shown, "lower": down_to_digits(low, DIGITS), "upper": up_to_digits(high, DIGITS)}}
