"""What the room offers, and from which file; `__init__` reads it."""

from .client import Client as Client
from .read_results import Told as Told
from .service_offer import Offer as Offer, OfferedMeasure as OfferedMeasure

__all__: list[str]
