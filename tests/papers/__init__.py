"""The statements of IDP and IP, one by one, on random models: docs/reference/statements.md says which test is whose."""
