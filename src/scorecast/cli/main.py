"""The command group, and what the shell gets back: one line and an exit code."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any, NoReturn

import click

from scorecast._version import __version__
from scorecast.exceptions import ScorecastError, printable

__all__ = ["main"]

_VERBS = {
    "assess": "Say what can be promised about models of few samples.",
    "backtest": "Hide classes and see how well each method predicts them back.",
    "biclusters": "Score biclusters, or what finds them.",
    "compare": "Say which models differ over many data sets.",
    "demo": "Run the main job on data that ship with the package.",
    "density": "Say whether a density describes the data.",
    "extrapolate": "Forecast accuracy with many more classes.",
    "identify": "Say how much information identification proves and implies.",
    "information": "Say how much probabilistic forecasts really know.",
    "survival": "Predict when events come, and what knowing it is worth.",
    "report": "Write one HTML page from saved results.",
    "reproduce": "Compute published numbers again, and say which come out.",
    "settings": "Say what holds of models over many settings.",
    "simulate": "Make data with a known truth, and the truth beside them.",
    "size": "Say how many test samples are enough.",
}
_HELP = """Turn the score on a test set into a forecast of the score in use.

Every verb prints a readable answer; --json FILE saves it for programs and --report
FILE.html for people. Exit codes: 0 done, 1 a fault of scorecast, 2 usage, 3 input
invalid, 4 input valid but not enough to answer, 5 a stated gate failed, 130
interrupted."""


_LONGEST_LINE = 1500  # of a message: what users wrote may stand in it


class _Verbs(click.Group):
    """A group that loads a verb, and with it numpy, only when the verb is run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the verbs."""
        del ctx
        return sorted(_VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one verb."""
        del ctx
        if cmd_name not in _VERBS:
            return None
        module = importlib.import_module(f"scorecast.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb, suggesting the nearest for a misspelt one."""
        if args and args[0] not in _VERBS:
            import difflib

            near = difflib.get_close_matches(args[0], _VERBS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            msg = f"No such command {args[0]!r}.{hint}"
            raise click.UsageError(msg, ctx)
        return super().resolve_command(ctx, args)

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """List the verbs without loading them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(sorted(_VERBS.items()))


@click.group(cls=_Verbs, help=_HELP, context_settings={"max_content_width": 88})
@click.version_option(__version__, prog_name="scorecast")
def scorecast() -> None:
    """Hold the verbs together."""


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with the exit code that belongs to the outcome.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; those of the process by default.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    # Work is spread over workers and threads of our own, each with one thread of BLAS;
    # a pool of them, made when NumPy is loaded, would only wait and burn a core.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _fill_closed_streams()
    try:
        signal.signal(signal.SIGTERM, _terminate)
        code = _run(arguments)
    except KeyboardInterrupt:  # before or after what `_run` looks after
        code = 130
    sys.exit(code)


def _fill_closed_streams() -> None:
    """Give streams that the shell closed somewhere to go.

    The next file to be opened would take their number, and with it all that is printed.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            mode = "w" if number else "r"
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _run(arguments: list[str]) -> int:
    try:
        # Not `scorecast.main`, which takes a closed pipe for a fault.
        with scorecast.make_context("scorecast", list(arguments)) as context:
            scorecast.invoke(context)
        sys.stdout.flush()
    except ScorecastError as error:
        return _say(_told(error, arguments), error.exit_code, arguments, error)
    except click.exceptions.Exit as stop:
        return int(stop.exit_code)
    except click.ClickException as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            # Not a fault but a question: the whole help, line by line.
            sys.stderr.write(f"{error.format_message()}\n")
            return 2
        failed = getattr(error, "ctx", None)
        where = failed.command_path if failed else _path_of(arguments)
        line = f"{error.format_message()} See '{where} --help'."
        return _say(line, 2, arguments, error)
    except KeyboardInterrupt as stop:
        said = str(stop) or "nothing half-written was left behind"
        return _say(f"interrupted; {said}", 130)
    except BrokenPipeError:
        return _stop_printing()
    except OSError as error:
        if error.filename is not None:
            return _say_fault(error, arguments)
        _stop_printing()
        line = f"the answer cannot be printed ({error.strerror}); --json FILE saves it"
        if {"--help", "--version"} & set(arguments):
            line = f"this cannot be printed ({error.strerror})"
        return _say(line, 3, arguments, error)
    except MemoryError as error:
        line = "not enough memory; try fewer examples, fewer repeats, or --jobs 1"
        return _say(line, 4, arguments, error)
    except Exception as error:  # noqa: BLE001 - the last line of defence
        return _say_fault(error, arguments)
    return 0


def _stop_printing() -> int:
    """Let nothing be printed any more: Python would complain once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 141


def _say_fault(error: Exception, arguments: Sequence[str]) -> int:
    """Say what nobody foresaw, and how to report it."""
    kind = type(error).__name__
    if kind in ("TerminatedWorkerError", "KilledWorker"):
        line = "a worker was killed, probably for want of memory; try --jobs 1"
        kept = _checkpoint_of(arguments)
        if kept and os.path.exists(kept) and os.path.getsize(kept):
            line += f"; what was finished is kept in {kept}, to go on from"
        return _say(line, 4, arguments, error)
    line = (
        f"a fault in scorecast {__version__}: {kind}: {error}. Please report it "
        "with the command and the output of the same command with --debug."
    )
    return _say(line, 1, arguments, error)


def _checkpoint_of(arguments: Sequence[str]) -> str | None:
    """Return the checkpoint that was asked for, as far as one can read it off."""
    name = "--checkpoint"
    for i, word in enumerate(arguments):
        if word.startswith(f"{name}="):
            return word.removeprefix(f"{name}=")
        if word == name and i + 1 < len(arguments):
            return arguments[i + 1]
    return None


def _told(error: ScorecastError, arguments: Sequence[str]) -> str:
    """Write an error in words that name the options of the verb."""
    from scorecast.cli.verb import Verb, option_names

    verb = _verb_of(arguments)
    if isinstance(verb, Verb):
        return error.message(verb.names())
    return error.message(option_names(verb) if verb else None)


def _verb_of(arguments: Sequence[str]) -> click.Command | None:
    """Return the verb that was run, or the part of it that has the options."""
    found: click.Command | None = None
    group: click.Command | None = scorecast
    for word in arguments[:2]:
        if not isinstance(group, click.Group):
            break
        group = group.get_command(click.Context(group), word)
        found = group or found
    return found


def _path_of(arguments: Sequence[str]) -> str:
    """Return the verb as it was called; click does not know it while it parses."""
    verb = arguments[0] if arguments else ""
    return f"scorecast {verb}" if verb in _VERBS else "scorecast"


def _say(
    line: str,
    code: int,
    arguments: Sequence[str] = (),
    error: BaseException | None = None,
) -> int:
    one_line = printable(" ".join(line.split()), _LONGEST_LINE)
    sys.stderr.write(f"scorecast: {one_line}\n")
    if error is not None and "--debug" in arguments:
        import traceback

        traceback.print_exception(error)
    return code


def _terminate(_signal: int, _frame: FrameType | None) -> Any:
    # Unwinds like an interrupt, so that temporary files are removed.
    raise KeyboardInterrupt
