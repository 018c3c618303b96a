"""The user's table of people, read through Ibis.

The engine counts, and counts and row numbers come back. Values come back row by row only where the secret is who is
absent, and each person has a probability of their own.

Each name is imported where it is first asked for; `__init__.pyi` lists them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
