"""Whatever is asked after which answer, the promise about who is absent is kept; noise of 2 % less breaks it."""

from math import asinh

import numpy as np
import pytest

from dalenius import Absent, DifferentialIdentifiability, Spec, Sum
from dalenius.absent.rounded_answers import rounded
from dalenius.composition import Accountant, uniform_belief
from dalenius.curator.absence_answers import AnswersSoFar
from dalenius.curator.absence_certificate import AbsenceTerms
from dalenius.left_out import left_out_of
from tests.curator.absence_games import play

GAMES = [200, pytest.param(10_000, marks=pytest.mark.slow)]


@pytest.mark.lengthy
@pytest.mark.parametrize("games", GAMES)
def test_adaptive_games_keep_the_promise(games: int) -> None:
    for seed in range(games):
        table, played = play(seed)
        assert played.keeps(table), seed


@pytest.mark.parametrize("games", GAMES)
def test_two_percent_less_noise_breaks_the_promise_at_the_worst_outputs(games: int) -> None:
    """In every such game: the least scale uses all that is left, and no more."""
    complete = broken = 0
    for seed in range(1, games, 2):
        table, played = play(seed, lie=0.98)
        complete += played.complete
        broken += played.complete and not played.keeps(table)
    assert complete > games / 3
    assert broken == complete


@pytest.mark.lengthy
def test_two_percent_less_noise_is_also_found_out_in_drawn_games() -> None:
    found = [play(seed, lie=0.98) for seed in range(0, 400, 2)]
    assert any(not played.keeps(table) for table, played in found)


@pytest.mark.slow
def test_the_law_drawn_is_the_law_promised() -> None:
    """The mean size of 160,000 draws tells the promised scale from one that is 2 % smaller."""
    answers = rounded(left_out_of([20, 35, 60, 100]))
    so_far = AnswersSoFar(Accountant(0.5, 1.0, uniform_belief(4)))
    promise = DifferentialIdentifiability(alpha=0.5, beta=1.0)
    spec = Spec(model=Absent(), query=Sum(), notion=promise)
    terms = AbsenceTerms(spec, promise, answers, so_far.noise(answers, 1.0), 0.0, 1.0, 0.95, 4)
    drawn = [terms.noise.draw((answers.index_of(2),), answers.lattice)[0] for _ in range(160_000)]
    size = float(np.mean([abs(float(each) - 60) for each in drawn]))
    # Of a discrete Laplace number of scale s the mean size is 1/sinh(1/s), which s is next to.
    scale = 1 / asinh(1 / size)
    assert scale == pytest.approx(answers.drawn_scale(terms.noise.known_scale()), rel=0.01)
    assert scale != pytest.approx(0.98 * answers.drawn_scale(terms.noise.known_scale()), rel=0.01)
