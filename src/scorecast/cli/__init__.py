"""Speaks to the shell: one short file per verb, and no statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with the exit code that belongs to the outcome.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; those of the process by default.
    """
    try:
        from scorecast.cli.main import main as run
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    run(argv)
