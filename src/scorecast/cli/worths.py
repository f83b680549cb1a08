"""What predicted times are worth: posteriors of J, and why one is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scorecast.information import Forecasts
    from scorecast.recurrence import Evaluation

__all__ = ["judged_posteriors", "lengths_of", "n_posteriors"]


def lengths_of(options: dict[str, Any]) -> dict[str, Any]:
    """Return number and length of the chains of fits, as far as they were given."""
    given = {
        "n_chains": options["chains"],
        "n_draws": options["draws"],
        "max_seconds": options["max_seconds"],
    }
    return {name: value for name, value in given.items() if value is not None}


def _information_settings(
    options: dict[str, Any], *, influence: bool = True
) -> dict[str, Any]:
    from scorecast.information import PosteriorSettings

    return {
        "units": options["units"],
        "confidence_level": options["level"],
        "quick": options["quick"],
        "settings": PosteriorSettings(
            max_seconds=options["max_seconds"],
            allow_unconverged=options["allow_unconverged"],
            influence=influence,
        ),
        "random_state": options["seed"],
        "n_jobs": options["n_jobs"],
    }


def judged_posteriors(
    found: Evaluation, options: dict[str, Any], say: Callable[[str], str]
) -> tuple[Any, dict[str, Any]]:
    """Say what the predictions are worth, against the prior and every rival.

    Parameters
    ----------
    found : Evaluation
        The predictions.
    options : dict
        Of the verb.
    say : callable
        Puts a line of the library in words of the command line.

    Returns
    -------
    tuple
        What the model knows beyond the prior, and ``relatives``, ``worths`` and
        ``reasons`` for `recurrence_of`.
    """
    from dataclasses import replace

    from scorecast.exceptions import InvalidInputError, NotConvergedError
    from scorecast.information import (
        Forecasts,
        apparent_information,
        compare_information,
    )

    cases = Forecasts.from_survival(
        found.event,
        log_density=found.log_q,
        log_survival=found.log_q,
        prior_log_density=found.log_p,
        prior_log_survival=found.log_p,
    )
    alike = [] if found.prior == "kaplan-meier" else ["curve"]
    others = (*alike, *found.rivals)
    asked = _asked(others)
    next(asked)
    information = _of_model(cases, options)
    judged: dict[str, dict[str, Any]] = {"relatives": {}, "worths": {}, "reasons": {}}
    for name in others:
        said = found.log_q_of(name)
        own = replace(cases, log_q=said, j=said - found.log_p)
        # What one case can do is said of the model alone.
        alone = {"influence": False}
        pair = {"names": ("model", name)} | alone
        for kind, ask, given, more in (
            ("worths", apparent_information, (own,), alone),
            ("relatives", compare_information, (found.log_q, said), pair),
        ):
            next(asked)
            # Each by itself: where one fails, the other is still known.
            try:
                judged[kind][name] = _posterior(ask, given, options, **more)
            except NotConvergedError as error:
                judged["reasons"][name] = _withheld(error.reasons or str(error))
            except InvalidInputError as error:
                judged["reasons"][name] = say(str(error))
    for _ in asked:  # the last is done
        pass
    return information, judged


def n_posteriors(prior: str, n_rivals: int) -> int:
    """Return how many posteriors of J are to be computed.

    Parameters
    ----------
    prior : str
        Kind of the prior.
    n_rivals : int
        Models to compare with.

    Returns
    -------
    int
        Of the model, and two of the curve of all cases and of every rival.
    """
    return 1 + 2 * ((prior != "kaplan-meier") + n_rivals)


def _asked(others: Sequence[str]) -> Iterator[int]:
    """Count the posteriors of J: of the model, and two of every other."""
    from scorecast._core.progress import track

    yield from track(range(1 + 2 * len(others)), what="posterior")


def _of_model(cases: Forecasts, options: dict[str, Any]) -> Any:
    from scorecast.exceptions import NotConvergedError
    from scorecast.information import apparent_information

    try:
        return _posterior(apparent_information, (cases,), options)
    except NotConvergedError as error:
        msg = f"What the model knows beyond the prior cannot be said. {error}"
        raise NotConvergedError(msg, error.reasons) from error


def _withheld(reasons: str) -> str:
    return (
        f"the simulation of its posterior of J did not converge ({reasons}). Let it "
        "run on for longer (--max-seconds), or --allow-unconverged to see it all the "
        "same."
    )


def _posterior(
    ask: Callable[..., Any],
    given: tuple[Any, ...],
    options: dict[str, Any],
    *,
    influence: bool = True,
    **more: Any,
) -> Any:
    """Return a posterior of J; the checkpoint knows it, or why there is none."""
    from scorecast import exceptions
    from scorecast._core.results import result_from_dict
    from scorecast.recurrence import noted

    settings = _information_settings(options, influence=influence) | more
    if not options["checkpoint"]:
        return ask(*given, **settings)

    def work() -> dict[str, Any]:
        try:
            return {"told": ask(*given, **settings).to_dict()}
        except (exceptions.InvalidInputError, exceptions.NotConvergedError) as error:
            why = {"why": str(error), "reasons": getattr(error, "reasons", "")}
            return {"failed": type(error).__name__} | why

    # How many threads there are makes no difference.
    asked = (ask.__name__, given, settings | {"n_jobs": None})
    found = noted(options["checkpoint"], "posterior", asked, work)
    if found.get("failed") == "NotConvergedError":
        raise exceptions.NotConvergedError(found["why"], found.get("reasons", ""))
    if "failed" in found:
        raise getattr(exceptions, found["failed"])(found["why"])
    return result_from_dict(found["told"])
