"""`dalenius attack --locations`: the attack of DDP §IV on a table of visits."""

import csv
import io
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from time import perf_counter
from typing import Any, Final, final

import numpy as np

from dalenius.attacks import (
    EDGES,
    VISITS,
    ByLaw,
    City,
    LocationAttack,
    NoisyCentroids,
    Patterns,
    Prior,
    Saved,
    Within,
    attack_locations,
    digest_of,
    friends_among,
    of_city,
    patterns_of,
)
from dalenius.attacks.locations.results import ROUNDING
from dalenius.cli.output import counting, print_json, print_table, say
from dalenius.drawing import check_place, write_whole
from dalenius.errors import InputError
from dalenius.graphs import Dropped, Edges, Grid
from dalenius.learning import lloyd
from dalenius.schema import RecordValue
from dalenius.spec.results import to_digits
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
    edges: Path | None
    city: str | None
    prior: str
    scale: float | None
    epsilon: float | None
    known: int | None
    places: int
    clusters: int
    cells: int
    radius: float | None
    resume: Path | None
    out: Path | None
    seed: int

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
        _print(shown, asked)


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


def _print(shown: dict[str, Any], asked: Asked) -> None:
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
