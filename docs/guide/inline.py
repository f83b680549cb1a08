"""Write the pages of the guide from their .md.in, with examples and outputs in place.

A template names pieces of files by ``{literalinclude}``; a reader on a Git host would
see the directive, so the page itself holds the text.
"""

import re
from pathlib import Path

HERE = Path(__file__).parent
BLOCK = re.compile(r"```\{literalinclude\} (\S+)\n((?::.*\n)*)```")


def piece(match: re.Match[str]) -> str:
    """Return the part of a file that a directive names, as a fenced block."""
    text = (HERE / match[1]).read_text()
    options = dict(re.findall(r':([a-z-]+): "?(.*?)"?\n', match[2]))
    if "start-after" in options:
        text = text.split(options["start-after"], 1)[1]
    if "end-before" in options:
        text = text.split(options["end-before"], 1)[0]
    lines = text.strip("\n").splitlines()
    indent = min((len(x) - len(x.lstrip()) for x in lines if x.strip()), default=0)
    body = "\n".join(line[indent:].rstrip() for line in lines).strip("\n")
    return f"```{options.get('language', 'text')}\n{body}\n```"


for template in sorted(HERE.glob("*.md.in")):
    template.with_suffix("").write_text(BLOCK.sub(piece, template.read_text()))
