"""`dalenius serve`: the service of a policy; `dalenius token`: who may use it.

Importing neither needs the extra `server`, so a user who lacks it is told which package is missing. `token` works
without it, because tokens are a file.

`dalenius token make policy.toml --analyst ana` prints a text of 60 characters: `dal_`, 12 hexadecimal digits, `_` and
43 letters, once; it is valid for 90 days, for the policy's one data set. With two data sets it is refused until
`--data` says which.
"""

import sys
from threading import Thread
from time import time
from typing import Annotated, Any, Literal, TypeAlias

from dalenius.cli.options import AsJson, Plugins, PolicyFile, argument, number_option, option
from dalenius.cli.output import advise, print_json, print_table, working
from dalenius.curator import Curator, DataSet, Policy, read_policy
from dalenius.errors import InputError, listed, meant
from dalenius.fields import LARGEST_PORT
from dalenius.server import Role, Token, Tokens, tokens_path
from dalenius.server.tokens import ALL_DATA_SETS, DAYS, utc

_LOCAL = ("127.0.0.1", "::1", "localhost")


def serve(
    policy: PolicyFile,
    host: Annotated[str | None, option("The address at which it listens [default: the policy's].", "ADDRESS")] = None,
    port: Annotated[int | None, option("The port, 0 for any free port [default: the policy's].", "PORT")] = None,
    plugin: Plugins = None,
) -> None:
    """Answer analysts over HTTP, within a policy: a JSON API and web pages."""
    if port is not None and not 0 <= port <= LARGEST_PORT:
        raise InputError("--port", port, f"a port from 0 to {LARGEST_PORT}")
    read = read_policy(policy)
    try:
        from dalenius.server.process import listening, run
        from dalenius.server.worker_processes import Computing
    except ModuleNotFoundError as error:
        raise InputError(
            "serve", str(error.name), "a package of the extra server: pip install 'dalenius[server]'"
        ) from None
    tokens = Tokens(tokens_path(policy))
    if not tokens.all() and read.service.sign_on is None:
        advise(f"nobody has a token yet: dalenius token make {policy} --analyst NAME")
    where = host if host is not None else read.service.host
    # Somebody who listens on all addresses: without a proxy before it tokens would go over the network as they are.
    if where not in _LOCAL:
        advise(f"{where} is open to other machines: protect tokens and answers with a proxy that speaks HTTPS")
    read = read.altered({"service": read.service.altered({"host": where})})
    computing = Computing(read.service)
    with listening(where, read.service.port if port is None else port) as socket:
        with working("opening the tables"):
            curator = Curator(read, policy.parent)
            curator.check()
        # The first start; or one after the ledger was lost, or with a path that is mistyped.
        if curator.ledger.history().last is None:
            advise(f"ledger {curator.ledger.shown} is new: nothing was ever spent in it")
        for said in (*curator.advice_on_new_names(), *curator.advice_on_tables()):
            advise(said)
        try:
            Thread(target=computing.warm, daemon=True).start()
            shown = f"[{where}]" if ":" in where else where
            print(f"listening on http://{shown}:{socket.getsockname()[1]}", file=sys.stdout, flush=True)
            run(curator, tokens, socket, computing)
        finally:
            computing.close()
            curator.close()


_Action: TypeAlias = Literal["make", "list", "revoke"]


