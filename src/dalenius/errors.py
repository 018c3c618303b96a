"""The errors of the package, all of one base. Every message names the key, the value and what was wanted.

>>> print(InputError("noise.scale", -1.0, "a finite number above 0"))
noise.scale: -1.0, wanted a finite number above 0
>>> without_passwords("postgresql://ann:secret@host/db"), meant("laplas", ["laplace", "none"])
('postgresql://***@host/db', ' (did you mean laplace?)')
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, time
from numbers import Number
from pathlib import PurePath
from typing import ClassVar, Final

from dalenius.limits import Limit

_SECRETS: Final = (
    (re.compile(r"(?is)\b(?!(?:file|duckdb|sqlite):)([a-z][a-z0-9+.-]+:/+|postgres(?:ql)?\W{1,3}).*@"), r"\1***@"),
    (re.compile(r"(?is)(\b(?:password|passwd|pwd)\s*=\s*).*"), r"\1***"),
)
"""Users and passwords in the URLs of databases, up to the last @. A wrong value may hold them; no message shows
them."""
_SECRET_KEY: Final = re.compile(r"(?i)password|passwd|pwd")

_STEERING: Final = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class DaleniusError(Exception):
    """Base of everything this package raises on purpose.

    Attributes:
        exit_code: What the command line returns: 2, and 1 for `Refused`.
        shown: Whether JSON that was printed already shows what is wrong, so that no more of it follows.
    """

    exit_code: ClassVar[int] = 2
    shown: bool = False

    def __reduce__(self) -> tuple[object, ...]:
        """Pickles the error as it is, because constructors take the parts of a message and not the message."""
        return _same, (type(self), self.args, vars(self))


def _same(kind: type[DaleniusError], args: tuple[object, ...], fields: dict[str, object]) -> DaleniusError:
    """Makes a pickled error without its constructor, which wants the parts of the message."""
    found = kind.__new__(kind)
    found.args = args
    vars(found).update(fields)
    return found


class InputError(DaleniusError):
    """A spec, an argument or a table is not what was wanted (exit 2).

    Passwords in the value, or under a key that is named password, are replaced by ***.

    Args:
        key: The key or argument, such as `noise.scale`.
        value: The value that was given.
        wanted: What was wanted instead, in words.
    """

    def __init__(self, key: str, value: object, wanted: str) -> None:
        shown = value if isinstance(value, str) else written(value)
        # The value of a key that is named password is never shown, whatever it looks like.
        bare = "***" if _SECRET_KEY.search(key) else without_passwords(shown)
        if bare != shown:
            value = shown = bare
        self.key, self.value, self.wanted = key, value, without_passwords(wanted)
        super().__init__(visible(f"{key}: {_one_line(shown)}, wanted {self.wanted}"))


class Meaningless(InputError):
    """The question has no meaning, or no known answer, for such secrets: an audit of everything leaves it out."""


class Unreachable(InputError):
    """A database does not answer, or no longer: the same request may be answered later."""


class TooLarge(DaleniusError):
    """An exact answer would not fit time or memory (exit 2); the message says the size and what to use instead.

    Args:
        what: What is too large, in words.
        size: Its size, in words.
        instead: What to use instead, in words.
        limit: What the size exceeds, where that is one number: the message names it.
    """

    def __init__(self, what: str, size: str, instead: str, limit: Limit | None = None) -> None:
        self.size = size
        named = "" if limit is None else f" ({limit.said})"
        super().__init__(f"{what}: {size} is too large, {instead}{named}")


class Refused(DaleniusError):
    """The promise or the budget would be broken (exit 1)."""

    exit_code: ClassVar[int] = 1


_MOST_NAMES: Final = 40
_LONGEST_NAME: Final = 56


def listed(names: Iterable[str]) -> str:
    """Lists the names of columns for a message: as many `names`, and as much of each, as a line has room for."""
    every = list(names)
    shown = [name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 3]}..." for name in every[:_MOST_NAMES]]
    left = [f"and {len(every) - _MOST_NAMES:,} more"] if len(every) > _MOST_NAMES else []
    return ", ".join([*shown, *left])


_MOST_ROWS: Final = 5


def row_numbers(rows: Sequence[int], of: int | None = None) -> str:
    """Says for a message in which rows something is: the first numbers, and how many more there are.

    Args:
        rows: Numbers of rows, from 1, below the names of the columns.
        of: How many rows there are in all, where `rows` has only the first; None where it has all.

    >>> row_numbers([17204]), row_numbers([1, 2, 9]), row_numbers(range(1, 60_001))
    ('row 17,204', 'rows 1, 2 and 9', 'rows 1, 2, 3, 4, 5 and 59,995 more')
    """
    many = len(rows) if of is None else of
    shown = [f"{row:,}" for row in rows[:_MOST_ROWS]]
    if many > len(shown):
        return f"rows {', '.join(shown)} and {many - len(shown):,} more"
    return f"row {shown[0]}" if many == 1 else f"rows {', '.join(shown[:-1])} and {shown[-1]}"


def without_passwords(text: str) -> str:
    """Replaces user and password of each URL in `text` by ***, if need be from the first URL's user to the last @."""
    for secret, instead in _SECRETS:
        text = secret.sub(instead, text)
    return text


def written(value: object) -> str:
    """Writes `value` as a spec would have it: true, [1, 2], { kind = "sum" }."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "nothing"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, Mapping):
        inner = ", ".join(f"{key} = {written(each)}" for key, each in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, date | time):
        return value.isoformat()
    return repr(value) if isinstance(value, Number) or _is_small(value) else f"a {type(value).__name__}"


def _is_small(value: object) -> bool:
    """Says whether the value is of Python's or of this package: its text is then no table of the user's."""
    return type(value).__module__.partition(".")[0] in ("builtins", "dalenius")


def place(error: BaseException) -> str:
    """Returns the module and line that raised `error`."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else f"{trace.tb_frame.f_globals.get('__name__', '')}:{trace.tb_lineno}"


def meant(given: object, known: Iterable[str]) -> str:
    """Says in parentheses which of the `known` names the wrong name `given` is likely to be; "" where none is near."""
    from difflib import get_close_matches

    near = get_close_matches(str(given), list(known), 1)
    return f" (did you mean {near[0]}?)" if near else ""


def visible(text: str) -> str:
    """Escapes the characters of `text` that steer a terminal, except line ends: a stranger's file may hold them."""
    return _STEERING.sub(lambda found: ascii(found[0])[1:-1], text)


def _one_line(text: str, limit: int = 120) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
