"""Whatever is asked after which answer, the promise about who is absent is kept; noise of 2 % less breaks it."""

import pytest

from tests.curator.absence_games import play

GAMES = [200, pytest.param(10_000, marks=pytest.mark.slow)]


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


def test_two_percent_less_noise_is_also_found_out_in_drawn_games() -> None:
    found = [play(seed, lie=0.98) for seed in range(0, 400, 2)]
    assert any(not played.keeps(table) for table, played in found)
