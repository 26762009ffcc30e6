"""The pages hold what they promise: links lead somewhere, commands parse, settings exist, the reference is current."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import runpy
import shlex
from pathlib import Path

import pytest
import typer
from tests.plugins import lay_out_example
from tests.public import is_public, names_in_page, names_in_program

from goldproof.cli import WrongUse, app
from goldproof.errors import UsageError
from goldproof.studies import ENTRIES, find_study
from goldproof.studies.logic.settings import DEMO
from goldproof.studies.settings import Choice, make_config

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")

FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"^(?: {4}.*\n?)+", re.MULTILINE)
COMMAND = re.compile(r"^\s*(?:- run: |\$ )?goldproof (.*)$", re.MULTILINE)
INLINE = re.compile(r"`goldproof ([^`]+)`")
SETTING = re.compile(r"`([a-z_]\w*(?:\.[a-z_]\w*)+)(?:=[^`]*)?`")
PLACEHOLDERS = ("DATA", "DIR", "FOLDER")


def links(page: Path) -> list[Path]:
    found = LINK.findall(page.read_text(encoding="utf-8"))
    return [(page.parent / link).resolve() for link in found if "://" not in link and not link.startswith("mailto:")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    assert [str(link) for link in links(page) if not link.exists()] == []


def test_every_page_can_be_reached_from_the_index():
    seen, waiting = set(), [ROOT / "docs" / "index.md"]
    while waiting:
        page = waiting.pop()
        if page not in seen and page.suffix == ".md" and page.exists():
            seen.add(page)
            waiting += links(page)
    assert sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md") if page not in seen) == []


def block_commands(text: str) -> list[str]:
    """What follows `goldproof` on each such line of a code block; a backslash joins lines, a comment is cut off."""
    blocks = [body for language, body in FENCE.findall(text) if language != "python"]
    blocks += INDENTED.findall(FENCE.sub("", text))
    lines = [line for block in blocks for line in COMMAND.findall(block.replace("\\\n", " "))]
    return [re.sub(r"\s+#.*", "", line).strip() for line in lines]


def inline_commands(text: str) -> list[str]:
    """The same for code within a sentence."""
    return [" ".join(command.split()) for command in INLINE.findall(FENCE.sub("", text))]


def find_command(words: list[str]):
    """The command that the words begin with, and the words after it; a KeyError where there is none."""
    command = typer.main.get_command(app)
    while hasattr(command, "commands") and words and not words[0].startswith("-"):
        command, words = command.commands[words[0]], words[1:]
    return command, words


def check_command(text: str) -> None:
    """Raise unless the command line parses and the study takes its settings; nothing is run."""
    command, words = find_command(shlex.split(text))
    if words == ["--help"]:
        return
    asked = command.make_context("goldproof", words).params
    study = asked.get("study", "claims" if command.name == "claims" else "logic")
    if "pairs" in asked and study is not None:
        file = Path(asked["config"]) if asked.get("config") else DEMO if command.name == "demo" else None
        choice = Choice(asked.get("preset", "default"), file, asked["pairs"] or ())
        make_config(find_study(study), choice)


def options_of(command) -> set[str]:
    return {"--help", *(name for param in command.params for name in param.opts)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_in_code_blocks_parse_and_settings_exist(page, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(lay_out_example(tmp_path / "installed")))  # the plugins that pages speak of
    for name in PLACEHOLDERS:
        (tmp_path / name).mkdir()
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    for command in block_commands(page.read_text(encoding="utf-8")):
        try:
            check_command(command)
        except Exception as error:  # noqa: BLE001  whatever it is, say which command
            pytest.fail(f"goldproof {command}: {type(error).__name__}: {error}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_within_sentences_have_the_options_that_they_name(page):
    for text in inline_commands(page.read_text(encoding="utf-8")):
        words = text.split()
        command, rest = find_command(words) if words[0] != "COMMAND" else (None, [])
        named = {word.split("=")[0] for word in rest if word.startswith("--")}
        assert command is None or named <= options_of(command), f"goldproof {text}"


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("rum demo", KeyError),
        ("run", WrongUse),
        ("run demo --seed 3", WrongUse),
        ("run demo --set seed=3", UsageError),
        ("run stability --set extra.amount=3", UsageError),
        ("compare a.jsonl b.jsonl --gate much", WrongUse),
    ],
)
def test_a_wrong_command_would_be_found(command, error):
    page = f"text\n\n```\ngoldproof {command}   # why\n```\n"
    (found,) = block_commands(page)
    assert found == command
    with pytest.raises(error):
        check_command(found)


def test_commands_are_found_wherever_they_stand():
    page = (
        "`goldproof list` and\n\n    goldproof check a b\n\n```yaml\n- run: goldproof run demo \\\n    --dry-run\n```\n"
    )
    assert block_commands(page) == ["run demo      --dry-run", "check a b"]
    assert inline_commands(page) == ["list"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_names_that_pages_use_are_public(page):
    used = names_in_page(page.read_text(encoding="utf-8"))
    assert sorted({name for name in used if not is_public(name)}) == []


@pytest.mark.parametrize("file", sorted((ROOT / "examples").glob("*.py")), ids=lambda file: file.name)
def test_names_that_examples_use_are_public(file):
    used = names_in_program(file.read_text(encoding="utf-8"))
    assert sorted({name for name in used if not is_public(name)}) == []


def test_names_that_the_notebook_uses_are_public():
    cells = json.loads((ROOT / "examples" / "api.ipynb").read_text(encoding="utf-8"))["cells"]
    program = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    assert sorted({name for name in names_in_program(program) if not is_public(name)}) == []
    prose = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    assert sorted({name for name in names_in_page(prose) if not is_public(name)}) == []


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_settings_that_a_study_page_names_exist(entry):
    page = ROOT / "docs" / "studies" / f"{entry.name}.md"
    config = find_study(entry.name).Config()
    for key in SETTING.findall(page.read_text(encoding="utf-8")) if page.exists() else ():
        value = config
        for part in key.split("."):
            if value is config and not hasattr(value, part):  # a module or a file, no setting
                break
            assert hasattr(value, part), key
            value = getattr(value, part)


def test_the_reference_is_current():
    """Write it anew with `python docs/make_reference.py`."""
    folder = ROOT / "docs" / "reference"
    made = runpy.run_path(str(ROOT / "docs" / "make_reference.py"))["pages"]()
    assert {name: (folder / name).read_text(encoding="utf-8") for name in made} == made


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs" / "validation" / "reports").glob("*.html")), ids=lambda p: p.name
)
def test_the_policy_of_a_shipped_report_lets_its_script_run(page):
    """A browser runs the script only if the policy names its digest: text changed by hand would leave the page dead."""
    text = page.read_text(encoding="utf-8")
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in text
