"""Word tokenizer and detokenizer as NLTK had them up to version 3.5, which published corrupted corpora were made with.

Later versions split and join quotes, commas and dashes otherwise. Only what differs is stated here; the rest is the
installed NLTK. The differences of the tokenizer:

- an opening apostrophe is split off a word of one letter alone ("'n roll"), never off a longer one ("'hello");
- figure, en and em dashes stay attached;
- a double apostrophe is split off only the word before it;
- "more'n" is no contraction; "wanna" needs white space after it.

The behaviour restated here is that of NLTK (Apache License 2.0, © NLTK Project), whose tokenizer this module adapts.

The detokenizer undoes the splits by the rules below, in their order. Where removal left two commas side by side, the
second keeps the space before it; an opening quote in the middle of a text stays two backquotes and loses both spaces;
at the beginning it becomes a backslash and a quotation mark; a closing quote loses the space after it too.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any

_PAIRS = (("can", "not"), ("d", "'ye"), ("gim", "me"), ("gon", "na"), ("got", "ta"), ("lem", "me"), ("mor", "'n"))

_SPLIT_PAIR = re.compile(r"(?i)\b(?:can|d|gim|gon|got|lem|mor|wan)\s(?:not|'ye|me|na|ta|'n)")
_PAIR_RULES = [
    *((rf"(?i)\b({first})\s({second})\b", r"\1\2") for first, second in _PAIRS),
    (r"(?i)\b(wan)\s(na)\s", r"\1\2"),  # loses the space after it as well
]
_JOIN = [  # what a rule needs: one of these characters, else it is passed over
    ("'", r"(?<=[^' ])\s('(?:ll|LL|re|RE|ve|VE)|n't|N'T) ", r"\1 "),  # only where white space follows, not at the end
    ("'", r"(?<=[^' ])\s('[sSmMdD]?) ", r"\1 "),
    ("'", r"(\S)''", r"\1'' "),
    ("'", r" '' ", r'"'),
]
_UNPAD = [
    ("-", r" -- ", "--"),
    ("[({<", r"\s([\[({<])\s", r" \1"),
    ("])}>", r"\s([\])}>])\s", r"\1 "),
    ("])}>", r"(?<=[\])}>])\s(?=[:;,.])", ""),
    ("'", r"(?<=[^'])\s'\s", "' "),
    ("?!", r"\s(?=[?!])", ""),
    (".", r"(?<=[^.])\s(\.[\])}>\"']*)\s*$", r"\1"),
    ("#$", r"\s([#$])\s", r" \1"),
    (";%", r"\s([;%])\s", r"\1 "),
    ("&*", r"\s([&*])\s", r" \1 "),
    (".", r"\s\.\.\.\s", "..."),
    (":,", r"\s([:,])\s$", r"\1"),
    (":,", r"\s([:,])\s(\D)", r"\1 \2"),  # takes the second of two commas with it, which so keeps its space
    ("`", r"([ (\[{<])\s``", r'\1"'),
    ("`", r"\s``\s", "``"),
    ("`", r"^``", r'\\"'),
]
_CONTRACTION = re.compile(r"(?i) ('t)\s(is|was)\b")  # loses the space before it as well
_PAIR_PATTERNS = [(re.compile(pattern), replacement) for pattern, replacement in _PAIR_RULES]
_JOIN_RULES = [(frozenset(needs), re.compile(pattern), replacement) for needs, pattern, replacement in _JOIN]
_UNPAD_RULES = [(frozenset(needs), re.compile(pattern), replacement) for needs, pattern, replacement in _UNPAD]
_MARKS = frozenset().union(*(needs for needs, _, _ in _JOIN_RULES + _UNPAD_RULES))


def detokenize(tokens: Sequence[str]) -> str:
    r"""The text of Treebank tokens by the older rules.

    >>> detokenize(["it", "proves", "quite", "as", "an", ",", "brooding", "character", "study", "."])
    'it proves quite as an, brooding character study.'
    >>> detokenize(["he", ",", ",", "said", "``", "no", "''", "and", "left"])
    'he, , said``no"and left'
    """
    text = " ".join(tokens)
    marks = _MARKS.intersection(text)
    if "'" in marks:
        text = _CONTRACTION.sub(r"\1\2", text)
    if _SPLIT_PAIR.search(text):
        for pattern, replacement in _PAIR_PATTERNS:
            text = pattern.sub(replacement, text)
    for rules in (_JOIN_RULES, _UNPAD_RULES):
        for needs, pattern, replacement in rules:
            if not marks.isdisjoint(needs):
                text = pattern.sub(replacement, text)
        text = text.strip()
    return text


@functools.cache
def older_word_tokenizer() -> Any:
    """NLTK's word tokenizer (for one sentence) with the older rules in place of those that changed."""
    from nltk.tokenize import NLTKWordTokenizer

    tokenizer = NLTKWordTokenizer()
    kept = [rule for rule in tokenizer.STARTING_QUOTES if "(?i)" not in rule[0].pattern]
    one_letter = re.compile(r"(?i)'(?!re|ve|ll|[mtsd])(?=\w\b)")
    tokenizer.STARTING_QUOTES = [*kept, (one_letter, "' ")]
    tokenizer.PUNCTUATION = [rule for rule in tokenizer.PUNCTUATION if r"\u2012" not in rule[0].pattern]
    tokenizer.ENDING_QUOTES = [
        (re.compile("[»”’]"), r" \g<0> "),
        (re.compile('"'), " '' "),
        (re.compile(r"(\S)''"), r"\1 '' "),
        (re.compile(r"(?<=[^' ])'[sSmMdD]? "), r" \g<0>"),
        (re.compile(r"(?<=[^' ])(?:'(?:ll|LL|re|RE|ve|VE)|n't|N'T) "), r" \g<0>"),
    ]
    tokenizer.CONTRACTIONS2 = [re.compile(rf"(?i)\b({first})({second})\b") for first, second in _PAIRS]
    tokenizer.CONTRACTIONS2.append(re.compile(r"(?i)\b(wan)(na)\s"))
    return tokenizer
