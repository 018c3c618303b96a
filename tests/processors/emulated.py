"""What makes numpy, OpenBLAS and the C library compute as on an old processor, as far as this one can be told to."""

import shlex

from numpy._core._multiarray_umath import (  # type: ignore[import-not-found]
    __cpu_dispatch__,
    __cpu_features__,
)


def settings() -> dict[str, str]:
    """Environment variables: no loops of numpy's beyond its baseline, OpenBLAS for a processor of 2008, and no fused
    multiplication in exp, log and pow."""
    here = [feature for feature in __cpu_dispatch__ if __cpu_features__.get(feature)]
    return {
        "NPY_DISABLE_CPU_FEATURES": " ".join(here),
        "OPENBLAS_CORETYPE": "Nehalem",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX,-AVX2,-AVX512F,-FMA,-FMA4",
    }


if __name__ == "__main__":
    print(" ".join(f"{name}={shlex.quote(value)}" for name, value in settings().items()))
