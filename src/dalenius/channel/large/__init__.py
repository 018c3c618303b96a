"""The core's own bounds and limits for answers about very many people."""
