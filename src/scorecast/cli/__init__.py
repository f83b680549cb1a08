"""Speaks to the shell: one short file per verb, and no statistics."""

from __future__ import annotations

import os
import sys
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
    _leave_current_directory()
    try:
        from scorecast.cli.main import main as run
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    run(argv)


def _leave_current_directory() -> None:
    """Look for no module beside the data, here or in any process that is started."""
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        here = os.getcwd()
    except OSError:  # a directory that is gone holds nothing
        return
    own = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    # `python -m` and `python -c` put it first; a checkout may be run from inside.
    if sys.path and sys.path[0] in ("", here) and here != own:
        del sys.path[0]
