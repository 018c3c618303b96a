"""A spec as one text, equal for all specs that ask the same."""

import json

from dalenius.spec.spec import Spec


def canonical(spec: Spec) -> str:
    """JSON with sorted keys and all defaults. What the model reads from a file is in it; where the people are is not,
    nor what they are called: the data are known by their name and their content. Nor is what is computed from the
    answers alone: who asks for more of that asks the same."""
    data = None if spec.data is None else spec.data.without_place()
    whole = spec.altered({"model": spec.model.self_contained(), "data": data, "derived": None})
    # Keys that are None are left out, so that one that a later version adds changes no text.
    return json.dumps(whole.model_dump(mode="json", exclude_none=True), sort_keys=True, separators=(",", ":"))
