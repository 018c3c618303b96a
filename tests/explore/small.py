"""Random specs of fewer than ten people that take longer than a few seconds.

Each spec is drawn from its own seed, so that one that is slow can be run again:
`python -m tests.explore.small --first 17 --specs 1`. A command that fails with another exit code than 0, 1 or 2, or
that takes more than the seconds of processor time that are allowed, is printed with its spec.
"""

import argparse
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeAlias

Section: TypeAlias = dict[str, Any]

COMMANDS: Final = ("audit", "calibrate", "compare", "explain")
ALLOWED: Final = 5.0
"""Seconds of a processor that a command may take."""
LIMIT: Final = 60
"""Seconds of a processor after which a command is ended."""


def small_spec(seed: int) -> Section:
    """A spec of that seed: a model of at most nine people, one to three questions, and a promise."""
    rng = Random(seed)
    model = rng.choice(MODELS)(rng)
    labelled = bool(_labels(model))
    spec: Section = {"model": model}
    # Beside intervals there is one question, and nobody's record is known.
    intervals = _intervals(model)
    number = 1 if intervals else rng.choice([1, 1, 1, 2, 2, 3])
    questions: list[Section] = []
    for _ in range(number):
        query = _query(rng, model, labelled)
        # Gaussian noise serves a single number.
        single = number == 1 and query["kind"] != "histogram" and not query.get("per_label")
        questions.append({"query": query, "noise": _noise(rng, single, intervals)})
    if number > 1:
        for question in questions:
            if rng.random() < 0.3:
                question["times"] = rng.choice([2, 3])
        spec["questions"] = questions
    else:
        spec |= questions[0]
    spec["notion"] = _notion(rng)
    if (kind := rng.random()) < 0.15:
        spec["secrets"] = {"size": 2}
    elif kind < 0.3:
        spec["secrets"] = {"pairs": [_values(model)[:2]]}
    if rng.random() < 0.2 and not intervals:
        spec["adversary"] = {"known": {"1": _values(model)[0]}}
    return spec


