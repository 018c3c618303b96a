"""`dalenius attack --locations`: what noisy centroids of everybody's places say of each one's cell (DDP §IV)."""

import csv
from dataclasses import dataclass, replace
from io import StringIO
from math import isfinite
from pathlib import Path
from time import perf_counter
from typing import Any, Final, final

import numpy as np

from dalenius.cli.output import counting, print_json, print_table, say
from dalenius.dependent.graphs import Dropped, Edges
from dalenius.dependent.location_beliefs import ByLaw, NoisyCentroids, Prior, Within
from dalenius.dependent.locations import ROUNDING, LocationAttack, attack_locations
from dalenius.dependent.places import EDGES, VISITS, City, Grid, Patterns, friends_among, of_city, patterns_of
from dalenius.dependent.solvers import lloyd
from dalenius.drawing import check_place, write_whole
from dalenius.errors import InputError
from dalenius.spec.results import to_digits
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
        _print(shown, options)


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


def _print(shown: dict[str, Any], options: LocationOptions) -> None:
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
