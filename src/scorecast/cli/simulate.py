"""``scorecast simulate``: data with a known truth, and the truth beside them."""

from __future__ import annotations

import inspect
import json
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from scorecast.cli.options import Share, Whole

if TYPE_CHECKING:
    from scorecast.synthetic import Simulated

__all__ = ["command", "labelled_parameters"]

F = TypeVar("F", bound=Callable[..., Any])
_ENDINGS = (".csv", ".npz", ".parquet")
_PARAMETER = re.compile(r"`(\w+)(?:='?(.*?)'?)?`")
# Where an option is not called as the parameter of the function.
_OPTIONS = {
    "labelled": {"n_classes": "--classes"},
    "biclusters": {
        "n_rows": "--rows", "n_columns": "--columns", "n_biclusters": "--biclusters",
        "rows": "--bicluster-rows", "columns": "--bicluster-columns",
    },
    "classes": {
        "n_classes": "--classes", "n_each": "--each", "n_features": "--dimensions",
    },
    "forecasts": {"n_classes": "--classes"},
}  # fmt: skip
_OWN = ("out", "json_path", "force", "quiet", "debug", "seed")


def _output(function: F) -> F:
    """Add what every kind writes."""
    for option in reversed((
        click.option("--out", required=True, metavar="FILE",
                     help="Data: .csv, .npz or .parquet. The truth goes beside them, "
                     "as .truth.json."),
        click.option("--json", "json_path", metavar="-",
                     help="'-' prints the truth as JSON, and only it."),
        click.option("--force", is_flag=True, help="Overwrite existing files."),
        click.option("--seed", type=Whole(min=0), default=0,
                     show_default=True, help="Seed of all random choices."),
        click.option("--quiet", is_flag=True, help="Print nothing."),
        click.option("--debug", is_flag=True, help="Show tracebacks."),
    )):  # fmt: skip
        function = option(function)
    return function


def _number(name: str, default: Any, text: str, kind: Any = None) -> Any:
    return click.option(
        name, type=kind or Whole(min=1), default=default, show_default=True,
        help=text,
    )  # fmt: skip


def _choice(name: str, choices: str, text: str) -> Any:
    words = choices.split()
    return click.option(
        name, type=click.Choice(words), default=words[0], show_default=True, help=text
    )


def _share(
    name: str, default: float, text: str, *, most: float = 1, is_open: bool = False
) -> Any:
    return _number(name, default, text, Share(most=most, is_open=is_open))


_SIZE = click.FloatRange(min=0, min_open=True)


@click.group(name="simulate")
def command() -> None:
    """Make data with a known truth, and say what to run on them next.

    KIND is labelled (cases with labels), biclusters (a matrix with hidden ones),
    classes (a recognition task with a known accuracy curve) or forecasts (that know a
    stated amount).
    """


@command.command(name="labelled")
@_number("--n", 200, "Cases.", Whole(min=2))
@_number("--m", 500, "Features.")
@_number("--classes", 3, "Number of classes.", Whole(min=2))
@_choice(
    "--distribution",
    "gaussian gaussian-mixture gaussian-poisson gaussian-uniform bimodal",
    "What the values of a class are drawn from.",
)
@_number("--sd", 3.0, "Standard deviation of normal components.", _SIZE)
@_number("--separation", 1.0, "Factor of the distances between classes.", _SIZE)
@_choice("--mixing", "case value", "Whether a case or a value picks a component.")
@_share("--informative", 1.0, "Share of the features that tell classes apart.")
@_number("--block-size", 1, "Neighbouring features that are correlated.")
@_share("--rho", 0.0, "Correlation within a block.", most=0.99)
@_share("--skewed", 0.0, "Share of the features that are skewed.")
@_choice("--skew", "tail gamma", "How they are skewed.")
@_share("--tail-share", 0.2, "Share of far values, for --skew tail.", most=0.99)
@_number("--skewness", 2.0, "Skewness, for --skew gamma.", _SIZE)
@_share("--noise", 0.0, "Noise, as a share of the range of values.")
@_share("--imbalance", 0.0, "By how much the smallest class is smaller.", most=0.99)
@_number("--dependencies", 0, "Local dependencies to plant.", Whole(min=0))
@_number("--dependency-rows", 20, "Cases of each.")
@_number("--dependency-columns", 10, "Features of each.")
@_choice(
    "--dependency-pattern",
    "additive constant constant-rows constant-columns multiplicative order-preserving",
    "What each follows.",
)
@click.option("--no-bayes-error", is_flag=True, help="Leave the Bayes error out.")
@_output
def labelled(**options: Any) -> None:
    """Make cases with labels, skewed, noisy, correlated or unequal as asked."""
    options["with_bayes_error"] = not options.pop("no_bayes_error")
    options["n_classes"] = options.pop("classes")
    _make("labelled", options)


