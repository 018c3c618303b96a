"""What the numbers were measured on."""

import os
import platform
from pathlib import Path
from typing import Final

import numpy as np

CPUS: Final = Path("/proc/cpuinfo")
GIBIBYTE: Final = 2**30


def machine() -> dict[str, str]:
    """Processor, cores, memory, versions, and how busy the machine was when asked."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "memory": f"{memory / GIBIBYTE:.1f} GiB",
        "Python": platform.python_version(),
        "numpy": np.__version__,
        "load before the run (1, 5, 15 minutes)": " ".join(f"{load:.2f}" for load in os.getloadavg()),
    }


def _processor() -> str:
    lines = CPUS.read_text(encoding="utf-8").splitlines() if CPUS.exists() else []
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())
