"""The section [sample] of a spec: it becomes a part of the model, so that nothing takes the population for the sample.

>>> moved = with_sample({"model": {"kind": "independent"}, "sample": {"rate": 0.1}})
>>> sorted(moved), moved["model"]["kind"]
(['model'], 'sampled')
"""

from collections.abc import Mapping
from typing import Any

from dalenius.errors import InputError


def with_sample(sections: Any) -> Any:
    """Moves a section `sample` of a spec's `sections` into its model; other sections stay as they are."""
    if not isinstance(sections, Mapping) or sections.get("sample") is None or "model" not in sections:
        return sections
    rest = {name: section for name, section in sections.items() if name not in ("model", "sample")}
    return {"model": {"kind": "sampled", "population": sections["model"], "sample": sections["sample"]}, **rest}


def as_written(error: InputError, sections: Any) -> InputError:
    """Returns the `error` with the key that the user wrote, where the spec's `sections` have a sample of their own."""
    if with_sample(sections) is sections:
        return error
    for moved, written in (("model.population", "model"), ("model.sample", "sample")):
        if error.key == moved or error.key.startswith(f"{moved}."):
            wanted = error.wanted.replace(moved, written)
            return InputError(written + error.key.removeprefix(moved), error.value, wanted)
    return error
