"""`dalenius attack`: what an adversary really infers from a release, or from noisy centroids of places (DDP §IV)."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import isfinite
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any, Final, final

import numpy as np
import typer

from dalenius.attack import Attained, BayesAttack, Simulated, bayes_attacks, check_playable, simulated
from dalenius.attack.shown import BITS, attacks_json
from dalenius.bounds import Enclosure
from dalenius.cli.audit import described
from dalenius.cli.options import AsJson, DataFile, Plugins, ProgressLines, Quiet, Verbose, number_option, option
from dalenius.cli.output import counting, print_json, print_table, say, working
from dalenius.dependent.graphs import Dropped, Edges, Grid
from dalenius.dependent.learning import lloyd
from dalenius.dependent.locations.attack import attack_locations
from dalenius.dependent.locations.centroids import NoisyCentroids
from dalenius.dependent.locations.city import City
from dalenius.dependent.locations.priors import ByLaw, Prior, Within
from dalenius.dependent.locations.results import ROUNDING, LocationAttack
from dalenius.dependent.locations.saved import Saved, digest_of
from dalenius.dependent.locations.visits import EDGES, VISITS, Patterns, friends_among, of_city, patterns_of
from dalenius.drawing import check_place, write_whole
from dalenius.errors import InputError
from dalenius.schema import RecordValue
from dalenius.spec import bound, read_spec
from dalenius.spec.results import to_digits
from dalenius.spec.words import nats
from dalenius.tables.columns import read_columns

PRIORS: Final = ("independent", "dependent")
NOISE: Final = 0x6E6F697365
"""Keeps the noise apart from other draws of the same seed."""
STARTS: Final = 4
"""How often K-means is begun."""


@final
@dataclass(frozen=True)
class Asked:
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
    resume: Path | None = None
    out: Path | None = None

    def __post_init__(self) -> None:
        if not self.prior:
            object.__setattr__(self, "prior", "independent" if self.edges is None else "dependent")

    @property
    def noise(self) -> float:
        """The scale, in sides of the grid."""
        if self.scale is not None:
            return self.scale
        assert self.epsilon is not None
        return 1 / self.epsilon

    def check(self) -> None:
        """InputError for what can be seen without the tables."""
        if self.out is not None:
            check_place(self.out)
        if self.prior not in PRIORS:
            raise InputError("--prior", self.prior, f"one of {', '.join(PRIORS)}")
        if self.prior == "dependent" and self.edges is None:
            raise InputError("--edges", "missing", "who is whose friend, for --prior dependent")
        if self.radius is not None and self.prior == "independent":
            raise InputError(
                "--radius", self.radius, "no radius beside --prior independent, to which friends are nobody"
            )
        if (self.scale is None) == (self.epsilon is None):
            shown = "neither" if self.scale is None else "both"
            raise InputError("--scale, --epsilon", shown, "one of the two")
        for name, value in (("--scale", self.scale), ("--epsilon", self.epsilon)):
            if value is not None and not (isfinite(value) and value > 0):
                raise InputError(name, value, "a finite number above 0")
        for name, whole in (("--places", self.places), ("--clusters", self.clusters), ("--cells", self.cells)):
            if whole < 1:
                raise InputError(name, whole, "a whole number of at least 1")


def attack_on_locations(asked: Asked, json: bool) -> None:
    """Draws the noise by the seed, attacks everybody, and prints what was found out."""
    asked.check()
    start = perf_counter()
    patterns, edges, dropped = _read(asked)
    city = _city(asked, patterns)
    released = _released(asked, city)
    prior = _prior(asked, edges)
    saved = None
    if asked.resume is not None:
        saved = Saved(asked.resume, digest_of(city, released, prior, asked.known, asked.seed))
    with counting("attacking", city.people) as progress:
        found = attack_locations(city, released, prior, asked.known, asked.seed, saved, progress)
    if asked.out is not None:
        text = _rows(found, patterns)
        write_whole(asked.out, lambda draft: _write(draft, text))
    shown = {
        **found.summary(),
        "prior": asked.prior,
        "known": city.people - 1 if asked.known is None else asked.known,
        "scale": asked.noise,
        "clusters": asked.clusters,
        "places": asked.places,
        "short": patterns.short,
        "grid": _grid(city.grid),
        "friendships": 0 if edges is None else len(edges),
        "dropped": dropped.shown(),
        "seed": asked.seed,
        "seconds": perf_counter() - start,
    }
    if json:
        print_json(to_digits(shown))
    else:
        _print_places(shown, asked)


def _read(asked: Asked) -> tuple[Patterns, Edges | None, Dropped]:
    patterns = patterns_of(_columns(asked.visits, VISITS, asked.city), asked.places)
    if asked.edges is None or asked.prior == "independent":
        return patterns, None, Dropped()
    return patterns, *friends_among(_columns(asked.edges, EDGES, asked.city), patterns.names)


def _columns(path: Path, columns: tuple[str, ...], city: str | None) -> dict[str, Any]:
    cells = read_columns(path, columns, also=["city"])
    if city is not None and "city" not in cells:
        raise InputError("--city", city, f"a column city in {path.name}")
    return of_city(cells, columns, city)


def _city(asked: Asked, patterns: Patterns) -> City:
    if len(patterns.names) < 2:
        raise InputError("--locations", str(asked.visits), "visits of at least two people")
    if len(patterns.names) < asked.clusters:
        raise InputError("--clusters", asked.clusters, f"at most the number of people, {len(patterns.names)}")
    flat = patterns.places.reshape(-1, 2)
    return City(patterns.places, Grid.around(flat[:, 0], flat[:, 1], asked.cells, asked.cells))


def _released(asked: Asked, city: City) -> NoisyCentroids:
    """K-means of everybody, and noise on what it converges to."""
    found = lloyd(city.points, asked.clusters, starts=STARTS, seed=asked.seed)
    generator = np.random.default_rng([NOISE, asked.seed])
    noisy = found.centres + generator.laplace(0.0, asked.noise, found.centres.shape)
    return NoisyCentroids(noisy, found.labels, asked.noise)


def _prior(asked: Asked, edges: Edges | None) -> Prior:
    if edges is None:
        return Prior()
    return Prior(edges, ByLaw() if asked.radius is None else replace(Within(), radius=asked.radius))


def _people(count: int) -> str:
    return "1 person has" if count == 1 else f"{count:,} people have"


def _shown(column: list[Any]) -> list[Any]:
    """Roundings of 0 are 0."""
    return [to_digits(0.0 if isinstance(each, float) and abs(each) <= ROUNDING else each) for each in column]


def _write(draft: Path, text: str) -> None:
    draft.write_text(text, encoding="utf-8")


def _rows(found: LocationAttack, patterns: Patterns) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = found.columns()
    names: list[RecordValue] = [patterns.names[person] for person in columns.pop("person")]
    writer.writerow(["user", *columns])
    writer.writerows(zip(names, *map(_shown, columns.values()), strict=True))
    return text.getvalue()


def _grid(grid: Grid) -> dict[str, float]:
    return {key: getattr(grid, key) for key in ("south", "west", "north", "east", "rows", "columns")}


def _print_places(shown: dict[str, Any], asked: Asked) -> None:
    units = ("leaked", "gained", "surprise")
    rows = [[key, *(f"{shown[key][unit]:.6g}" for unit in ("nats", "bits"))] for key in units if shown[key]]
    rows += [[f"entropy, {key}", *(f"{each:.6g}" for each in own.values())] for key, own in shown["entropy"].items()]
    people = f"{shown['people']:,} people, {shown['known']:,} others known, {asked.prior} prior"
    print_table(f"What noisy centroids say of everybody's cell ({people})", ["on average", "nats", "bits"], rows)
    pairs = [("top cell is theirs", "success", "prior_success"), ("km to the top cell", "error_km", "prior_error_km")]
    pairs += [("km, by the whole belief", "expected_km", "prior_expected_km")]
    table = [[name, f"{shown[after]:.6g}", f"{shown[before]:.6g}"] for name, after, before in pairs]
    print_table("Where people are thought to be", ["", "with the centroids", "without"], table)
    dropped = ", ".join(f"{count:,} {why.replace('_', ' ')}" for why, count in shown["dropped"].items() if count)
    if dropped:
        say(f"dropped of the edges: {dropped}")
    if shown["short"]:
        say(f"{_people(shown['short'])} fewer than {asked.places} places, of which the last counts again")
    if shown["ruled_out"]:
        say(f"{_people(shown['ruled_out'])} a cell that the prior rules out, as nobody known is there")
    if asked.out is not None:
        say(f"wrote {asked.out}")


ROWS: Final = 20
COLUMNS: Final = ("about whom", "guessed", "blindly", "leaked (nats)", "(bits)", "odds moved", "at output")
MEANWHILE: Final = "attacking"


OF_SPECS: Final = ("spec", "runs", "engine", "data")
OF_LOCATIONS: Final = tuple(each.name for each in fields(Asked) if each.name not in ("visits", "seed"))
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
        Path | None,
        option(
            "Instead of a spec: visits with columns user, poi, lat, lon, count, and city where there are several. "
            "Attacks noisy K-means centroids of everybody's most visited places.",
            "VISITS",
        ),
    ] = None,
    edges: Annotated[
        Path | None, option("locations: who is whose friend, with columns user1, user2, and city as in the visits.")
    ] = None,
    city: Annotated[str | None, option("locations: which city.")] = None,
    prior: Annotated[
        str | None, option(f"locations: {' or '.join(PRIORS)} [default: dependent where there are edges].")
    ] = None,
    scale: Annotated[
        float | None, number_option("locations: of the Laplace noise of each coordinate, in sides of the grid.")
    ] = None,
    epsilon: Annotated[
        float | None, number_option("locations: instead of a scale; 1/epsilon is the paper's, and no promise.")
    ] = None,
    known: Annotated[int | None, option("locations: how many others are known [default: all].", "COUNT")] = None,
    places: Annotated[int | None, option("locations: per person [default: 6].")] = None,
    clusters: Annotated[int | None, option("locations: of K-means [default: 8].")] = None,
    cells: Annotated[int | None, option("locations: of the grid, along each side [default: 20].")] = None,
    radius: Annotated[
        float | None,
        number_option("locations: friends weigh for cells within so many km, not by the law of friends' distances."),
    ] = None,
    resume: Annotated[Path | None, option("locations: a file to keep what is done, and to go on from.")] = None,
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
        attack_on_locations(Asked(locations, seed, **said), json)
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
