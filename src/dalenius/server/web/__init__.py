"""The curator's pages for analysts, owners and auditors: without scripts, and with nothing from elsewhere."""

from dalenius.server.web.routes import make_router as make_router
