"""Every audit is attained by an attack: over the conformance table's models, queries and noises.

`dalenius attack`: its JSON, what people read, and what has no meaning.
"""

from itertools import product
from math import exp, inf, log
from pathlib import Path
from typing import Any

import pytest

import dalenius as dl
from dalenius.attack import Attained, bayes_attacks
from dalenius.errors import Meaningless
from dalenius.notions import InferentialPrivacy, InformationPrivacy, MinEntropyPrivacy, MutualInformationPrivacy
from tests.cli.command import EXAMPLES, Run, dalenius, dalenius_once
from tests.conformance.scores import Unfit
from tests.conformance.shared import exact_truth
from tests.conformance.table import MODELS, NOISES, NOT_EVERYWHERE, PAIR, QUERIES, examples
from tests.pace import covering

NARROW = 1e-8
AXES = ("per label", "count at two stages", "histogram", "and", "count twice", "then adults")
"""Queries of several answers, which take seconds under Laplace noise."""


def combinations() -> list[Any]:
    """Each model and each query with a noise, in turn: so many that each of them is there."""
    found = []
    noises = [noise for noise in examples(NOISES) if noise not in NOT_EVERYWHERE]
    for turn, (model, query) in enumerate(product(examples(MODELS), examples(QUERIES))):
        noise = noises[turn % len(noises)]
        try:
            exact_truth(model, query)
        except Unfit:
            continue
        if noise != "laplace" or not any(word in query for word in AXES):
            found.append((model, query, noise))
    return [each for each in covering(found) if type(each) is tuple]


def attains(found: Attained) -> bool:
    """Whether what was reached is the bound, as far as either is known."""
    reached, bound = found.reached, found.bound
    overlap = reached.lower <= bound.upper and reached.upper >= bound.lower
    narrow = bound.lower == inf or reached.upper - reached.lower <= NARROW * max(1.0, bound.upper)
    return overlap and narrow


@pytest.mark.parametrize(("model", "query", "noise"), combinations())
def test_the_audit_is_attained(model: str, query: str, noise: str) -> None:
    release = dl.Release(examples(MODELS)[model], examples(QUERIES)[query], examples(NOISES)[noise])
    attacks = bayes_attacks(release)
    audit = {kind.__name__: kind().leakage(release) for kind in (InferentialPrivacy, InformationPrivacy)}
    for name, read in (("InferentialPrivacy", "odds"), ("InformationPrivacy", "raised")):
        found = [getattr(each, read) for each in attacks]
        if noise != "gaussian":
            assert all(each is None or attains(each) for each in found)
        best = max((each.reached.upper for each in found if each is not None), default=0.0)
        assert best <= audit[name].upper * (1 + 1e-9) + 1e-9
        if noise != "gaussian" and audit[name].witness is not None:
            assert best >= audit[name].lower * (1 - 1e-9) - 1e-9
    leaked = max((each.leaked.upper for each in attacks if each.leaked is not None), default=0.0)
    assert leaked == pytest.approx(MutualInformationPrivacy().leakage(release).upper, abs=1e-12)
    gains = [
        log(each.success.lower / each.prior_success)
        for each in attacks
        if each.success is not None and each.prior_success is not None
    ]
    assert max(gains, default=0.0) <= MinEntropyPrivacy().leakage(release).upper + 1e-9


def test_a_near_lie_is_no_attainment() -> None:
    (first, *_) = bayes_attacks(dl.Release(PAIR, dl.Count(), dl.Laplace(scale=1.0)))
    assert first.odds is not None
    assert attains(first.odds)
    lie = dl.Enclosure(first.odds.bound.lower - 1e-6, first.odds.bound.upper - 1e-6)
    assert not attains(Attained(first.odds.reached, lie, first.odds.witness))


SPEC = EXAMPLES / "pair.toml"


@pytest.mark.lengthy
def test_keys_and_numbers() -> None:
    found = dalenius_once("attack", SPEC, "--json").json
    own = ["law", "person", "who", "what", "leaked", "success", "success_lower", "success_upper", "prior_success"]
    assert list(found) == [*own, "attained", "test", "in_words", "people", "engine", "why", "seconds"]
    assert found["leaked"]["bits"] == pytest.approx(found["leaked"]["nats"] / log(2))
    assert (found["success"], found["prior_success"]) == (0.9, 0.9)
    audit = dalenius_once("audit", SPEC, "--json").json["leakage"]
    assert found["leaked"]["nats"] == audit["mutual_information"]["epsilon"]
    for reached, notion in (("odds", "inferential"), ("raised", "information")):
        attained = found["attained"][reached]
        assert attained["nats"] == pytest.approx(audit[notion]["epsilon"], abs=1e-9)
        assert attained["bound"]["epsilon"] == audit[notion]["epsilon"]
        assert attained["witness"]["output"] == audit[notion]["witness"]["output"]


def test_what_people_read(tmp_path: Path) -> None:
    shown = dalenius("attack", SPEC).out
    assert "What the best guess finds out of each class of people" in shown
    assert "true positives at 1 % false alarms 0.0738906" in shown
    certain = '[model]\nkind = "table"\nrecords = [[0, 1]]\nprobabilities = [1.0]\n'
    (tmp_path / "spec.toml").write_text(certain + '[query]\nkind = "count"\n[noise]\nkind = "none"\n', encoding="utf-8")
    assert dalenius("attack", tmp_path / "spec.toml").out.startswith("nobody's record moves the answers")
    assert dalenius("attack", tmp_path / "spec.toml", "--json").json["people"] == []


def test_what_has_no_meaning() -> None:
    pairs = dl.Pairwise(n=3, values=[0, 1], given=[[0.9, 0.1], [0.2, 0.8]], edges=[[1, 2], [2, 3]])
    with pytest.raises(Meaningless, match=r"^model.kind: pairwise, wanted a model with a joint law of all records"):
        bayes_attacks(dl.Release(pairs, dl.Sum(), dl.Laplace(scale=1.0)))


@pytest.mark.parametrize("scale", [0.5, 4.0])
def test_sentence_says_whether_an_attacker_does_better(run: Run, tmp_path: Path, scale: float) -> None:
    # One fair bit is always guessed better; of a rare one the blind guess stays the best where noise is large.
    for chance in (0.5, 0.95):
        model = f'[model]\nkind = "independent"\nn = 1\nprobabilities = [[{chance}, {1 - chance}]]\n'
        spec = tmp_path / "spec.toml"
        spec.write_text(f'{model}[query]\nkind = "count"\n[noise]\nkind = "geometric"\nscale = {scale}\n')
        found = run("attack", spec, "--json").json
        # By Bayes: an output of 0 or below speaks for 0 most, by e^(1/scale), and one of 1 or above for 1.
        gains = (1 - chance) * exp(1 / scale) > chance
        assert found["in_words"].startswith(f"an attacker does {'better' if gains else 'no better'} than before")
        assert (found["success"] > found["prior_success"] + 1e-9) == gains
        assert found["in_words"] in run("attack", spec).out.replace("\n", " ")
