"""What a verb is: grouped help, choices from registries, errors that name its options.

A verb's file reads options, calls the library once and delivers::

    @click.command(name="compare", cls=Verb, usual=("--model", "--truth", "--json"))
    @click.argument("table")
    @option("Input", "--model", "models", multiple=True, help="Column to compare.")
    @output_options
    def command(**options):
        run(options, _load, _answer)

`cli.outputs.run` does what all verbs share. An option has the name of the parameter
that it sets; where it cannot, `Verb.aliases` says which one it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import click
from click.core import ParameterSource

from scorecast._core.near_names import near_name
from scorecast._core.registry import Registry
from scorecast.exceptions import UsageError

F = TypeVar("F", bound=Callable[..., Any])

if TYPE_CHECKING:
    _Choice = click.Choice[str]
else:
    _Choice = click.Choice  # not generic before click 8.2

_USUAL = "Usual options"
# Groups of help that come before those of a verb's own, and after them.
_FIRST = ("Input", "Question")
_LAST = ("Method", "File layout", "Output")
_MOST = 10**15  # whole numbers up to here are exact as floating-point numbers, too
_GIVEN = ParameterSource.COMMANDLINE
# Options that every verb has, by the group of help that they stand in.
_SHARED = {
    "Output": (
        "json",
        "report",
        "force",
        "quiet",
        "seed",
        "jobs",
        "engine",
        "debug",
        "help",
    ),
    "File layout": ("key", "delimiter", "decimal", "no-header", "max-memory"),
}
_GROUPS = {name: group for group, names in _SHARED.items() for name in names}


# A column may have no name; the prefix that every column has is none.
_MAY_BE_EMPTY = ("drop", "prefix")


class Verb(click.Command):
    """A command with grouped help, whose errors name its options.

    Attributes
    ----------
    aliases : mapping
        From parameters of the library to options that are called otherwise; a verb may
        add its own.
    usual : tuple of str
        The options that help shows first, in this order; at most ten.
    """

    aliases: ClassVar[Mapping[str, str]] = {
        "random_state": "--seed",
        "n_jobs": "--jobs",
        "greater_is_better": "--lower-is-better",
        "header": "--no-header",
        "max_bytes": "--max-memory",
        "y_true": "--truth",
    }

    def __init__(
        self,
        *args: Any,
        usual: Sequence[str] = (),
        aliases: Mapping[str, str] | None = None,
        **facts: Any,
    ) -> None:
        super().__init__(*args, **facts)
        self.usual = tuple(usual)
        self.own_aliases = dict(aliases or {})

    def names(self) -> dict[str, str]:
        """Return what users of the verb call the parameters of the library."""
        return {**option_names(self), **self.own_aliases}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options; refuse what is nothing, no number, or beyond counting."""
        rest = super().parse_args(ctx, args)
        for param in self.params:
            value = ctx.params.get(str(param.name))
            for each in value if isinstance(value, tuple) else (value,):
                if isinstance(each, float) and math.isnan(each):
                    raise click.BadParameter("nan is no number.", ctx, param)
                if isinstance(each, int) and param.name != "seed" and each > _MOST:
                    raise click.BadParameter(f"at most {_MOST:,}.", ctx, param)
                is_given = ctx.get_parameter_source(str(param.name)) is _GIVEN
                if each == "" and is_given and param.name not in _MAY_BE_EMPTY:
                    raise click.BadParameter("nothing was given.", ctx, param)
        return rest

    def option_groups(
        self, ctx: click.Context
    ) -> list[tuple[str, list[tuple[str, str]]]]:
        """Return the usual options, all others by group, and methods by name."""
        groups: dict[str, list[tuple[str, str]]] = {}
        usual: dict[str, tuple[str, str]] = {}
        methods = []
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is None or not isinstance(param, click.Option):
                continue
            name = _longest(param)
            if isinstance(param, _GroupedOption) and param.methods:
                methods.append((f"{name} NAME", list(param.methods)))
            if name in self.usual:
                usual[name] = record
                continue
            shared = _GROUPS.get(name.lstrip("-"), "Method")
            group = getattr(param, "group", None) or shared
            groups.setdefault(group, []).append(record)
        first = [usual[name] for name in self.usual if name in usual]
        own = [g for g in groups if g not in (*_FIRST, *_LAST)]
        order = [g for g in (*_FIRST, *own, *_LAST) if g in groups]
        grouped = [(_USUAL, first), *((group, groups[group]) for group in order)]
        found = [*grouped, *methods]
        return [(title, records) for title, records in found if records]

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the options by group."""
        for title, records in self.option_groups(ctx):
            with formatter.section(title):
                formatter.write_dl(records)


def option_names(command: click.Command) -> dict[str, str]:
    """Return the options of a command by the parameters that they set."""
    own = {str(param.name): _longest(param) for param in command.params}
    known = [text for text in own.values() if text.startswith("--")]
    written = {text.removeprefix("--").replace("-", "_"): text for text in known}
    shared = {k: v for k, v in Verb.aliases.items() if v in known}
    return {**shared, **written, **own}


class _GroupedOption(click.Option):
    def __init__(
        self,
        *args: Any,
        group: str = "",
        methods: Sequence[tuple[str, str]] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.group = group
        self.methods = methods  # names and when to use them, shown below the options


def option(group: str, *names: str, **facts: Any) -> Callable[[F], F]:
    """Make an option of a group of help: Input, Question, Method, Output."""
    facts.setdefault("show_default", facts.get("default") is not None)
    return click.option(*names, cls=_GroupedOption, group=group, **facts)


class MethodName(_Choice):
    """The name of a method, or one of its aliases, which becomes the name."""

    def __init__(self, registry: Registry[Any], others: Sequence[str] = ()) -> None:
        super().__init__(list(dict.fromkeys([*others, *registry])))
        self._aliases = {x: m.name for m in registry.values() for x in m.aliases}

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """Return the name of the method that was meant."""
        name = self._aliases.get(value, value)
        if name in self.choices:
            return str(name)
        near = near_name(name, self.choices)
        hint = f" Did you mean {near!r}?" if near else ""
        known = ", ".join(self.choices)
        return self.fail(f"{value!r} is not one of {known}.{hint}", param, ctx)


def method_option(
    name: str,
    registry: Registry[Any],
    *,
    group: str = "Method",
    default: str | None = "auto",
    others: Sequence[Any] = (),
    says: str = "",
) -> Callable[[F], F]:
    """Make an option of the methods of a registry, listed below all options."""
    names = [*([] if default is None else [default]), *(m.name for m in others)]
    return option(
        group,
        name,
        type=MethodName(registry, names),
        metavar="NAME",
        default=default,
        help=says or f"One of {', '.join(registry)}.",
        methods=[described(m) for m in (*registry.values(), *others)],
    )


def described(method: Any) -> tuple[str, str]:
    """Return a method's name, when to use it, and its settings as they are."""
    usual: dict[str, object] = getattr(method, "usual_settings", dict)()
    listed = ", ".join(f"{name}={write_setting(x)}" for name, x in usual.items())
    return method.name, f"{method.summary} [{listed}]" if listed else method.summary


def write_setting(value: object) -> str:
    """Write a setting as --method-option takes it."""
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return (
        str(value).lower() if isinstance(value, bool) or value is None else str(value)
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
        if context.get_parameter_source(name) is _GIVEN:
            raise UsageError(f"has no say {reason}", parameter=name)


def _longest(param: click.Parameter) -> str:
    """Return the long form of an option, as people write it."""
    return max(param.opts, key=len) if param.opts else str(param.name)
