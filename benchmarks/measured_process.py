"""The process of one run: `python -m benchmarks.measured_process MODULE:FUNCTION JSON` prints what it cost."""

import importlib
import json
import resource
import sys
from pathlib import Path
from time import perf_counter, process_time
from typing import Final

STATUS: Final = Path("/proc/self/status")
KIBIBYTE: Final = 1024
LATE: Final = ("scipy.special", "scipy.optimize", "scipy.sparse")
"""What the package imports only when it is first used; times leave imports out."""


def main() -> None:
    case, arguments = sys.argv[1:]
    module, function = case.split(":")
    call = getattr(importlib.import_module(module), function)
    for late in LATE:
        importlib.import_module(late)
    start, worked = perf_counter(), process_time()
    result = call(**json.loads(arguments))
    cost = {"seconds": perf_counter() - start, "processor": process_time() - worked}
    print(json.dumps({**cost, "peak": peak(), "result": result}))


def peak() -> int:
    """Bytes this process held at most. ru_maxrss starts, on Linux, from what the parent held: VmHWM does not."""
    if STATUS.exists():
        fields = dict(line.split(":", 1) for line in STATUS.read_text(encoding="utf-8").splitlines())
        return int(fields["VmHWM"].split()[0]) * KIBIBYTE
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest if sys.platform == "darwin" else largest * KIBIBYTE


if __name__ == "__main__":
    main()
