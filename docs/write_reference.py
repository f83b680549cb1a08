"""Write the pages of the reference that are made from the package itself.

`conf.py` runs it whenever the documentation is built: verbs with their options from the
command line, names of every room from the docstrings, methods from their registries.
"""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import click

import scorecast
from scorecast._core.registry import Registry
from scorecast.cli.main import scorecast as command_line
from scorecast.report import markdown
from scorecast.report.document import methods_document

# Rooms that no user comes into.
_PRIVATE = ("_core", "cli", "report")


def write_reference(folder: Path) -> None:
    """Write all generated pages into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    rooms = [
        found.name
        for found in pkgutil.iter_modules(scorecast.__path__)
        if found.ispkg and found.name not in _PRIVATE
    ]
    pages = {"verbs": _verbs(), "front_door": _front_door()}
    pages |= {f"room_{room}": _room(room) for room in rooms}
    for name, text in pages.items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _verbs() -> str:
    """Write every verb with its options, group by group as its help shows them."""
    parts = ["# Verbs and options\n"]
    context = click.Context(command_line, info_name="scorecast")
    for name in command_line.list_commands(context):
        verb = command_line.get_command(context, name)
        inner = click.Context(verb, info_name=f"scorecast {name}")
        parts.append(_verb(verb, inner, "##"))
        if isinstance(verb, click.Group):
            for below in verb.list_commands(inner):
                kind = verb.get_command(inner, below)
                place = click.Context(kind, info_name=f"scorecast {name} {below}")
                parts.append(_verb(kind, place, "###"))
    return "\n".join(parts)


def _verb(verb: click.Command, context: click.Context, level: str) -> str:
    usage = verb.get_usage(context).removeprefix("Usage: ")
    described = inspect.cleandoc(verb.help or "").replace("\b\n", "")
    lines = [
        f"{level} {context.info_name}\n",
        _escaped(described),
        f"\n```\n{usage}\n```\n",
    ]
    groups = getattr(verb, "option_groups", None)
    sections = groups(context) if groups else [("Options", _records(verb, context))]
    for title, records in sections:
        if records:
            lines += [f"{title}:\n", "| option | |", "|---|---|"]
            lines += [f"| {_code(left)} | {_cell(right)} |" for left, right in records]
            lines.append("")
    return "\n".join(lines)


def _records(verb: click.Command, context: click.Context) -> list[tuple[str, str]]:
    options = (p for p in verb.get_params(context) if isinstance(p, click.Option))
    found = (option.get_help_record(context) for option in options)
    return [record for record in found if record is not None]


def _code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|")


def _cell(text: str) -> str:
    return _escaped(" ".join(text.split())).replace("|", "\\|")


def _escaped(text: str) -> str:
    """Take from signs what they mean in Markdown, outside of code."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        part if i % 2 else re.sub(r"([<>*_$])", r"\\\1", part)
        for i, part in enumerate(parts)
    )


def _front_door() -> str:
    """Write the names of `scorecast` itself."""
    names = [name for name in scorecast.__all__ if not name.startswith("__")]
    return "# `import scorecast as sc`\n\n" + _summary("scorecast", names)


def _room(room: str) -> str:
    """Write the names of one room, and the methods that it knows."""
    module = importlib.import_module(f"scorecast.{room}")
    names = getattr(module, "__all__", [])
    values = {name: getattr(module, name) for name in names}
    parts = [f"# scorecast.{room}\n", _escaped(inspect.getdoc(module) or ""), ""]
    described = {
        name: value
        for name, value in values.items()
        if getattr(value, "__name__", "") == name
    }
    at_the_door = [
        name
        for name, value in described.items()
        if getattr(scorecast, name, None) is value
    ]
    if at_the_door:
        listed = ", ".join(f"`{name}`" for name in sorted(at_the_door, key=str.lower))
        parts.append(f"At [the front door](front_door.md), too: {listed}.\n")
    shown = [name for name in described if name not in at_the_door]
    parts.append(_summary(f"scorecast.{room}", shown))
    for name, value in values.items():
        if isinstance(value, Registry) and value:
            table = markdown.write(methods_document(name, value))
            parts.append(f"## {name}\n\n{table.split('**', 2)[2].strip()}\n")
    return "\n".join(parts)


def _summary(module: str, names: list[str]) -> str:
    if not names:
        return ""
    listed = "\n".join(f"   {name}" for name in sorted(names, key=str.lower))
    return (
        f"```{{eval-rst}}\n.. currentmodule:: {module}\n\n"
        f".. autosummary::\n   :toctree: .\n\n{listed}\n```\n"
    )
