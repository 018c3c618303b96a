"""Answers that are lost on their way are asked for again, and paid for once: a real service, over a real network."""

import signal
from contextlib import ExitStack
from pathlib import Path

import pytest

import dalenius as dl
from dalenius.client.connection import Clock
from dalenius.errors import Unreachable
from tests.client.lossy_proxy import lossy
from tests.curator.asking import kinds
from tests.curator.policies import ask
from tests.server.process import Running, running


@pytest.mark.lengthy
def test_an_answer_that_is_lost_thrice_is_paid_for_once(tmp_path: Path) -> None:
    with running(tmp_path) as service, lossy(service.url, lost=3) as proxy:
        slept: list[float] = []
        clock = Clock(now=lambda: float(sum(slept)), sleep=slept.append)
        with dl.Client(proxy.url, service.token, clock=clock) as client:
            done = client.ask(ask())
        assert (done.repeated, len(slept), len(done.published.answers)) == (True, 3, 1)
        asks = [head for head in proxy.seen if b"/ask " in head]
        keys = {line for head in asks for line in head.split(b"\r\n") if line.lower().startswith(b"idempotency-key")}
        assert (len(asks), len(keys)) == (4, 1)
    assert [kinds(tmp_path / "ledger.sqlite").count(kind) for kind in ("debit", "answer")] == [1, 1]


@pytest.mark.lengthy
def test_a_service_that_is_killed_and_started_again_is_paid_once(tmp_path: Path) -> None:
    """The answer is lost, the service is killed, for a while nothing listens, and then a new one does."""
    with ExitStack() as until, lossy(None, lost=1) as proxy:
        service: list[Running] = [until.enter_context(running(tmp_path))]
        proxy.target, slept = service[0].url, list[float]()

        def sleep(seconds: float) -> None:
            slept.append(seconds)
            if len(slept) == 1:
                service[0].signal(signal.SIGKILL)
                service[0].process.join()
                (tmp_path / "out").unlink()  # which says where it listened
                proxy.target = None
            if len(slept) == 3:
                proxy.target = until.enter_context(running(tmp_path)).url

        with dl.Client(proxy.url, service[0].token, clock=Clock(now=lambda: float(sum(slept)), sleep=sleep)) as client:
            done = client.ask(ask(), "october-1")
            assert done.repeated
            assert client.ask(ask(), "october-1").hash == done.hash
            assert client.budget().own.spent == pytest.approx(0.2)
    assert [kinds(tmp_path / "ledger.sqlite").count(kind) for kind in ("debit", "answer")] == [1, 1]


@pytest.mark.lengthy
def test_patience_ends_with_the_key_to_ask_again(tmp_path: Path) -> None:
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    with running(tmp_path) as service, lossy(service.url, lost=1000) as proxy:
        clock = Clock(now=lambda: now[0], sleep=sleep)
        with dl.Client(proxy.url, service.token, patience=60.0, clock=clock) as client:
            with pytest.raises(Unreachable, match=r'it may be paid for: ask the same with key="k1"'):
                client.ask(ask(), "k1")
            assert 30 < now[0] <= 60
            proxy.lost = 0
            assert client.ask(ask(), "k1").repeated
    assert kinds(tmp_path / "ledger.sqlite").count("debit") == 1
