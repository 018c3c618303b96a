"""What methods and advice do not serve: each reason once, in one line that names the key."""

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
import pytest

import dalenius as dl
from dalenius.calibration import METHODS, advice
from dalenius.calibration.method_base import Method, calibrated
from dalenius.errors import DaleniusError
from dalenius.models import Model
from dalenius.noise import Noise
from dalenius.notions import Notion
from dalenius.optimum.method import OptimalMethod
from dalenius.queries import Query

HOMES = dl.Households(count=12, infected=(0.9, 0.04, 0.0, 0.0, 0.06))
PAIR = dl.Table(records=[[0, 0], [1, 1]], probabilities=[0.9, 0.1])
ABSENT = dl.Absent(answers=(1, 2, 3), prior=(0.5, 0.3, 0.2))
DAYS = dl.Chain(n=40, transition=[[0.9, 0.1], [0.4, 0.6]], initial="stationary")
LONG = dl.Network(
    nodes=[
        {"name": "n0", "probabilities": [0.5, 0.5]},
        *({"name": f"n{i}", "parents": [f"n{i - 1}"], "probabilities": [[0.9, 0.1], [0.2, 0.8]]} for i in range(1, 60)),
    ]
)
TWO = dl.Several(queries=(dl.Count(), dl.Count(values=[0])))
WIDE = dl.Independent(values=list(range(40)), n=30, probabilities=[[1 / 40] * 40])
RARE = dl.Independent(n=300_000, probabilities=[1e-6])
BIT = dl.Independent(n=2, probabilities=[0.5])
SURE = dl.Kernel(answers=[0, 1, 2], outputs=["low", "high"], probabilities=[[0.9, 0.1], [0.5, 0.5], [0.1, 0.9]])
ONE, BAYESIAN, RHO = dl.InferentialPrivacy(epsilon=1), dl.BayesianPrivacy(epsilon=1), dl.RhoIdentifiability(rho=0.5)
SURELY = dl.DifferentialIdentifiability(alpha=0.5, beta=1.0)
NAMES = ", ".join(method.name for method in METHODS)


def calibrate(
    method: str | Method,
    model: Model = HOMES,
    notion: Notion = ONE,
    query: Query | None = None,
    noise: Noise | None = None,
) -> Callable[[], Any]:
    asked = None if isinstance(model, dl.Absent) else query or dl.Count()
    return lambda: dl.calibrate(dl.Release(model, asked, noise or dl.Geometric()), notion, method)


def of_bit(noise: Noise) -> dl.Release:
    return dl.Release(BIT, dl.Count(), noise)


SAID: dict[str, Callable[[], object]] = {
    "notion.beta: 1.0, wanted below 1: somebody's prior is 0.5 already": calibrate("exact", ABSENT, SURELY),
    "notion.rho: 0.5, wanted above 0.5": calibrate("lee_clifton", ABSENT, RHO),
    "noise.kind: gaussian, wanted": calibrate("exact", ABSENT, dl.RhoIdentifiability(rho=0.6), noise=dl.Gaussian()),
    "notion.kind: identifiability": calibrate("wasserstein", PAIR, SURELY),
    "model.kind: households, wanted absent": calibrate("prior_free", notion=SURELY),
    "noise.kind: none, wanted a noise with a scale": calibrate("exact", noise=dl.NoNoise()),
    "notion.epsilon: missing, wanted a finite number above 0": calibrate("exact", notion=dl.InformationPrivacy()),
    f"method: magic, wanted one of {NAMES}": calibrate("magic"),
    "promises: none, wanted at least one notion with an epsilon": lambda: calibrated(
        METHODS[0], of_bit(dl.Geometric()), []
    ),
    "notion.kind: mutual_information, wanted inferential, information or differential (or method exact)": calibrate(
        "optimal", notion=dl.MutualInformationPrivacy(epsilon=0.001)
    ),
    "notion.kind: differential, wanted inferential or information, among others": calibrate(
        "clamped", notion=dl.DifferentialPrivacy(epsilon=1)
    ),
    "query: 2 answers, wanted a single answer": calibrate("clamped", query=TWO),
    "notion.kind: bayesian, wanted inferential or information, among others": calibrate("clamped", DAYS, BAYESIAN),
    "notion.kind: bayesian, wanted inferential, information or differential": calibrate("optimal", DAYS, BAYESIAN),
    "the program: 160 answers, 1,560 constraints on each output is too large, use method clamped": calibrate(
        "optimal", WIDE, dl.InferentialPrivacy(epsilon=0.2), dl.Sum()
    ),
    "use objective absolute": calibrate(OptimalMethod("worst"), RARE),
    "notion.epsilon: 0.6, wanted more than ln 2 = 0.693147": calibrate(
        "weak_dependence", notion=dl.InferentialPrivacy(epsilon=0.6)
    ),
    "method: markov_quilt, wanted a model that is a chain": calibrate("markov_quilt", PAIR),
    "method: wasserstein, wanted an answer of one number for each group": calibrate("wasserstein", query=TWO),
    "method: comonotone, wanted an answer that is one sum": calibrate("comonotone", PAIR, query=dl.Max()),
    "noise.kind: gaussian, wanted laplace or geometric": calibrate(
        "wasserstein", notion=dl.InferentialPrivacy(epsilon=1, delta=0.01), noise=dl.Gaussian()
    ),
    "what records say about each other: ": calibrate("dependence_coefficient", LONG),
    "notion.delta: missing, wanted a number above 0 beside epsilon": calibrate("gaussian"),
    "within: 0.0, wanted a finite number above 0": lambda: dl.accuracy(of_bit(dl.Laplace(scale=1.0)), 0.0),
    "within: inf, wanted a finite number above 0": lambda: dl.accuracy(of_bit(dl.Laplace(scale=1.0)), inf),
    "noise.kind: kernel, wanted a noise whose outputs are numbers": lambda: dl.accuracy(of_bit(SURE), 1.0),
    "noise.scale: missing": lambda: dl.accuracy(of_bit(dl.Laplace()), 1.0),
    "beta: 1, wanted a number above 0 and below 1": lambda: dl.within(of_bit(dl.Laplace(scale=1.0)), 1),
    "total: true, wanted false, or noise that is added to the answer": lambda: dl.within(
        dl.Release(BIT, TWO, dl.Kernel(answers=[0, 1, 2], probabilities=np.eye(3).tolist())), 0.1, total=True
    ),
    "confidence: nan": lambda: advice(of_bit(dl.Geometric(scale=1.0)), float("nan")),
    "without noise the answer leaks ": calibrate("noiseless"),
}


def test_each_reason_in_one_line() -> None:
    for said, call in SAID.items():
        with pytest.raises(DaleniusError) as caught:
            call()
        assert said in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_scale_that_does_not_keep_its_word_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """As of somebody else's noise, whose author thought of one answer where there are two."""
    monkeypatch.setattr(dl.Laplace, "scale_for", lambda *_: 1.0)
    with pytest.raises(DaleniusError, match=r"^noise laplace at scale 1 leaks up to 2 nats, promised 1$"):
        calibrate("independent", BIT, dl.DifferentialPrivacy(epsilon=1), TWO, dl.Laplace())()
