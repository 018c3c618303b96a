"""Output of `attack --locations`: what noisy centroids of everybody's places say of each one's place (DDP §IV)."""

from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, final

from dalenius.cli.output import note, print_json, print_table, say, working
from dalenius.errors import InputError
from dalenius.plotting import check_picture

if TYPE_CHECKING:
    from dalenius.places.patterns import VisitColumns

SIMULATED: Final = "the centroids and their noise are simulated: nothing is released, and such noise promises nothing"
CELLS: Final = "20x20"
COLUMNS_HELP: Final = "names of the five columns [user,lat,lon,user1,user2]"
_LARGEST_SEED: Final = 2**32 - 1
"""scikit-learn takes no larger one."""
_CLUSTERS, _PLACES, _RADIUS = 8, 6, 3.0


@final
@dataclass(frozen=True)
class LocationOptions:
    """The options of an attack on places, as they were given; None for those that were not.

    Attributes:
        visits: The table of visits.
        friends: The table of friendships.
        epsilon: ε of the noise, in nats; 0 where nothing is published.
        known: The share of the others whose places are known.
        clusters: How many centroids there are.
        places: How many places of a person count.
        cells: Rows and columns of the grid, as in `20x20`.
        radius: Kilometres around a friend.
        only: A column and a value, as in `city=Ulm`.
        count: The column of the number of visits.
        columns: The names of the other columns, with commas between them.
        person: Whose map is drawn.
        plot: The picture's file.
        seed: The seed.
    """

    visits: str
    friends: str | None = None
    epsilon: float | None = None
    known: float | None = None
    clusters: int | None = None
    places: int | None = None
    cells: str | None = None
    radius: float | None = None
    only: str | None = None
    count: str | None = None
    columns: str | None = None
    person: str | None = None
    plot: Path | None = None
    seed: int | None = None

    def check(self) -> None:
        """Refuses what can be seen to be wrong before a table is read, with InputError."""
        if self.plot is not None:
            check_picture(self.plot, "--plot")
        if (self.plot is None) != (self.person is None):
            lacks = "--person" if self.person is None else "--plot"
            raise InputError(lacks, "missing", "both --plot, a file, and --person, whose map it is")
        if self.radius is not None and self.friends is None:
            raise InputError("--radius", self.radius, "none without --friends")
        if self.seed is not None and not 0 <= self.seed <= _LARGEST_SEED:
            raise InputError("--seed", self.seed, "a whole number from 0 to 2^32 - 1")


def cells_of(text: str) -> tuple[int, int]:
    """Reads rows and columns of a grid from a `text` such as 20x30.

    >>> cells_of("20x30")
    (20, 30)
    """
    parts = text.lower().split("x")
    if len(parts) != 2 or not all(part.strip().isdecimal() for part in parts):
        raise InputError("--cells", text, "rows and columns, as in 20x20")
    return int(parts[0]), int(parts[1])


def columns_of(names: str | None, count: str | None, only: str | None) -> "VisitColumns":
    """Reads the names of the columns of visits and friends.

    >>> columns_of("id,north,east,a,b", None, "city=Ulm")
    VisitColumns(person='id', lat='north', lon='east', count=None, ends=('a', 'b'), only=('city', 'Ulm'))

    Args:
        names: Five names with commas between them: person, latitude, longitude, both ends of a friendship.
        count: The column of the number of visits.
        only: A column and the value of the rows that count, as in `city=Ulm`.
    """
    from dalenius.places.patterns import VisitColumns

    column, mark, value = (only or "").partition("=")
    if only is not None and not (column and mark):
        raise InputError("--only", only, "a column and a value, as in city=Ulm")
    found = VisitColumns(count=count, only=None if only is None else (column.strip(), value.strip()))
    if names is None:
        return found
    parts = [each.strip() for each in names.split(",")]
    if len(parts) != 5 or len(set(parts)) < 5 or not all(parts):
        raise InputError("--columns", names, f"{COLUMNS_HELP}, all different")
    return replace(found, person=parts[0], lat=parts[1], lon=parts[2], ends=(parts[3], parts[4]))


def attack_on_locations(given: LocationOptions, json: bool) -> None:
    """Attacks everybody's place, and prints what was found out.

    Args:
        given: The options.
        json: Whether to print JSON.
    """
    from dalenius.places.attack_on_locations import attack_locations
    from dalenius.places.picture_of_posterior import draw_posterior

    given.check()
    start, seed = perf_counter(), given.seed or 0
    with working("attacking"):
        found = attack_locations(
            given.visits,
            given.friends,
            epsilon=1.0 if given.epsilon is None else given.epsilon,
            known=1.0 if given.known is None else given.known,
            places=_PLACES if given.places is None else given.places,
            clusters=_CLUSTERS if given.clusters is None else given.clusters,
            cells=cells_of(given.cells or CELLS),
            radius=_RADIUS if given.radius is None else given.radius,
            seed=seed,
            columns=columns_of(given.columns, given.count, given.only),
        )
        files = () if given.plot is None else draw_posterior(found.map_of(given.person or ""), given.plot)
    shown = {
        "people": len(found.names),
        "known": found.known,
        "friendships": len(found.friendships),
        "dropped": found.dropped.shown(),
        "short": found.short,
        "grid": {key: getattr(found.city.grid, key) for key in _GRID},
        "seed": seed,
        "adversaries": found.summary(),
        "files": [str(path) for path in files],
        "seconds": perf_counter() - start,
    }
    if json:
        print_json(shown)
    else:
        _print(shown)
    note(SIMULATED)


_GRID: Final = ("south", "west", "north", "east", "rows", "columns")
_ROWS: Final = (
    ("km from the likeliest cell", "error_km"),
    ("km from a cell drawn by the belief", "expected_km"),
    ("right about the cell", "success"),
)
_WORDS: Final = {"strangers": "no friends known", "friends": "friends known"}


def _print(shown: dict[str, Any]) -> None:
    """Prints two tables: where people are thought to be, and what that is in nats and bits."""
    adversaries = shown["adversaries"]
    columns = [f"{_WORDS[name]}: {when}" for name in adversaries for when in ("without", "with")]
    rows = [
        [words, *(f"{own[key][when]:.6g}" for own in adversaries.values() for when in ("without", "with"))]
        for words, key in _ROWS
    ]
    about = f"{shown['people']:,} people, {shown['known']:,} others known"
    print_table(f"Where people are thought to be, without and with the centroids ({about})", ["", *columns], rows)
    units = [f"{_WORDS[name]}: {unit}" for name in adversaries for unit in ("nats", "bits")]
    kinds = {
        "entropy before": "prior",
        "leaked (Eq 11)": "leaked",
        "leaked if nothing is published": "leaked_without",
        "gained from the centroids": "gained",
    }
    rows = [
        [words, *(f"{own[key][unit]:.6g}" for own in adversaries.values() for unit in ("nats", "bits"))]
        for words, key in kinds.items()
    ]
    print_table("What is known of a place, on average", ["", *units], rows)
    dropped = {why.replace("_", " "): count for why, count in shown["dropped"].items() if count}
    if dropped:
        say(f"rows of friends left out: {', '.join(f'{count:,} {why}' for why, count in dropped.items())}")
    if shown["short"]:
        say(f"people with fewer places, of which the last counts again: {shown['short']:,}")
    for name, own in adversaries.items():
        if own["ruled_out"]:
            say(f"{_WORDS[name]}: the prior rules out the cells of {own['ruled_out']:,} people: nobody known is there")
    for path in shown["files"]:
        say(f"wrote {path}")
