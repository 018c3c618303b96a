"""The curator: who may ask what about which data, and what is left of each budget.

Each name is imported where it is first asked for; `__init__.pyi` lists them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
