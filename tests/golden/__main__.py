"""What every command says of many specs, written down before a change and compared after it.

python -m tests.golden record FILE     # specs of docs and examples, and 200 random ones, with the JSON of commands
python -m tests.golden compare FILE    # the same specs once more: every number to 1e-12, every word
"""

import json
import sys
from multiprocessing import Pool
from pathlib import Path
from typing import Any

from tests.golden.difference import differences
from tests.golden.outcome import Case, outcomes
from tests.golden.specs import random_specs, written


def _record(file: Path) -> int:
    cases = [*written(), *random_specs(200)]
    with Pool(2) as pool:
        found = pool.map(outcomes, cases, chunksize=1)
    rows = [{"case": case.as_json(), "outcomes": each} for case, each in zip(cases, found, strict=True)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    print(f"{len(rows)} specs, {sum(map(len, found))} outcomes")
    return 0


def _compare(file: Path) -> int:
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    with Pool(2) as pool:
        found = pool.map(outcomes, [Case.from_json(row["case"]) for row in rows], chunksize=1)
    different = 0
    for row, now in zip(rows, found, strict=True):
        different += _shown(row["case"]["name"], row["outcomes"], now)
    print(f"{different} differences in {len(rows)} specs, {sum(map(len, found))} outcomes")
    return 1 if different else 0


def _shown(name: str, before: dict[str, Any], now: dict[str, Any]) -> int:
    count = 0
    for command in before:
        for line in differences(before[command], now.get(command)):
            print(f"{name} | {command} | {line}")
            count += 1
    return count


if __name__ == "__main__":
    what, path = sys.argv[1:]
    sys.exit({"record": _record, "compare": _compare}[what](Path(path)))
