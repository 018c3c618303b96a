"""Reading of what OpenDP's `serialize` writes: a measurement as the constructors that make it, in JSON.

OpenDP makes the measurement again by calling the constructors that the file names. So their names are checked first:
only constructors of measurements, transformations, combinators and what these are about are called, and no plan of
polars is opened, which may carry code.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from dalenius.errors import InputError
from dalenius.spec import sections_of

_CALLED: Final = {
    "measurements": r"make_(?!user_)\w+",
    "transformations": r"make_(?!user_)\w+",
    "combinators": r"make_\w+",
    "core": r"(measurement|transformation)_(input|output)_(domain|metric|measure)",
    "domains": r"(?!user_)\w+_domain",
    "metrics": r"(?!user_)\w+_distance",
    "measures": r"\w+_divergence|approximate",
}
"""By module of OpenDP, the functions that a file may name."""
_FEATURES: Final = ("contrib", "honest-but-curious")


def read_measurement(path: Path | str) -> Any:
    """Read a measurement of OpenDP from a file that `opendp.prelude.serialize` wrote.

    Args:
        path: The file, in JSON.

    Returns:
        The measurement, an object of OpenDP.

    Raises:
        InputError: For a file that is no JSON or no measurement, that another version of OpenDP wrote, or that names
            a constructor which is unknown or not called here; in one line.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> import opendp.prelude as dp
        >>> dp.enable_features("contrib")
        >>> bits = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
        >>> made = bits >> dp.t.then_clamp((0, 1)) >> dp.t.then_sum() >> dp.m.then_laplace(scale=2.0)
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "measurement.json")
        ...     _ = path.write_text(dp.serialize(made))
        ...     read_measurement(path).map(2)
        1.0
    """
    file = Path(path)
    found = sections_of(file, "measurement")
    if not isinstance(found, dict) or "__function__" not in found:
        raise InputError("measurement", file.name, "what OpenDP's serialize writes of a measurement")
    _check_version(found)
    for node in _nodes(found):
        _check_called(node)
    from opendp.mod import OpenDPException, deserialize

    with _features():
        try:
            made = deserialize(json.dumps(found))  # type: ignore[no-untyped-call]
        except (OpenDPException, TypeError, ValueError, AttributeError, KeyError) as error:
            said = str(error).strip().splitlines() or [type(error).__name__]
            raise InputError(
                "measurement", str(found["__function__"]), f"arguments that OpenDP accepts ({said[-1].strip()})"
            ) from None
    if type(made).__name__ != "Measurement":
        raise InputError("measurement", str(found["__function__"]), "a measurement, which adds noise")
    return made


def _check_version(found: dict[str, Any]) -> None:
    """Raises InputError unless the installed OpenDP wrote the file, but for the last number of its version."""
    wrote, own = str(found.get("__version__", "missing")), version("opendp")
    # Because in another version a constructor of the same name may make another law.
    if wrote.split(".")[:2] != own.split(".")[:2]:
        wanted = f"a file of OpenDP {'.'.join(own.split('.')[:2])}, which is installed"
        raise InputError("measurement.__version__", wrote, wanted)


def _nodes(found: Any) -> Iterator[dict[str, Any]]:
    """Yields every object with a key of OpenDP's own, from outside to inside."""
    if isinstance(found, dict):
        if any(str(key).startswith("__") for key in found):
            yield found
        for value in found.values():
            yield from _nodes(value)
    elif isinstance(found, list):
        for value in found:
            yield from _nodes(value)


def _check_called(node: dict[str, Any]) -> None:
    """Raises InputError for a constructor that is unknown to OpenDP, or that is not called from a file."""
    if "__function__" not in node:
        if "__tuple__" in node:
            return
        kind = next(key for key in node if str(key).startswith("__"))
        raise InputError("measurement", str(kind), "no plans of polars, which are not opened from a file")
    name, module = str(node["__function__"]), str(node.get("__module__", ""))
    if not re.fullmatch(_CALLED.get(module, "(?!)"), name):
        raise InputError("measurement", f"{module}.{name}", "constructors of OpenDP that a file may name")
    if not hasattr(import_module(f"opendp.{module}"), name):
        raise InputError("measurement", name, f"a constructor that OpenDP {version('opendp')} has")


@contextmanager
def _features() -> Iterator[None]:
    """Enables the features that a file's constructors may ask for, and restores those of before."""
    from opendp.mod import GLOBAL_FEATURES, disable_features, enable_features

    new = [each for each in _FEATURES if each not in GLOBAL_FEATURES]
    enable_features(*new)
    try:
        yield
    finally:
        disable_features(*new)
