"""The curator over HTTP: tokens, limits, a JSON API and a page; needs the extra `server`."""

from dalenius.server.tokens import Role as Role, Token as Token, Tokens as Tokens, tokens_path as tokens_path