def labelled_parameters() -> dict[str, str]:
    """Return what the options of `labelled` set.

    Returns
    -------
    dict of str to str
        Options of what is made, without their dashes, with the parameters of the
        function that they stand for.
    """
    named = {p: option.removeprefix("--") for p, option in _OPTIONS["labelled"].items()}
    parameters = {named.get(p, p.replace("_", "-")): p for p in _made("labelled")}
    options = [option.removeprefix("--") for p in labelled.params for option in p.opts]
    return {name: parameters[name] for name in options if name in parameters}


def _made(kind: str) -> list[str]:
    """Return the parameters of what makes data of a kind."""
    from scorecast import synthetic

    return list(inspect.signature(getattr(synthetic, kind)).parameters)


@command.command(name="biclusters")
@_number("--rows", 100, "Rows of the matrix.")
@_number("--columns", 30, "Columns of the matrix.")
@click.option(
    "--biclusters",
    type=Whole(min=0),
    help="How many to hide; from the paper's table for its sizes.",
)
@click.option(
    "--bicluster-rows",
    type=Whole(min=1),
    nargs=2,
    metavar="LEAST MOST",
    help="Rows of each.",
)
@click.option(
    "--bicluster-columns",
    type=Whole(min=1),
    nargs=2,
    metavar="LEAST MOST",
    help="Columns of each.",
)
@click.option(
    "--pattern",
    "pattern",
    multiple=True,
    type=click.Choice([
        "constant", "constant-rows", "constant-columns", "additive", "multiplicative",
        "order-preserving",
    ]),
    help="What each follows; may be repeated, to be taken in turn. Default: constant.",
)  # fmt: skip
@_share(
    "--overlap", 0.0, "Share of each that lies in the one before as well.", most=0.9
)
@_choice("--combine", "replace add", "What holds where two overlap.")
@_choice("--background", "normal uniform", "The other values.")
@_number(
    "--signal",
    3.0,
    "Bases of biclusters are drawn up to so many deviations from the mean, on either "
    "side; many lie nearer.",
    _SIZE,
)
@_share("--noise", 0.0, "Noise, as a share of the range of values.")
@_share("--missing", 0.0, "Share of the cells without a value.", most=0.95)
@_output
def biclusters(**options: Any) -> None:
    """Make a matrix with hidden biclusters."""
    options["n_rows"], options["n_columns"] = options["rows"], options["columns"]
    options["rows"] = options.pop("bicluster_rows") or None
    options["columns"] = options.pop("bicluster_columns") or None
    options["n_biclusters"] = options.pop("biclusters")
    options["pattern"] = options["pattern"] or ("constant",)
    _make("biclusters", options)


@command.command(name="classes")
@_number("--classes", 50, "Classes to draw.", Whole(min=2))
@_number("--each", 5, "Examples of each.")
@_choice("--population", "gaussian uniform heavy-tailed", "Spread of class centres.")
@_number("--dimensions", 5, "Number of dimensions.")
@_number("--noise", 0.2, "Variance of the noise in each dimension.", _SIZE)
@_number("--df", 3.0, "Degrees of freedom of heavy tails, above 2.", _SIZE)
@_choice("--templates", "exact noisy", "Centres, or one more example of each class.")
@_choice("--form", "scores embeddings", "What an .npz holds.")
@_output
def classes(**options: Any) -> None:
    """Make a recognition task whose accuracy with any number of classes is known."""
    options["n_classes"] = options.pop("classes")
    options["n_each"] = options.pop("each")
    options["n_features"] = options.pop("dimensions")
    if options["form"] == "embeddings" and not options["out"].lower().endswith(".npz"):
        msg = "--form embeddings makes three arrays: name the file .npz."
        raise click.UsageError(msg)
    _make("classes", options)


