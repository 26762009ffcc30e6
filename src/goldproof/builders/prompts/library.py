"""Sets of prompts: those built in, and TOML files of one's own; both have the same form.

    task = "sentiment"
    language = "en"

    [words]                      # the word that stands for a label; a label without one stands for itself
    negative = "negative"

    [[prompt]]
    name = "review"
    template = "Review: {text}\\nSentiment:"
    words = { negative = "bad" } # instead of those above

What is wrong with a file is said with its name and the prompt's. Words for labels that the data do not have are left
out in the built-in sets, which are for any data of a task; in a file of one's own they are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from goldproof.builders.prompts.prompt import Prompt
from goldproof.data.formats.strict_toml import load_toml
from goldproof.errors import DataError, UsageError

TASKS = ("text", "sentiment", "topic", "pair", "contradiction")
PAIR_TASKS = ("pair", "contradiction")
"""The tasks about two texts each."""

LANGUAGES = ("en", "de", "fr", "es", "pt", "ru", "sv")
_FILE_KEYS = {"task", "language", "words", "prompt"}
_FORM_KEYS = ("gap", "between", "comma")
_PROMPT_KEYS = {"name", "template", "words", *_FORM_KEYS}
_PLACES = ("{text}", "{pair}", "{options}")
_NAME_IN_BRACES = re.compile(r"\{\s*[^\W\d][\w-]*\s*\}")


@dataclass(frozen=True, slots=True)
class PromptSet:
    """The templates of a task in a language; words are not yet bound to the labels of any data."""

    task: str
    language: str
    entries: tuple[PromptEntry, ...]
    origin: str

    def bind(self, labels: Sequence[str], names: Mapping[str, str] | None = None) -> list[Prompt]:
        """The prompts for data with these labels; `names` says what a label is called in the set's words.

        >>> built_in("sentiment", "en").bind(["0", "1"], {"0": "negative", "1": "positive"})[0].words
        ('negative', 'positive')
        """
        known = names or {}
        strange = sorted(set(known) - set(labels))
        if strange:
            raise UsageError(
                f"the setting 'prompts.labels' names the label {strange[0]!r}; labels of the data: {', '.join(labels)}"
            )
        named = {label: known.get(label, label) for label in labels}
        if self.origin:
            self._check_words(set(named.values()))
        return [entry.bind(self, named) for entry in self.entries]

    def _check_words(self, names: set[str]) -> None:
        """Refuse words for what is neither a label of the data nor one of the task: another word would be used."""
        allowed = names | _names_of(self.task)
        for entry in self.entries:
            strange = sorted(name for name, _ in entry.words if name not in allowed)
            if strange:
                raise DataError(
                    f"the words of the prompt {entry.name!r}, its own or those under [words], name the label "
                    f"{strange[0]!r}; allowed: {', '.join(sorted(allowed))}",
                    path=self.origin,
                )


@dataclass(frozen=True, slots=True)
class PromptEntry:
    """One template with its words by the set's names of labels."""

    name: str
    template: str
    words: tuple[tuple[str, str], ...]
    form: tuple[tuple[str, str], ...] = ()

    def bind(self, of: PromptSet, names: Mapping[str, str]) -> Prompt:
        """The prompt with a word for each label; a name without a word stands for itself, blanks for underscores."""
        words = dict(self.words)
        labels = tuple((label, words.get(name, name.replace("_", " "))) for label, name in names.items())
        try:
            return Prompt(self.name, of.language, self.template, labels, **dict(self.form))
        except DataError as error:
            raise DataError(str(error), path=of.origin or None) from None


def built_in(task: str, language: str) -> PromptSet:
    """The set of a task in a language that comes with Goldproof."""
    if task not in TASKS:
        raise UsageError(f"there are no built-in prompts for the task {task!r}; there are for: {', '.join(TASKS)}")
    if language not in LANGUAGES:
        raise UsageError(
            f"there are no built-in prompts in the language {language!r}; there are in: {', '.join(LANGUAGES)}; or "
            "give a file of your own in 'prompts.file'"
        )
    text = resources.files(__package__).joinpath("sets", f"{task}.{language}.toml").read_text(encoding="utf-8")
    return _read(text, "")


