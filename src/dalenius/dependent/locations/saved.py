"""An attack on a file: what is done stays done, and a run that was stopped goes on where it was."""

import hashlib
import json
import os
from dataclasses import fields
from pathlib import Path
from typing import Any, final

import numpy as np

from dalenius.dependent.locations.centroids import NoisyCentroids
from dalenius.dependent.locations.city import City
from dalenius.dependent.locations.priors import Prior
from dalenius.dependent.locations.results import LocationAttack
from dalenius.errors import InputError

FORMAT = "dalenius attack on locations, 1"


@final
class Saved:
    """Lines of JSON: the format and a digest of the inputs, then one line per block of people.

    A line counts once its end is written; what stands after the last such end is what a stopped run left, and is
    overwritten. InputError (resume) for a file of other inputs, or that is none of these.
    """

    def __init__(self, path: Path, digest: str) -> None:
        self._path = path
        self._first = {"format": FORMAT, "inputs": digest}

    def blocks(self) -> list[LocationAttack]:
        """Those on the file, which is begun where there is none."""
        try:
            whole = self._path.read_bytes() if self._path.exists() else b""
            lines = whole[: whole.rfind(b"\n") + 1].splitlines()
            if not lines:
                if whole and not _line(self._first).startswith(whole):
                    raise self._unreadable()
                self._path.write_bytes(_line(self._first))
                return []
            self._check(lines[0])
            if len(whole) > whole.rfind(b"\n") + 1:
                os.truncate(self._path, whole.rfind(b"\n") + 1)
            found = [LocationAttack.from_columns(json.loads(line)) for line in lines[1:]]
            people = [person for block in found for person in block.person.tolist()]
            if people != list(range(len(people))):
                raise self._unreadable()
            return found
        except OSError as error:
            raise InputError("resume", str(self._path), f"a file to keep what is done ({error.strerror})") from None
        except (ValueError, KeyError, TypeError):
            raise self._unreadable() from None

    def add(self, block: LocationAttack) -> None:
        with self._path.open("ab") as file:
            file.write(_line(block.columns()))
            file.flush()
            os.fsync(file.fileno())

    def _check(self, line: bytes) -> None:
        first = json.loads(line)
        if not isinstance(first, dict) or first.get("format") != FORMAT:
            raise self._unreadable()
        if first != self._first:
            wanted = "a file of the same places, friends, centroids, noise, prior, known and seed, or a new one"
            raise InputError("resume", str(self._path), wanted)

    def _unreadable(self) -> InputError:
        return InputError("resume", str(self._path), "a file that an attack on locations has written, or a new one")


def _line(content: dict[str, Any]) -> bytes:
    return json.dumps(content, allow_nan=False).encode() + b"\n"


def digest_of(city: City, released: NoisyCentroids, prior: Prior, known: int | None, seed: int) -> str:
    """Of all that decides what the attack finds."""
    found = hashlib.sha256()
    arrays = [city.places, released.centroids, released.labels, np.asarray(released.scale, dtype=np.float64)]
    if prior.edges is not None:
        arrays += [prior.edges.first, prior.edges.second]
    for array in arrays:
        found.update(repr((array.shape, array.dtype.str)).encode() + np.ascontiguousarray(array).tobytes())
    plain = {each.name: repr(getattr(prior, each.name)) for each in fields(prior) if each.name != "edges"}
    rest = {"grid": repr(city.grid), "known": known, "seed": seed, "rerun": released.recluster is not None, **plain}
    found.update(json.dumps(rest, sort_keys=True).encode())
    return found.hexdigest()
