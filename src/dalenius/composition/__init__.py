"""What several releases of the same data tell together."""

from dalenius.composition.group import group_loss, together

__all__ = ["group_loss", "together"]
