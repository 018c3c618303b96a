"""What a release, its secrets and its adversary refuse: each reason once, in one line that names the key."""

from collections.abc import Callable
from typing import Any

import pytest

import dalenius as dl
from dalenius.channel import Adversary, KnownAnswer
from dalenius.errors import DaleniusError
from dalenius.fields import Chance
from dalenius.models import Model
from dalenius.noise import Noise, separate
from dalenius.optimum.clamped_noise import Clamped
from dalenius.queries import Query
from dalenius.spec import spec_from

NOISE = dl.Laplace(scale=1.0)
PAIR = dl.Table(records=[[0, 0], [1, 1]], probabilities=[0.9, 0.1])
BITS = dl.Independent(n=8, probabilities=[0.3])
HOMES = dl.Households(count=3, infected=[0.7, 0.1, 0.2])
SEXES = dl.Households(
    types=[
        {"count": 5, "infected": [0.7, 0.1, 0.2], "members": {"women": 2}},
        {"count": 4, "infected": [0.6, 0.4], "members": {"men": 1}},
    ]
)
NORMAL = dl.GaussianRecords(mean=[0.0, 0.0], covariance=[[1.0, 0.5], [0.5, 1.0]])
DAYS = dl.Chain(n=3, transition=[[0.9, 0.1], [0.3, 0.7]], initial=[0.5, 0.5])
ROW: tuple[Chance, ...] = ((0.5, 0.7), (0.1, 0.3), (0.05, 0.2), (0.05, 0.3))
SET = dl.Households(count=2, infected=ROW)
SICK = {"transition": [[[0.94, 0.98], [0.02, 0.06]], [[0.05, 0.15], [0.85, 0.95]]], "initial": [[0.7, 0.9], [0.1, 0.3]]}
SICK_DAYS = dl.Chain(n=3, **SICK)
MOMENTS = {"kind": "moments", "n": 1000, "neighbourhood": 1, "variance": 0.2, "third": 0.2, "fourth": 0.2, "range": 1}
MIXED = dl.Households(types=[{"count": 1, "infected": [0.7, 0.1, 0.2], "members": {"women": 1, "men": 1}}])
MILLION = dl.Households(count=250_000, infected=[0.9, 0.04, 0.0, 0.0, 0.06])
BLOCKS = dl.Households(types=[{"count": 50_000, "infected": [0.7, 0.1, 0.2], "members": {"women": 1, "men": 1}}])
RATIO, AVERAGE, BAYESIAN = dl.InferentialPrivacy(), dl.MutualInformationPrivacy(), dl.BayesianPrivacy()


def release(model: Model, query: Query | None = None, noise: Noise = NOISE, **more: Any) -> dl.Release:
    return dl.Release(model, query or dl.Count(), noise, **more)


def about(model: Model = HOMES, **secrets: Any) -> dl.Release:
    return release(model, secrets=dl.Secrets(**secrets))


def told(model: Model, *answers: tuple[Query, Any], query: Query | None = None) -> object:
    known = tuple(KnownAnswer(query=asked, value=value) for asked, value in answers)
    return RATIO.leakage(release(model, query, adversary=Adversary(answers=known)))


def channels(model: Model, query: Query | None = None, engine: str | None = None) -> object:
    return list(release(model, query, engine=engine).channels())


def sick(**fields: Any) -> Model:
    return dl.Chain(**{"n": 3, **SICK, **fields})


Table = dict[str, Callable[[], object]]

