"""Specs of which only one end of a leakage is known, or none, or which leak without bound."""

from typing import Final

CHAIN: Final = 'model = { kind = "chain", n = 20, transition = [[0.9, 0.1], [0.2, 0.8]], initial = "stationary" }\n'
COUNT: Final = 'query = { kind = "count" }\n'
BARE: Final = 'noise = { kind = "none" }\n'
KNOWN: Final = 'notion = { kind = "noiseless", delta = 1e-3, known_fraction = 0.1 }\n'
PROMISED: Final = KNOWN.replace("delta", "epsilon = 1.0, delta")

LOWER_ONLY: Final = (
    CHAIN.replace("n = 20", "n = 80").replace("[0.9, 0.1], [0.2, 0.8]", "[0.7, 0.3], [0.3, 0.7]")
    + COUNT
    + BARE
    + KNOWN.replace("1e-3", "1e-5").replace("0.1", "0.3")
)
"""The known records leave at least so much; the coins that any of them leave have no upper end at this delta."""
RELOCATED: Final = (
    'model = { kind = "independent", n = 3, probabilities = [0.3] }\n'
    + COUNT
    + 'notion = { kind = "inferential", epsilon = 1.0 }\n'
    + 'noise = { kind = "relocation", lower = 0, upper = 3, leaves = [1.0, 1.0], moves = [[0.5, 0.5], [0.5, 0.5]], '
    + "shares = [[0.5, 0.5], [0.5, 0.5]] }\n"
)
"""Rows are equal, so that nothing leaks."""
MOVED: Final = RELOCATED.replace("leaves = [1.0, 1.0]", "leaves = [0.5, 0.5]")
"""Answers stay half of the time."""
MIXED: Final = (
    'model = { kind = "independent", n = 3, probabilities = [0.3] }\n'
    + 'notion = { kind = "inferential", epsilon = 1.0 }\n'
    + '[[questions]]\nquery = { kind = "count" }\nnoise = { kind = "gaussian", scale = 10.0 }\n'
    + '[[questions]]\nquery = { kind = "count" }\nnoise = { kind = "laplace", scale = 10.0 }\n'
)
"""Two answers about the same people, of which no joint law is computed."""
ENDLESS: Final = CHAIN + COUNT + BARE + 'notion = { kind = "inferential", epsilon = 1.0 }\n'
"""Nobody ill is an answer that rules out that a person is."""
GAUSSIAN: Final = CHAIN + COUNT + 'noise = { kind = "gaussian" }\n' + PROMISED
