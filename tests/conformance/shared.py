"""The truths of the table's examples, by their names, found once for all tests of a process."""

from functools import cache

from dalenius.noise import NoNoise
from tests.conformance.row import row_of
from tests.conformance.table import MODELS, NOISES, QUERIES, examples, worlds_of
from tests.conformance.truth import NoiseReader, Truth
from tests.conformance.worlds import World


@cache
def exact_truth(model: str, query: str) -> Truth:
    """Without noise. scores.Unfit where the query makes no sense."""
    asked, noise = examples(QUERIES)[query], NoNoise()
    return Truth(_worlds(model), asked, row_of(QUERIES, asked).meaning, noise, row_of(NOISES, noise).meaning)


@cache
def _worlds(model: str) -> list[World]:
    return worlds_of(examples(MODELS)[model])


@cache
def shared_truth(model: str, query: str, noise: str) -> Truth:
    return exact_truth(model, query).under(examples(NOISES)[noise], meaning_of(noise))


def meaning_of(noise: str) -> NoiseReader:
    """What the reference takes that example of a noise for."""
    reader: NoiseReader = next(row.meaning for row in NOISES if noise in row.examples)
    return reader
