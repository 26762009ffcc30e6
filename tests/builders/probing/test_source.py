"""Bad treebanks and mixed languages: whole messages."""

from __future__ import annotations

import pytest

from goldproof.builders.probing import open_treebanks
from goldproof.errors import DataError, UsageError

GOOD = "# sent_id = 1\n1\tHe\the\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\tleft\tleave\tVERB\t_\t_\t0\troot\t_\t_\n\n"
RUSSIAN = "1\tОн\tон\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\tушёл\tуйти\tVERB\t_\t_\t0\troot\t_\t_\n\n"


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            GOOD + "# sent_id = 2\n" + GOOD.partition("\n")[2].replace("2\tnsubj", "0\troot"),
            "line 5: a sentence has one root, a word with HEAD 0; here the words 1 and 2 are roots",
        ),
        (
            GOOD.replace("0\troot", "1\tdep"),
            "line 2: the heads of word 1 form a cycle",
        ),
        (
            GOOD + GOOD,
            "line 5: the sentence id '1' already occurs at line 1; ids must differ",
        ),
        (
            GOOD.replace("He", "Он").replace("left", "ушёл"),
            "1 of 1 sentences are not in the language 'en': not mostly in Latin script",
        ),
        (
            "# lang = de\n" + GOOD,
            "1 of 1 sentences are not in the language 'en': marked as 'de'",
        ),
    ],
)
def test_bad_treebanks(tmp_path, text, message):
    path = write(tmp_path / "en_bad.conllu", text)
    with pytest.raises(DataError) as caught:
        list(open_treebanks([path]).trees())
    where = f"{path}, " if message.startswith("line") else f"{path}: "
    assert str(caught.value) == where + message


def test_a_few_foreign_sentences_are_left_out_and_counted(tmp_path):
    from collections import Counter

    text = GOOD + GOOD.replace("= 1", "= 2") + "# lang = de\n" + GOOD.replace("= 1", "= 3")
    path = write(tmp_path / "en_mixed.conllu", text)
    left_out = Counter()
    assert [tree.sentence.id for tree in open_treebanks([path]).trees(left_out)] == ["1", "2"]
    assert left_out == {"marked as 'de'": 1}


def test_languages_of_file_names(tmp_path):
    english, russian = write(tmp_path / "en_a.conllu", GOOD), write(tmp_path / "ru_a.conllu", RUSSIAN)
    unnamed = write(tmp_path / "corpus.conllu", GOOD)
    assert open_treebanks([english]).language == "en"
    assert open_treebanks([unnamed], "en").language == "en"
    for paths, language, message in (
        (
            [english, russian],
            None,
            "the names of the files say different languages: en, ru; give one language, for example --language ru",
        ),
        (
            [unnamed],
            None,
            "the names of the files do not say the language; give one language, for example --language ru",
        ),
        ([], None, "at least one CoNLL-U file is needed"),
    ):
        with pytest.raises(UsageError) as wrong_use:
            open_treebanks(paths, language)
        assert str(wrong_use.value) == message
    with pytest.raises(DataError) as caught:
        open_treebanks([english, russian], "en")
    assert str(caught.value) == f"{russian}: the file name says the language is 'ru', but 'en' was requested"
