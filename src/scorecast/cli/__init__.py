"""Speaks to the shell: one short file per verb, and no statistics."""

from scorecast.cli.main import main

__all__ = ["main"]
