"""What the benchmark of paid failures calls: how long answers and failures take, and whether times tell them apart."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from statistics import quantiles
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

from dalenius import Ask, Count, Geometric
from dalenius.curator import Curator, Failed, Ledger, policy_from

HOME: Final = 4
ASKS: Final = 8
"""Different ones, each of every table in every round."""
TABLES: Final = ("nobody ill", "everybody ill", "the first value is bad", "every value is bad")
PAIRS: Final = ((0, 1), (2, 3), (0, 2))
"""Two answers, two failures, an answer and a failure."""


def timed(people: int, rounds: int) -> dict[str, object]:
    """Of each table the quartiles of the seconds from an ask to its answer or failure, the median in the middle; of
    pairs of tables the chance that one of the one took longer than one of the other, ½ where times say nothing."""
    with TemporaryDirectory() as folder:
        found = _seconds(Path(folder), people, rounds)
    quartiles = {name: quantiles(seconds, n=4) for name, seconds in found.items()}
    areas = [_longer(found[TABLES[one]], found[TABLES[other]]) for one, other in PAIRS]
    return {"quartiles": quartiles, "areas": areas}


def _seconds(folder: Path, people: int, rounds: int) -> Mapping[str, Sequence[float]]:
    """In an order of chance, so that what else the machine does falls on all alike; of new ledgers in each round."""
    values = ["0"] * people, ["1"] * people, ["7", *["0"] * (people - 1)], ["7"] * people
    curators = {name: _curator(folder / name, ills) for name, ills in zip(TABLES, values, strict=True)}
    asks = [Ask(measure="ill", query=Count(), noise=Geometric(scale=60.0 + scale)) for scale in range(ASKS)]
    for made in curators.values():
        for ask in asks:  # the noise is found before: what is left reads the table
            made.session("ana", "people").estimate(ask)
    found: dict[str, list[float]] = {name: [] for name in TABLES}
    random = Random(1)
    for number in range(rounds):
        for name, made in curators.items():
            made.ledger = Ledger(folder / name / f"{number}.sqlite")
        order = [(name, ask) for name in TABLES for ask in asks]
        random.shuffle(order)
        for name, ask in order:
            session = curators[name].session("ana", "people")
            begun = perf_counter()
            with suppress(Failed):
                session.ask(ask)
            found[name].append(perf_counter() - begun)
    return {name: seconds[2 * ASKS :] for name, seconds in found.items()}  # the first ones warm the engine


def _curator(folder: Path, values: Sequence[str]) -> Curator:
    folder.mkdir()
    rows = (f"{person // HOME},{value}" for person, value in enumerate(values))
    (folder / "people.csv").write_text("\n".join(["home,ill", *rows]) + "\n", encoding="utf-8")
    model = {"kind": "households", "by": "home", "types": [{"infected": [0.9, 0.04, 0.0, 0.0, 0.06]}]}
    data = {
        "name": "people",
        "source": {"file": "people.csv"},
        "notion": {"kind": "inferential", "epsilon": 100.0},
        "measures": [{"name": "ill", "value": "ill", "model": model}],
        "analysts": [{"name": "ana"}],
    }
    return Curator(policy_from({"data": [data]}), folder)


def _longer(one: Sequence[float], other: Sequence[float]) -> float:
    wins = sum((a > b) + (a == b) / 2 for a in one for b in other)
    return wins / (len(one) * len(other))
