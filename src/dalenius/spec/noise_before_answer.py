"""The noise of a spec whose query or noise is about each record, and that none of an answer's may stand for."""

from dalenius.errors import InputError
from dalenius.noise import Noise
from dalenius.queries import Query


def noise_before(query: Query | None, noise: Noise | None) -> Noise | None:
    """Returns the given noise where it is on records, or none may be on the answer; None elsewhere.

    Args:
        query: The spec's query; None where there is none.
        noise: The spec's noise; None where there is none.

    Raises:
        InputError: Reports go out in order, and no noise is given.
    """
    apart = query is not None and query.told_apart is not None
    if apart and noise is None:
        raise InputError("noise", "missing", "a section [noise] with kind randomized_response beside reports")
    return noise if noise is not None and (apart or noise.shape.on_records) else None
