"""What the benchmark of the service calls: a service as it is run, and clients that ask it."""

import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import combinations, count
from pathlib import Path
from random import Random
from statistics import quantiles
from tempfile import TemporaryDirectory
from threading import Thread
from time import perf_counter
from typing import Any, Final

from benchmarks.ledger_cases import BODY
from benchmarks.service_load import Heard, request, sent
from dalenius.server import Role, Tokens, tokens_path

PEOPLE: Final = 1157
WARDS: Final = 12
HOSTILE: Final = ("mallory", "trudy")
CONNECTIONS: Final = 8
"""Of each token of a hostile analyst, each with the next estimate as soon as the last was answered."""
POLICY: Final = """
[service]
requests_per_minute = 1000000

[[data]]
name = "outbreak"
source = {{file = "people.csv", label = "ward"}}
notion = {{kind = "inferential", epsilon = 900.0}}
analysts = [{analysts}]

[[data.measures]]
name = "ill"
value = {{column = "ill", equals = 1}}
model = {{kind = "households", by = "home", epidemic = {{community = 0.06, household = 0.35}}}}

[[data]]
name = "heavy"
source = {{file = "others.csv"}}
notion = {{kind = "inferential", epsilon = 900.0, delta = 1e-6}}
analysts = [{hostile}]

[[data.measures]]
name = "ill"
value = {{column = "ill", equals = 1}}
model = {{kind = "households", by = "home", epidemic = {{community = 0.06, household = 0.35}}}}
"""
FRESH: Final = count(1)
Found = dict[str, Any]


def served(clients: int, seconds: float) -> dict[str, Found]:
    """Rates, medians, 99 % quantiles and statuses of each kind of question, and of bare commits in the same folder."""
    with TemporaryDirectory() as folder, service(Path(folder), clients) as (port, tokens):
        names = [f"c{number}" for number in range(clients)]

        def answers(bodies: Callable[[int], Iterator[Any]], path: str = "ask", limit: float = seconds) -> Found:
            until = perf_counter() + limit

            def stream(number: int) -> Iterator[bytes]:
                for body in bodies(number):
                    if perf_counter() >= until:
                        return
                    yield request(tokens[names[number]], f"/api/v1/data/outbreak/{path}", body)

            return _summary(*sent(port, [stream(number) for number in range(clients)]))

        answers(_fresh, limit=3.0)  # warms the engine
        found = {"bare": {"rate": _bare(Path(folder), seconds)}}
        known = _known(clients)
        # The noises of the questions that are asked next are found, and nothing is paid for them.
        answers(lambda number: iter(known[number]), "estimate", limit=600.0)
        found["known"] = answers(lambda number: iter(known[number]))
        found["fresh"] = answers(_fresh)
        found["repeats"] = answers(lambda number: _again(known[number][0]))
        found["alone"] = answers(_fresh)
        for name, who in (("beside one", HOSTILE[:1]), ("beside two", HOSTILE)):
            heard, threads = Heard(), []
            until = perf_counter() + seconds
            for each in who:
                for token in range(3):
                    streams = [_hostile(tokens[f"{each} {token}"], until) for _ in range(CONNECTIONS)]
                    threads.append(Thread(target=_together, args=(port, streams, heard)))
            for thread in threads:
                thread.start()
            found[name] = answers(_fresh) | {"hostile": {str(key): value for key, value in heard.statuses.items()}}
            for thread in threads:
                thread.join()
        return found


def _together(port: int, streams: list[Iterator[bytes]], heard: Heard) -> None:
    found, _ = sent(port, streams)
    heard.statuses.update(found.statuses)


def _summary(heard: Heard, seconds: float) -> Found:
    cut = quantiles(heard.seconds, n=100, method="inclusive") if len(heard.seconds) > 1 else [0.0] * 99
    statuses = {str(status): number for status, number in sorted(heard.statuses.items())}
    good = heard.statuses[200]
    return {"rate": good / seconds, "median": cut[49], "p99": cut[98], "answers": good, "statuses": statuses}


def _known(clients: int) -> list[list[Any]]:
    """Counts of several wards each, at one share: other labels, other questions of the measure."""
    wards = [f"w{ward}" for ward in range(WARDS)]
    several = [list(each) for size in (1, 2, 3, 4, 5) for each in combinations(wards, size)]
    bodies = [{"measure": "ill", "query": {"kind": "count", "labels": each}, "epsilon": 0.2} for each in several]
    return [bodies[number::clients] for number in range(clients)]


def _fresh(_: int) -> Iterator[Any]:
    """Counts of everybody, each with a share that nobody asked for before."""
    while True:
        yield {"measure": "ill", "query": {"kind": "count"}, "epsilon": 0.05 + next(FRESH) * 1e-6}


def _again(body: Any) -> Iterator[Any]:
    while True:
        yield body


def _hostile(token: str, until: float) -> Iterator[bytes]:
    """Estimates of noise so fine that its tails take gigabytes and minutes, each another, without a pause."""
    while perf_counter() < until:
        number = next(FRESH)
        noise = {"kind": "gaussian", "scale": (0.02, 0.1, 0.3)[number % 3] + number * 1e-7}
        body = {"measure": "ill", "query": {"kind": "count"}, "noise": noise}
        yield request(token, "/api/v1/data/heavy/estimate", body)


def _bare(folder: Path, seconds: float) -> float:
    """Commits a second of one writer of single rows, as durable as the ledger's."""
    connection = sqlite3.connect(folder / "bare", isolation_level=None)
    connection.execute("PRAGMA synchronous=EXTRA")
    connection.execute("CREATE TABLE bare (number INTEGER PRIMARY KEY, body TEXT)")
    done, begun = 0, perf_counter()
    while perf_counter() < begun + min(seconds, 3.0):
        connection.execute("INSERT INTO bare (body) VALUES (?)", (BODY,))
        done += 1
    connection.close()
    return done / (perf_counter() - begun)


@contextmanager
def service(folder: Path, clients: int) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Where it listens, and the tokens: one of each client, three of each hostile analyst."""
    rows = table(Random(1))
    for name, lines in (("people.csv", rows), ("others.csv", rows[::-1])):  # of the same bytes no two may be
        (folder / name).write_text("\n".join(["home,ward,ill", *lines]) + "\n", encoding="utf-8")
    names = [f"c{number}" for number in range(clients)]
    policy = folder / "policy.toml"
    listed = [", ".join(f'{{name = "{each}"}}' for each in who) for who in (names, HOSTILE)]
    policy.write_text(POLICY.format(analysts=listed[0], hostile=listed[1]), encoding="utf-8")
    made = Tokens(tokens_path(policy))
    tokens = {name: made.make(Role.analyst, name, "outbreak")[0] for name in names}
    for name in HOSTILE:
        tokens |= {f"{name} {number}": made.make(Role.analyst, name, "heavy")[0] for number in range(3)}
    command = [sys.executable, "-m", "dalenius", "serve", str(policy), "--port", "0"]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        assert process.stdout is not None
        port = re.search(r":(\d+)$", process.stdout.readline().strip())
        assert port is not None, (folder / "log").read_text()
        yield int(port[1]), tokens
    finally:
        process.terminate()
        process.wait(15)


def table(random: Random) -> list[str]:
    """Rows of 1,157 people in homes of one to four, each home in one of twelve wards."""
    rows: list[str] = []
    for home in count():
        for _ in range(1 + home % 4):
            if len(rows) == PEOPLE:
                return rows
            rows.append(f"h{home},w{home * 7 % WARDS},{random.random() < 0.2:d}")
    raise AssertionError
