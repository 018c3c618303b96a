"""What becomes of a letter that the terminal's encoding lacks: it is spelled, or written by its number."""

import codecs
import sys

from dalenius.errors import visible

SPELLED = "spelled"
"""The name of the error handler, for streams."""

_SPELLED = {
    "∞": "inf",
    "ε": "epsilon",
    "δ": "delta",
    "Δ": "Delta",
    "Θ": "Theta",
    "θ": "theta",
    "η": "eta",
    "λ": "lambda",
    "ρ": "rho",
    "σ": "sigma",
    "μ": "mu",
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "π": "pi",
    "κ": "kappa",
    "Σ": "sum",
    "×": "x",
    "·": "*",
    "±": "+-",
    "−": "-",
    "–": "-",
    "…": "...",
    "²": "^2",
    "³": "^3",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "√": "sqrt",
    "→": "->",
    "′": "'",
    "’": "'",
    "‘": "'",
    "“": '"',
    "”": '"',
}


def spell() -> None:
    """Makes the handler known. What is printed is spelled by it, as is what `spelled` measures."""
    codecs.register_error(SPELLED, _handler)


def spelled(text: str) -> str:
    """The text as standard output will show it, where its encoding lacks letters."""
    text = visible(text)
    encoding = getattr(sys.stdout, "encoding", None)
    if not encoding or text.isascii() or getattr(sys.stdout, "errors", None) != SPELLED:
        return text
    return text.encode(encoding, SPELLED).decode(encoding)


def _handler(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_SPELLED.get(letter) or _number(letter) for letter in lacking), error.end


def _number(letter: str) -> str:
    return letter.encode("ascii", "backslashreplace").decode("ascii")
