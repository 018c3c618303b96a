"""Interpretation: what an ε means for one person, alone and in a group, in words, a picture and a table.

Each name is imported where it is first asked for; `__init__.pyi` lists them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
