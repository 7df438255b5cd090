"""The command line: `tacit study | plan | report | fit | predict | audit | demo`."""

from tacit.cli.app import app, main

__all__ = ["app", "main"]