SECRETS: Table = {
    "secrets.people: 3, wanted a person's number from 1 to 2": lambda: about(PAIR, people=(3,)),
    "secrets.pairs row 1: 7, wanted": lambda: about(PAIR, pairs=((0, 7),)),
    "secrets.pairs row 2: [1, 1], wanted two different values": lambda: about(PAIR, pairs=((0, 1), (1, 1))),
    "size: 0, wanted a number of at least 1": lambda: about(size=0),
    "secrets.size: 8, wanted at most 6, as many people as there are": lambda: about(size=8),
    "secrets.size: 2, wanted no such key beside groups": lambda: about(size=2, groups=[[1, 2]]),
    "secrets.people: [1], wanted no such key beside size, groups or function": lambda: about(size=2, people=[1]),
    "secrets.groups row 1: [1, 1], wanted person 1 once": lambda: about(groups=[[1, 1]]),
    "secrets.groups row 2: 9, wanted a person's number from 1 to 6": lambda: about(groups=[[1, 2], [1, 9]]),
    "secrets.groups row 1: Ann, wanted a person's number or name": lambda: about(groups=[["Ann", 2]]),
    "wanted 1 or more entries": lambda: about(groups=[]),
    'wanted lists of people, such as [[1, 2], [5, 7]], or "everybody"': lambda: about(groups="all"),
    "secrets.groups: everybody, wanted a function beside it": lambda: about(groups="everybody"),
    "wanted any member V, all members V, number V (V a value of records)": lambda: about(function="most 1"),
    "secrets.function: any member ill, wanted a value that some record can have: 0, 1": lambda: about(
        function="any member ill"
    ),
    "secrets.pairs row 1: 2, 2, wanted secrets, as they are shown:": lambda: about(size=2, pairs=[["1, 0", "2, 2"]]),
    "wanted records that are numbers, which 'a' is not": lambda: about(
        dl.Table(records=[["a", 1], ["b", 1]], probabilities=[0.5, 0.5]), function="total"
    ),
    "certificates from moments say nothing of groups": lambda: spec_from(
        {"model": MOMENTS, "query": {"kind": "sum"}, "secrets": {"size": 2}}
    ),
    "ask for a secret of fewer people": lambda: RATIO.leakage(
        about(MILLION, groups="everybody", function="any member 1")
    ),
    "more than 20,000 kinds of groups of people": lambda: about(
        dl.Chain(n=300, initial=[0.5, 0.5], transition=[[0.2, 0.8], [0.8, 0.2]]), size=2
    ),
}
ENGINES: Table = {
    "wanted a single answer": lambda: channels(MIXED, dl.Count(per_label=True), "tilting"),
    "engine: tilting, wanted an answer that is a sum: maxima": lambda: channels(PAIR, dl.Max(), "tilting"),
    "engine: guessing, wanted enumeration, ": lambda: channels(PAIR, engine="guessing"),
    "assignments of the records": lambda: channels(dl.Independent(n=60, probabilities=[0.5]), engine="enumeration"),
    "convolution": lambda: channels(
        dl.Independent(n=10**6, probabilities=[0.5]), dl.Several(queries=(dl.Max(), dl.Count()))
    ),
    "answers: 1, 1, wanted answers that can occur: the nearest are": lambda: dl.posterior(
        release(DAYS, dl.Several(queries=(dl.Count(), dl.Count(values=[0]))), separate([dl.NoNoise(), dl.NoNoise()])),
        (1, 1),
    ),
    "answers: 2, wanted an answer that can occur: the nearest is 3": lambda: dl.posterior(
        release(dl.Table(records=[[0, 0], [0, 3]], probabilities=[0.5, 0.5]), dl.Sum(), dl.NoNoise()), [2]
    ),
    "3 answers that determine each other": lambda: dl.audit(
        release(
            dl.Households(count=400, infected=[0.8, 0.1, 0.1]),
            dl.Several(queries=(dl.Count(),) * 3),
            separate([dl.Gaussian(scale=1.0), NOISE, dl.Laplace(scale=2.0)]),
        )
    ),
    "notion.kind: tails, wanted one known for the gaussian model": lambda: next(
        release(NORMAL, dl.Sum()).all_channels()
    ).tail(),
}
KNOWN: Table = {
    "adversary.answers row 1: 9, wanted a value the answer can have under": lambda: told(BITS, (dl.Count(), 9)),
    "adversary.answers: row 1 = 4, row 2 = 3, wanted values that can": lambda: told(
        BITS, (dl.Count(), 4), (dl.Sum(), 3), query=dl.Max()
    ),
    "adversary.answers row 1.value: 2.5, wanted a multiple of 1, as every": lambda: told(BITS, (dl.Count(), 2.5)),
    "adversary.answers row 1.value: 1 of them, wanted 2, one for each answer (men, women)": lambda: told(
        SEXES, (dl.Count(per_label=True), 3)
    ),
    "adversary.answers row 1.query.labels: cats, wanted one of": lambda: told(SEXES, (dl.Count(labels=["cats"]), 3)),
    "adversary.answers row 1: 11, wanted a value": lambda: told(
        SEXES, (dl.Count(labels=["women"]), 11), query=dl.Count(labels=["men"])
    ),
    "adversary.answers: 1 of them, wanted none beside model gaussian": lambda: told(
        NORMAL, (dl.Sum(), 1), query=dl.Sum()
    ),
    "adversary.answers row 1: 1, wanted a value the answer can have under the model": lambda: told(
        dl.AnyOf(models=[dl.Independent(n=2, probabilities=[p]) for p in (1.0, 0.5)]), (dl.Count(), 1)
    ),
    "wanted a finite number, or a list of one for each answer": lambda: KnownAnswer(query=dl.Count(), value=True),
    "the law given adversary.answers: a box of 5e+09 points is too large": lambda: told(
        BLOCKS, (dl.Count(), 30_000), query=dl.Count(labels=["women"])
    ),
}
INTERVALS: Table = {
    "with lo at most hi (number 1 is [0.9, 0.2])": lambda: sick(transition=[[[0.9, 0.2], 0.5], [0.5, 0.5]]),
    "probabilities from 0 to 1 (number 1 is [0.9, 1.2]": lambda: dl.Households(count=2, infected=((0.9, 1.2), 0.1)),
    "a law inside, of sum 1 (lower ends sum to 0.3, upper ends to 0.5": lambda: dl.Households(
        count=2, infected=(0.2, (0.1, 0.3))
    ),
    "a law inside, of sum 1 (lower ends sum to 1.1": lambda: dl.Node(name="a", probabilities=[[0.6, 0.7], [0.5, 0.6]]),
    "an interval [lo, hi] of two numbers": lambda: dl.Households(count=2, infected=((0.8,), 0.2)),
    "initial probabilities or intervals, since intervals have": lambda: sick(initial="stationary"),
    "wanted sums of scores of the records beside intervals": lambda: channels(SET, dl.Max()),
    "engine: tilting, wanted none": lambda: release(SET, engine="tilting"),
    "wanted a model with a point law here: numbers for all": lambda: BAYESIAN.leakage(release(SET)),
    "laplace, geometric or none beside model chain with intervals": lambda: RATIO.leakage(
        release(SICK_DAYS, noise=dl.Gaussian(scale=1.0))
    ),
    "laplace, geometric or gaussian": lambda: RATIO.leakage(release(SET, noise=Clamped(scale=1.0, lower=0, upper=3))),
    "no known records beside intervals": lambda: release(SICK_DAYS, adversary=Adversary(known={"1": 1})),
    "wanted a model with a point law here": lambda: release(SET).worlds.joints,
    "a point law for mutual_information": lambda: AVERAGE.leakage(release(SET)),
    "a point law for trade-offs": lambda: list(next(release(SET).all_channels()).tradeoffs()),
    "one law for this method: numbers for all probabilities, or method exact": lambda: dl.calibrate(
        release(SET, noise=dl.Geometric()), dl.InferentialPrivacy(epsilon=1.0), "optimal"
    ),
    "wanted parts that are independent groups": lambda: release(dl.Product(parts=(SET, SICK_DAYS))),
    "a part beside intervals: a law of 1.2e+18 assignments": lambda: release(
        dl.Product(parts=(SET, dl.Chain(n=60, transition=[[0.9, 0.1], [0.2, 0.8]], initial=[0.5, 0.5])))
    ),
    "wanted numbers for all probabilities within linked": lambda: release(
        dl.Linked(stages=2, within=SET, coupling="copies")
    ),
}


TABLES = {"secrets": SECRETS, "engines": ENGINES, "known": KNOWN, "intervals": INTERVALS}


@pytest.mark.parametrize("name", TABLES)
def test_each_reason_in_one_line(name: str) -> None:
    for said, call in TABLES[name].items():
        with pytest.raises(DaleniusError) as caught:
            call()
        assert said in str(caught.value)
        assert "\n" not in str(caught.value)


def test_averages_over_sets_of_laws_are_left_out_of_an_audit() -> None:
    for model in (SET, SICK_DAYS):
        found = dl.audit(release(model, noise=dl.Geometric(scale=1.0)))
        assert set(found) == {"differential", "inferential", "information", "relative_entropy"}