def _row(rng: Random, count: int, zeros: float = 0.1) -> list[float]:
    """Probabilities in hundredths, some of which are 0."""
    parts = [0 if rng.random() < zeros else rng.randint(1, 100) for _ in range(count)]
    parts[0] = parts[0] or 1
    hundredths = [100 * part // sum(parts) for part in parts]
    hundredths[0] += 100 - sum(hundredths)
    return [each / 100 for each in hundredths]


def _rows(rng: Random, rows: int, columns: int) -> list[list[float]]:
    return [_row(rng, columns) for _ in range(rows)]


def _independent(rng: Random) -> Section:
    n = rng.randint(1, 9)
    if rng.random() < 0.5:
        return {"kind": "independent", "probabilities": [rng.randint(1, 99) / 100 for _ in range(n)]}
    values = rng.choice([[0, 1, 2], [0, 1, 5], [0, 2, 3, 7]])
    return {"kind": "independent", "values": values, "probabilities": _rows(rng, n, len(values))}


def _table(rng: Random) -> Section:
    n, rows = rng.randint(1, 6), rng.randint(2, 6)
    records = {tuple(rng.randint(0, 2) for _ in range(n)) for _ in range(rows)}
    return {"kind": "table", "records": sorted(records), "probabilities": _row(rng, len(records), 0.0)}


def _groups(rng: Random) -> Section:
    types = []
    for _ in range(rng.randint(1, 2)):
        table = _table(rng)
        size = min(3, len(table["records"][0]))
        records = sorted({row[:size] for row in table["records"]})
        types.append({"count": rng.randint(1, 2), "records": records, "probabilities": _row(rng, len(records), 0.0)})
    return {"kind": "groups", "types": types}


def _households(rng: Random) -> Section:
    labels = rng.random() < 0.4
    types = []
    for _ in range(rng.randint(1, 2)):
        size = rng.randint(1, 3)
        own: Section = {"count": 1 if size == 3 else rng.randint(1, 2), "infected": _row(rng, size + 1)}
        if labels:
            split = rng.randint(0, size)
            own["members"] = {name: count for name, count in (("a", split), ("b", size - split)) if count}
        types.append(own)
    return {"kind": "households", "types": types}


def _chain(rng: Random) -> Section:
    n, k = rng.randint(2, 9), rng.choice([2, 2, 3])
    model: Section = {"kind": "chain", "n": n, "initial": _row(rng, k), "transition": _rows(rng, k, k)}
    if rng.random() < 0.2:
        model["transition"] = [[[0.6, 0.7], [0.3, 0.4]], [0.2, 0.8]]
        model["initial"] = [0.5, 0.5]
    return model


def _network(rng: Random) -> Section:
    nodes: list[Section] = []
    for place in range(rng.randint(2, 7)):
        parents = rng.sample(range(place), min(place, rng.choice([0, 1, 1, 2])))
        rows = _rows(rng, 2 ** len(parents), 2)
        node: Section = {"name": f"n{place}", "probabilities": rows if parents else rows[0]}
        if parents:
            node["parents"] = [f"n{each}" for each in parents]
        nodes.append(node)
    return {"kind": "network", "nodes": nodes}


def _product(rng: Random) -> Section:
    return {"kind": "product", "parts": [_bits(rng, 4), _bits(rng, 4)]}


def _any(rng: Random) -> Section:
    n = rng.randint(2, 5)
    return {"kind": "any", "models": [_bits(rng, n, exactly=True), _bits(rng, n, exactly=True)]}


def _bits(rng: Random, most: int, exactly: bool = False) -> Section:
    n = most if exactly else rng.randint(2, most)
    if rng.random() < 0.5:
        return {"kind": "independent", "probabilities": [rng.randint(1, 99) / 100 for _ in range(n)]}
    return {"kind": "chain", "n": n, "initial": _row(rng, 2, 0.0), "transition": _rows(rng, 2, 2)}


MODELS: Final[tuple[Callable[[Random], Section], ...]] = (
    _independent,
    _table,
    _groups,
    _households,
    _chain,
    _network,
    _product,
    _any,
)


def _labels(model: Section) -> list[str]:
    return sorted({label for each in model.get("types", ()) for label in each.get("members", ())})


def _values(model: Section) -> list[int]:
    if model["kind"] == "independent" and "values" in model:
        return list(model["values"])
    if model["kind"] in ("table", "groups"):
        records = model["records"] if model["kind"] == "table" else model["types"][0]["records"]
        return sorted({each for row in records for each in row})
    if model["kind"] == "chain":
        return list(range(len(model["transition"])))
    return [0, 1]


def _query(rng: Random, model: Section, labelled: bool) -> Section:
    values = _values(model)
    kind = rng.choice(["count", "count", "sum", "sum", "mean", "max", "min", "histogram"])
    query: Section = {"kind": kind}
    if kind == "count":
        query["values"] = rng.sample(values, 1)
    elif kind == "histogram":
        query["cells"] = [[each] for each in values]
    elif kind != "sum":
        query |= {"lower": values[0], "upper": values[-1] or 1}
    if labelled and kind != "histogram" and rng.random() < 0.3:
        query["per_label"] = True
    if kind == "sum" and rng.random() < 0.4:
        query["weights"] = {label: rng.choice([0.5, 1, 2, 3]) for label in _labels(model) or [""]}
    if labelled and kind in ("count", "sum") and rng.random() < 0.3:
        query["labels"] = [_labels(model)[0]]
        query.pop("weights", None)
    return query


def _intervals(model: Section) -> bool:
    """Whether a chain's probabilities are intervals."""
    return model["kind"] == "chain" and isinstance(model["transition"][0][0], list)


def _noise(rng: Random, single: bool, intervals: bool) -> Section:
    """Noise that the answer allows; single: whether it is one number."""
    kinds = ["laplace", "laplace", "laplace", "geometric", "geometric"]
    kind = rng.choice([*kinds, *(["gaussian"] if single and not intervals else []), *([] if intervals else ["none"])])
    return {"kind": kind} if kind == "none" else {"kind": kind, "scale": rng.choice([0.3, 1.0, 2.0, 7.5])}


NOTIONS: Final = (
    *("inferential", "inferential", "information", "information", "differential", "relative_entropy"),
    *("mutual_information", "min_entropy", "g_leakage", "bayesian", "noiseless"),
)


def _notion(rng: Random) -> Section:
    kind = rng.choice(NOTIONS)
    notion: Section = {"kind": kind, "epsilon": rng.choice([0.2, 1.0, 2.0])}
    if kind in ("mutual_information", "min_entropy", "g_leakage", "relative_entropy"):
        notion["epsilon"] = rng.choice([0.01, 0.1, 0.3])
    if kind == "g_leakage":
        notion["gain"] = "gini"
    if kind == "noiseless":
        notion |= {"delta": rng.choice([0.001, 0.05]), "known_fraction": rng.choice([0.0, 0.3])}
    elif kind in ("inferential", "information") and rng.random() < 0.6:
        notion["delta"] = rng.choice([1e-6, 0.001, 0.05])
    return notion


def timed(command: str, spec: Section, limit: int = LIMIT) -> tuple[float, int, str]:
    """The seconds of a processor that the command takes in a process of its own, its exit code, and its last words."""
    with TemporaryDirectory() as room:
        path, said = Path(room, "spec.json"), Path(room, "said")
        path.write_text(json.dumps(spec), encoding="utf-8")
        arguments = [command, str(path), *(["--out", str(Path(room, "page.html"))] if command == "explain" else [])]
        if (child := os.fork()) == 0:
            _run(arguments, said, limit)
        _, status, used = os.wait4(child, 0)
        code = os.waitstatus_to_exitcode(status)
        words = said.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return used.ru_utime, code, words[-1] if words else ""


def _run(arguments: list[str], said: Path, limit: int) -> None:
    """The command, in a child that never returns."""
    code = 70
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        out = os.open(said, os.O_WRONLY | os.O_CREAT)
        os.dup2(out, 1)
        os.dup2(out, 2)
        sys.argv = ["dalenius", *arguments]
        from dalenius.cli.main import main

        main()
        code = 0
    except SystemExit as done:
        code = done.code if isinstance(done.code, int) else 0
    finally:
        os._exit(code)


def main() -> None:
    """Runs specs one after another, and prints those that are slow or fail."""
    parser = argparse.ArgumentParser(prog="python -m tests.explore.small", description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--specs", type=int, default=300, help="how many seeds")
    parser.add_argument("--seconds", type=float, default=ALLOWED, help="seconds of a processor a command may take")
    parser.add_argument("--limit", type=int, default=LIMIT, help="seconds after which a command is ended")
    parser.add_argument("--within", type=float, default=3600, help="seconds after which no spec is begun")
    parser.add_argument("--commands", nargs="*", default=list(COMMANDS))
    given = parser.parse_args()
    import dalenius.cli.main  # noqa: F401  (what every command imports is imported once)
    from tests.cli.warm import IMPORTED

    _import(IMPORTED)
    ends, slow, codes = time.monotonic() + given.within, 0, dict[int, int]()
    for seed in range(given.first, given.first + given.specs):
        if time.monotonic() > ends:
            print(f"ended before seed {seed}")
            break
        spec = small_spec(seed)
        for command in given.commands:
            seconds, code, words = timed(command, spec, given.limit)
            codes[code] = codes.get(code, 0) + 1
            if seconds > given.seconds or code not in (0, 1, 2):
                slow += 1
                print(
                    f"{seed} {command}: {seconds:.1f} s, exit {code}: {words[:100]}\n    {json.dumps(spec)}", flush=True
                )
    print(f"{slow} slow or failed; exit codes {codes}")


def _import(names: list[str]) -> None:
    import importlib

    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            continue


if __name__ == "__main__":
    main()