def token(
    action: Annotated[
        _Action, argument("make: a new token, shown once; list: all; revoke: end one, from now on.", "ACTION")
    ],
    policy: PolicyFile,
    id: Annotated[str | None, argument("For revoke: the id, as list shows it.", "[ID]")] = None,
    analyst: Annotated[str | None, option("For make: the analyst of the policy.", "NAME")] = None,
    owner: Annotated[str | None, option("For make: an owner, who sees the ledger and every release.", "NAME")] = None,
    auditor: Annotated[str | None, option("For make: an auditor, who sees the same.", "NAME")] = None,
    data: Annotated[
        str | None,
        option("For make: the data set [default: the policy's only one; for owners and auditors all].", "NAME"),
    ] = None,
    days: Annotated[float | None, number_option("For make: the days that the token lasts [default: 90].")] = None,
    json: AsJson = False,
) -> None:
    """Make, list and revoke the tokens of a policy's service."""
    given = {Role.analyst: analyst, Role.owner: owner, Role.auditor: auditor}
    names = {role: name for role, name in given.items() if name is not None}
    options = {f"--{role}": name for role, name in given.items()} | {"--data": data, "--days": days}
    # `token revoke --analyst ana` would revoke all of hers, or none: an id says which.
    if action != "make" and (superfluous := [option for option, value in options.items() if value is not None]):
        raise InputError(superfluous[0], "given", f"nothing with {action}: it belongs to make")
    if (action == "revoke") != (id is not None):
        wanted = "the id of a token, as list shows it" if id is None else f"nothing with {action}"
        raise InputError("ID", "missing" if id is None else id, wanted)
    read, tokens = read_policy(policy), Tokens(tokens_path(policy))
    if action == "list":
        _listed(tokens, json)
    elif id is not None:
        revoked = tokens.revoke(id)
        print_json(_json(revoked)) if json else print(f"token {revoked.id}, {_words(revoked)}, is revoked")
    else:
        # A token is for one person in one role: a person with two roles gets two tokens.
        if len(names) != 1:
            several = " and ".join(f"--{role}" for role in names) or "missing"
            raise InputError("token", several, "one of --analyst, --owner and --auditor")
        ((role, name),) = names.items()
        text, made = tokens.make(role, name, _data(read, role, name, data), DAYS if days is None else days)
        if not json:
            advise(f"this is shown once, and kept nowhere; it is token {made.id}, {_words(made)}")
        print_json({"token": text, **_json(made)}) if json else print(text)


def _data(policy: Policy, role: Role, name: str, data: str | None) -> str:
    """The data set that a new token is of; `*` for owners and auditors where none is named.

    InputError for a data set that the policy does not have, or an analyst that it does not name there: such a token
    would be refused at every question.
    """
    # An analyst's cap is of one data set, and so is their token; owners and auditors read all of them.
    if data is None and role is Role.analyst and len(policy.data) > 1:
        raise InputError("--data", "missing", f"one of {', '.join(each.name for each in policy.data)}")
    chosen = data if data is not None else policy.data[0].name if role is Role.analyst else ALL_DATA_SETS
    if chosen != ALL_DATA_SETS:
        found = policy.data_set(chosen)
        if role is Role.analyst:
            _check_analyst(found, name)
    return chosen


def _check_analyst(data: DataSet, name: str) -> None:
    """Raises InputError for a name that the policy does not have there; the owner of the policy is told all names."""
    names = [each.name for each in data.analysts]
    if name not in names:
        wanted = f"one of the analysts of data set {data.name!r}: {listed(names)}{meant(name, names)}"
        raise InputError("analyst", name, wanted)


def _listed(tokens: Tokens, json: bool) -> None:
    """All, in the order in which they were made, those that have ended too; none with its text, which nobody has."""
    found = tokens.all()
    if json:
        print_json({"tokens": [_json(each) for each in found]})
        return
    rows = [[each.id, each.role.value, each.name, each.data, utc(each.expires)[:16], _state(each)] for each in found]
    print_table("Tokens", ["id", "role", "name", "data", "until (UTC)", "state"], rows)


def _words(token: Token) -> str:
    """Writes whose token it is, for which data set, and until when (UTC)."""
    of = "all data sets" if token.data == ALL_DATA_SETS else f"data set {token.data}"
    return f"{token.role.value} {token.name} of {of}, until {utc(token.expires)[:16]}Z"


def _state(token: Token) -> str:
    """valid, expired or revoked, by the clock of this machine."""
    return "revoked" if token.revoked is not None else "valid" if token.is_valid(time()) else "expired"


def _json(token: Token) -> dict[str, Any]:
    """Times in UTC; state: valid, expired or revoked."""
    return {
        "id": token.id,
        "role": token.role.value,
        "name": token.name,
        "data": token.data,
        "made": utc(token.made),
        "expires": utc(token.expires),
        "revoked": None if token.revoked is None else utc(token.revoked),
        "state": _state(token),
    }
