"""Write the pages of docs/reference that are read off the code: commands, settings, formats, statistics, corpora.

python docs/make_reference.py
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_type_hints

import typer

import goldproof
from goldproof import statistics
from goldproof.cli import app
from goldproof.data.corpora.catalog import catalog
from goldproof.data.corpora.facts import corpus_facts
from goldproof.report.write import FORMATS
from goldproof.studies import ENTRIES, find_study
from goldproof.studies.shared import refused

FOLDER = Path(__file__).parent / "reference"
MADE = "Made from the code by `python docs/make_reference.py`; do not edit by hand."


def pages() -> dict[str, str]:
    """The text of each page by its file name."""
    makers: dict[str, Callable[[], Iterator[str]]] = {
        "commands.md": commands,
        "settings.md": settings,
        "formats.md": formats,
        "statistics.md": statistics_page,
        "catalog.md": catalog_page,
        "python.md": python_page,
    }
    return {name: "\n".join(make()) + "\n" for name, make in makers.items()}


def commands() -> Iterator[str]:
    """Every command with its arguments and options."""
    yield from ("# Commands", "", MADE, "")
    yield (
        "Results go to stdout, progress and errors to stderr. Exit codes: 0 done or passed; 1 the answer is no (a gate,"
    )
    yield (
        "`--strict`, damaged values); 2 wrong use or input; 3 undecided where proof was required; "
        "4 a job, a training or"
    )
    yield "the store failed; 70 a fault of Goldproof's own; 130 interrupted, 143 terminated. `goldproof COMMAND --help`"
    yield "shows the same options."
    for words, command in _leaves(typer.main.get_command(app), ("goldproof",)):
        arguments = [_argument(param) for param in command.params if param.param_type_name == "argument"]
        yield from ("", f"## {' '.join(words)}", "", _sentence(command.help), "")
        yield from (f"`{' '.join([*words, *arguments, '[OPTIONS]'])}`", "")
        yield from ("| argument or option | default | |", "|---|---|---|")
        for param in command.params:
            yield f"| `{_name(param)}` | {_default(param)} | {_cell(param.help or '')} |"


def _leaves(command: Any, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, inner in getattr(command, "commands", {}).items():
        if hasattr(inner, "commands"):
            yield from _leaves(inner, (*words, name))
        else:
            yield (*words, name), inner


def _argument(param: Any) -> str:
    name: str = param.name.upper() + ("…" if param.nargs == -1 else "")
    return name if param.required else f"[{name}]"


def _name(param: Any) -> str:
    if param.param_type_name == "argument":
        return _argument(param)
    return ", ".join(map(str, param.opts)) + ("" if param.is_flag else f" {param.metavar or _placeholder(param)}")


def _placeholder(param: Any) -> str:
    return str(param.opts[0]).removeprefix("--").upper()


def _default(param: Any) -> str:
    if param.required:
        return "needed"
    if param.default in (None, "") or getattr(param, "is_flag", False):
        return ""
    return f"`{param.default}`"


def settings() -> Iterator[str]:
    """Every setting of every study with its value in the three presets."""
    yield from ("# Settings of the studies", "", MADE, "")
    yield (
        "Give a setting as `--set KEY=VALUE`, or in a TOML file (`--config`), where `a.b` is `b` in the table `[a]`. On"
    )
    yield "the command line, separate a list by commas: `--set seeds=0,1,2`; `null` means no limit:"
    yield (
        '`--set data.most_train=null`, in a file `most_train = "null"`. The columns paper and tiny '
        "show what those presets"
    )
    yield "change."
    for entry in ENTRIES:
        study = find_study(entry.name)
        yield from ("", f"## {entry.name}", "", entry.question, "")
        config = study.Config()
        yield from _config_lines(config, study.PAPER, study.TINY, refused(config))


def _config_lines(
    config: Any, paper: Any, tiny: Any, untaken: frozenset[str], prefix: str = "", lead: str = ""
) -> Iterator[str]:
    """A table of the plain settings of a Config that the study takes, then those of each nested one."""
    names = [field.name for field in dataclasses.fields(config) if prefix + field.name not in untaken]
    values = [(name, *(getattr(preset, name) for preset in (config, paper, tiny))) for name in names]
    hints = get_type_hints(type(config))
    yield f"{lead}{_paragraph(type(config))}"
    if not all(dataclasses.is_dataclass(shown) for _, shown, *_ in values):
        yield from ("", "| setting | kind | default | paper | tiny |", "|---|---|---|---|---|")
    for name, *shown in values:
        if not dataclasses.is_dataclass(shown[0]):
            cells = [_value(shown[0]), *("" if value == shown[0] else _value(value) for value in shown[1:])]
            yield f"| `{prefix}{name}` | {_kind(hints[name])} | {' | '.join(cells)} |"
    for name, *shown in values:
        if dataclasses.is_dataclass(shown[0]):
            yield ""
            yield from _config_lines(
                shown[0], shown[1], shown[2], untaken, prefix=f"{prefix}{name}.", lead=f"**`{prefix}{name}`**: "
            )


def _kind(hint: Any) -> str:
    text = hint.__name__ if isinstance(hint, type) and not hasattr(hint, "__args__") else str(hint)
    literal = re.fullmatch(r"typing\.Literal\[(.*)\]", text)
    if literal:
        return literal[1].replace("'", "").replace(", ", " or ")
    named = {"str": "text", "int": "whole number", "float": "number", "bool": "true or false"}
    text = re.sub(r"(?:\w+\.)+(\w+)", r"\1", text)
    listed = re.fullmatch(r"tuple\[(\w+), \.\.\.\]", text)
    if listed:
        return f"list of {named.get(listed[1], listed[1])}s"
    if text == "str | tuple[str, ...]":
        return "text or list of texts"
    pair = re.fullmatch(r"tuple\[(\w+), \1\]", text)
    if pair:
        return f"two {named.get(pair[1], pair[1])}s: lowest, highest"
    optional = text.removesuffix(" | None")
    return named.get(optional, f"`{optional}`") + (" or null" if optional != text else "")


def _value(value: Any) -> str:
    if value is None:
        return "`null`"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return f"`{','.join(str(item) for item in value)}`" if value else "none"
    return f"`{value}`" if value != "" else "empty"


def formats() -> Iterator[str]:
    """What a report's folder holds."""
    yield from ("# Report formats", "", MADE, "")
    yield "`goldproof run`, `goldproof report`, `goldproof demo`, and `goldproof score` and"
    yield "`goldproof compare` with `--out FOLDER`, write"
    yield 'all of them. In Python, `goldproof.write_report(report, folder, formats=("html", "json"))` writes only those'
    yield "you name."
    yield from ("", "| format | files | |", "|---|---|---|")
    yield from (f"| `{name}` | {form.files} | {_cell(form.what)} |" for name, form in FORMATS.items())
    yield from (
        "",
        'The summary is the report itself: `goldproof.load_summary("summary.json")` reads it back, and',
    )
    yield "[`goldproof export`](commands.md#goldproof-export) turns it into the metadata of a model card"
    yield "([how](../howto/export.md))."


