"""What every spec object is made of: a frozen pydantic base and the checked field types."""

from dalenius.schema.chances import Chance, Chances, Interval, Probabilities, credal, distribution, ends_of, is_credal
from dalenius.schema.frozen import Frozen
from dalenius.schema.given import shown
from dalenius.schema.numbers import MOST, AnyCount, Count, Finite, Level, Positive, Probability
from dalenius.schema.problems import first_problem
from dalenius.schema.values import Process, RecordValue, StageName, Value

__all__ = [
    "MOST",
    "AnyCount",
    "Chance",
    "Chances",
    "Count",
    "Finite",
    "Frozen",
    "Interval",
    "Level",
    "Positive",
    "Probabilities",
    "Probability",
    "Process",
    "RecordValue",
    "StageName",
    "Value",
    "credal",
    "distribution",
    "ends_of",
    "first_problem",
    "is_credal",
    "shown",
]
