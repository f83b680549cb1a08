"""What a verb is: grouped help, choices from registries, errors that name its options.

A verb's file reads options, calls the library once and delivers. An option has the name
of the parameter that it sets; where it cannot, `Verb.aliases` says which one it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

import click
from click.core import ParameterSource

from scorecast._core.registry import Registry
from scorecast.exceptions import UsageError

F = TypeVar("F", bound=Callable[..., Any])

_USUAL = "Usual options"
_MOST_USUAL = 10
# Options that every verb has, by the group of help that they stand in.
_SHARED = {
    "Output": ("json", "report", "force", "quiet", "seed", "jobs", "debug", "help"),
    "File layout": ("key", "delimiter", "decimal", "no-header", "max-memory"),
}
_GROUPS = {name: group for group, names in _SHARED.items() for name in names}


class Verb(click.Command):
    """A command with grouped help, whose errors name its options.

    Attributes
    ----------
    aliases : mapping
        From parameters of the library to options that are called otherwise.
    """

    aliases: ClassVar[Mapping[str, str]] = {
        "random_state": "--seed",
        "n_jobs": "--jobs",
        "greater_is_better": "--lower-is-better",
        "y_true": "--truth",
    }

    def names(self) -> dict[str, str]:
        """Return what users of the verb call the parameters of the library."""
        own = {str(param.name): _longest(param) for param in self.params}
        known = set(own.values())
        others = {k: v for k, v in self.aliases.items() if v in known}
        return {**others, **own}

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the usual options first, then all others by group."""
        groups: dict[str, list[tuple[str, str]]] = {_USUAL: []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is None or not isinstance(param, click.Option):
                continue
            if getattr(param, "is_usual", False):
                groups[_USUAL].append(record)
                continue
            shared = _GROUPS.get(_longest(param).lstrip("-"), "Method")
            group = getattr(param, "group", None) or shared
            groups.setdefault(group, []).append(record)
        last = [group for group in ("File layout", "Output") if group in groups]
        order = [*(g for g in groups if g not in last), *last]
        for group in order:
            if groups[group]:
                with formatter.section(group):
                    formatter.write_dl(groups[group])


class _GroupedOption(click.Option):
    def __init__(
        self, *args: Any, group: str = "", is_usual: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.group = group
        self.is_usual = is_usual


def option(
    group: str, *names: str, usual: bool = False, **facts: Any
) -> Callable[[F], F]:
    """Make an option of a group of help; the usual ones are shown first."""
    facts.setdefault("show_default", facts.get("default") is not None)
    return click.option(
        *names, cls=_GroupedOption, group=group, is_usual=usual, **facts
    )


def method_option(
    name: str,
    registry: Registry[Any],
    *,
    default: str = "auto",
    others: Sequence[str] = (),
    says: str = "",
    usual: bool = False,
) -> Callable[[F], F]:
    """Make an option of the methods of a registry; their summaries are its help."""
    choices = [*dict.fromkeys([default, *others]), *registry]
    each = "; ".join(f"{m.name}: {m.summary}" for m in registry.values())
    return option(
        "Method",
        name,
        usual=usual,
        type=click.Choice(list(dict.fromkeys(choices))),
        metavar="NAME",
        default=default,
        help=f"{says} {each}.".strip(),
    )


def refuse_unused(context: click.Context, names: Sequence[str], reason: str) -> None:
    """Refuse options that were given but have no say.

    Parameters
    ----------
    context : click.Context
        Of the verb.
    names : sequence of str
        Names of parameters that do not apply.
    reason : str
        Why, after "has no say".

    Raises
    ------
    UsageError
        Naming the first that was given.
    """
    for name in names:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise UsageError(f"has no say {reason}", parameter=name)


def _longest(param: click.Parameter) -> str:
    """Return the long form of an option, as people write it."""
    return max(param.opts, key=len) if param.opts else str(param.name)
