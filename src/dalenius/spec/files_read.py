"""The files that a spec reads, of its model and its noises: where they are, and what is in them."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from dalenius.noise import Noise

if TYPE_CHECKING:
    from dalenius.spec.spec import Spec


def in_folder(spec: "Spec", folder: Path) -> "Spec":
    """Returns the spec as one in this folder, which the paths of its files are relative to."""
    return _with_noises(spec.altered({"model": spec.model.in_folder(folder)}), lambda noise: noise.in_folder(folder))


def self_contained(spec: "Spec") -> "Spec":
    """Returns the spec with the contents of its files written out."""
    return _with_noises(spec.altered({"model": spec.model.self_contained()}), lambda noise: noise.self_contained())


def _with_noises(spec: "Spec", change: Callable[[Noise], Noise]) -> "Spec":
    questions = None
    if spec.questions is not None:
        noises = [None if each.noise is None else change(each.noise) for each in spec.questions]
        pairs = zip(spec.questions, noises, strict=True)
        questions = tuple(each.altered({"noise": noise}) for each, noise in pairs)
    return spec.altered({"noise": None if spec.noise is None else change(spec.noise), "questions": questions})
