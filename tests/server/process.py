"""`dalenius serve` as a process, on a port that is free."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path
from time import monotonic, sleep
from typing import Final

import httpx

from dalenius.server import Role, Tokens, tokens_path
from tests.cli import warm
from tests.curator.policies import people

PATIENCE: Final = 60.0

POLICY = """
[service]
requests_per_minute = 10000

[[data]]
name = "measles"
source = {file = "people.csv", label = "place"}
notion = {kind = "inferential", epsilon = 1.0}
analysts = [{name = "ana", epsilon = 0.5}, {name = "bob"}]

[[data.measures]]
name = "ill"
value = {column = "ill", equals = 1}
queries = ["count", "sum"]
model = {kind = "households", by = "home", epidemic = {community = 0.1, household = 0.3}}
"""


def policy_in(folder: Path) -> Path:
    """The policy's file, with its table."""
    (folder / "people.csv").write_text(people(), encoding="utf-8")
    (folder / "policy.toml").write_text(POLICY, encoding="utf-8")
    return folder / "policy.toml"


@dataclass
class Running:
    """url: where it listens; log: the file of its standard error; process: warm, as the commands of the quick suite."""

    process: BaseProcess
    url: str
    token: str
    log: Path

    def client(self) -> httpx.Client:
        headers = {"Authorization": f"Bearer {self.token}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=30, trust_env=False)

    def signal(self, number: int) -> None:
        assert self.process.pid is not None
        os.kill(self.process.pid, number)


@contextmanager
def running(folder: Path) -> Iterator[Running]:
    """Of a policy in that folder; killed where it has not ended by itself."""
    policy, out, log = policy_in(folder), folder / "out", folder / "log"
    text, _ = Tokens(tokens_path(policy)).make(Role.analyst, "ana", "measles")
    process = warm.started(warm.dalenius, ["serve", str(policy), "--port", "0"], out, log)
    try:
        yield Running(process, _listening(process, out, log), text, log)
    finally:
        process.kill()
        process.join()


def _listening(process: BaseProcess, out: Path, log: Path) -> str:
    """Where it says that it listens, once it does."""
    until = monotonic() + PATIENCE
    while monotonic() < until and process.exitcode is None:
        if out.exists() and (said := out.read_text()).endswith("\n"):
            return said.split()[-1]
        sleep(0.02)
    raise AssertionError(log.read_text())
