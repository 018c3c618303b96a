"""What the benchmark of a hostile analyst calls: how long others wait for a service that somebody tries to stop."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from itertools import count
from pathlib import Path
from random import Random
from statistics import quantiles
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import perf_counter
from typing import Any, Final

from dalenius.server import Role, Tokens, tokens_path

HOMES: Final = 400
HOSTS: Final = 8
"""Connections of the hostile analyst, each with the next estimate as soon as the last was answered."""
POLICY: Final = """
[[data]]
name = "outbreak"
source = {{file = "people.csv"}}
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
analysts = [{{name = "ana"}}]

[[data.measures]]
name = "ill"
value = {{column = "ill", equals = 1}}
model = {{kind = "households", by = "home", epidemic = {{community = 0.06, household = 0.35}}}}
"""


@dataclass
class Waited:
    """seconds: of every request until its answer, those refused for want of a place counted on; refused: how often."""

    seconds: list[float] = field(default_factory=list)
    refused: int = 0
    lost: int = 0
    statuses: list[int] = field(default_factory=list)


def waited(clients: int, seconds: float, pause: float) -> dict[str, Any]:
    """Twice without and twice with the hostile analyst, in turn: of the others the percentiles of seconds."""
    with TemporaryDirectory() as folder, _service(Path(folder), clients) as (port, tokens):
        found, hostile = {False: Waited(), True: Waited()}, Waited()
        _round(port, tokens, clients, seconds / 2, pause, Waited(), None)  # warms the engine
        for there in (False, True, False, True):
            _round(port, tokens, clients, seconds, pause, found[there], hostile if there else None)
    return {
        "alone": _percentiles(found[False]),
        "beside": _percentiles(found[True]),
        "hostile": {str(status): hostile.statuses.count(status) for status in sorted(set(hostile.statuses))},
    }


def _percentiles(found: Waited) -> dict[str, float]:
    cut = quantiles(found.seconds, n=100, method="inclusive")
    return {
        "requests": len(found.seconds),
        "median": cut[49],
        "p99": cut[98],
        "refused": found.refused,
        "lost": found.lost,
    }


def _round(
    port: int, tokens: Mapping[str, str], clients: int, seconds: float, pause: float, found: Waited, bad: Waited | None
) -> None:
    over = Event()
    threads = [
        Thread(target=_client, args=(port, tokens[f"c{number}"], number, pause, over, found))
        for number in range(clients)
    ]
    if bad is not None:
        threads += [Thread(target=_hostile, args=(port, tokens["ana"], number, over, bad)) for number in range(HOSTS)]
    for thread in threads:
        thread.start()
    over.wait(seconds)
    over.set()
    for thread in threads:
        thread.join()


FRESH: Final = count(1)


def _client(port: int, token: str, number: int, pause: float, over: Event, found: Waited) -> None:
    """New questions, the same again, and what is left, at times of chance."""
    random, asked = Random(number), None
    while not over.wait(random.expovariate(1 / pause)):
        what = random.choice(("new", "again", "left"))
        if what == "new" or (what == "again" and asked is None):
            asked = {"measure": "ill", "query": {"kind": "count"}, "epsilon": 0.05 + next(FRESH) * 1e-6}
        path, body = ("budget", None) if what == "left" else ("ask", asked)
        begun = perf_counter()
        while True:
            status = _sent(port, token, f"/api/v1/data/outbreak/{path}", body)
            found.lost += status == 0
            if status not in (0, 503):
                break
            found.refused += status == 503
            if over.wait(0.5):
                return
        found.seconds.append(perf_counter() - begun)


def _hostile(port: int, token: str, number: int, over: Event, found: Waited) -> None:
    """Estimates of noise so fine that its tails take gigabytes and minutes, each another, without a pause."""
    while not over.is_set():
        noise = {"kind": "gaussian", "scale": (0.02, 0.1, 0.3)[number % 3] + next(FRESH) * 1e-7}
        body = {"measure": "ill", "query": {"kind": "count"}, "noise": noise}
        found.statuses.append(_sent(port, token, "/api/v1/data/heavy/estimate", body, over))


def _sent(port: int, token: str, path: str, body: Any, over: Event | None = None) -> int:
    """The status; 0 where the connection was lost."""
    connection = HTTPConnection("127.0.0.1", port, timeout=90 if over is None else 15)
    try:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        connection.request("GET" if body is None else "POST", path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    except (OSError, HTTPException):
        return 0
    finally:
        connection.close()


@contextmanager
def _service(folder: Path, clients: int) -> Iterator[tuple[int, Mapping[str, str]]]:
    random = Random(1)
    rows = [f"{home},{random.random() < 0.2:d}" for home in range(HOMES) for _ in range(1 + home % 4)]
    for name, lines in (("people.csv", rows), ("others.csv", rows[::-1])):  # of the same bytes no two may be
        (folder / name).write_text("\n".join(["home,ill", *lines]) + "\n", encoding="utf-8")
    names = [f"c{number}" for number in range(clients)]
    policy = folder / "policy.toml"
    policy.write_text(POLICY.format(analysts=", ".join(f'{{name = "{name}"}}' for name in names)), encoding="utf-8")
    made = Tokens(tokens_path(policy))
    tokens = {name: made.make(Role.analyst, name, "outbreak")[0] for name in names}
    tokens["ana"] = made.make(Role.analyst, "ana", "heavy")[0]
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