@command.command(name="forecasts")
@_number("--n", 1000, "Number of cases.")
@_choice("--forecaster", "gaussian classes disaster", "What is forecast, and how.")
@_number("--information", 0.5, "Of the best Gaussian forecaster, in nats.", _SIZE)
@_number("--sharpness", 1.0, "Above 1: too sure; below: too shy.", _SIZE)
@_number("--classes", 2, "Number of classes.", Whole(min=2, max=50))
@_number("--strength", 1.5, "Spread of the log-odds of classes.", _SIZE)
@_share("--hit", 0.9, "Disaster: the chance usually given.", is_open=True)
@_share("--disaster", 0.001, "The chance given in a disaster.", is_open=True)
@_share("--disaster-share", 0.01, "Share of disasters.")
@_output
def forecasts(**options: Any) -> None:
    """Make forecasts that know a stated amount."""
    options["n_classes"] = options.pop("classes")
    _make("forecasts", options)


def _make(kind: str, options: dict[str, Any]) -> None:
    from scorecast import synthetic
    from scorecast.cli.inputs import collected_warnings
    from scorecast.io import check_writable

    own = {name: options.pop(name) for name in _OWN}
    path = own["out"]
    if own["json_path"] not in (None, "-"):
        msg = "--json takes '-'; the truth is written beside --out anyway."
        raise click.UsageError(msg)
    if not path.lower().endswith(_ENDINGS):
        msg = f"--out must end in .csv, .npz or .parquet; got {path!r}."
        raise click.UsageError(msg)
    for target in (path, synthetic.truth_path(path)):
        check_writable(target, force=own["force"])
    with collected_warnings(), _in_options(kind):
        data = getattr(synthetic, kind)(**options, random_state=own["seed"])
    beside = data.save(path, force=own["force"])
    if own["json_path"] == "-":
        text = json.dumps(data.to_dict(), indent=2, allow_nan=False, ensure_ascii=False)
        click.echo(text)
    elif not own["quiet"]:
        _say(data, path, beside)


@contextmanager
def _in_options(kind: str) -> Iterator[None]:
    """Name options where the library names parameters, which may be called otherwise.

    Parameters
    ----------
    kind : str
        What is made.

    Raises
    ------
    UsageError
        Again, in the words of the command line.
    """
    from scorecast.exceptions import UsageError

    try:
        yield
    except UsageError as error:

        def said(found: re.Match[str]) -> str:
            name, value = found.groups()
            option = _OPTIONS[kind].get(name) or f"--{name.replace('_', '-')}"
            return f"{option} {value}" if value else option

        msg = _PARAMETER.sub(said, str(error))
        raise UsageError(msg) from error


def _say(data: Simulated, path: str, beside: str) -> None:
    click.echo(click.wrap_text(data.summary(), width=88))
    click.echo(f"\nData      {path}\nTruth     {beside}")
    following = _next_command(data, path)
    if following:
        click.echo(f"Next      {following}")


def _next_command(data: Simulated, path: str) -> str:
    """Return a command that works on what was made."""
    name = shlex.quote(path)
    archive = path.lower().endswith(".npz")
    if data.kind == "labelled":
        return f"scorecast assess {name} --target y --model naive-bayes --model tree"
    if data.kind == "forecasts":
        return f"scorecast information {name} --log-q log_q --log-p log_p"
    if data.kind == "classes":
        far = 10 * int(data.options["n_classes"])
        if data.options["form"] == "embeddings":
            parts = " ".join(
                f"--{part} {shlex.quote(f'{path}::{part}')}"
                for part in ("gallery", "probes", "labels")
            )
            return f"scorecast extrapolate {parts} --to {far}"
        column = "" if archive else " --label-column truth"
        return f"scorecast extrapolate {name}{column} --to {far}"
    if data.options["n_biclusters"]:
        from scorecast.synthetic import truth_path

        # The hidden ones in place of found ones: how well they could be seen at all.
        return f"scorecast assess {name} --biclusters {shlex.quote(truth_path(path))}"
    return ""
