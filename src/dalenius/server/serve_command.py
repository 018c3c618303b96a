"""`dalenius serve`: the service of a policy."""

import sys
from pathlib import Path
from threading import Thread
from typing import Annotated

import typer

from dalenius.cli.options import Plugins, option
from dalenius.cli.output import advise, working
from dalenius.curator import Curator, read_policy
from dalenius.errors import InputError
from dalenius.server import Tokens, tokens_beside

LOCAL = ("127.0.0.1", "::1", "localhost")


def serve(
    policy: Annotated[Path, typer.Argument(help="The policy, a TOML file.", show_default=False, metavar="POLICY")],
    host: Annotated[str | None, option("Where it listens [default: the policy's].", "ADDRESS")] = None,
    port: Annotated[
        int | None, option("On which port, 0 for any that is free [default: the policy's].", "PORT")
    ] = None,
    plugin: Plugins = None,
) -> None:
    """Answer analysts over HTTP, within the policy: a JSON API and a page."""
    if port is not None and not 0 <= port <= 65535:
        raise InputError("--port", port, "a port from 0 to 65535")
    read = read_policy(policy)
    try:
        from dalenius.server.computing import Computing
        from dalenius.server.running import listening, run
    except ModuleNotFoundError as error:
        raise InputError(
            "serve", str(error.name), "a package of the extra server: pip install 'dalenius[server]'"
        ) from None
    tokens = Tokens(tokens_beside(policy))
    if not tokens.all():
        advise(f"nobody has a token yet: dalenius token make {policy} --analyst NAME")
    where = host if host is not None else read.service.host
    if where not in LOCAL:
        advise(f"{where} is not this machine alone: tokens and answers want HTTPS, which a proxy before it speaks")
    read = read.altered({"service": read.service.altered({"host": where})})
    computing = Computing(read.service)
    with listening(where, read.service.port if port is None else port) as socket:
        with working("opening the tables"):
            curator = Curator(read, policy.parent, compute=computing)
            curator.check()
        if curator.ledger.history().last is None:
            advise(f"ledger {curator.ledger.shown} is new: nothing was ever spent in it")
        for said in curator.new_beside_others():
            advise(said)
        try:
            Thread(target=computing.warm, daemon=True).start()
            print(f"listening on http://{_shown(where)}:{socket.getsockname()[1]}", file=sys.stdout, flush=True)
            run(curator, tokens, socket, computing)
        finally:
            computing.close()
            curator.close()


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host