def _names_of(task: str) -> set[str]:
    """What the built-in prompts of a task, in any language, call its labels; nothing for another task."""
    sets = [built_in(task, language) for language in LANGUAGES] if task in TASKS else []
    return {name for each in sets for entry in each.entries for name, _ in entry.words}


def read_prompts(path: str | Path) -> PromptSet:
    """The set in a file."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"the prompts cannot be read ({error.strerror or error})", path=path) from None
    except UnicodeDecodeError:
        raise DataError("the prompts cannot be read: the file is not UTF-8", path=path) from None
    return _read(text, str(path))


def _read(text: str, origin: str) -> PromptSet:
    try:
        form = load_toml(text)
    except ValueError as error:
        raise DataError(f"not TOML: {error}", path=origin or None) from None
    _check_keys(form, _FILE_KEYS, "the file", origin)
    given = form.get("prompt")
    if not isinstance(given, list) or not given:
        raise DataError("there is no prompt; write each under [[prompt]] with a name and a template", path=origin)
    shared = _words(form.get("words", {}), "the file", origin)
    entries = tuple(_entry(each, place, shared, origin) for place, each in enumerate(given, 1))
    repeated = _repeated(entry.name for entry in entries)
    if repeated:
        raise DataError(f"two prompts are called {repeated!r}; each needs a name of its own", path=origin or None)
    task, language = (_text(form.get(key, ""), key, origin) for key in ("task", "language"))
    return PromptSet(task, language, entries, origin)


def _entry(form: Any, place: int, shared: Mapping[str, str], origin: str) -> PromptEntry:
    where = f"prompt {place}"
    if not isinstance(form, dict):
        raise DataError(f"{where} must stand under [[prompt]] with a name and a template", path=origin or None)
    name = _text(form.get("name", f"prompt {place}"), f"name of {where}", origin)
    where = f"the prompt {name!r}"
    _check_keys(form, _PROMPT_KEYS, where, origin)
    if "template" not in form:
        raise DataError(f"{where} has no template", path=origin or None)
    template = _text(form["template"], f"template of {where}", origin)
    if "{text}" not in template:
        raise DataError(
            (f"{where} has no {{text}} in its template, so it does not ask about any item"), path=origin or None
        )
    _check_places(template, where, origin)
    words = {**shared, **_words(form.get("words", {}), where, origin)}
    parts = tuple((key, _text(form[key], f"{key} of {where}", origin)) for key in _FORM_KEYS if key in form)
    return PromptEntry(name, template, tuple(sorted(words.items())), parts)


def _check_places(template: str, where: str, origin: str) -> None:
    """Refuse a name in braces that stands for nothing: the model would see it as it is. Other braces are text."""
    strange = [found for found in _NAME_IN_BRACES.findall(template) if found not in _PLACES]
    if strange:
        raise DataError(
            f"{where} has {strange[0]} in its template, which stands for nothing; allowed: {', '.join(_PLACES)}",
            path=origin or None,
        )


def _words(form: Any, where: str, origin: str) -> dict[str, str]:
    if not isinstance(form, dict):
        raise DataError(f'the words of {where} must be a table of label = "word"', path=origin or None)
    return {str(label): _text(word, f"word of {label!r} in {where}", origin) for label, word in form.items()}


def _check_keys(form: Mapping[str, Any], allowed: set[str], where: str, origin: str) -> None:
    unknown = sorted(set(form) - allowed)
    if unknown:
        raise DataError(
            f"{where} has the key {unknown[0]!r}; allowed: {', '.join(sorted(allowed))}", path=origin or None
        )


def _text(value: Any, what: str, origin: str) -> str:
    if not isinstance(value, str):
        raise DataError(f"the {what} must be text; got {value!r}", path=origin or None)
    return value


def _repeated(names: Iterable[str]) -> str:
    seen: set[str] = set()
    return next((name for name in names if name in seen or seen.add(name)), "")  # type: ignore[func-returns-value]