def statistics_page() -> Iterator[str]:
    """Every public name of goldproof.statistics with its signature."""
    yield from ("# Statistics", "", MADE, "")
    yield (
        "`from goldproof.statistics import wilson`: arrays go in, an `Estimate` comes out, with "
        "the fields `value`, `low`,"
    )
    yield "`high`, `method`, `n` and `level`."
    yield "How they were checked: [validation](../validation/statistics.md)."
    for home, names in statistics._HOMES.items():
        module = importlib.import_module(f"goldproof.statistics.{home}")
        yield from ("", f"## {home}", "", _sentence(module.__doc__), "", "| name | |", "|---|---|")
        for name in names:
            yield f"| `{_signature(name, getattr(module, name))}` | {_cell(_first(getattr(module, name)))} |"


def _signature(name: str, thing: Any) -> str:
    if not (inspect.isfunction(thing) or inspect.isclass(thing)):
        return name
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(thing)))
    text = re.sub(r"<function (\w+) at 0x[0-9a-f]+>", r"\1", text)
    return (name + re.sub(r" -> None$", "", text)).replace("|", "\\|")


def _first(thing: Any) -> str:
    known = inspect.isfunction(thing) or inspect.isclass(thing)
    return _sentence(thing.__doc__) if known else f"{len(thing)} entries: {', '.join(thing)}."


def catalog_page() -> Iterator[str]:
    """Every corpus that can be named."""
    yield from ("# Catalog of corpora", "", MADE)
    yield (
        "How to load one: [own data](../howto/own-data.md). Local files are expected under the "
        "data root. Loading from the"
    )
    yield "hub was tested with a stand-in, not against the hub itself."
    yield from ("", "| name | what | languages | local | hub |", "|---|---|---|---|---|")
    for corpus in catalog().values():
        local = "yes" if corpus.local else ""
        hub = f"`{corpus.hub.id}`" if corpus.hub else ""
        anchor = corpus.name.replace("/", "")
        yield f"| [`{corpus.name}`](#{anchor}) | {corpus.title} | {len(corpus.languages)} | {local} | {hub} |"
    for corpus in catalog().values():
        yield from ("", f"## {corpus.name}", "", f"{corpus.title}.", "")
        yield from (f"- {name}: {value}" for name, value in corpus_facts(corpus))


def python_page() -> Iterator[str]:
    """Every public name of the package and of the packages in it that have lists of their own."""
    yield from ("# Python", "", MADE, "")
    yield "The names on this page are public. Other names may change from one version to the next. To begin, see the"
    yield "[quickstart](../quickstart.md#from-python) or [a notebook](../../examples/api.ipynb)."
    for package in ("goldproof", *goldproof._PACKAGES):
        module = importlib.import_module(package)
        yield from ("", f"## {package}", "", _sentence(module.__doc__), "")
        if module is statistics:
            yield "See [its own page](statistics.md)."
            continue
        yield from ("| name | |", "|---|---|")
        for name in module.__all__:
            thing = getattr(module, name)
            shown = _signature(name, thing) if inspect.isfunction(thing) else name
            yield f"| `{shown}` | {_cell(_what(thing))} |"
    yield from (
        "",
        "## The studies",
        "",
        "Each is a package with `Config`, the presets `PAPER` and `TINY`, `jobs(config)` and",
    )
    yield "`report(config, results)`. Run one with `goldproof.run`."
    yield from ("", *(f"- `{entry.module}`: {entry.question}" for entry in ENTRIES))


def _what(thing: Any) -> str:
    """The first sentence on a public thing; a step is what its function is, anything else shows itself."""
    documented = getattr(thing, "function", thing)
    if inspect.isfunction(documented) or inspect.isclass(documented):
        return _sentence(documented.__doc__)
    return f"{len(thing)} entries: {', '.join(map(str, thing))}."


def _sentence(text: str | None) -> str:
    """The first paragraph of a docstring, on one line."""
    return " ".join(inspect.cleandoc(text or "").split("\n\n")[0].split())


def _paragraph(cls: type) -> str:
    """The whole docstring of a settings class up to its examples, on one line for each paragraph."""
    parts = [" ".join(part.split()) for part in inspect.cleandoc(cls.__doc__ or "").split("\n\n")]
    return " ".join(part for part in parts if not part.startswith(">>>"))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
