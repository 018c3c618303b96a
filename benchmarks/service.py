"""How many answers a second the service gives, beside bare commits and beside analysts who try to stop it."""

from typing import Any, Final

from benchmarks.measuring import measured, span
from benchmarks.section import Section, Target

CLIENTS: Final = 50
SECONDS: Final = 15.0
# Answers a second that are wanted, and within which time 99 % of them.
WANTED: Final = {"known": (100.0, 0.5), "fresh": (40.0, 1.5), "repeats": (1000.0, 0.5)}
MOST: Final = 2.0
NAMES: Final = {
    "known": "new answers, the noise found before",
    "fresh": "new answers, each with an ε never seen",
    "repeats": "the same again",
    "alone": "an ε never seen, again",
    "beside one": "beside one hostile analyst with three tokens",
    "beside two": "beside two hostile analysts",
}


def run() -> Section:
    found = measured("benchmarks.service_cases:served", clients=CLIENTS, seconds=SECONDS).result
    rows = [("bare commits", f"{found['bare']['rate']:,.0f}", "", "", "")]
    rows += [(name, *_cells(found[key])) for key, name in NAMES.items()]
    rates = [
        Target(f"{NAMES[key]}: target over measured rate", 1.0, rate / max(found[key]["rate"], 1e-9), "×")
        for key, (rate, _) in WANTED.items()
    ]
    times = [Target(f"{NAMES[key]}: p99", most, found[key]["p99"], "s") for key, (_, most) in WANTED.items()]
    beside = found["beside one"]["p99"] / found["alone"]["p99"]
    busy = sum(_others(found[key]) for key in NAMES)
    return Section(
        title="Answers of the service",
        about=f"`dalenius serve` as it is run, a table of 1,157 people in twelve wards that is open, and {CLIENTS} "
        "clients in one process beside it, each with a token of its own and a connection that is kept open; each sends "
        f"the next question as soon as the last was answered, for {SECONDS:g} s. Noise that was found before was "
        "estimated first. A hostile analyst sends estimates that need minutes and gigabytes, each another, on eight "
        "connections of each of three tokens. Bare commits are of one writer of single rows, with synchronous=EXTRA, "
        "in the same folder.",
        columns=("questions", "answers a second", "median", "p99", "other statuses"),
        rows=tuple(rows),
        targets=(
            *rates,
            *times,
            Target("refused", 0.0, float(busy), "requests"),
            Target("p99 beside one hostile analyst", MOST, beside, "× alone"),
        ),
    )


def _cells(found: dict[str, Any]) -> tuple[str, str, str, str]:
    return f"{found['rate']:,.0f}", span(found["median"]), span(found["p99"]), str(_others(found))


def _others(found: dict[str, Any]) -> int:
    """Answers of another status than 200."""
    return sum(number for status, number in found["statuses"].items() if status != "200")
