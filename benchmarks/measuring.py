"""Time and peak memory of one call, in a process of its own."""

import json
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

REPOSITORY: Final = Path(__file__).resolve().parents[1]
LONG: Final = 10.0
"""Seconds from which a case runs once; shorter ones run three times."""
MEBIBYTE: Final = 2**20


@final
@dataclass(frozen=True)
class Measured:
    """seconds of the call alone, imports not counted; processor: those of all its threads; peak: bytes of memory the
    whole process held, imports counted."""

    seconds: float
    peak: float
    runs: int
    result: Any
    processor: float

    @property
    def mebibytes(self) -> float:
        return self.peak / MEBIBYTE


def measured(case: str, **arguments: object) -> Measured:
    """Call `case` ("module:function") in a fresh process with arguments that JSON can carry.

    The median of three runs, or the only run where it took LONG; the result is the last run's.
    """
    runs = [_run(case, arguments)]
    while runs[0].seconds < LONG and len(runs) < 3:
        runs.append(_run(case, arguments))
    seconds, peak, processor = (
        statistics.median(each) for each in zip(*((run.seconds, run.peak, run.processor) for run in runs), strict=True)
    )
    return Measured(seconds, peak, len(runs), runs[-1].result, processor)


def _run(case: str, arguments: dict[str, object]) -> Measured:
    command = [sys.executable, "-m", "benchmarks.measured_process", case, json.dumps(arguments)]
    done = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, check=True)
    seen = json.loads(done.stdout.splitlines()[-1])
    return Measured(seen["seconds"], seen["peak"], 1, seen["result"], seen["processor"])


def span(seconds: float) -> str:
    """A time of three significant digits in words."""
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"


def size(mebibytes: float) -> str:
    return f"{mebibytes:,.0f} MiB"
