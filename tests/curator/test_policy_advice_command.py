"""`dalenius policy check` and `serve`: a name that is new in a ledger of others is pointed out."""

from pathlib import Path

import pytest

from tests.cli.command import Run, dalenius
from tests.server.process import policy_in


def test_a_name_that_is_new_beside_others(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = policy_in(tmp_path)
    first = dalenius("policy", "check", policy)
    assert (first.code, "advice" in first.err) == (0, False)
    from dalenius.curator import Curator, read_policy
    from tests.curator.policies import ask

    Curator(read_policy(policy), tmp_path).session("ana", "measles").ask(ask())
    assert "advice" not in dalenius("policy", "check", policy).err
    policy.write_text(policy.read_text(encoding="utf-8").replace('"measles"', '"rubella"'), encoding="utf-8")
    monkeypatch.setattr("dalenius.server.running.run", lambda *_: None)
    for said in (
        dalenius("policy", "check", policy).err,
        run("serve", policy, "--port", "0").err,
    ):
        assert (
            'data set "rubella" is new in this ledger, with a budget of its own; if it holds people of "measles"'
            in said
        )
